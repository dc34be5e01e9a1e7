"""Read Verilog: by the own reader, which knows VIS's extensions, or through Yosys for what it does not know.

The files are preprocessed here, and concurrent assertions become monitors, before either reader sees them.  A ``.v``
file goes to the own reader first, a ``.sv`` file to Yosys first; what the first cannot read the others try, Yosys and
slang inside Yosys where they are installed.  The complaint shown is that of the first; of a ``.sv`` file that of slang,
which knows the language and not only a part of it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial
from pathlib import Path

from quorbit.languages.circuits.assertions.token_lists import has_assertions
from quorbit.languages.circuits.verilog.elaborate import elaborate
from quorbit.languages.circuits.verilog.parse import parse_verilog
from quorbit.languages.circuits.verilog.scope import TooWide
from quorbit.languages.circuits.verilog.tokens import Token, tokenize_all
from quorbit.languages.options import LoadOptions
from quorbit.netlists.netlist import Netlist
from quorbit.source.errors import UserError
from quorbit.source.read import read_source
from quorbit.source.span import Source

__all__ = ["read_sources", "read_verilog"]

Reader = Callable[[], Netlist]


def read_verilog(path: Path, options: LoadOptions) -> Netlist:
    """The circuit of a file, and of those that ``options`` names beside it."""
    sources = [read_source(each) for each in (path, *map(Path, options.files))]  # says so if there is no such file
    return read_sources(sources, path, options)


def read_sources(
    sources: Sequence[Source], path: Path, options: LoadOptions, synthesised: Collection[str] = ()
) -> Netlist:
    """``path``: the file that was asked for; ``synthesised``: files that do not see the macro FORMAL."""
    tokens = tokenize_all(sources, options.defines, tuple(map(Path, options.includes)), synthesised)
    modern = any(source.name.lower().rstrip("]").endswith(".sv") for source in sources)
    complaints: list[UserError] = []
    for read in readers(tokens, path, options, modern):
        try:
            return read()
        except TooWide:
            raise
        except UserError as error:
            complaints.append(error)
    raise complaint_to_show(complaints, modern)


def complaint_to_show(complaints: list[UserError], modern: bool) -> UserError:
    """That of slang, which is asked last, if it knows a place in a file that is meant for it; else the first."""
    from quorbit.languages.circuits.yosys.run import find_slang

    by_slang = modern and find_slang() is not None and complaints[-1].span is not None
    return complaints[-1 if by_slang else 0]


def readers(tokens: list[Token], path: Path, options: LoadOptions, modern: bool) -> Iterator[Reader]:
    """Those that may understand the files, one after the other; Yosys is only looked for when it is its turn, which
    comes first for modern files."""
    ours: Reader = partial(read_by_ourselves, tokens, options)
    if not modern:
        yield ours
    others = readers_of_yosys(tokens, path, options)
    if modern:
        others.insert(1, ours)
    yield from others


def readers_of_yosys(tokens: list[Token], path: Path, options: LoadOptions) -> list[Reader]:
    """By itself and by slang, which takes most, hence last; none where it is not installed."""
    from quorbit.languages.circuits.yosys.run import find_yosys, read_through_yosys

    if find_yosys() is None:
        return []
    by_itself = partial(read_through_yosys, tokens, path, options)
    return [by_itself, partial(by_itself, by_slang=True)]


def read_by_ourselves(tokens: list[Token], options: LoadOptions) -> Netlist:
    plain = without_assertions(tokens, options) if has_assertions(tokens) else tokens
    return elaborate(parse_verilog(plain), options.top or "", options.parameters, options.dialect)


def without_assertions(tokens: list[Token], options: LoadOptions) -> list[Token]:
    """With monitors instead; few files have them."""
    from quorbit.languages.circuits.assertions.rewrite import rewrite_assertions

    return rewrite_assertions(tokens, bool(options.parameters))
