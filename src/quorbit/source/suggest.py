"""Which known name somebody probably meant who wrote another one."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

__all__ = ["did_you_mean"]

MOST_NAMES = 20_000  # to compare a word with more takes longer than a user waits for a message


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """The end of a message about ``word``: the known name that is most like it, or nothing."""
    from difflib import get_close_matches  # here, for few runs meet a name that is not known

    names = list(islice(known, MOST_NAMES))
    by_case = {name.lower(): name for name in reversed(names)}
    if word.lower() in by_case:
        return f"; did you mean {by_case[word.lower()]}?"
    close = get_close_matches(word, names, 1)
    return f"; did you mean {close[0]}?" if close else ""
