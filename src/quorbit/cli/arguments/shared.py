"""Options that several commands have, in their groups."""

from __future__ import annotations

from quorbit.canon.strategies import STRATEGIES
from quorbit.cli.arguments.parser import ONE_LANGUAGE, Group, Parser
from quorbit.cli.arguments.values import definition, positive, probability, seconds, size, sized
from quorbit.engines.registry import NAMES as ENGINE_NAMES
from quorbit.machine.options import SearchOptions

FAIRNESS = ("none", "weak", "strong")
SEARCHES = ("bfs", "dfs", "mixed")
SEARCH = SearchOptions()  # holds the defaults of a search
COUNTS = ("own", "spin", "plain", "cmurphi")
DEADLOCKS = ("model", "stuck", "stuttering", "off")
DIALECTS = ("auto", "standard", "vis")
IGNORED = ("invariant", "assertion", "goal", "deadlock", "welldefinedness")


def add_run_files(command: Parser) -> None:
    command.group("output").add_argument("--trace", metavar="FILE", help="save the run for quorbit replay")
    add_chart(command)


def add_chart(command: Parser) -> None:
    output = command.group("output")
    output.add_argument("--chart", metavar="FILE", help="write a chart of the messages: .svg, else text; - to show it")
    output.add_argument("--chart-all", action="store_true", help="chart every step, not only sends and receives")


def add_defines(command: Parser | Group) -> None:
    command.add_argument(
        "-D",
        dest="defines",
        action="append",
        default=[],
        type=definition,
        metavar="NAME[=VALUE]",
        help="set a constant (1 if no value is given)",
    )


def add_model(command: Parser, counting: bool = True) -> None:
    """``counting``: whether it matters which states are stored."""
    model = command.group("the model")
    model.add_argument("model", metavar="MODEL", help="a model file; its suffix determines the language")
    model.add_argument(
        "--language",
        metavar="NAME",
        help="the language of MODEL: promela, murphi, b, eventb, circuits or edges (default: by suffix)",
    )
    add_defines(model)
    model.add_argument(
        "--ignore",
        action="append",
        default=[],
        choices=IGNORED,
        help="do not look for this kind of error; may be given several times",
    )
    if counting:
        add_counting(command)
    promela, b = command.group(ONE_LANGUAGE["promela"]), command.group(ONE_LANGUAGE["b"])
    promela.add_argument("--lossy", action="store_true", help="a message to a full channel is lost (spin -m)")
    b.add_argument(
        "--set", dest="sets", action="append", default=[], type=sized, metavar="NAME=SIZE", help="the size of a set"
    )
    circuits = command.group(ONE_LANGUAGE["circuits"])
    circuits.add_argument(
        "--source", dest="files", action="append", default=[], metavar="FILE", help="a further Verilog file"
    )
    circuits.add_argument("--top", metavar="MODULE", help="Verilog: the module that is the circuit")
    circuits.add_argument("--task", metavar="NAME", help="a .sby file: which of its tasks (default: the first)")
    circuits.add_argument(
        "-I",
        dest="includes",
        action="append",
        default=[],
        metavar="DIR",
        help="Verilog: look for included files here, too",
    )
    circuits.add_argument(
        "-P",
        dest="parameters",
        action="append",
        default=[],
        type=definition,
        metavar="NAME=VALUE",
        help="Verilog: a parameter of the top module",
    )
    circuits.add_argument(
        "--dialect",
        choices=DIALECTS,
        default="auto",
        help="Verilog as the standard or as VIS has it (auto: VIS where only VIS could read it)",
    )
    b.add_argument("--machine", metavar="NAME", help="Event-B: which machine of a project (default: the last)")
    b.add_argument("--refines", metavar="ABSTRACT", help="look at the pairs of MODEL with this machine, as refine does")
    b.add_argument("--maxint", type=int, metavar="N", help="the largest integer")
    b.add_argument("--minint", type=int, metavar="N", help="the least integer")
    b.add_argument(
        "--pref",
        dest="preferences",
        action="append",
        default=[],
        type=definition,
        metavar="NAME=VALUE",
        help="a preference of ProB, as SET_PREF_NAME in the machine sets it",
    )


def add_counting(command: Parser) -> None:
    model = command.group("the model")
    model.add_argument(
        "--count-like",
        choices=COUNTS,
        default="own",
        help="which states are stored: as spin counts them (Promela), as cmurphi",
    )
    model.add_argument(
        "--deadlock",
        choices=DEADLOCKS,
        default="model",
        help="a state that cannot be left: stuck (no move), stuttering (no move to another state), off",
    )


def add_properties(command: Parser) -> None:
    command.group("what is checked").add_argument(
        "--property",
        dest="properties",
        action="append",
        default=[],
        metavar="safety|NAME|FORMULA|FILE",
        help="what to verify; may be given several times (default: everything the model states)",
    )


def add_reduction(command: Parser) -> None:
    reduction = command.group("reduction")
    add_symmetry_option(command)
    add_strategy(command)
    add_partial_order(command)
    reduction.add_argument(
        "--represented", action="store_true", help="count the states of the unreduced model that these stand for"
    )
    reduction.add_argument(
        "--explain-reduction", action="store_true", help="say what stayed exact under the reductions that were used"
    )
    command.group(ONE_LANGUAGE["circuits"]).add_argument(
        "--quotient",
        choices=("auto", "next", "relation", "off"),
        default="auto",
        help="symbolic engine: decision diagrams of one state per orbit, by Next or by R_xi (default auto)",
    )


def add_symmetry_option(command: Parser) -> None:
    command.group("reduction").add_argument(
        "--symmetry", choices=("auto", "off"), default="auto", help="use symmetry (default auto)"
    )


def add_partial_order(command: Parser) -> None:
    command.group("reduction").add_argument(
        "--por",
        choices=("auto", "on", "off"),
        default="auto",
        help="partial-order reduction: leave out orders of commands that make no difference (default auto)",
    )


def add_strategy(command: Parser) -> None:
    command.group("reduction").add_argument(
        "--strategy",
        choices=STRATEGIES,
        default="auto",
        metavar="NAME",
        help=f"how representatives are found: {', '.join(STRATEGIES)} (default auto)",
    )


def add_fairness(command: Parser) -> None:
    command.group("what is checked").add_argument(
        "--fairness",
        choices=FAIRNESS,
        default=SEARCH.fairness,
        help=f"for temporal formulas: consider only runs that are fair to every process (default {SEARCH.fairness})",
    )


def add_search(command: Parser) -> None:
    add_fairness(command)
    command.group("what is checked").add_argument(
        "--all-errors", action="store_true", help="continue after an error and count all errors"
    )
    search = command.group("the search")
    add_engine(command)
    search.add_argument(
        "--threads", type=positive, default=SEARCH.threads, metavar="N", help=f"threads (default {SEARCH.threads})"
    )
    search.add_argument(
        "--search",
        choices=SEARCHES,
        default=SEARCH.search,
        help=f"breadth first (shortest traces), depth first (default {SEARCH.search})",
    )
    search.add_argument(
        "--alpha", type=probability, metavar="P", help="mixed: the probability of taking the newest state (default 0.5)"
    )
    search.add_argument("--seed", type=int, metavar="N", help="mixed: the seed of the random choices (default 1)")
    search.add_argument(
        "--hash-compact",
        action="store_true",
        help="remember states by 64-bit hashes; reports the chance of a missed state",
    )
    search.add_argument(
        "--bitstate",
        type=size,
        metavar="SIZE",
        help="remember states by three bits each in an array of this size, e.g. 1G; finds errors, proves nothing",
    )
    search.add_argument(
        "--no-parents",
        action="store_true",
        help="do not keep how states were reached; a trace is found by expanding states again",
    )
    search.add_argument(
        "--no-trace", dest="keep_trace", action="store_false", help="adaptive: forget how states were reached"
    )
    search.add_argument(
        "--no-native", dest="native", action="store_false", help="do not compile the model to native code"
    )
    add_workers(command)
    add_limits(command)


def add_workers(command: Parser) -> None:
    workers = command.group("several processes and machines")
    workers.add_argument(
        "--workers", type=positive, metavar="N", help="share the states among N processes, on this machine or a cluster"
    )
    workers.add_argument(
        "--cluster",
        metavar="local|auto|ADDRESS",
        help="run the workers on Ray: started here (local), at RAY_ADDRESS (auto) or at an address",
    )
    workers.add_argument(
        "--replicas", type=int, choices=(0, 1), help="keep a copy of every worker's states with another worker"
    )


def add_engine(command: Parser) -> None:
    command.group("the search").add_argument(
        "--engine",
        choices=ENGINE_NAMES,
        default="auto",
        metavar="NAME",
        help=f"the engine to run: {', '.join(ENGINE_NAMES)} (default auto)",
    )


def add_junit(command: Parser) -> None:
    command.group("build servers").add_argument("--junit", metavar="FILE", help="write the answers as JUnit's XML")


def add_limits(command: Parser) -> None:
    limits = command.group("limits")
    limits.add_argument("--max-states", type=positive, metavar="N", help="stop after this many states")
    limits.add_argument("--max-depth", type=positive, metavar="N", help="stop at this distance from the start")
    limits.add_argument("--memory", type=size, metavar="SIZE", help="stop at this much memory, e.g. 512M or 4G")
    add_timeout(command)
    limits.add_argument("--checkpoint", metavar="DIR", help="write every complete level to DIR, to resume from")
    limits.add_argument("--resume", metavar="DIR", help="continue from the checkpoint in DIR")
    limits.add_argument("--spill", metavar="DIR", help="keep the states in DIR, so that memory need not hold them all")


def add_timeout(command: Parser) -> None:
    command.group("limits").add_argument(
        "--timeout", type=seconds, metavar="SECONDS", help="stop after this many seconds"
    )
