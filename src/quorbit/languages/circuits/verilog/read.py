"""Read Verilog: by the own reader, which knows VIS's extensions, or through Yosys for what it does not know.

The files are preprocessed here, and concurrent assertions become monitors, before either reader sees them.  A ``.v``
file goes to the own reader first, a ``.sv`` file to Yosys first; what the first cannot read the others try, Yosys and
slang inside Yosys where they are installed.  The complaint shown is that of the first; of a ``.sv`` file that of slang,
which knows the language and not only a part of it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import partial
from pathlib import Path

from quorbit.languages.circuits.assertions.rewrite import rewrite_assertions
from quorbit.languages.circuits.verilog.elaborate import elaborate
from quorbit.languages.circuits.verilog.parse import parse_verilog
from quorbit.languages.circuits.verilog.tokens import Token, tokenize_all
from quorbit.languages.circuits.yosys.run import find_slang, find_yosys, read_through_yosys
from quorbit.languages.options import LoadOptions
from quorbit.netlists.netlist import Netlist
from quorbit.source.errors import UserError
from quorbit.source.read import read_source
from quorbit.source.span import Source

__all__ = ["read_sources", "read_verilog"]


def read_verilog(path: Path, options: LoadOptions) -> Netlist:
    """The circuit of a file, and of those that ``options`` names beside it."""
    sources = [read_source(each) for each in (path, *map(Path, options.files))]  # says so if there is no such file
    return read_sources(sources, path, options)


def read_sources(
    sources: Sequence[Source], path: Path, options: LoadOptions, synthesised: Collection[str] = ()
) -> Netlist:
    """``path``: the file that was asked for; ``synthesised``: files that do not see the macro FORMAL."""
    tokens = tokenize_all(sources, options.defines, tuple(map(Path, options.includes)), synthesised)
    readers = [partial(read_by_ourselves, tokens, options)]
    modern = any(source.name.lower().rstrip("]").endswith(".sv") for source in sources)
    if find_yosys() is not None:
        readers.append(partial(read_through_yosys, tokens, path, options))
        if modern:
            readers.reverse()
        readers.append(partial(read_through_yosys, tokens, path, options, by_slang=True))  # takes most, hence last
    complaints = []
    for read in readers:
        try:
            return read()
        except UserError as error:
            complaints.append(error)
    by_slang = modern and find_slang() is not None and complaints[-1].span is not None
    raise complaints[-1 if by_slang else 0]


def read_by_ourselves(tokens: list[Token], options: LoadOptions) -> Netlist:
    plain = rewrite_assertions(tokens, bool(options.parameters))
    return elaborate(parse_verilog(plain), options.top or "", options.parameters, options.dialect)
