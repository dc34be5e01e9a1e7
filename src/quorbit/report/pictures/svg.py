"""What the pictures written as SVG files share: colours, type, and how wide a text is.

The rules are those of the pages (``report/page/assets/style.css``): colours that colour-blind people can tell apart
with a letter beside them, enough contrast in light and dark, boxes as wide as the whole text in them.  No script, no
outside resource; every text is escaped.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

PALETTE = ("#dcedf9", "#fde7d8", "#d9f2e8", "#f8e1ee", "#f7edc8", "#e7e3fa", "#e6e9ec")  # grounds of orbits
FIXED = "#ffffff"
CHARACTER = 7.3  # pixels of the widest of the usual monospaced fonts at 12 pixels
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
LIGHT = ("#0069a8", "#a84700", "#00724f", "#99356f", "#7a5b00", "#5b4bb3", "#4c5560")
DARK = ("#7cc0f0", "#ffa86f", "#5fd3a6", "#f09ccb", "#e3c14d", "#b3a6ff", "#b4bdc8")
DARK_GROUNDS = ("#12324a", "#48260e", "#0f3a2b", "#45203a", "#3d330b", "#2c2654", "#2b3138")
ARROW = (
    '<defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
    '<path class="head" d="M0,0 L8,4 L0,8 z"/></marker></defs>'
)


def svg(width: float, height: float, parts: Sequence[str]) -> str:
    size = f'width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}"'
    ground = f'<rect class="ground" width="{width:.0f}" height="{height:.0f}"/>'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}><style>{style()}</style>{ground}{"".join(parts)}</svg>'


def style() -> str:
    mono = "ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace"
    light = "".join(
        f".o{k} .box{{fill:{PALETTE[k]};stroke:{LIGHT[k]}}}.o{k} .letter{{fill:{LIGHT[k]}}}" for k in range(7)
    )
    dark = "".join(
        f".o{k} .box{{fill:{DARK_GROUNDS[k]};stroke:{DARK[k]}}}.o{k} .letter{{fill:{DARK[k]}}}" for k in range(7)
    )
    return (
        f"text{{font:12px {mono};fill:#1a1e23;white-space:pre}}.ground{{fill:#fff}}.box{{fill:#f8f9fa;stroke:#8b949e}}"
        ".soft{fill:#565e68}.name{font-weight:bold}.letter{font-weight:bold}.line{stroke:#d5d9df}"
        ".wire{fill:none;stroke:#8b949e}.arrow{fill:none;stroke:#0a5aa8;stroke-width:1.5}.head{fill:#0a5aa8}"
        f".lost{{stroke-dasharray:4 3}}.shared{{stroke-dasharray:4 3}}.initial{{stroke-width:3}}{light}"
        "@media(prefers-color-scheme:dark){text{fill:#e6e9ed}.ground{fill:#181c21}.box{fill:#14181c;stroke:#6d7782}"
        ".soft{fill:#a2abb6}.line{stroke:#313840}.wire{stroke:#6d7782}.arrow{stroke:#7cb8f2}.head{fill:#7cb8f2}"
        f"{dark}}}"
    )


def orbit_style(grounds: Sequence[str], lines: Sequence[str]) -> str:
    pairs = enumerate(zip(grounds, lines, strict=True))
    return "".join(f".o{k} .box{{fill:{a};stroke:{b}}}.o{k} .letter{{fill:{b}}}" for k, (a, b) in pairs)


def orbit_letter(k: int) -> str:
    return LETTERS[k] if k < len(LETTERS) else LETTERS[k // 26 - 1] + LETTERS[k % 26] if k < 702 else str(k)


def text_width(text: str) -> float:
    """In pixels; characters outside Latin may be twice as wide."""
    return sum(CHARACTER if ord(c) < 0x1100 else 2 * CHARACTER for c in text)


def text_lines(text: str, most: int) -> list[str]:
    """The whole text in lines of at most so many characters, broken at spaces where that is possible."""
    lines = [""]
    for word in text.split(" "):
        joined = f"{lines[-1]} {word}" if lines[-1] else word
        if len(joined) <= most:
            lines[-1] = joined
            continue
        pieces = [word[k : k + most] for k in range(0, len(word), most)] or [""]
        lines += pieces if lines[-1] else []
        lines = lines if lines[-1] else [*lines[:-1], *pieces]
    return lines


def label(x: float, y: float, text: str, kind: str = "", anchor: str = "start") -> str:
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'
