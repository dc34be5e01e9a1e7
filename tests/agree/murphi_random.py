"""Random Murphi programs: scalarsets or ranges, enumerations, records, arrays, loops, procedures, functions.

Nothing is said that Rumur and CMurphi mean differently: an undefined value is only looked at by ``isundefined``, or
where it is known to be defined.
"""

from __future__ import annotations

import random

MEMBERS = ("Idle", "Busy", "Done")


class Writer:
    """Writes one program; ``many``: with unions and multisets, which Rumur does not read."""

    def __init__(self, seed: int, many: bool = False) -> None:
        self.rnd = random.Random(seed)
        self.many = many
        self.symmetric = many or self.rnd.random() < 0.6  # else the processes are numbers
        self.size = self.rnd.choice((2, 2, 3))
        self.depth = 0
        self.own_bags = False
        self.loops = 0

    def program(self) -> str:
        kind = f"scalarset({self.size})" if self.symmetric else f"0 .. {self.size - 1}"
        parts = [
            f"const LIMIT : {self.rnd.choice((1, 2, 3))};",
            f"type P : {kind};",
            "     E : enum { Idle, Busy, Done };",
            "     R : 0 .. LIMIT;",
            "     Box : record e : E; n : R; p : P; b : boolean; end;",
            *(["     Other : scalarset(2);", "     Any : union { P, Other };"] if self.many else []),
            "var state : array [P] of E;",
            "    count : R;",
            "    owner : P;",
            "    flag : array [P] of boolean;",
            "    box : Box;",
            "    level : array [E] of R;",
            "    last : P;  -- may be undefined",
            *(["    net : multiset [2] of Box;", "    who : Any;", *self.bags()] if self.many else []),
            self.routines(),
            self.start(),
            *(self.rule(k) for k in range(self.rnd.randint(3, 6))),
            *(self.invariant(k) for k in range(self.rnd.randint(1, 3))),
        ]
        return "\n".join(parts) + "\n"

    def bags(self) -> list[str]:
        """In some programs every process has a multiset of its own."""
        self.own_bags = self.rnd.random() < 0.4
        return ["    bag : array [P] of multiset [2] of E;"] if self.own_bags else []

    def routines(self) -> str:
        return f"""
function Busiest(p : P) : boolean;
begin
  for q : P do
    if q != p & state[q] = Busy then return false; end;
  end;
  return state[p] = Busy;
end;
function Total() : 0 .. {self.size};
var n : 0 .. {self.size};
begin
  n := 0;
  for q : P do if flag[q] then n := n + 1; end; end;
  return n;
end;
procedure Set(p : P; e : E; var goal : R);
begin
  state[p] := e;
  goal := {self.number([], 1)} % (LIMIT + 1);
end;
procedure Maybe(p : P);
var k : R;
begin
  k := count;
  if {self.truth(["p"], 1)} then return; end;
  flag[p] := !flag[p];
  count := k;
end;
"""

    def start(self) -> str:
        who = self.rnd.choice(("", "who := p;")) if self.many else ""
        return f"""ruleset p : P do startstate "start"
  for q : P do state[q] := Idle; flag[q] := {self.rnd.choice(("false", "true", "q = p"))}; end;
  count := {self.rnd.choice(("0", "LIMIT"))}; owner := p;
  box.e := Idle; box.n := 0; box.p := p; box.b := false;
  for e : E do level[e] := 0; end;
  {self.rnd.choice(("", "last := p;"))} {who}
end; end;"""

    def rule(self, k: int) -> str:
        names = ["i"] if self.rnd.random() < 0.8 else ["i", "j"]
        around = "; ".join(f"{name} : P" for name in names)
        guard = self.truth(names, 2)
        local = self.rnd.random() < 0.3
        body = self.statements(names, self.rnd.randint(1, 3))
        declared = "var t : R; begin t := count;" if local else "begin"
        used = "count := t;" if local and self.rnd.random() < 0.5 else ""
        if self.own_bags and self.rnd.random() < 0.3:
            return f"""ruleset i : P do choose m : bag[i] do
rule "empty {k}" {self.truth(["i"], 1)} & bag[i][m] != Done ==> begin
  {self.statements(["i"], 1)} multisetremove(m, bag[i]);
end; end; end;"""
        if self.many and self.rnd.random() < 0.4:
            return f"""choose m : net do ruleset i : P do
rule "take {k}" {self.truth(["i"], 1)} & net[m].e != Done ==> begin
  {self.statements(["i"], 1)} {self.rnd.choice(("count := net[m].n;", "owner := net[m].p;", ""))}
  multisetremove(m, net);
end; end; end;"""
        return f'ruleset {around} do rule "r{k}" {guard} ==> {declared} {body} {used} end; end;'

    def invariant(self, k: int) -> str:
        about = self.rnd.choice(
            (
                "count <= LIMIT",
                "forall p : P do state[p] != Done | count >= 0 end",
                f"forall p : P do !({self.truth(['p'], 2)} & {self.truth(['p'], 2)} & {self.truth(['p'], 2)}) end",
                "Total() <= LIMIT + 2",
                f"exists p : P do {self.truth(['p'], 1)} | true end",
            )
        )
        return f'invariant "i{k}" {about};'

    # Statements.

    def statements(self, names: list[str], count: int) -> str:
        return " ".join(self.statement(names) for _ in range(count))

    def statement(self, names: list[str]) -> str:
        self.depth += 1
        choices = [self.assignment] * 5 + ([self.branch, self.loop, self.switch, self.other] if self.depth < 3 else [])
        if self.many:
            choices += [self.multiset_statement] * 2
        found = self.rnd.choice(choices)(names)
        self.depth -= 1
        return found

    def assignment(self, names: list[str]) -> str:
        p = self.process(names)
        return self.rnd.choice(
            (
                lambda: f"state[{p}] := {self.member(names)};",
                lambda: f"flag[{p}] := {self.truth(names, 1)};",
                lambda: f"count := {self.bounded(names)};",
                lambda: f"owner := {p};",
                lambda: f"box.n := {self.bounded(names)};",
                lambda: f"box.p := {p}; box.b := {self.truth(names, 1)};",
                lambda: f"level[{self.member(names)}] := {self.bounded(names)};",
                lambda: f"last := {p};",
                lambda: "undefine last;",
                lambda: f"Set({p}, {self.member(names)}, count);",
                lambda: f"Set({p}, {self.member(names)}, level[{self.member(names)}]);",
                lambda: f"Maybe({p});",
            )
        )()

    def branch(self, names: list[str]) -> str:
        then, other = self.statements(names, 1), self.statements(names, 1)
        test = self.rnd.choice((self.truth(names, 2), "!isundefined(last)"))
        middle = f"elsif {self.truth(names, 1)} then {self.statements(names, 1)}" if self.rnd.random() < 0.3 else ""
        return f"if {test} then {then} {middle} else {other} end;"

    def loop(self, names: list[str]) -> str:
        self.loops += 1
        q = f"q{self.loops}"
        if self.rnd.random() < 0.2:
            used = self.rnd.choice(
                (f"count := {q};", f"level[Busy] := {q};", f"if box.n = {q} then box.n := 0; end;", "")
            )
            return (
                f"for {q} := 0 to {self.rnd.choice(('LIMIT', '1', 'count'))} do {used} {self.statements(names, 1)} end;"
            )
        return f"for {q} : P do {self.statements([*names, q], 1)} end;"

    def switch(self, names: list[str]) -> str:
        a, b = self.rnd.sample(MEMBERS, 2)
        return (
            f"switch {self.member(names)} case {a}: {self.statements(names, 1)} case {b}: {self.statements(names, 1)}"
            f" else {self.statements(names, 1)} end;"
        )

    def other(self, names: list[str]) -> str:
        p = self.process(names)
        return self.rnd.choice(
            (
                lambda: f"alias s : state[{p}] do s := {self.member(names)}; {self.statements(names, 1)} end;",
                lambda: f"alias s : state[owner] do owner := {p}; s := {self.member(names)}; end;",
                lambda: f"if !isundefined(last) then state[last] := {self.member(names)}; end;",
                lambda: f"while count > 0 & {self.truth(names, 1)} do count := count - 1; end;",
                lambda: f'assert {self.truth(names, 2)} | {self.truth(names, 2)} | {self.truth(names, 1)} "a";',
                lambda: "clear box.n;",
            )
        )()

    def multiset_statement(self, names: list[str]) -> str:
        p = self.process(names)
        if self.own_bags and self.rnd.random() < 0.4:
            member = self.rnd.choice(MEMBERS)
            return self.rnd.choice(
                (
                    f"if multisetcount(x : bag[{p}], true) < 2 then multisetadd({member}, bag[{p}]); end;",
                    f"multisetremovepred(x : bag[{p}], bag[{p}][x] = {member});",
                )
            )
        return self.rnd.choice(
            (
                f"box.p := {p}; if multisetcount(x : net, true) < 2 then multisetadd(box, net); end;",
                "multisetremovepred(x : net, net[x].n = count);",
                f"who := {p};",
                f"if !isundefined(who) & ismember(who, P) & who = {p} then undefine who; end;",
                f"for o : Other do if {self.truth(names, 1)} then who := o; end; end;",
            )
        )

    # Expressions.

    def process(self, names: list[str]) -> str:
        if not self.symmetric and self.rnd.random() < 0.2:
            return self.rnd.choice(("0", f"({self.rnd.choice(names)} + 1) % {self.size}" if names else "0"))
        return self.rnd.choice((*names, *names, "owner", "box.p"))

    def member(self, names: list[str]) -> str:
        return self.rnd.choice((*MEMBERS, f"state[{self.process(names)}]", "box.e"))

    def bounded(self, names: list[str]) -> str:
        if self.rnd.random() < 0.05:
            return self.number(names, 1)  # may be outside its range
        return f"({self.number(names, 2)} + {2 * 64}) % (LIMIT + 1)"

    def number(self, names: list[str], depth: int) -> str:
        if depth == 0 or self.rnd.random() < 0.4:
            return self.rnd.choice(("0", "1", "LIMIT", "count", "box.n", f"level[{self.member(names)}]"))
        a, b = self.number(names, depth - 1), self.number(names, depth - 1)
        return self.rnd.choice(
            (
                f"({a} + {b})",
                f"({a} - {b})",
                f"({a} * 2)",
                f"({self.truth(names, 0)} ? {a} : {b})",
                f"({a} / 2)",
                "Total()",
            )
        )

    def truth(self, names: list[str], depth: int) -> str:
        p = self.process(names)
        if depth == 0 or self.rnd.random() < 0.3:
            return self.rnd.choice(
                (
                    f"state[{p}] = {self.member(names)}",
                    f"flag[{p}]",
                    f"{p} = {self.process(names)}",
                    f"count {self.rnd.choice(('<', '>=', '='))} {self.rnd.choice(('LIMIT', '1', 'box.n'))}",
                    "box.b",
                    f"isundefined(last) = {self.rnd.choice(('true', 'false'))}",
                    f"Busiest({p})",
                    *(["multisetcount(x : net, net[x].b) > 0"] if self.many else []),
                )
            )
        a, b = self.truth(names, depth - 1), self.truth(names, depth - 1)
        self.loops += 1
        q = f"q{self.loops}"
        return self.rnd.choice(
            (
                f"({a} & {b})",
                f"({a} | {b})",
                f"!({a})",
                f"({a} -> {b})",
                f"(forall {q} : P do {self.truth([*names, q], depth - 1)} end)",
                f"(exists {q} : P do {self.truth([*names, q], depth - 1)} end)",
            )
        )


def random_program(seed: int) -> str:
    """A program that Rumur reads."""
    return Writer(seed).program()


def random_program_with_multisets(seed: int) -> str:
    return Writer(seed, many=True).program()
