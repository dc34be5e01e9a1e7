"""All commands of the program, and the parser of its command line."""

from __future__ import annotations

from argparse import Namespace

from quorbit.cli.arguments.commands import (
    add_animate,
    add_bench,
    add_cache,
    add_check,
    add_compile,
    add_completion,
    add_doctor,
    add_equivalent,
    add_eval,
    add_explore,
    add_export,
    add_formulas,
    add_graph,
    add_group,
    add_lsp,
    add_por,
    add_refine,
    add_replay,
    add_simulate,
    add_symmetry,
    add_test,
    add_verify_certificate,
    add_why,
)
from quorbit.cli.arguments.parser import EXIT_CODES, Help, Parser
from quorbit.cli.command import Command
from quorbit.source.version import VERSION

__all__ = ["build_parser"]


def run_check(options: Namespace) -> int:
    from quorbit.cli.commands.check_command import run

    return run(options)


def run_refine(options: Namespace) -> int:
    from quorbit.cli.commands.refine_command import run

    return run(options)


def run_symmetry(options: Namespace) -> int:
    from quorbit.cli.commands.symmetry_command import run

    return run(options)


def run_why(options: Namespace) -> int:
    from quorbit.cli.commands.why_command import run

    return run(options)


def run_por(options: Namespace) -> int:
    from quorbit.cli.commands.por_command import run

    return run(options)


def run_formulas(options: Namespace) -> int:
    from quorbit.cli.commands.formulas_command import run

    return run(options)


def run_group(options: Namespace) -> int:
    from quorbit.cli.commands.group_command import run

    return run(options)


def run_test(options: Namespace) -> int:
    from quorbit.cli.commands.test_command import run

    return run(options)


def run_simulate(options: Namespace) -> int:
    from quorbit.cli.commands.simulate_command import run

    return run(options)


def run_replay(options: Namespace) -> int:
    from quorbit.cli.commands.replay_command import run

    return run(options)


def run_animate(options: Namespace) -> int:
    from quorbit.cli.commands.animate_command import run

    return run(options)


def run_explore(options: Namespace) -> int:
    from quorbit.cli.commands.explore_command import run

    return run(options)


def run_eval(options: Namespace) -> int:
    from quorbit.cli.commands.eval_command import run

    return run(options)


def run_graph(options: Namespace) -> int:
    from quorbit.cli.commands.graph_command import run

    return run(options)


def run_export(options: Namespace) -> int:
    from quorbit.cli.commands.export_command import run

    return run(options)


def run_compile(options: Namespace) -> int:
    from quorbit.cli.commands.compile_command import run

    return run(options)


def run_cache(options: Namespace) -> int:
    from quorbit.cli.commands.cache_command import run

    return run(options)


def run_doctor(options: Namespace) -> int:
    from quorbit.cli.commands.doctor_command import run

    return run(options)


def run_lsp(options: Namespace) -> int:
    from quorbit.cli.commands.lsp_command import run

    return run(options)


def run_completion(options: Namespace) -> int:
    from quorbit.cli.commands.completion_command import run

    return run(options)


def run_bench(options: Namespace) -> int:
    from quorbit.cli.commands.bench_command import run

    return run(options)


def run_verify_certificate(options: Namespace) -> int:
    from quorbit.cli.commands.certificate_command import run

    return run(options)


def run_equivalent(options: Namespace) -> int:
    from quorbit.cli.commands.equivalent_command import run

    return run(options)


COMMANDS = {
    command.name: command
    for command in (
        Command("check", add_check, run_check),
        Command("refine", add_refine, run_refine),
        Command("symmetry", add_symmetry, run_symmetry),
        Command("why", add_why, run_why),
        Command("por", add_por, run_por),
        Command("formulas", add_formulas, run_formulas),
        Command("group", add_group, run_group),
        Command("test", add_test, run_test),
        Command("simulate", add_simulate, run_simulate),
        Command("replay", add_replay, run_replay),
        Command("animate", add_animate, run_animate),
        Command("explore", add_explore, run_explore),
        Command("eval", add_eval, run_eval),
        Command("graph", add_graph, run_graph),
        Command("export", add_export, run_export),
        Command("compile", add_compile, run_compile),
        Command("cache", add_cache, run_cache),
        Command("doctor", add_doctor, run_doctor),
        Command("lsp", add_lsp, run_lsp),
        Command("completion", add_completion, run_completion),
        Command("bench", add_bench, run_bench),
        Command("verify-certificate", add_verify_certificate, run_verify_certificate),
        Command("equivalent", add_equivalent, run_equivalent),
    )
}


def build_parser(command: str | None = None, language: str | None = None) -> Parser:
    """The parser of the command line; of this command alone if one is named, which is quicker.

    ``language``: its help is for models in this language."""
    parser = Parser(
        prog="quorbit",
        description="Check models of concurrent systems by looking at one state per orbit of their symmetries.",
        epilog=f"""examples:
  quorbit check mutex.edges                     verify all invariants, assertions and deadlocks
  quorbit symmetry mutex.edges                  show the symmetries that were found
  quorbit why mutex.edges "(2 3)"               show the lines that break a permutation
  quorbit group "(1 2),(2 3),(4 5)"             analyse a permutation group
  quorbit simulate mutex.pml --seed 7           run a model at random, or by hand with --interactive
  quorbit explore mutex.pml                     step through a model in the browser
  quorbit test models/                          check the expect: lines of all models below a folder

{EXIT_CODES}""",
        formatter_class=Help,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"quorbit {VERSION}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=Parser)
    for known in COMMANDS.values():
        if command in (None, known.name):
            known.add(commands)
    parser.commands = dict(commands.choices)
    for each in parser.commands.values():
        each.language = language
    return parser
