"""Ways to damage a file, and to change the text of a model."""

from __future__ import annotations

import re
from random import Random

TOKEN = re.compile(rb"\s+|\w+|.", re.DOTALL)
ODD = [
    b"0",
    b"-1",
    b"1",
    b"255",
    b"256",
    b"2147483647",
    b"99999999999999999999",
    b"",
    b"(",
    b")",
    b"{",
    b"}",
    b";",
    b"\0",
]


def damaged(data: bytes, random: Random) -> bytes:
    """The contents of a file after something went wrong."""
    at = random.randrange(len(data) + 1)
    to = min(len(data), at + random.randrange(1, 40))
    match random.randrange(7):
        case 0:
            return data[:at]
        case 1:
            return b""
        case 2:
            return data + data
        case 3:
            return data[:at] + data[to:]
        case 4:
            return data[:at] + bytes(random.randrange(256) for _ in range(to - at)) + data[to:]
        case 5:
            return data[:at] + data[at:to] + data[at:]
        case _:
            return data[:at] + bytes(b ^ 1 << random.randrange(8) for b in data[at : at + 1]) + data[at + 1 :]


def mutated(data: bytes, random: Random) -> bytes:
    """A model with some of its words exchanged, dropped, doubled or replaced."""
    if random.random() < 0.15:
        return damaged(data, random)
    tokens = TOKEN.findall(data)
    words = [token for token in tokens if not token.isspace()]
    for _ in range(random.choice([1, 1, 1, 2, 3, 6])):
        at = random.randrange(len(tokens)) if tokens else 0
        match random.randrange(6):
            case 0:
                del tokens[at : at + random.choice([1, 1, 2, 5])]
            case 1:
                tokens[at:at] = tokens[at : at + random.choice([1, 2, 8])]
            case 2 if words:
                tokens[at : at + 1] = [random.choice(words)]
            case 3:
                tokens[at : at + 1] = [random.choice(ODD)]
            case 4 if words:
                tokens.insert(at, b" " + random.choice(words) + b" ")
            case _ if tokens:
                other = random.randrange(len(tokens))
                tokens[at], tokens[other] = tokens[other], tokens[at]
    return b"".join(tokens)
