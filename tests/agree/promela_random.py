"""Random small Promela programs with many kinds of statements, all of which end or loop within few states."""

from __future__ import annotations

from random import Random


class Writer:
    """Writes one program; what it may use grows with its luck."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.globals = ["g0", "g1"]
        self.labels = 0
        self.label_names: list[str] = []
        self.kinds = self.random.sample(
            ["rendezvous", "buffer", "unless", "d_step", "timeout", "run", "provided", "remote"],
            self.random.randint(1, 4),
        )

    def program(self) -> str:
        types = self.random.randint(1, 2)
        lines = ["byte g0, g1;"]
        if "rendezvous" in self.kinds:
            lines.append("chan r = [0] of { byte, bit };")
        if "buffer" in self.kinds:
            lines.append(f"chan b = [{self.random.randint(1, 2)}] of {{ byte }};")
        if "run" in self.kinds:
            lines.append("proctype Child(byte n) { byte a = n, c; " + self.sequence(1, ["a", "c"], False) + " }")
        for k in range(types):
            lines.append(self.proctype(k))
        return "\n".join(lines) + "\n"

    def proctype(self, k: int) -> str:
        self.label_names = []
        count = self.random.randint(1, 2)
        provided = f" provided (g0 != {self.random.randint(1, 2)})" if "provided" in self.kinds and k == 0 else ""
        start = self.random.choice(["", " = 2", " = 1"])
        body = self.sequence(3, ["a", "c"], True)
        return f"active [{count}] proctype P{k}(){provided} {{\n  byte a{start}; byte c;\n  {body}\n}}"

    def sequence(self, depth: int, local: list[str], runs: bool, d_step: bool = False) -> str:
        count = self.random.randint(1, 3)
        return ";\n  ".join(self.statement(depth, local, runs, d_step) for _ in range(count))

    def statement(self, depth: int, local: list[str], runs: bool, d_step: bool) -> str:
        chance = self.random.random()
        if depth > 0 and chance < 0.16:
            return self.selection("if", "fi", depth, local, runs, d_step)
        if depth > 1 and chance < 0.26:
            return self.loop(depth, local, runs, d_step)
        if depth > 0 and not d_step and chance < 0.36:
            return "atomic {\n  " + self.sequence(depth - 1, local, runs) + "\n  }"
        if depth > 0 and not d_step and "d_step" in self.kinds and chance < 0.43:
            return "d_step {\n  " + self.assignment(local) + ";\n  " + self.sequence(1, local, False, True) + "\n  }"
        if depth > 1 and not d_step and "unless" in self.kinds and chance < 0.52:
            return (
                "{\n  "
                + self.sequence(depth - 1, local, runs)
                + "\n  } unless { "
                + self.guard(local)
                + " -> "
                + self.assignment(local)
                + " }"
            )
        if depth > 1 and not d_step and chance < 0.58:
            return self.labelled(local)
        if chance < 0.80:
            return self.assignment(local)
        return self.assignment(local) if d_step else self.blocking(local, runs)

    def labelled(self, local: list[str]) -> str:
        self.labels += 1
        name = self.random.choice(["l", "end", "progress"]) + str(self.labels)
        return f"{name}: {self.assignment(local)}"

    def selection(self, first: str, last: str, depth: int, local: list[str], runs: bool, d_step: bool) -> str:
        options = []
        for _ in range(self.random.randint(1, 2)):
            options.append(f":: {self.guard(local)} -> {self.sequence(depth - 1, local, runs, d_step)}")
        if d_step or self.random.random() < 0.5:
            options.append(f":: else -> {self.sequence(depth - 1, local, False, d_step)}")
        return f"{first}\n  " + "\n  ".join(options) + f"\n  {last}"

    def loop(self, depth: int, local: list[str], runs: bool, d_step: bool) -> str:
        """A loop that counts to its end."""
        counter = self.random.choice(local)
        inner = self.sequence(depth - 2, [v for v in local if v != counter] or ["g0"], False, d_step)
        return f"do\n  :: {counter} < 2 -> {inner}; {counter}++\n  :: else -> break\n  od"

    def value(self, local: list[str]) -> str:
        v = self.random.choice([*local, *self.globals, "1", "0", "2", "_pid"])
        return v if self.random.random() < 0.6 else f"({v} + {self.random.randint(1, 2)}) % 3"

    def assignment(self, local: list[str]) -> str:
        target = self.random.choice([*local, *self.globals])
        if self.random.random() < 0.15:
            return self.random.choice(["skip", f'printf("%d", {self.random.choice(local)})'])
        return f"{target} = {self.value(local)}"

    def guard(self, local: list[str]) -> str:
        a = self.random.choice([*local, *self.globals])
        return self.random.choice([f"{a} == {self.value(local)}", f"{a} != {self.value(local)}", f"{a} < 2", "true"])

    def blocking(self, local: list[str], runs: bool) -> str:
        choices = [self.guard(local)]
        v = self.random.choice(local)
        if "rendezvous" in self.kinds:
            choices += [f"r!{self.value(local)},1", f"r?{v},_", f"r?{v},1", f"r!{self.value(local)},g0 % 2"]
        if "buffer" in self.kinds:
            choices += [
                f"b!{self.value(local)}",
                f"b?{v}",
                f"b?eval({v})",
                f"b??{self.random.randint(0, 2)}",
                "nempty(b)",
            ]
        if "timeout" in self.kinds:
            choices += ["timeout", f"({v} == 1 || timeout)"]
        if "run" in self.kinds and runs:
            choices += [f"run Child({self.value(local)})", "_nr_pr < 4"]
        return self.random.choice(choices)


def random_program(seed: int) -> str:
    return Writer(seed).program()
