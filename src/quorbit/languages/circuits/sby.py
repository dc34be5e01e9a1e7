"""Files of SymbiYosys (.sby): which files a design has, its top module and parameters, and what is asked of it.

The first task is taken where there are several and none is asked for.  ``depth`` bounds a search; answers here are
about all depths.
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


@mutable
class Plan:
    """The texts to read in their order, how, and which kinds of claims are asked about."""

    sources: list[Source] = field(default_factory=list)
    options: LoadOptions = field(default_factory=LoadOptions)
    kinds: tuple[str, ...] = ()
    notes: list[str] = field(default_factory=list)
    path: Path = field(default_factory=Path)


def read_sby(path: Path, options: LoadOptions) -> Plan:
    source = read_source(path)
    sections, embedded, tasks = split_sections(source)
    task = chosen_task(source, tasks, options.task)
    lines = {name: [(text, span) for text, span in found if text] for name, found in sections.items()}
    chosen = {name: in_task(found, task, tasks) for name, found in lines.items()}
    plan = Plan(options=options, path=path)
    if len(tasks) > 1:
        others = ", ".join(each for each in tasks if each != task)
        plan.notes.append(f"the task is {task}; others, for --task: {others}")
    files = listed_files(path, chosen.get("files", []))
    mode = ask(plan, chosen.get("options", []))
    plan.kinds = (*KEPT[mode], "premise") if mode in ("bmc", "prove") else KEPT[mode]
    for text, span in chosen.get("script", []):
        run(plan, text.split(), span, files, {**embedded})
    if not plan.sources:
        raise UserError(Span(source, 0, 0), "the script of this file reads no Verilog")
    folders = dict.fromkeys(str(file.parent) for file in files.values())
    plan.options = replace(plan.options, includes=(*plan.options.includes, *folders))
    return plan


def chosen_task(source: Source, tasks: list[str], asked: str | None) -> str:
    if asked is None:
        return tasks[0] if tasks else ""
    if asked not in tasks:
        listed = f"; there are {', '.join(tasks)}" if tasks else ": this file has no tasks"
        raise UserError(None, f"{source.name}: there is no task {asked}{listed}")
    return asked


def split_sections(source: Source) -> tuple[dict[str, list[tuple[str, Span]]], dict[str, Source], list[str]]:
    """Lines by section, the texts of files that stand in the file itself, and the names of the tasks."""
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
        elif name and (text := line.split("#")[0].strip()):
            sections[name].append((text, span))
    tasks = [text.split()[0] for text, _ in sections.get("tasks", [])]
    return sections, {k: Source(f"{source.name}[{k}]", "".join(v)) for k, v in embedded.items()}, tasks


def in_task(lines: list[tuple[str, Span]], task: str, tasks: list[str]) -> list[tuple[str, Span]]:
    """The lines for a task, without the words that say for which they are; a line that is only such words opens a
    part up to ``--``."""
    found, active = [], True
    for text, span in lines:
        if text == "--":
            active = True
            continue
        match = TASK.match(text)
        if match and match.group(2) in tasks:
            own = (match.group(2) == task) != bool(match.group(1))
            if not match.group(3):
                active = own
            elif own and active:
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
    """One line of the script: what reads files and what sets the top module or parameters; other passes of Yosys do not
    change what a design means."""
    if words[0] in READS:
        for word in words[1:]:
            if word.startswith("-D"):
                name, _, value = word[2:].partition("=")
                plan.options = replace(plan.options, defines=(*plan.options.defines, (name, value)))
            elif not word.startswith("-"):
                plan.sources.append(embedded.get(word) or read_source(files.get(word, plan.path.parent / word)))
    elif "-top" in words[:-1] and words[0] in ("prep", "hierarchy"):
        plan.options = replace(plan.options, top=plan.options.top or words[words.index("-top") + 1])
    elif words[0] == "chparam" and "-set" in words[:-2]:
        at = words.index("-set")
        plan.options = replace(plan.options, parameters=(*plan.options.parameters, (words[at + 1], words[at + 2])))
    elif words[0] in ("ghdl", "read_ilang", "read_rtlil", "read_slang", "plugin"):
        raise UserError(span, f"{words[0]} in the script is not supported; only Verilog is read")
