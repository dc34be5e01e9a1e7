"""The options of every command and their help."""

from __future__ import annotations

from quorbit.cli.arguments.parser import ONE_LANGUAGE, Commands, add_command
from quorbit.cli.arguments.shared import (
    add_chart,
    add_defines,
    add_engine,
    add_fairness,
    add_junit,
    add_model,
    add_partial_order,
    add_properties,
    add_reduction,
    add_run_files,
    add_search,
    add_strategy,
    add_symmetry_option,
    add_timeout,
)
from quorbit.cli.arguments.values import port, positive, seconds

__all__ = [
    "add_animate",
    "add_bench",
    "add_cache",
    "add_check",
    "add_compile",
    "add_completion",
    "add_doctor",
    "add_equivalent",
    "add_eval",
    "add_explore",
    "add_export",
    "add_formulas",
    "add_graph",
    "add_group",
    "add_lsp",
    "add_por",
    "add_refine",
    "add_replay",
    "add_simulate",
    "add_symmetry",
    "add_test",
    "add_verify_certificate",
    "add_why",
]


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
    output = command.group("output")
    output.add_argument("--coverage", action="store_true", help="show how often every statement was performed")
    output.add_argument(
        "--trace", metavar="FILE", help="write the counterexample: .txt, .json, .itf.json, .trail, .vcd or .html"
    )
    output.add_argument("--raw", action="store_true", help="show program counters and what else is hidden in traces")
    output.add_argument("--html", metavar="FILE", help="write a report with pictures to this file")
    output.add_argument("--certificate", metavar="FILE", help="write the symmetries that were used, with proof")
    servers = command.group("build servers")
    add_junit(command)
    servers.add_argument("--sarif", metavar="FILE", help="write violations and lines that break a symmetry as SARIF")
    servers.add_argument("--github", action="store_true", help="print annotations for GitHub's workflows (on stderr)")
    command.group(ONE_LANGUAGE["promela"]).add_argument(
        "--trail", metavar="FILE", help="write an error's trace for spin -t (needs spin)"
    )
    command.group(ONE_LANGUAGE["circuits"]).add_argument(
        "--vcd", metavar="FILE", help="write traces and witnesses for waveform viewers"
    )


def add_refine(commands: Commands) -> None:
    command = add_command(
        commands,
        "refine",
        "check that a machine of B or Event-B refines another one",
        """  quorbit refine Bridge.bum Lights.bum           Event-B: files of one Rodin project
  quorbit refine M0 model.eventb                 a machine of ProB's package and the package
  quorbit refine Stack.mch StackImp.imp          all refinements on the way
  quorbit refine Stack.mch StackRef.ref --deadlock-free""",
    )
    command.add_argument("abstract", metavar="ABSTRACT", help="the abstract machine: a file, or its name in a project")
    add_model(command)
    command.group(ONE_LANGUAGE["b"]).add_argument(
        "--deadlock-free",
        action="store_true",
        help="where the abstract machine has a step, the concrete one must have one",
    )
    add_reduction(command)
    add_search(command)
    command.set_defaults(properties=[], coverage=False, junit=None, sarif=None, github=False)


def add_equivalent(commands: Commands) -> None:
    command = add_command(
        commands,
        "equivalent",
        "compare two circuits: do they compute the same functions?",
        """  quorbit equivalent adder.blif adder.v
  quorbit equivalent old.mv new.mv --json""",
    )
    command.add_argument("models", metavar="CIRCUIT", nargs=2, help="two circuits with the same inputs and outputs")
    add_defines(command)


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
    output = command.group("output")
    output.add_argument("--html", metavar="FILE", help="write a report with pictures to this file")
    output.add_argument("--svg", metavar="FILE", help="write a picture of the symmetry to this file")
    output.add_argument(
        "--diagram", metavar="FILE", help="draw the static channel diagram, coloured by orbits: .svg, .dot or .html"
    )
    output.add_argument("--shared", action="store_true", help="draw shared variables in the diagram too")
    command.group(ONE_LANGUAGE["circuits"]).add_argument(
        "--netlist", action="store_true", help="the symmetries of the netlist's graph, with its refinement"
    )


def add_why(commands: Commands) -> None:
    command = add_command(
        commands,
        "why",
        "say which lines of a model break a permutation",
        """  quorbit why readers_writers.edges "(2 3)"
  quorbit why readers_writers.edges              all exchanges of two that fail

Exit code 0: the permutation is a symmetry; 1: it is not.""",
    )
    add_model(command)
    command.add_argument("permutation", nargs="?", help='cycles of names or numbers, e.g. "(1 2)(3 4)"')
    add_properties(command)
    add_timeout(command)


def add_por(commands: Commands) -> None:
    command = add_command(
        commands,
        "por",
        "say which lines of a model disturb each other, so that their order matters",
        """  quorbit por mutex.pml                          all lines, with what they disturb and why
  quorbit por mutex.pml 12 31                    two lines

Exit code 0: they are dependent; 1: two lines are independent.""",
    )
    add_model(command)
    command.add_argument("lines", nargs="*", type=positive, metavar="LINE", help="two lines of the model")


def add_formulas(commands: Commands) -> None:
    command = add_command(
        commands,
        "formulas",
        "list the further formulas that the verdict about a formula decides",
        """  quorbit formulas mutex.edges --property "G F s[1] = C"
  quorbit formulas mutex.pml --property live --json
  quorbit formulas arbiter.v --property arbiter.ctl --parsed""",
    )
    add_model(command)
    add_properties(command)
    command.add_argument(
        "--most", type=positive, default=100, metavar="N", help="list at most N formulas (default 100)"
    )
    command.add_argument("--parsed", action="store_true", help="only show how the formulas are read, with all brackets")
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
        "--timeout", type=seconds, default=7.0, metavar="SECONDS", help="answer unknown after this time (default 7)"
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
    add_engine(command)
    add_strategy(command)
    command.group("limits").add_argument("--timeout", type=seconds, metavar="SECONDS", help="for each run")
    add_junit(command)


def add_simulate(commands: Commands) -> None:
    command = add_command(
        commands,
        "simulate",
        "run a model at random or by hand",
        """  quorbit simulate mutex.pml --seed 7 --steps 50
  quorbit simulate mutex.pml --interactive
  quorbit simulate mutex.pml --trace run.json --chart run.svg
  quorbit replay mutex.pml run.json

Exit code 0: nothing wrong on this run; 1: it ends in an error.""",
    )
    add_model(command, counting=False)
    command.add_argument(
        "--seed", type=int, default=1, metavar="N", help="the same seed gives the same run (default 1)"
    )
    command.add_argument("--steps", type=positive, default=100, metavar="N", help="take at most N steps (default 100)")
    command.add_argument("--interactive", action="store_true", help="choose every step; reads numbers from the input")
    command.add_argument("--quiet", action="store_true", help="show only what the model prints and how the run ends")
    add_run_files(command)


def add_replay(commands: Commands) -> None:
    command = add_command(
        commands,
        "replay",
        "run a saved trace again and show it",
        """  quorbit check mutex.pml --json > answer.json
  quorbit replay mutex.pml answer.json
  quorbit replay mutex.pml run.json --chart run.svg
  quorbit replay mutex.pml answer.json --trail mutex.pml.trail     then: spin -t -p mutex.pml

Exit code 0: the trace is a run of the model; 1: it ends in an error; 2: it is not a run of the model.""",
    )
    command.add_argument(
        "model", metavar="MODEL", help="the model; it is read with the options the trace was made with"
    )
    command.add_argument("trace_file", metavar="TRACE", help="written by check --json or simulate --trace")
    add_chart(command)
    command.add_argument("--trail", metavar="FILE", help="Promela: write the trace for spin -t (needs spin)")


def add_animate(commands: Commands) -> None:
    command = add_command(
        commands,
        "animate",
        "step through a model by hand, with its state and invariants in view",
        """  quorbit animate phonebook.mch --set Name=3
  printf '1\\n2\\nu\\nq\\n' | quorbit animate phonebook.mch

Enter a number to take that step, u to undo one, s to show the state, q to quit; a formula of a B machine
is evaluated.""",
    )
    add_model(command, counting=False)


def add_eval(commands: Commands) -> None:
    command = add_command(
        commands,
        "eval",
        "evaluate an expression of the model's language in a state",
        """  quorbit eval phonebook.mch "card(dom(db))"
  quorbit eval mutex.pml "x + 2 * len(q)" --after run.json

The state is the first initial one, or the last of a saved trace.""",
    )
    add_model(command, counting=False)
    command.add_argument("expression", metavar="EXPR", help="an expression in the language of the model")
    command.add_argument("--after", metavar="TRACE", help="in the last state of this trace")


def add_graph(commands: Commands) -> None:
    command = add_command(
        commands,
        "graph",
        "write the state space of a small model",
        """  quorbit graph mutex.edges --dot mutex.dot       then: dot -Tsvg mutex.dot > mutex.svg
  quorbit graph mutex.edges --symmetry off --json mutex.json --max-states 5000

It also tells the least and greatest value of every variable (of sets and queues, the size).""",
        json_file=True,
    )
    add_model(command)
    command.add_argument("--dot", metavar="FILE", help="write the states and moves for graphviz (- to show them)")
    command.add_argument(
        "--symmetry", choices=("auto", "off"), default="auto", help="one state per orbit (default auto)"
    )
    command.add_argument(
        "--max-states", type=positive, default=2000, metavar="N", help="refuse more states than this (default 2000)"
    )


def add_export(commands: Commands) -> None:
    command = add_command(
        commands,
        "export",
        "write a circuit as AIGER 1.9 or BTOR2, for other tools",
        """  quorbit export counter.v counter.aig            its assertions become bad states
  quorbit export arbiter.mv arbiter.btor2 --property arbiter.inv --property arbiter.fair
  quorbit export fifo.sby fifo.aag

The suffix of FILE says the format: .aag (AIGER as text), .aig (binary), .btor2.""",
    )
    add_model(command, counting=False)
    command.add_argument("file", metavar="FILE", help="the file to write")
    add_properties(command)
    command.set_defaults(count_like="own", deadlock="model")


def add_compile(commands: Commands) -> None:
    command = add_command(
        commands,
        "compile",
        "compile a model to native code, so that later checks have it from the start",
        """  quorbit compile mutex.pml
  quorbit compile mutex.pml -D N=5 --symmetry off

The code depends on the model and on what is asked about it: give these options as the checks will have them.  All other
options of check make no difference to the code.""",
    )
    add_model(command)
    add_properties(command)
    add_fairness(command)
    add_symmetry_option(command)
    add_partial_order(command)
    add_engine(command)
    add_timeout(command)


def add_cache(commands: Commands) -> None:
    command = add_command(
        commands,
        "cache",
        "list the models that were compiled to native code, or remove them",
        """  quorbit cache                                  the folder, and how much is in it
  quorbit cache list
  quorbit cache clear""",
    )
    command.add_argument("action", nargs="?", choices=("size", "list", "clear"), default="size", help="(default size)")


def add_doctor(commands: Commands) -> None:
    add_command(
        commands,
        "doctor",
        "say what is installed and works, and what could be added",
        """  quorbit doctor
  quorbit doctor --json

Exit code 0: everything that is needed works; 3: something does not.""",
    )


def add_lsp(commands: Commands) -> None:
    add_command(
        commands,
        "lsp",
        "serve editors: mistakes, names and symmetry of the models that are open there",
        """  quorbit lsp                                    on standard input and output; editors start it""",
    )


def add_completion(commands: Commands) -> None:
    command = add_command(
        commands,
        "completion",
        "print a script that completes commands, options and files in your shell",
        """  quorbit completion bash > ~/.local/share/bash-completion/completions/quorbit
  quorbit completion zsh > ~/.zfunc/_quorbit""",
    )
    command.add_argument("shell", choices=("bash", "zsh", "tcsh"), metavar="SHELL", help="bash, zsh or tcsh")


def add_bench(commands: Commands) -> None:
    command = add_command(
        commands,
        "bench",
        "measure the tables of a paper and print them beside the published ones",
        """  quorbit bench dm09                    Figures 4 and 5: all models, five ways to reduce
  quorbit bench dm09 --only email --limit 60
  quorbit bench dm05                    Table 1: detection
  quorbit bench w07 --svg pictures      Figures 3 and 4, Table 1: adaptive reduction
  quorbit bench t07 --svg pictures      Table 1: B machines, and Figure 11
  quorbit bench m97                     Tables 7.1 and 7.2: graphs of circuits

A cell that is not done within the limit shows '-'.""",
    )
    command.add_argument("paper", choices=("dm09", "dm05", "w07", "t07", "m97"), help="the paper")
    command.add_argument("--limit", type=seconds, default=10.0, metavar="SECONDS", help="for each cell (default 10)")
    command.add_argument("--only", metavar="TEXT", help="only the rows whose name contains this")
    command.add_argument("--models", metavar="FOLDER", help="t07, m97: where the models are (default the examples)")
    command.add_argument("--svg", metavar="FOLDER", help="t07, w07: write the figures into this folder")
    add_timeout(command)


def add_verify_certificate(commands: Commands) -> None:
    command = add_command(
        commands,
        "verify-certificate",
        "check a certificate of symmetry against its model",
        """  quorbit check email.pml --certificate email.certificate
  quorbit verify-certificate email.pml email.certificate

Exit code 0: every generator is a symmetry; 1: the certificate does not hold.""",
    )
    command.add_argument("model", metavar="MODEL", help="the model the certificate is about")
    command.add_argument("certificate", metavar="FILE", help="what check --certificate wrote")
    command.add_argument(
        "--max-states",
        type=positive,
        default=20_000,
        metavar="N",
        help="also go through all states if there are no more than this (default 20000)",
    )
    add_timeout(command)


def add_explore(commands: Commands) -> None:
    command = add_command(
        commands,
        "explore",
        "step through a model in the browser, with its traces, orbits and state graph",
        """  quorbit explore mutex.pml
  quorbit explore mutex.pml -D N=3 --port 8000 --no-browser""",
    )
    add_model(command)
    output, promela = command.group("output"), command.group(ONE_LANGUAGE["promela"])
    output.add_argument("--port", type=port, default=0, metavar="N", help="listen here (default: any free port)")
    output.add_argument(
        "--no-browser", dest="browser", action="store_false", help="print the address instead of opening it"
    )
    command.group("the search").add_argument(
        "--seed", type=int, default=0, metavar="N", help="of random moves (default 0)"
    )
    promela.add_argument(
        "--stepwise", action="store_true", help="every statement a step, every variable stored, as in simulate"
    )
