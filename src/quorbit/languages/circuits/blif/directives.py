"""The dot directives of BLIF and BLIF-MV that a reader knows, and what becomes of each.

[Berkeley, "Revisiting BLIF-MV", 1993] and the BLIF section of the SIS manual.
"""

from __future__ import annotations

# Timing, area, placement and remarks: they say nothing about behaviour.
SKIPPED = frozenset(
    [
        ".spec",
        ".ltlsv",
        ".onehot",
        ".area",
        ".delay",
        ".wire_load_slope",
        ".wire",
        ".input_arrival",
        ".output_required",
        ".input_drive",
        ".output_load",
        ".default_input_arrival",
        ".default_output_required",
        ".default_input_drive",
        ".default_output_load",
        ".default_max_input_load",
        ".max_input_load",
        ".clock",
        ".clock_event",
        ".latch_order",
        ".attr",
        ".attrib",
        ".cname",
        ".cattr",
        ".param",
        ".author",
        ".date",
        ".version",
        ".gateinit",
        ".barbuf",
        ".conn",
        ".no_merge",
        ".search_path",
        ".path",
        ".node_delay",
    ]
)

REFUSED = {
    ".gate": "a mapped gate needs its library, which this file does not hold; write the circuit with .names",
    ".mlatch": "a mapped latch needs its library, which this file does not hold; write it with .latch",
    ".start_kiss": "an embedded KISS state machine is not supported; write it as .names and .latch",
    ".search": "other files are not searched; put all models into one file",
    ".include": "other files are not included; put all models into one file",
}

TABLE = frozenset({".table", ".names"})
RESET = frozenset({".reset", ".r", ".res"})
DEFAULT = frozenset({".default", ".def"})
INPUTS = frozenset({".inputs", ".input"})
OUTPUTS = frozenset({".outputs", ".output"})
