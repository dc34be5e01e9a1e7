"""The command line: commands, options and their help.  A wrong option is a ``UserError`` like any other mistake."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from importlib.metadata import version
from typing import NoReturn, TypeAlias, TypeVar

from quorbit.source.errors import UserError

STRATEGIES = ("auto", "exact", "enumerate", "chain", "minimising", "sort", "local", "graph", "hash-marker", "orbit")
ENGINES = ("auto", "explicit", "reference", "symbolic", "adaptive")
COUNTS = ("own", "spin", "plain")
UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
EXIT_CODES = "Exit codes: 0 holds, 1 fails, 2 a mistake in the input, 3 unknown (a limit was hit)."
T = TypeVar("T")
Commands: TypeAlias = "argparse._SubParsersAction[Parser]"


class Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UserError(None, f"{message}; see {self.prog} --help")


class ShowVersion(argparse.Action):
    """Looks the version up only when it is asked for."""

    def __call__(self, parser: argparse.ArgumentParser, *ignored: object, **named: object) -> None:
        print(f"quorbit {version('quorbit')}")
        parser.exit()


def build_parser() -> Parser:
    parser = Parser(
        prog="quorbit",
        description="Check models of concurrent systems by looking at one state per orbit of their symmetries.",
        epilog=f"""examples:
  quorbit check mutex.edges                     verify all invariants, assertions and deadlocks
  quorbit symmetry mutex.edges                  show the symmetries that were found
  quorbit why mutex.edges "(2 3)"               show the lines that break a permutation
  quorbit group "(1 2),(2 3),(4 5)"             analyse a permutation group
  quorbit test models/                          check the expect: lines of all models below a folder

{EXIT_CODES}""",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action=ShowVersion, nargs=0, help="show the version and exit")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=Parser)
    add_check(commands)
    add_symmetry(commands)
    add_why(commands)
    add_group(commands)
    add_test(commands)
    return parser


def add_command(commands: Commands, name: str, summary: str, examples: str) -> Parser:
    added: Parser = commands.add_parser(
        name,
        help=summary,
        description=summary[0].upper() + summary[1:] + ".",
        epilog=f"examples:\n{examples}\n\n{EXIT_CODES}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    added.add_argument("--json", action="store_true", help="answer with one JSON object")
    return added


def add_check(commands: Commands) -> None:
    command = add_command(
        commands,
        "check",
        "verify properties of a model",
        """  quorbit check mutex.edges
  quorbit check mutex.edges --property mutex --property "G (#C <= 1)"
  quorbit check mutex.edges --symmetry off --max-states 1000000 --timeout 60
  quorbit check mutex.edges -D N=5 --json""",
    )
    add_model(command)
    add_properties(command)
    add_reduction(command)
    add_search(command)
    command.add_argument("--html", metavar="FILE", help="write a report with pictures to this file")


def add_symmetry(commands: Commands) -> None:
    command = add_command(
        commands,
        "symmetry",
        "find the symmetries of a model",
        """  quorbit symmetry mutex.edges
  quorbit symmetry mutex.edges --property mutex --json
  quorbit symmetry mutex.edges --svg mutex.svg""",
    )
    add_model(command)
    add_properties(command)
    add_strategy(command)
    add_timeout(command)
    command.add_argument("--html", metavar="FILE", help="write a report with pictures to this file")
    command.add_argument("--svg", metavar="FILE", help="write a picture of the symmetry to this file")


def add_why(commands: Commands) -> None:
    command = add_command(
        commands,
        "why",
        "say which lines of a model break a permutation",
        """  quorbit why readers_writers.edges "(2 3)"
  quorbit why readers_writers.edges              all exchanges of two that fail

Exit code 0: the permutation is a symmetry; 1: it is none.""",
    )
    add_model(command)
    command.add_argument("permutation", nargs="?", help='cycles of names or numbers, e.g. "(1 2)(3 4)"')
    add_properties(command)
    add_timeout(command)


def add_group(commands: Commands) -> None:
    command = add_command(
        commands,
        "group",
        "analyse a permutation group given by generators",
        """  quorbit group "(1 2),(2 3),(4 5),(5 6)"
  quorbit group "(1 2 3 4),(1 3)" --minimise "4,2,3,1" --strategy enumerate
  quorbit group @generators.txt --json""",
    )
    command.add_argument("generators", help='cycles; commas between permutations; "@FILE" to read a file')
    command.add_argument("--degree", type=positive, help="the number of points, if there are more than are moved")
    command.add_argument("--minimise", metavar="VECTOR", help="numbers, one for each point: show the representative")
    add_strategy(command)
    command.add_argument(
        "--timeout", type=seconds, default=7.0, metavar="SECONDS", help="then answer unknown (default 7)"
    )
    command.add_argument("--svg", metavar="FILE", help="write a picture of the group to this file")


def add_test(commands: Commands) -> None:
    command = add_command(
        commands,
        "test",
        "check the `expect:` lines of all models below a folder",
        """  quorbit test examples/
  quorbit test examples/ --engine reference --strategy enumerate

A model says in one of its first lines what is expected of it, in a comment:
  // expect: states=22 orbits=15 verdict=holds""",
    )
    command.add_argument("folder", metavar="DIR", help="a folder, or one model")
    command.add_argument("--engine", choices=ENGINES, default="auto", help="the engine to run (default auto)")
    add_strategy(command)
    command.add_argument("--timeout", type=seconds, metavar="SECONDS", help="for each run")


def add_model(command: Parser) -> None:
    command.add_argument("model", metavar="MODEL", help="a model file; its suffix tells the language")
    command.add_argument(
        "-D", dest="defines", action="append", default=[], type=definition, metavar="NAME=VALUE", help="set a constant"
    )
    command.add_argument(
        "--count-like", choices=COUNTS, default="own", help="which states of a Promela model are stored"
    )
    command.add_argument(
        "--set", dest="sets", action="append", default=[], type=sized, metavar="NAME=SIZE", help="B: size of a set"
    )
    command.add_argument("--maxint", type=int, metavar="N", help="B: the largest integer")
    command.add_argument("--minint", type=int, metavar="N", help="B: the least integer")


def add_properties(command: Parser) -> None:
    command.add_argument(
        "--property",
        dest="properties",
        action="append",
        default=[],
        metavar="NAME|FORMULA|FILE",
        help="what to verify; may be given several times (default: all invariants, assertions and deadlocks)",
    )


def add_reduction(command: Parser) -> None:
    command.add_argument("--symmetry", choices=("auto", "off"), default="auto", help="use symmetry (default auto)")
    add_strategy(command)
    command.add_argument("--engine", choices=ENGINES, default="auto", help="the engine to run (default auto)")


def add_strategy(command: Parser) -> None:
    command.add_argument(
        "--strategy", choices=STRATEGIES, default="auto", help="how representatives are found (default auto)"
    )


def add_search(command: Parser) -> None:
    command.add_argument("--threads", type=positive, default=1, metavar="N", help="threads (default 1)")
    command.add_argument("--all-errors", action="store_true", help="go on after an error and count all")
    command.add_argument("--max-states", type=positive, metavar="N", help="stop after so many states")
    command.add_argument("--max-depth", type=positive, metavar="N", help="stop at this distance from the start")
    command.add_argument("--memory", type=size, metavar="SIZE", help="stop at so much memory, e.g. 512M or 4G")
    add_timeout(command)


def add_timeout(command: Parser) -> None:
    command.add_argument("--timeout", type=seconds, metavar="SECONDS", help="stop after so many seconds")


# Values of options.


def checked(what: str, convert: Callable[[str], T], is_good: Callable[[T], bool]) -> Callable[[str], T]:
    """A converter of texts that complains in the user's words."""

    def read(text: str) -> T:
        try:
            value = convert(text)
        except (ValueError, KeyError, OverflowError):
            raise argparse.ArgumentTypeError(f"expected {what}, not {text!r}") from None
        if not is_good(value):
            raise argparse.ArgumentTypeError(f"expected {what}, not {text!r}")
        return value

    return read


def bytes_in(text: str) -> int:
    number = text.upper().removesuffix("B").removesuffix("I")
    unit = number[-1:] if number[-1:] in UNITS else ""
    return int(float(number.removesuffix(unit)) * UNITS[unit])


def pair(text: str) -> tuple[str, str]:
    name, separator, value = text.partition("=")
    if not separator or not name.strip():
        raise ValueError(text)
    return name.strip(), value.strip()


def sized_pair(text: str) -> tuple[str, int]:
    name, value = pair(text)
    return name, int(value)


positive = checked("a positive whole number", int, lambda n: n > 0)
seconds = checked("a positive number of seconds", float, lambda s: 0 < s < 1e9)
size = checked("an amount of memory such as 512M", bytes_in, lambda n: n > 0)
definition = checked("NAME=VALUE", pair, lambda p: True)
sized = checked("NAME=SIZE", sized_pair, lambda p: p[1] > 0)
