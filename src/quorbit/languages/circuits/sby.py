"""Files of SymbiYosys (.sby): which files a design has, its top module and parameters, and what is asked of it.

A line of ``[tasks]`` names a task and the groups it belongs to; lines of other sections are for a task or a group.
Where there are several tasks and none is asked for, the first of the group ``default`` is taken, or the first.
``depth`` bounds a search; answers here are about all depths.
"""

from __future__ import annotations

import re
from pathlib import Path

from quorbit.languages.options import LoadOptions
from quorbit.source.errors import UserError
from quorbit.source.frozen import field, mutable, replace
from quorbit.source.read import read_source
from quorbit.source.span import Source, Span

SECTION = re.compile(r"\[\s*(\w+)\s*([^\]]*?)\s*\]$")
TASK = re.compile(r"(~?)([\w.\[\]|-]+):(?:\s+|$)(.*)")
MODES = ("bmc", "prove", "cover", "live")
KEPT = {
    "bmc": ("never",),
    "prove": ("never",),
    "cover": ("sometimes",),
    "live": ("not always eventually",),
}
READS = ("read", "read_verilog", "verific")
OTHER_READERS = frozenset(
    ["ghdl", "plugin", "read_aiger", "read_blif", "read_ilang", "read_json", "read_rtlil", "read_slang"]
)
CHANGES = frozenset(  # passes after which a design has other behaviours or is asked other things
    [
        "chformal",
        "connect",
        "cutpoint",
        "delete",
        "design",
        "equiv_make",
        "expose",
        "fminit",
        "miter",
        "mutate",
        "setundef",
        "supercover",
        "xprop",
    ]
)
OTHER_MEANINGS = frozenset(["-assert-assumes", "-assume-asserts", "-noassert", "-noassume", "-norestrict"])  # of a file
HARMLESS = ("-anyseq", "-anyconst", "-early", "-lower", "-undriven")  # what such a pass may be asked for all the same


@mutable
class Plan:
    """The texts to read in their order, how, and which kinds of claims are asked about."""

    sources: list[Source] = field(default_factory=list)
    synthesised: set[str] = field(default_factory=set)  # the names of those that are read without -formal
    options: LoadOptions = field(default_factory=LoadOptions)
    kinds: tuple[str, ...] = ()
    notes: list[str] = field(default_factory=list)
    changed: list[tuple[str, Span]] = field(default_factory=list)  # modules whose parameters are set, and where
    path: Path = field(default_factory=Path)


def read_sby(path: Path, options: LoadOptions) -> Plan:
    source = read_source(path)
    sections, embedded = split_sections(source)
    groups = groups_of_tasks([text for text, _ in sections.get("tasks", [])])
    task = chosen_task(source, groups, options.task)
    lines = {name: [(text, span) for text, span in found if text] for name, found in sections.items()}
    names = {*groups, *(group for found in groups.values() for group in found)}
    own = {task, *groups.get(task, ())}
    chosen = {name: in_task(found, own, names) for name, found in lines.items()}
    plan = Plan(options=options, path=path)
    if len(groups) > 1:
        others = ", ".join(each for each in groups if each != task)
        plan.notes.append(f"the task is {task}; others, for --task: {others}")
    files = listed_files(path, chosen.get("files", []))
    mode = ask(plan, chosen.get("options", []))
    plan.kinds = (*KEPT[mode], "premise") if mode in ("bmc", "prove") else KEPT[mode]
    for text, span in chosen.get("script", []):
        for command in text.split(";"):
            if words := command.split():
                run(plan, words, span, files, {**embedded})
    for module, span in plan.changed:
        if module != plan.options.top:
            raise UserError(span, f"chparam of {module} is supported where it is the top module: prep -top {module}")
    if not plan.sources:
        raise UserError(Span(source, 0, 0), "the script of this file reads no Verilog")
    folders = dict.fromkeys(str(file.parent) for file in files.values())
    plan.options = replace(plan.options, includes=(*plan.options.includes, *folders))
    return plan


def groups_of_tasks(lines: list[str]) -> dict[str, list[str]]:
    """The tasks, each with its groups: ``task group ...``, or ``task ... : group ...`` for several tasks at once."""
    found: dict[str, list[str]] = {}
    for line in lines:
        before, colon, after = line.partition(":")
        names = before.split()
        tasks, groups = (names, after.split()) if colon else (names[:1], names[1:])
        for task in tasks:
            found.setdefault(task, []).extend(groups)
    return found


def chosen_task(source: Source, groups: dict[str, list[str]], asked: str | None) -> str:
    if asked is None:
        return next((task for task, found in groups.items() if "default" in found), next(iter(groups), ""))
    if asked not in groups:
        listed = f"; there are {', '.join(groups)}" if groups else ": this file has no tasks"
        raise UserError(None, f"{source.name}: there is no task {asked}{listed}")
    return asked


def split_sections(source: Source) -> tuple[dict[str, list[tuple[str, Span]]], dict[str, Source]]:
    """Lines by section, and the texts of files that stand in the file itself."""
    sections: dict[str, list[tuple[str, Span]]] = {}
    embedded: dict[str, list[str]] = {}
    name, start, into = "", 0, ""
    for line in source.text.splitlines(keepends=True):
        span = Span(source, start, start + len(line.rstrip("\n")))
        start += len(line)
        header = SECTION.match(line.strip())
        if header and (header.group(1) != "file" or header.group(2)):
            name, into = header.group(1), header.group(2)
            if name == "file":
                embedded[into] = []
            sections.setdefault(name, [])
        elif name == "file":
            embedded[into].append(line)
        elif line.strip() == "--pycode-begin--":
            raise UserError(span, "Python in a .sby file is not run; write out the lines it would print")
        elif name and (text := line.split("#")[0].strip()):
            sections[name].append((text, span))
    return sections, {k: Source(f"{source.name}[{k}]", "".join(v)) for k, v in embedded.items()}


def in_task(lines: list[tuple[str, Span]], own: set[str], names: set[str]) -> list[tuple[str, Span]]:
    """The lines for a task and its groups, without the words that say for which they are; a line that is only such
    words opens a part up to ``--``."""
    found, active = [], True
    for text, span in lines:
        if text == "--":
            active = True
            continue
        match = TASK.match(text)
        if match and match.group(2) in names:
            meant = (match.group(2) in own) != bool(match.group(1))
            if not match.group(3):
                active = meant
            elif meant and active:
                found.append((match.group(3), span))
        elif active:
            found.append((text, span))
    return found


def listed_files(path: Path, lines: list[tuple[str, Span]]) -> dict[str, Path]:
    """The files by the names the script calls them."""
    found = {}
    for text, _ in lines:
        parts = text.split()
        file = Path(parts[-1])
        found[parts[0] if len(parts) > 1 else file.name] = file if file.is_absolute() else path.parent / file
    return found


def ask(plan: Plan, lines: list[tuple[str, Span]]) -> str:
    mode = "prove"
    for text, span in lines:
        key, _, value = text.partition(" ")
        if key == "mode":
            mode = value.strip()
            if mode not in MODES:
                raise UserError(span, f"the mode {mode} is not known; it is one of {', '.join(MODES)}")
        elif key == "depth":
            plan.notes.append(f"depth {value.strip()} bounds a search; the answers are about all depths")
    return mode


def run(plan: Plan, words: list[str], span: Span, files: dict[str, Path], embedded: dict[str, Source]) -> None:
    """One line of the script: what reads files and what sets the top module or parameters.  Passes that would change
    what a design means are refused; the others only prepare it for another tool."""
    name, rest = words[0], words[1:]
    if name in READS:
        read(plan, words, span, files, embedded)
    elif name == "verilog_defines":
        add_defines(plan, [word for word in rest if word != "-D"])
    elif name in ("prep", "hierarchy"):
        choose_top(plan, rest)
    elif name == "chparam":
        set_parameters(plan, rest, span)
    elif name in OTHER_READERS:
        raise UserError(span, f"{name} in the script is not supported; only Verilog is read")
    elif name in CHANGES and not any(word in HARMLESS for word in rest):
        raise UserError(span, f"{name} in the script is not supported: it changes what the design does or is asked")


def read(plan: Plan, words: list[str], span: Span, files: dict[str, Path], embedded: dict[str, Source]) -> None:
    """``read -formal FILE ...``, ``read_verilog -D NAME -I DIR FILE ...``, ``read -define NAME=VALUE ...``."""
    rest, found = iter(words[1:]), []
    for word in rest:
        if word in ("-define", "-incdir", "-undef"):
            break
        if word in OTHER_MEANINGS:
            raise UserError(span, f"{words[0]} {word} is not supported: it changes what is asked")
        if word in ("-D", "-I"):
            word += next(rest, "")
        if word.startswith("-D"):
            add_defines(plan, [word])
        elif word.startswith("-I"):
            add_folders(plan, [word[2:]])
        elif not word.startswith("-"):
            found.append(embedded.get(word) or read_source(files.get(word, plan.path.parent / word)))
    if "-define" in words:
        add_defines(plan, list(rest))
    elif "-incdir" in words:
        add_folders(plan, list(rest))
    plan.sources += found
    if "-formal" not in words:
        plan.synthesised |= {source.name for source in found}


def add_defines(plan: Plan, words: list[str]) -> None:
    pairs = (word.removeprefix("-D").partition("=") for word in words)
    added = ((name, value) for name, _, value in pairs)
    plan.options = replace(plan.options, defines=(*plan.options.defines, *added))


def add_folders(plan: Plan, words: list[str]) -> None:
    added = (str(plan.path.parent / word) for word in words)
    plan.options = replace(plan.options, includes=(*plan.options.includes, *added))


def choose_top(plan: Plan, words: list[str]) -> None:
    for i, word in enumerate(words[:-1]):
        if word == "-top":
            plan.options = replace(plan.options, top=plan.options.top or words[i + 1])
        elif word == "-chparam" and i + 2 < len(words):
            add_parameter(plan, words[i + 1], words[i + 2])


def set_parameters(plan: Plan, words: list[str], span: Span) -> None:
    """chparam -set NAME VALUE ... MODULE"""
    pairs = [words[i + 1 : i + 3] for i, word in enumerate(words[:-2]) if word == "-set"]
    for name, value in pairs:
        add_parameter(plan, name, value)
    if pairs:
        plan.changed.append((words[-1], span))


def add_parameter(plan: Plan, name: str, value: str) -> None:
    plan.options = replace(plan.options, parameters=(*plan.options.parameters, (name, value)))
