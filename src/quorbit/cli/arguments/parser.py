"""The parser of a command line: options in groups by subject, those of one language apart; mistakes in our words."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NoReturn, TypeAlias

from quorbit.cli.answer import terminal_width
from quorbit.source.errors import UserError
from quorbit.source.suggest import did_you_mean

__all__ = ["EXIT_CODES", "Commands", "Help", "Parser", "about_unknown"]

EXIT_CODES = "Exit codes: 0 holds, 1 fails, 2 a mistake in the input, 3 unknown (a limit was hit)."
ONE_LANGUAGE = {
    "promela": "Promela models only",
    "b": "B and Event-B only",
    "circuits": "circuits only",
}  # titles of the groups of options that models in one language have
SUBJECTS = (
    "the model",
    "what is checked",
    "reduction",
    "the search",
    "several processes and machines",
    "limits",
    "output",
    "build servers",
    *ONE_LANGUAGE.values(),
)
Commands: TypeAlias = "argparse._SubParsersAction[Parser]"
Group: TypeAlias = argparse._ArgumentGroup


class Help(argparse.RawDescriptionHelpFormatter):
    """The text as wide as the terminal.  One is made for each argument that is added, to check it."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=terminal_width() - 2)  # as argparse does


class Parser(argparse.ArgumentParser):
    """``language``: that of the model which the command line names; help leaves out the options of other languages.
    ``commands``: the parsers of the commands, by their names."""

    language: str | None = None
    commands: Mapping[str, Parser] = MappingProxyType({})

    def group(self, title: str) -> Group:
        """The options about one subject."""
        found = [known for known in self._action_groups if known.title == title]
        return found[0] if found else self.add_argument_group(title)

    def format_help(self) -> str:
        """The groups in the order of the subjects, without those of other languages."""
        every = self._action_groups
        hidden = {title for name, title in ONE_LANGUAGE.items() if not self.is_about(name)}
        shown = [each for each in every if each.title not in hidden]
        self._action_groups = sorted(
            shown, key=lambda each: SUBJECTS.index(each.title) if each.title in SUBJECTS else -1
        )
        self.usage = self.brief_usage()
        try:
            return super().format_help()
        finally:
            self._action_groups = every

    def is_about(self, language: str) -> bool:
        """Whether the help tells options of models in this language; Event-B has those of B."""
        return self.language is None or {"eventb": "b"}.get(self.language, self.language) == language

    def brief_usage(self) -> str:
        """The arguments by name, the options together: they follow in their groups."""
        forms = {"?": "[{0}]", "*": "[{0} ...]", 2: "{0} {0}"}
        arguments = [
            forms.get(a.nargs or "", "{0}").format(a.metavar or a.dest) for a in self._get_positional_actions()
        ]
        return " ".join([self.prog, *arguments, "[option ...]"])

    def error(self, message: str) -> NoReturn:
        """A wrong option is a mistake of the user's like any other."""
        raise UserError(None, f"{message}; see {self.prog} --help")

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is None or value in action.choices:
            return
        choices = [str(choice) for choice in action.choices]
        meant = did_you_mean(str(value), choices)
        if isinstance(action, argparse._SubParsersAction):
            raise UserError(None, f"there is no command {value}{meant or f'; see {self.prog} --help'}")
        written = "/".join(action.option_strings) or action.metavar or action.dest
        raise UserError(None, f"{written} {value}: choose one of {', '.join(choices)}{meant}")

    def actions(self) -> list[argparse.Action]:
        return self._actions

    def option_names(self) -> list[str]:
        return [name for action in self._actions for name in action.option_strings]


def about_unknown(word: str, command: str | None, program: Parser) -> str:
    """What is wrong with a word that a command has no use for: another command has it, or it is misspelt."""
    parser, name = program.commands.get(command or "", program), word.partition("=")[0]
    if not name.startswith("-"):
        return f"{word} is one argument too many; see {parser.prog} --help"
    having = [other for other, its in program.commands.items() if name in its.option_names()]
    if having:
        return f"{parser.prog} has no option {name}; {', '.join(having)} {'has' if len(having) == 1 else 'have'} it"
    meant = did_you_mean(name, parser.option_names())
    return f"{parser.prog} has no option {name}{meant or f'; see {parser.prog} --help'}"


def add_command(commands: Commands, name: str, summary: str, examples: str, json_file: bool = False) -> Parser:
    """A command with its help and the option that all have."""
    added: Parser = commands.add_parser(
        name,
        help=summary,
        description=summary[0].upper() + summary[1:] + ".",
        epilog=f"examples:\n{examples}\n\n{EXIT_CODES}",
        formatter_class=Help,
        allow_abbrev=False,
    )
    output = added.group("output")
    if json_file:
        output.add_argument("--json", nargs="?", const="-", metavar="FILE", help="write it as JSON, or print it")
    else:
        output.add_argument("--json", action="store_true", help="answer with one JSON object")
    return added
