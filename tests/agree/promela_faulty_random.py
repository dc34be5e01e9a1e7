"""Random small Promela programs full of run-time errors in odd places.

Each program has its own luck: how often an index, a divisor or a channel may be wrong, and which constructs it uses.
The errors sit where nothing else looks: values given to variables that nobody reads, arguments of printf, messages that
nobody takes, queries of channels that were never given, conjuncts before one that is constant, options of d_step and
unless, initial values of locals, parameters that are structures.  Numbers wrap at 1, 3, 8, 16 and 32 bits.
"""

from __future__ import annotations

import re
from random import Random

KINDS = (
    "dead", "printf", "queries", "nowhere", "rendezvous", "channels", "structures", "hidden", "bits", "wide", "unless",
    "d_step", "atomic", "inline", "run", "division", "constants", "rest", "discard", "buffer", "local", "sorted",
)  # fmt: skip
TARGETS = {
    "dead": ("dead", "deads[{i}]"),
    "structures": ("ts.f", "ts.g[{i}]", "ta[{i}].f"),
    "bits": ("bb[{i}]", "one"),
    "wide": ("s", "n", "u"),
    "discard": ("_",),
}
READABLE = {
    "structures": ("ts.f", "ts.g[{i}]", "ta[{i}].f"),
    "hidden": ("kept",),  # a name of the verifier's own, as h, would clash with it
    "bits": ("bb[{i}]", "one"),
    "wide": ("s", "n", "u"),
}


def faulty_program(seed: int) -> str:
    return Writer(seed).program()


class Writer:
    """Writes one program."""

    def __init__(self, seed: int) -> None:
        self.random = rng = Random(seed)
        self.kinds = set(rng.sample(KINDS, rng.randint(2, 7)))
        self.risk = rng.choice((0.0, 0.0, 0.05, 0.15, 0.4))
        self.locals: list[str] = []
        self.structured = False  # the parameter of Child is a structure

    def has(self, kind: str) -> bool:
        return kind in self.kinds

    def chance(self, p: float) -> bool:
        return self.random.random() < p

    def pick(self, *choices: str) -> str:
        return self.random.choice(choices)

    # The program.

    def program(self) -> str:
        lines = ["byte k0, k1; byte t[2]; bool flag;", *self.declarations()]
        if self.has("inline"):
            lines.append(f"inline twice(v) {{ v = v + 1; {self.simple(['v'])} }}")
        if self.has("run"):
            lines.append(self.child())
        for k in range(self.random.randint(1, 2)):
            lines.append(self.proctype(k))
        return "\n".join(lines) + "\n"

    def declarations(self) -> list[str]:
        made = {
            "dead": "byte dead; byte deads[2];",
            "hidden": f"hidden byte kept = {self.random.randint(0, 2)}; hidden byte rough;",
            "bits": f"bit bb[2]{self.pick('', ' = 1', ' = 2')}; bit one;",
            "wide": f"short s = {self.pick('0', '32767')}; int n = {self.pick('0', '2147483647')}; unsigned u : 3 = 6;",
            "structures": "typedef T { byte f; byte g[2]; chan c = [1] of { byte } }; T ts; T ta[2];"
            " typedef C { byte f; chan c = [1] of { byte } }; C ct;",
            "buffer": f"chan q = [{self.random.randint(1, 2)}] of {{ byte }};",
            "sorted": "chan o = [2] of { byte, byte };",
            "rendezvous": "chan r = [0] of { byte, byte };",
            "channels": f"chan cc[2] = [{self.random.randint(0, 2)}] of {{ byte }};",
            "nowhere": "chan none;",
            "constants": "byte always = 1;",
        }
        found = [text for kind, text in made.items() if self.has(kind)]
        self.random.shuffle(found)
        return found

    def child(self) -> str:
        self.locals = ["a"]
        self.structured = self.has("structures") and self.chance(0.5)
        if self.structured:
            return f"proctype Child(C x) {{ byte a = x.f; {self.simple(['a'])}; x.c!{self.value(1)} }}"
        return f"proctype Child(byte x) {{ byte a = {self.initial()}; {self.simple(['a', 'x'])} }}"

    def proctype(self, k: int) -> str:
        self.locals = ["a", "c"]
        start = f" = {self.initial()}" if self.has("local") and self.chance(0.5) else ""
        count = self.random.choice((1, 1, 2))
        body = self.sequence(3)
        return f"active [{count}] proctype P{k}() {{\n  byte a{start}; byte c;\n  {body}\n}}"

    def initial(self) -> str:
        """The value of a local at first: no local is known there."""
        return re.sub(r"\b[ac]\b", "k0", self.value(1))

    # Statements.

    def sequence(self, depth: int, d_step: bool = False) -> str:
        return ";\n  ".join(self.statement(depth, d_step) for _ in range(self.random.randint(1, 3)))

    def statement(self, depth: int, d_step: bool) -> str:
        rng = self.random
        choices = ["simple", "simple", "simple"]
        if depth > 0:
            choices += ["if", "loop"]
            if not d_step:
                choices += [kind for kind in ("atomic", "d_step", "unless") if self.has(kind)]
        if not d_step:
            choices.append("blocking")
        match rng.choice(choices):
            case "if":
                return self.selection(depth, d_step)
            case "loop":
                return self.loop(depth, d_step)
            case "atomic":
                return f"atomic {{\n  {self.sequence(depth - 1)}\n  }}"
            case "d_step":
                return f"d_step {{\n  {self.simple(inside=True)};\n  {self.sequence(depth - 1, True)}\n  }}"
            case "unless":
                return f"{{\n  {self.sequence(depth - 1)}\n  }} unless {{ {self.guard()} -> {self.simple()} }}"
            case "blocking":
                return self.blocking()
            case _:
                return self.simple()

    def selection(self, depth: int, d_step: bool) -> str:
        options = [self.option(depth, d_step) for _ in range(self.random.randint(1, 2))]
        if d_step or self.chance(0.6):
            rest = f"else -> {self.sequence(depth - 1, d_step)}"
            if not d_step and self.chance(0.4):
                rest = self.pick(f"d_step {{ else -> {self.simple()} }}", f"atomic {{ else -> {self.simple()} }}")
            options.append(rest)
        return "if\n  :: " + "\n  :: ".join(options) + "\n  fi"

    def option(self, depth: int, d_step: bool) -> str:
        body = self.sequence(depth - 1, d_step)
        if not d_step and self.chance(0.2):
            return f"{self.pick('atomic', 'd_step')} {{ {self.guard()} -> {self.simple()} }}"
        return f"{self.guard()} -> {body}"

    def loop(self, depth: int, d_step: bool) -> str:
        if "c" not in self.locals:
            return self.simple()
        self.locals.remove("c")
        inner = self.sequence(depth - 1 if depth < 2 else depth - 2, d_step)
        self.locals.append("c")
        return f"c = 0;\n  do\n  :: c < {self.random.randint(1, 2)} -> {inner}; c++\n  :: else -> break\n  od"

    def simple(self, targets: list[str] | None = None, inside: bool = False) -> str:
        """A statement that never blocks; inside a d_step a hidden variable may carry a value to the next."""
        if self.has("printf") and self.chance(0.25):
            return self.pick(f'printf("%d %d", {self.value()}, {self.value(1)})', f'printf("%d", {self.value()})')
        if self.has("inline") and targets is None and self.locals and self.chance(0.15):
            return f"twice({self.random.choice(self.locals)})"
        if self.chance(0.1):
            return f"assert({self.value(1)} != 77)"
        if self.chance(0.05):
            return "skip"
        if self.has("hidden") and inside and self.chance(0.2):
            return f"rough = {self.value()}; k0 = rough % 3"
        target = self.random.choice(targets) if targets and self.chance(0.6) else self.target()
        if self.chance(0.15) and target != "_":
            return f"{target}{self.pick('++', '--')}" if target in {"u", "s", "n", "one", "dead"} else f"{target}++"
        return f"{target} = {self.assigned(target)}"

    def target(self) -> str:
        found = ["k0", "k1", "flag", "t[{i}]", *self.locals]
        found += [target for kind, targets in TARGETS.items() if self.has(kind) for target in targets]
        return self.random.choice(found).format(i=self.index())

    def assigned(self, target: str) -> str:
        """Numbers stay small, so that there are few states; wide ones wrap."""
        if target in {"s", "n"}:
            return self.pick(
                f"{target} + 1", f"{target} - 1", "32767", "2147483647", f"{target} * 2", "0", self.value()
            )
        if target.startswith(("bb", "one", "u", "dead", "_")):
            return self.pick(self.value(), "2", "255", self.value(1))
        return f"({self.value()}) % 3" if self.chance(0.7) else self.pick("0", "1", "2", self.value(1))

    def blocking(self) -> str:
        choices = [self.guard]
        if self.has("buffer"):
            choices += [lambda: f"q!{self.value(1)}", lambda: f"q?{self.receiver()}", lambda: self.matching("q")]
        if self.has("sorted"):
            choices += [lambda: f"o!!{self.value(1)},{self.value(1)}", lambda: f"o??{self.random.randint(0, 2)},a"]
        if self.has("rendezvous"):
            choices += [
                lambda: f"r!{self.value()},{self.random.randint(0, 1)}",
                lambda: f"r?{self.receiver()},{self.pick('_', '0', '1')}",
                lambda: f"r?eval({self.value(1)}),_",
                lambda: f"if :: r!{self.value()},1 :: skip fi",
            ]
        if self.has("channels"):
            choices += [
                lambda: f"cc[{self.index()}]!{self.value(1)}",
                lambda: f"cc[{self.index()}]?{self.receiver()}",
                lambda: f"if :: cc[{self.index()}]?{self.receiver()} :: skip fi",
            ]
        if self.has("structures"):
            choices += [
                lambda: f"ts.c!{self.value(1)}",
                lambda: f"ts.c?{self.receiver()}",
                lambda: f"ta[{self.index()}].c!{self.value(1)}",
            ]
        if self.has("run"):
            choices.append(lambda: f"_nr_pr < 4 -> run Child({'ct' if self.structured else self.value(1)})")
        return self.random.choice(choices)()

    def matching(self, channel: str) -> str:
        return f"{channel}{self.pick('?', '??')}{self.pick('1', f'eval({self.value(1)})')}"

    def receiver(self) -> str:
        found = ["k0", "t[{i}]", "_", *self.locals]
        found += [target for kind, targets in READABLE.items() if self.has(kind) for target in targets]
        return self.random.choice(found).format(i=self.index())

    # Expressions.

    def guard(self) -> str:
        test = self.pick(
            f"{self.value(1)} == {self.value(1)}", f"{self.value(1)} != {self.value(1)}", f"{self.value()} < 2", "true"
        )
        if self.has("constants") and self.chance(0.4):
            never = self.pick("always == 0", "false", "0 == 1")
            test = self.pick(f"({test} && {never})", f"({never} && {test})", f"({test} || always == 1)")
        if self.has("queries") and self.chance(0.4):
            test = f"({self.query()} {self.pick('&&', '||')} {test})"
        return test

    def query(self) -> str:
        channel = self.channel()
        if channel is None:
            return "true"
        if self.chance(0.3):
            pattern = "1" if channel not in {"r", "o"} else "1,_"
            return f"{channel}?[{pattern}]"
        return f"{self.pick('full', 'empty', 'nfull', 'nempty')}({channel})"

    def channel(self) -> str | None:
        found = [name for kind, name in (("buffer", "q"), ("sorted", "o"), ("rendezvous", "r")) if self.has(kind)]
        if self.has("channels"):
            found.append(f"cc[{self.index()}]")
        if self.has("structures"):
            found += ["ts.c", f"ta[{self.index()}].c"]
        if self.has("nowhere") and self.chance(self.risk * 2):
            return "none"
        return self.random.choice(found) if found else None

    def value(self, depth: int = 2) -> str:
        found = ["0", "1", "2", "k0", "k1", "_pid", *self.locals]
        found += [f"t[{self.index()}]"] * 2
        found += [v.format(i=self.index()) for kind, vs in READABLE.items() if self.has(kind) for v in vs]
        v = self.random.choice(found)
        if depth < 2 or self.chance(0.5):
            return v
        if self.has("queries") and self.chance(0.3) and (channel := self.channel()):
            return f"(len({channel}) + {v})"
        if self.has("division") and self.chance(0.4):
            divisor = self.pick("k0", "a") if self.chance(self.risk) else self.pick("2", "3", "(k0 + 1)")
            return f"({v} {self.pick('/', '%')} {divisor if 'a' in self.locals or divisor != 'a' else 'k1'})"
        if self.has("rest") and self.chance(0.3):
            return f"({self.pick('k0 < 2', 'flag', 'k1 == 0')} -> {v} : {self.value(1)})"
        return f"({v} {self.pick('+', '-', '*', '&', '|', '^')} {self.pick('1', '2', self.value(1))})"

    def index(self) -> str:
        if self.chance(self.risk):
            return self.pick("2", "k0", "k1", "(k0 + 1)", "_pid + 1", "(k1 - 1)", "t[k0]", *self.locals)
        return self.pick("0", "1", "k0 % 2", "k1 & 1", "(k0 == 1)")
