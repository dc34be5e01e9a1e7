"""The text that commands print while they run."""

from __future__ import annotations

from quorbit.model.meaning.evaluate import Env, Fault, Firing, Meaning
from quorbit.model.system.command import Print, Shown
from quorbit.model.system.system import State

__all__ = ["printed"]

WORD = 2**32  # an unsigned number as C prints it


def printed(meaning: Meaning, s: State, firing: Firing) -> str:
    """What a command prints when it runs in s; its effect stops where a requirement fails or a value is missing."""
    command = meaning.system.commands[firing.command]
    if not command.prints:
        return ""
    env = meaning.environment(firing)
    found: list[str] = []
    try:
        for k, step in enumerate(command.effect):
            found += [text_of(meaning, s, env, p) for p in command.prints if p.after == k]
            made = [s]
            if meaning.run_steps((step,), made, env) is not None:
                return "".join(found)
            (s,) = made
        found += [text_of(meaning, s, env, p) for p in command.prints if p.after >= len(command.effect)]
    except Fault:
        pass  # whoever runs the command hears of it
    return "".join(found)


def text_of(meaning: Meaning, s: State, env: Env, print_: Print) -> str:
    return "".join(
        piece if isinstance(piece, str) else written(piece, meaning.value_of(piece.value)(s, env))
        for piece in print_.pieces
    )


def written(piece: Shown, value: int) -> str:
    match piece.letter:
        case "u":
            return str(value % WORD)
        case "x":
            return format(value % WORD, "x")
        case "o":
            return format(value % WORD, "o")
        case "c":
            return chr(value % 256)
        case "e" if 0 < value <= len(piece.names):
            return piece.names[value - 1]
        case _:
            return str(value)
