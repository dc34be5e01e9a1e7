"""B formulas as functions of cells: their truth or value as far as the domains of the cells decide it.

Whatever does not mention an unknown name is computed here and now by the reference meaning. A form that is not known
here is undecided until all is known; then the reference meaning decides, so this may say less than it could but never
something wrong.
"""

from __future__ import annotations

from itertools import islice
from typing import Any

from quorbit.languages.b.meaning.arrows import ARROW
from quorbit.languages.b.meaning.evaluator import Endless, Env, Evaluator, IllDefined, Unbounded, tuple_value
from quorbit.languages.b.meaning.operators import UNARY
from quorbit.languages.b.solver import guesses, linear
from quorbit.languages.b.solver.cells import Domains
from quorbit.languages.b.solver.codes import (
    NO,
    NOTHING,
    OPAQUE,
    OPEN,
    YES,
    Code,
    Curried,
    Defined,
    Function,
    Holder,
    Scalar,
    Subset,
    Truth,
)
from quorbit.languages.b.solver.estimates import (
    BINARY_GUESS,
    MONOTONE,
    UNARY_GUESS,
    applied,
    apply_cells,
    cell_has,
    chosen,
    filtered,
    function_guess,
    has_absent,
    image_of_pairs,
    lifted,
    listed,
    looked_up,
    mapping,
    pair,
    paired,
    preimage,
    subset_guess,
    total,
    union,
    values_of,
)
from quorbit.languages.b.solver.guesses import Guess, Span, as_set
from quorbit.languages.b.solver.truths import (
    COMPARE,
    TESTS,
    TRUTHS,
    at_least,
    compare_sums,
    from_bounds,
    junction,
    late,
    negated,
    same,
    sum_of,
    sum_of_all,
    within,
)
from quorbit.languages.b.syntax.formulas import (
    Apply,
    Binary,
    Binder,
    Builtin,
    Comprehension,
    Conditional,
    Formula,
    Junction,
    Name,
    Quantifier,
    SequenceOf,
    SetOf,
    Unary,
)
from quorbit.languages.b.syntax.walk import free_names
from quorbit.source.frozen import replace

MOST_INSTANCES = 20_000  # of a quantifier
OPPOSITE = {"=": "/=", "/=": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">", ":": "/:", "/:": ":"}


class Compiler:
    """Compiles formulas over unknown names."""

    def __init__(self, reference: Evaluator, holders: dict[str, Holder], domains: Domains) -> None:
        self.reference = reference
        self.holders = holders
        self.domains = domains  # what every cell may hold before anything is tried
        self.free: dict[int, tuple[Formula, frozenset[str]]] = {}

    def names(self, f: Formula) -> frozenset[str]:
        found = self.free.get(id(f))
        if found is None:
            found = self.free[id(f)] = (f, free_names(f))
        return found[1]

    def is_known(self, f: Formula, env: Env) -> bool:
        return not any(name in self.holders and name not in env for name in self.names(f))

    # Predicates.

    def test(self, f: Formula, env: Env) -> Truth:
        if self.is_known(f, env):
            try:
                return YES if self.reference.holds(f, env) else NO
            except (IllDefined, Unbounded):
                return OPEN
        match f:
            case Junction(op=op, items=items):
                return junction([self.test(item, env) for item in items], op == "&")
            case Unary(op="not", argument=argument):
                return self.refuse(argument, env)
            case Binary(op="=>", left=left, right=right):
                return junction([self.refuse(left, env), self.test(right, env)], False)
            case Binary(op="<=>", left=left, right=right):
                return same(self.test(left, env), self.test(right, env))
            case Binary(op=op) if op in TESTS:
                return self.compare(f, env)
            case Quantifier():
                return self.quantifier(f, env)
            case Conditional(condition=c, then=then, otherwise=other):
                test, yes, no = (self.test(p, env) for p in (c, then, other))
                return junction([junction([negated(test), yes], False), junction([test, no], False)], True)
        return OPEN

    def refuse(self, f: Formula, env: Env) -> Truth:
        """Not f; the negation of a comparison is one too, which can tell what it leaves of the domains."""
        match f:
            case Unary(op="not", argument=argument):
                return self.test(argument, env)
            case Junction(op=op, items=items):
                return junction([self.refuse(item, env) for item in items], op != "&")
            case Binary(op="=>", left=left, right=right):
                return junction([self.test(left, env), self.refuse(right, env)], True)
            case Binary(op=op) if op in OPPOSITE:
                return self.test(replace(f, op=OPPOSITE[op]), env)
        return negated(self.test(f, env))

    def compare(self, f: Binary, env: Env) -> Truth:
        if f.op in (":", "/:"):
            found = self.member(self.value(f.left, env), f.right, env)
            return found if f.op == ":" else negated(found)
        if f.op in ("<:", "/<:", "<<:"):
            found = self.included(self.value(f.left, env), f.right, env)
            if f.op == "<<:":
                return junction([found, negated(self.compare_values("=", f, env))], True)
            return found if f.op == "<:" else negated(found)
        return self.compare_values(f.op, f, env)

    def compare_values(self, op: str, f: Binary, env: Env) -> Truth:
        match f:
            case Binary(op="=" | "/=", left=Binary(op="|->") as left, right=Binary(op="|->") as right):
                parts = ((left.left, right.left), (left.right, right.right))
                each = [self.compare_values(op, replace(f, op=op, left=x, right=y), env) for x, y in parts]
                return junction(each, op == "=")
        a, b = self.value(f.left, env), self.value(f.right, env)
        if a.sum is not None and b.sum is not None:
            return compare_sums(op, a.sum, b.sum)
        run, first, second, cells = COMPARE[op], a.run, b.run, a.cells | b.cells
        if op == "/=":
            return Truth(late(tuple(cells), lambda d: run(first(d), second(d))), cells)
        return Truth(lambda d: run(first(d), second(d)), cells)

    def member(self, x: Code, s: Formula, env: Env) -> Truth:
        """x : s, where s need not be listed."""
        match s:
            case Builtin(name="INTEGER" | "STRING" | "BOOL"):
                return YES
            case Builtin(name="NATURAL" | "NATURAL1" | "NAT" | "NAT1" | "INT" as name):
                u = self.reference.universe
                low = {"NATURAL1": 1, "NAT1": 1, "INT": u.min_int}.get(name, 0)
                endless = name in ("NATURAL", "NATURAL1")
                return at_least(x, low) if endless else within(x, *from_bounds(low, u.max_int))
            case Binary(op="..", left=left, right=right):
                return within(x, self.value(left, env), self.value(right, env))
            case Unary(op="POW" | "FIN", argument=argument):
                return self.included(x, argument, env)
            case Binary(op=op) if op in ARROW:
                return OPEN
            case Binary(op="\\/", left=left, right=right):
                return junction([self.member(x, left, env), self.member(x, right, env)], False)
            case Binary(op="\\", left=left, right=right):
                return junction([self.member(x, left, env), negated(self.member(x, right, env))], True)
        if not x.cells and (found := self.has(x.run([]), s, env)) is not None:
            return found
        values = self.value(s, env)
        run, of, cells = values.run, x.run, x.cells | values.cells
        return Truth(lambda d: guesses.contains(run(d), of(d)), cells)

    def has(self, x: Guess, s: Formula, env: Env) -> Truth | None:
        """Whether a known value belongs to an unknown function, its domain or an unknown set: one cell tells."""
        inside = s.argument if isinstance(s, Unary) and s.op == "dom" else s
        if not isinstance(inside, Name) or inside.name in env or not isinstance(x, tuple) or len(x) != 1:
            return None
        match self.holders.get(inside.name), inside is s:
            case Function(cells), False:
                return (
                    YES if x[0] in cells and not has_absent(self.domains[cells[x[0]]]) else cell_has(cells, x[0], None)
                )
            case Function(cells), True:
                return cell_has(cells, x[0][0], x[0][1])
            case Subset(cells), True:
                return cell_has(cells, x[0], 1)
        return None

    def included(self, x: Code, s: Formula, env: Env) -> Truth:
        if isinstance(s, Builtin) and s.name in ("INTEGER", "STRING"):
            return YES
        values = self.value(s, env)
        run, of, cells = values.run, x.run, x.cells | values.cells
        return Truth(lambda d: guesses.is_subset(of(d), run(d)), cells)

    def quantifier(self, f: Quantifier, env: Env) -> Truth:
        every, body = f.op == "!", f.predicate
        conditions: tuple[Formula, ...] = () if every else self.reference.parts(f.predicate)
        if every and isinstance(f.predicate, Binary) and f.predicate.op == "=>":
            conditions, body = self.reference.parts(f.predicate.left), f.predicate.right
        instances = self.instances(f.names, conditions, env)
        if instances is None:
            return OPEN
        found: list[Truth] = []
        for inner, rest in instances:
            tests = [self.test(c, inner) for c in rest]
            if every:
                found.append(junction([*(negated(t) for t in tests), self.test(body, inner)], False))
            else:
                found.append(junction(tests, True))
        return junction(found, every)

    def instances(
        self, names: tuple[Name, ...], conditions: tuple[Formula, ...], env: Env
    ) -> list[tuple[Env, list[Formula]]] | None:
        """Values of the names that satisfy the conditions that are known, and the conditions that are not."""
        bound = {n.name for n in names}
        outer = {name: v for name, v in env.items() if name not in bound}
        open_names = {name for name in self.holders if name not in env and name not in bound}
        known = tuple(c for c in conditions if not self.names(c) & open_names)
        rest = [c for c in conditions if self.names(c) & open_names]
        for k, c in enumerate(rest):
            if isinstance(c, Binary) and c.op == ":" and (most := self.most(c.right, outer)) is not None:
                outer[f"#{k}"] = most
                known += (replace(c, right=Name(c.right.span, f"#{k}", type=c.right.type)),)
        try:
            found = list(islice(self.reference.solve_closed(names, known, outer), MOST_INSTANCES + 1))
        except (IllDefined, Unbounded):
            return None
        return [(inner, rest) for inner in found] if len(found) <= MOST_INSTANCES else None

    def most(self, s: Formula, env: Env) -> frozenset[Any] | None:
        """All that a set may have, whatever the cells hold."""
        found = as_set(self.value(s, env).run(self.domains))
        return None if found is None else found.may

    # Values.

    def value(self, f: Formula, env: Env) -> Code:
        if self.is_known(f, env):
            return self.known(f, env)
        match f:
            case Name(name=name):
                return self.held(self.holders[name], env)
            case Apply():
                return self.application(f, env)
            case Unary(op="bool", argument=argument):
                test = self.test(argument, env)
                return Code(lambda d: TRUTHS[test.run(d)], test.cells)
            case Unary():
                return self.unary(f, env)
            case Binary():
                return self.binary(f, env)
            case SetOf(items=items):
                return listed([self.value(item, env) for item in items])
            case SequenceOf(items=items):
                return paired([(k, self.value(item, env)) for k, item in enumerate(items, 1)])
            case Conditional(condition=c, then=then, otherwise=other):
                return chosen(self.test(c, env), self.value(then, env), self.value(other, env))
            case Binder():
                return self.binder(f, env)
            case Comprehension():
                return self.comprehension(f, env)
        return OPAQUE

    def known(self, f: Formula, env: Env) -> Code:
        try:
            value = self.reference.value(f, env)
        except (IllDefined, Unbounded):
            return OPAQUE
        if isinstance(value, Endless):
            return OPAQUE
        constant = (value,)
        return Code(lambda d: constant, NOTHING, linear.constant(value) if isinstance(value, int) else None)

    def held(self, holder: Holder, env: Env) -> Code:
        match holder:
            case Scalar(cell):
                return self.cell(cell)
            case Defined(formula):
                return self.value(formula, env)
            case Subset(cells):
                members = tuple(cells.items())
                return Code(lambda d: subset_guess(members, d), frozenset(cells.values()))
            case Function(cells):
                members = tuple(cells.items())
                return Code(lambda d: function_guess(members, d), frozenset(cells.values()))
            case Curried(rows):
                every = paired([(x, self.held(row, env)) for x, row in rows.items()])
                return Code(every.run, every.cells)

    def cell(self, cell: int) -> Code:
        domain = self.domains[cell]
        numbers = isinstance(domain, Span) or all(isinstance(x, int) for x in domain)
        return Code(lambda d: d[cell], frozenset({cell}), linear.one(cell) if numbers else None)

    def application(self, f: Apply, env: Env) -> Code:
        x = self.value(f.arguments[0], env)
        for other in f.arguments[1:]:
            x = pair(x, self.value(other, env))
        holder = self.holders.get(f.function.name) if isinstance(f.function, Name) else None
        if isinstance(f.function, Name) and f.function.name in env:
            holder = None
        if isinstance(f.function, Apply):
            holder = self.row(f.function, env)
        if isinstance(holder, Function):
            found = apply_cells(holder, x)
            return self.cell(found) if isinstance(found, int) else found
        function = self.value(f.function, env)
        run, at = function.run, x.run
        if not function.cells and isinstance(known := run([]), tuple):
            table: dict[Any, set[Any]] = {}
            for key, y in known[0]:
                table.setdefault(key, set()).add(y)
            return Code(lambda d: looked_up(table, at(d)), x.cells)
        return Code(lambda d: applied(run(d), at(d)), function.cells | x.cells)

    def row(self, f: Apply, env: Env) -> Holder | None:
        """The function that a function of functions has at a known argument."""
        if not isinstance(f.function, Name) or f.function.name in env or len(f.arguments) > 1:
            return None
        holder, x = self.holders.get(f.function.name), self.value(f.arguments[0], env)
        if not isinstance(holder, Curried) or x.cells or not isinstance(at := x.run([]), tuple):
            return None
        return holder.rows.get(at[0])

    def unary(self, f: Unary, env: Env) -> Code:
        if f.op in ("card", "size", "dom") and isinstance(f.argument, Name):
            holder = self.holders.get(f.argument.name)
            if isinstance(holder, Function) and holder.total and f.argument.name not in env:
                constant = (frozenset(holder.cells) if f.op == "dom" else len(holder.cells),)
                return Code(lambda d: constant, NOTHING)
        a = self.value(f.argument, env)
        run = a.run
        if f.op in MONOTONE:
            operator = UNARY[f.op]
            return Code(lambda d: lifted(operator, run(d)), a.cells)
        if f.op in UNARY_GUESS:
            guess = UNARY_GUESS[f.op]
            negative = linear.add(linear.constant(0), a.sum, -1) if f.op == "-" and a.sum is not None else None
            return Code(lambda d: guess(run(d)), a.cells, negative)
        return OPAQUE

    def binary(self, f: Binary, env: Env) -> Code:
        if f.op == "[]" and (found := self.image(f, env)) is not None:
            return found
        if f.op not in BINARY_GUESS:
            return OPAQUE
        a, b = self.value(f.left, env), self.value(f.right, env)
        left, right, guess = a.run, b.run, BINARY_GUESS[f.op]
        return Code(lambda d: guess(left(d), right(d)), a.cells | b.cells, sum_of(f.op, a.sum, b.sum))

    def image(self, f: Binary, env: Env) -> Code | None:
        """r[S] and r~[S] with S known read only the cells that matter."""
        inverse = isinstance(f.left, Unary) and f.left.op == "~"
        relation = f.left.argument if isinstance(f.left, Unary) and inverse else f.left
        if not isinstance(relation, Name) or relation.name in env or not self.is_known(f.right, env):
            return None
        holder, given = self.holders.get(relation.name), self.known(f.right, env)
        if given is OPAQUE:
            return None
        [s] = given.run([])  # type: ignore[misc]
        match holder:
            case Function(cells) if inverse:
                return preimage(tuple(cells.items()), s)
            case Function(cells):
                return values_of(tuple(cell for x, cell in cells.items() if x in s))
            case Subset(cells):
                k = int(inverse)
                return image_of_pairs(tuple((p[1 - k], cell) for p, cell in cells.items() if p[k] in s))
        return None

    def binder(self, f: Binder, env: Env) -> Code:
        instances = self.instances(f.names, self.reference.parts(f.predicate), env)
        if instances is None:
            return OPAQUE
        rows = [
            (
                tuple_value(f.names, inner),
                self.all_of(rest, inner),
                self.value(f.body, inner),
            )
            for inner, rest in instances
        ]
        cells = NOTHING.union(*(test.cells | body.cells for _, test, body in rows))
        match f.op:
            case "SIGMA":
                return Code(lambda d: total(rows, d), cells, sum_of_all(rows))
            case "%":
                return Code(lambda d: mapping(rows, d), cells)
            case "UNION":
                return Code(lambda d: union(rows, d), cells)
        return OPAQUE

    def all_of(self, conditions: list[Formula], env: Env) -> Truth:
        return junction([self.test(c, env) for c in conditions], True)

    def comprehension(self, f: Comprehension, env: Env) -> Code:
        instances = self.instances(f.names, self.reference.parts(f.predicate), env)
        if instances is None:
            return OPAQUE
        rows = [(tuple_value(f.names, inner), self.all_of(rest, inner)) for inner, rest in instances]
        return Code(lambda d: filtered(rows, d), NOTHING.union(*(test.cells for _, test in rows)))
