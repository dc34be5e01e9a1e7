"""How the values of bound identifiers are found: each from the tightest conjunct that mentions it, checks early.

The plan depends on the formula alone: which identifiers are still unknown at a step is known without running it.
"""

from __future__ import annotations

from quorbit.languages.b.meaning.splits import split_pairs
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
    Number,
    Quantifier,
    SetOf,
    Unary,
)
from quorbit.languages.b.syntax.parse_machine import conjuncts
from quorbit.languages.b.syntax.spelling import ARROWS
from quorbit.languages.b.syntax.walk import descendants, free_names, substitute
from quorbit.languages.b.types.types import BOOL, INTEGER, Given, PairType, RecordType, SetOfType, Type
from quorbit.source.frozen import frozen, replace
from quorbit.source.span import Span

__all__ = [
    "POWERSET",
    "Anything",
    "Check",
    "Equal",
    "Member",
    "OneOf",
    "Range",
    "Step",
    "Subset",
    "is_cut",
    "make_plan",
    "rank_of_set",
    "safe_plan",
    "settles",
]


@frozen
class Check:
    """The conjunct must hold; all it mentions is known."""

    condition: Formula


@frozen
class Equal:
    """The pattern is the value."""

    pattern: Formula
    value: Formula
    unknown: frozenset[str]


@frozen
class Member:
    """The pattern is an element of the set."""

    pattern: Formula
    set: Formula
    unknown: frozenset[str]


@frozen
class Subset:
    """The name is a subset of the set; with ``size`` one of so many elements."""

    name: Name
    set: Formula
    size: Formula | None = None


@frozen
class OneOf:
    """The name gets its values from one of several steps: a disjunction."""

    name: Name
    options: tuple[Step, ...]


@frozen
class Range:
    """The name is an integer between bounds; () where there is none. The bounds' conjuncts are checked afterwards."""

    name: Name
    low: tuple[Formula, ...]
    high: tuple[Formula, ...]


@frozen
class Anything:
    """The name has any value of its type."""

    name: Name


Source = Equal | Member | Subset | OneOf | Range | Anything
Step = Check | Source
Way = tuple[int, Source, Formula | None]  # rank, how, and the conjunct that holds afterwards

SMALL, ATOMS, NUMBERS, MANY_OPTIONS, POWERSET, ARROW_SET, WHOLE_TYPE, ONE_SIDED, ENDLESS = range(2, 11)
ENDLESS_SETS = frozenset({"NATURAL", "NATURAL1", "INTEGER", "STRING"})
MANY_NAMES = 30
MOST_KEYS = 100  # of a function that is given value by value
LONGEST_CHAIN = 3  # of numbers bounded by one another
TYPES_FIRST = frozenset({"NAT", "NAT1", "INT"})


def make_plan(names: tuple[Name, ...], conditions: tuple[Formula, ...]) -> tuple[Step, ...]:
    """Steps after which every name has a value and every conjunct holds."""
    unknown = {n.name: n for n in names}
    steps: list[Step] = []
    waiting = element_wise(conditions)
    mentioned = {id(c): free_names(c) for c in waiting}
    while True:
        known = [c for c in waiting if not mentioned[id(c)] & unknown.keys()]
        steps.extend(Check(c) for c in known)
        waiting = [c for c in waiting if mentioned[id(c)] & unknown.keys()]
        if not unknown:
            return tuple(steps)
        for source, used in best_sources(waiting, unknown):
            if isinstance(source, Subset):
                source = replace(source, size=known_size(waiting, source.name, unknown))
            steps.append(source)
            if used is not None:
                waiting = [c for c in waiting if c is not used]
            for name in bound_by(source):
                unknown.pop(name, None)


def best_sources(waiting: list[Formula], unknown: dict[str, Name]) -> list[tuple[Source, Formula | None]]:
    """What to bind next; of very many names all at once that have a small set of their own."""
    if len(unknown) > MANY_NAMES:
        found: dict[str, tuple[Source, Formula | None]] = {}
        for c in waiting:
            match c:
                case Binary(op=":", left=Name(name=name, old=False), right=s) if name in unknown:
                    if rank_of_set(s) <= NUMBERS and not free_names(s) & unknown.keys():
                        found.setdefault(name, (Member(c.left, s, frozenset({name})), c))
        if found:
            return list(found.values())
    _, source, used = best_source(waiting, unknown)
    return [(source, used)]


def element_wise(conditions: tuple[Formula, ...]) -> list[Formula]:
    """{x, y} <: S says x : S and y : S; x : {y | P(y)} says P(x), which need not be defined for anything but x."""
    found: list[Formula] = []
    for c in conditions:
        match c:
            case Binary(op="<:", left=SetOf(items=(_, *_) as items), right=s):
                found.extend(Binary(i.span, ":", i, s, type=c.type) for i in items)
            case (
                Binary(op="=", left=SetOf(items=(_, _, *_) as items), right=s)
                | Binary(op="=", left=s, right=SetOf(items=(_, _, *_) as items))
            ) if all(isinstance(i, Name) for i in items):
                found.extend((*(Binary(i.span, ":", i, s, type=c.type) for i in items), c))
            case Binary(op=":", left=left, right=Comprehension(names=names, predicate=p)) if is_partial(p):
                parts = names_in(left, len(names))
                values = {n.name: part for n, part in zip(names, parts, strict=True)} if parts else None
                found.extend(element_wise(conjuncts(substitute(p, values))) if values else [c])
            case _:
                found.append(c)
    found = alternatives(found)
    return [*found, *sequences_of_size(found)]


def alternatives(conditions: list[Formula]) -> list[Formula]:
    """p => x = a and next to it not p => x = b say x = IF p THEN a ELSE b."""
    found: list[Formula] = []
    for c in conditions:
        match found[-1] if found else None, c:
            case (
                Binary(op="=>", left=p, right=Binary(op="=", left=Name() as x, right=a) as equation),
                Binary(op="=>", left=Unary(op="not", argument=q), right=Binary(op="=", left=Name() as y, right=b)),
            ) if p == q and (x.name, x.old) == (y.name, y.old):
                found[-1] = replace(equation, right=Conditional(c.span, p, a, b, type=a.type))
            case _:
                found.append(c)
    return found


def sequences_of_size(conditions: list[Formula]) -> list[Formula]:
    """s : seq(X) and size(s) = n say that s is a function from 1..n."""
    found: list[Formula] = []
    for c in conditions:
        match c:
            case Binary(op=":", left=Name() as s, right=Unary(op="seq" | "seq1" | "iseq" | "iseq1" as op, argument=of)):
                for size in sizes(conditions, s):
                    arrow = ">->" if op.startswith("i") else "-->"
                    indices = Binary(size.span, "..", Number(size.span, 1), size, type=SetOfType(INTEGER))
                    functions = Binary(c.span, arrow, indices, of, type=c.right.type)
                    found.append(Binary(c.span, ":", s, functions, type=c.type))
    return found


def sizes(conditions: list[Formula], name: Name) -> list[Formula]:
    """e of conjuncts size(name) = e."""
    found: list[Formula] = []
    for c in conditions:
        match c:
            case (
                Binary(op="=", left=Unary(op="size" | "card", argument=Name(name=text)), right=size)
                | Binary(op="=", left=size, right=Unary(op="size" | "card", argument=Name(name=text)))
            ) if text == name.name and name.name not in free_names(size) and not is_partial(size):
                found.append(size)
    return found


def names_in(e: Formula, most: int) -> tuple[Name, ...]:
    """The names of a tuple of so many names; () if it is something else."""
    match e:
        case Name(old=False):
            return (e,) if most == 1 else ()
        case Binary(op="|->", left=left, right=Name(old=False) as last) if most > 1:
            first = names_in(left, most - 1)
            return (*first, last) if first else ()
    return ()


def known_size(waiting: list[Formula], name: Name, unknown: dict[str, Name]) -> Formula | None:
    """e of a conjunct card(name) = e, where e is known."""
    return next((e for e in sizes(waiting, name) if not free_names(e) & unknown.keys()), None)


def safe_plan(names: tuple[Name, ...], conditions: tuple[Formula, ...]) -> tuple[Step, ...]:
    """A plan in which a check that may be ill-defined comes only after all conjuncts that stand before it."""
    conditions = tuple(element_wise(conditions))
    steps = make_plan(names, conditions)
    place = {id(c): k for k, c in enumerate(conditions)}
    done: set[int] = set()
    now: list[Step] = []
    late: list[Check] = []
    for step in steps:
        if isinstance(step, Check) and is_partial(step.condition) and not done >= set(range(place[id(step.condition)])):
            late.append(step)
            continue
        now.append(step)
        done |= {place[id(c)] for c in conditions if settles(step, c)}
    return (*now, *sorted(late, key=lambda step: place[id(step.condition)]))


def settles(step: Step, c: Formula) -> bool:
    """Whether the conjunct holds after the step."""
    match step:
        case Check(condition=condition):
            return condition is c
        case Equal(pattern=pattern, value=value):
            return isinstance(c, Binary) and {id(c.left), id(c.right)} == {id(pattern), id(value)}
        case Member(pattern=pattern, set=s):
            return isinstance(c, Binary) and c.left is pattern and c.right is s
        case Subset(name=name, set=s):
            return isinstance(c, Binary) and c.op == "<:" and is_name(c.left, name) and c.right is s
    return False


def is_name(e: Formula, name: Name) -> bool:
    return isinstance(e, Name) and e.name == name.name


PARTIAL_OPERATORS = frozenset(
    [
        "/",
        "mod",
        "**",
        "min",
        "max",
        "inter",
        "first",
        "last",
        "front",
        "tail",
        "/|\\",
        "\\|/",
        "iterate",
        "INTER",
        "^",
        "->",
        "CHOOSE",
        *("STRING_TO_INT", "CODES_TO_STRING", "SINx", "COSx", "TANx", "LOGx", "FACTORIAL", "FDIV", "CDIV", "BLSHIFT"),
        *("BRSHIFT", "DEC_STRING_TO_INT", "STRING_PADLEFT"),
        "STRING_SPLIT",
        "STRING_JOIN",
    ]
)


def is_partial(f: Formula) -> bool:
    """Whether a formula may be ill-defined, seen from its operators."""
    return any(isinstance(d, Apply) or getattr(d, "op", "") in PARTIAL_OPERATORS for d in descendants(f))


def bound_by(source: Step) -> frozenset[str]:
    match source:
        case Equal(unknown=names) | Member(unknown=names):
            return names
        case Subset(name=name) | OneOf(name=name) | Range(name=name) | Anything(name=name):
            return frozenset({name.name})
    return frozenset()


def best_source(waiting: list[Formula], unknown: dict[str, Name]) -> Way:
    """The cheapest way to bind something, with the conjunct it makes superfluous; ties go to the first."""
    found: list[Way] = []
    for c in waiting:
        found.extend(sources(c, unknown))
        found.extend(pointwise(c, waiting, unknown))
        found.extend(tabled(c, waiting, unknown))
    found.extend(ranges(waiting, unknown))
    found.extend((rank_of_type(n), Anything(n), None) for n in unknown.values())
    best = min(found, key=lambda f: f[0])
    if is_cut(best[1]) and (described := next((w for c in waiting for w in witnessed(c, unknown)), None)):
        return described
    return next((way for way in found if is_function_for(way, best)), best)


def witnessed(c: Formula, unknown: dict[str, Name]) -> list[Way]:
    """#x.(P) says that the unknown names y in it are an element of ran(%(y, x).(P | y)), if P gives them values."""
    match c:
        case Quantifier(op="#", names=witnesses, predicate=p):
            names = tuple(unknown[name] for name in sorted(free_names(c) & unknown.keys()))
        case _:
            return []
    together = (*names, *witnesses)
    if any(is_cut(step) for step in make_plan(together, conjuncts(p))):
        return []
    value = maplet(names, c.span)
    function = SetOfType(PairType(maplet(together, c.span).type, value.type))
    values = Unary(c.span, "ran", Binder(c.span, "%", together, p, value, type=function), type=SetOfType(value.type))
    return [(SMALL, Member(value, values, frozenset(n.name for n in names)), c)]


def is_cut(step: Step) -> bool:
    """Whether a step goes through values without end, or so many that they are cut."""
    match step:
        case Range(low=low, high=high):
            return not low or not high
        case Anything(name):
            return has_many_values(name.type)
        case Member(set=s) | Subset(set=s):
            return rank_of_set(s) >= ENDLESS
        case OneOf(options=options):
            return any(is_cut(option) for option in options)
    return False


def maplet(names: tuple[Name, ...], span: Span) -> Formula:
    """The names as one value."""
    first: Formula = names[0]
    for name in names[1:]:
        first = Binary(span, "|->", first, name, type=PairType(first.type, name.type))
    return first


def is_function_for(way: Way, best: Way) -> bool:
    """Whether a way takes a function where the best one takes any relation, which are many more."""
    match way:
        case (rank, Member(pattern=Name(), set=Binary(op=op), unknown=names), _) if rank == ARROW_SET:
            return best[0] == POWERSET and names == bound_by(best[1]) and not op.startswith("<")
    return False


def has_many_values(of: Type) -> bool:
    """Whether values of a type are numbers or texts, or made of these."""
    match of:
        case Given():
            return False
        case SetOfType(element):
            return has_many_values(element)
        case PairType(left, right):
            return has_many_values(left) or has_many_values(right)
        case RecordType(fields):
            return any(has_many_values(t) for _, t in fields)
    return of != BOOL


def rank_of_type(name: Name) -> int:
    """Numbers come before sets of numbers, which they may bound."""
    return ENDLESS + 1 + isinstance(name.type, SetOfType) if has_integers(name.type) else WHOLE_TYPE


def has_integers(of: Type) -> bool:
    match of:
        case SetOfType(element):
            return has_integers(element)
        case PairType(left, right):
            return has_integers(left) or has_integers(right)
        case RecordType(fields):
            return any(has_integers(t) for _, t in fields)
    return of == INTEGER


def sources(c: Formula, unknown: dict[str, Name]) -> list[Way]:
    """The ways a conjunct binds unknown names."""
    match c:
        case Binary(op="=", left=left, right=right):
            pairs = ((left, right), (right, left))
            found: list[Way] = [
                (0 if isinstance(p, Name) else 1, Equal(p, v, ns), c) for p, v in pairs if (ns := binds(p, v, unknown))
            ]
            return found or [*equations(c, unknown), *splits(c, unknown), *bounded_sets(c, unknown)]
        case Binary(op=":", left=left, right=right) if ns := binds(left, right, unknown):
            return [(rank_of_set(right), Member(left, right, ns), c)]
        case Binary(op="<:", left=Name(name=name), right=right) if name in unknown:
            if not free_names(right) & unknown.keys():
                return [(max(POWERSET, rank_of_set(right)), Subset(unknown[name], right), c)]
        case Binary(op="<:"):
            return bounded_sets(c, unknown)
        case Binary(op="<<:", left=Name(name=name), right=right) if name in unknown:
            if not free_names(right) & unknown.keys():
                return [(max(POWERSET, rank_of_set(right)), Subset(unknown[name], right), None)]
        case Junction(op="or", items=items):
            return options(items, unknown)
    return []


def bounded_sets(c: Binary, unknown: dict[str, Name]) -> list[Way]:
    """x \\/ e = s and x \\/ e <: s make x a subset of s."""
    pairs = ((c.left, c.right), (c.right, c.left)) if c.op == "=" else ((c.left, c.right),)
    return [
        (max(POWERSET, rank_of_set(whole)), Subset(unknown[name.name], whole), None)
        for united, whole in pairs
        if not free_names(whole) & unknown.keys() and isinstance(united.type, SetOfType)
        for name in united_names(united)
        if name is not united and name.name in unknown
    ]


def united_names(e: Formula) -> list[Name]:
    """The names whose elements a union has all of."""
    match e:
        case Binary(op="\\/", left=left, right=right):
            return [*united_names(left), *united_names(right)]
        case Name():
            return [e]
    return []


def pointwise(c: Formula, waiting: list[Formula], unknown: dict[str, Name]) -> list[Way]:
    """!x.(x : S => f(x) = e) is f = %x.(x : S | e) where another conjunct says that f is a function on S."""
    match c:
        case Quantifier(op="!", names=names, predicate=Binary(op="=>", left=left, right=Binary(op="=") as right)):
            pass
        case _:
            return []
    for applied, value in ((right.left, right.right), (right.right, right.left)):
        match applied:
            case Apply(function=Name(name=name) as f, arguments=arguments) if name in unknown and arguments == names:
                domain = domain_of(waiting, name)
                free = (free_names(left) | free_names(value)) - {n.name for n in names}
                if domain is not None and not free & unknown.keys() and is_all_of(left, names, domain):
                    made = Binder(c.span, "%", names, left, value, type=f.type)
                    return [(1, Equal(unknown[name], made, frozenset({name})), None)]
    return []


def tabled(c: Formula, waiting: list[Formula], unknown: dict[str, Name]) -> list[Way]:
    """f(a) = x, f(b) = y are f = {a |-> x, b |-> y} where f is a total function on {a, b}."""
    match c:
        case Binary(op=":", left=Name(name=name) as f, right=Binary(op="-->" | ">->" | "-->>" | ">->>", left=domain)):
            pass
        case _:
            return []
    if name not in unknown or not isinstance(f.type, SetOfType) or not (keys := listed_keys(domain)):
        return []
    given = {key: value for other in waiting for key, value in value_at(other, name, unknown)}
    if not all(key in given for key in keys):
        return []
    pairs = tuple(Binary(c.span, "|->", key, given[key], type=f.type.element) for key in keys)
    return [(1, Equal(unknown[name], SetOf(c.span, pairs, type=f.type), frozenset({name})), None)]


def listed_keys(domain: Formula) -> tuple[Formula, ...]:
    """The elements of a set, where its form lists them."""
    match domain:
        case SetOf(items=items):
            return items
        case Binary(op="..", left=Number(value=low), right=Number(value=high)) if high - low < MOST_KEYS:
            return tuple(Number(domain.span, n, type=INTEGER) for n in range(low, high + 1))
    return ()


def value_at(c: Formula, name: str, unknown: dict[str, Name]) -> list[tuple[Formula, Formula]]:
    """k and e of a conjunct name(k) = e, where e is known."""
    match c:
        case (
            Binary(op="=", left=Apply(function=Name(name=text), arguments=(key,)), right=value)
            | Binary(op="=", left=value, right=Apply(function=Name(name=text), arguments=(key,)))
        ) if text == name and not (free_names(key) | free_names(value)) & unknown.keys():
            return [(key, value)]
    return []


def domain_of(waiting: list[Formula], name: str) -> Formula | None:
    """S, where a conjunct says that the name is a total function on S."""
    for c in waiting:
        match c:
            case Binary(op=":", left=Name(name=text), right=Binary(op="-->" | ">->" | "-->>" | ">->>", left=domain)):
                if text == name:
                    return domain
    return None


def is_all_of(p: Formula, names: tuple[Name, ...], s: Formula) -> bool:
    """Whether a predicate says nothing but that the names are an element of s: x : S, or x : S & y : T for S * T."""
    match p, s:
        case Binary(op=":", left=left, right=right), _ if len(names) == 1:
            return left == names[0] and right == s
        case Junction(op="&", items=items), Binary(op="×", left=first, right=second) if len(names) == 2:
            wanted = {(names[0].name, first), (names[1].name, second)}
            found = {(i.left.name, i.right) for i in items if isinstance(i, Binary) and isinstance(i.left, Name)}
            return all(isinstance(i, Binary) and i.op == ":" for i in items) and found == wanted
    return False


def equations(c: Binary, unknown: dict[str, Name]) -> list[Way]:
    """x + 1 = e gives x the value e - 1."""
    if c.left.type != INTEGER:
        return []
    solved = [(name, isolate(c, name)) for name in unknown]
    return [
        (1, Equal(e.left, e.right, frozenset({name})), None)
        for name, e in solved
        if e is not None and not free_names(e.right) & unknown.keys()
    ]


def splits(c: Binary, unknown: dict[str, Name]) -> list[Way]:
    """s = x ^ y gives x and y the parts of s, wherever it may be cut."""
    if not isinstance(c.left.type, SetOfType) or (found := split_pairs(c, unknown)) is None:
        return []
    names, values = found
    return [(SMALL, Member(names, values, free_names(names)), None)]


def options(items: tuple[Formula, ...], unknown: dict[str, Name]) -> list[Way]:
    """x : S or x : T: a name that every alternative gives values to."""
    found: list[Way] = []
    for name in unknown.values():
        ways = [option(item, name, unknown) for item in items]
        if all(way is not None for way in ways):
            rank = max(MANY_OPTIONS, *(way[0] for way in ways if way is not None))
            found.append((rank, OneOf(name, tuple(way[1] for way in ways if way is not None)), None))
    return found


def option(item: Formula, name: Name, unknown: dict[str, Name]) -> tuple[int, Source] | None:
    parts = list(item.items) if isinstance(item, Junction) and item.op == "&" else [item]
    ways = [way for c in parts for way in sources(c, unknown)]
    ways += ranges(parts, unknown)
    fitting = [(rank, source) for rank, source, _ in ways if bound_by(source) == {name.name} and rank < ONE_SIDED]
    return min(fitting, key=lambda w: w[0]) if fitting else None


def binds(pattern: Formula, value: Formula, unknown: dict[str, Name]) -> frozenset[str]:
    """The unknown names that ``pattern`` gets from a known value: a name or a tree of pairs; empty if it gets none."""
    if free_names(value) & unknown.keys():
        return frozenset()
    found = pattern_names(pattern, unknown)
    return frozenset() if found is None else found


def pattern_names(pattern: Formula, unknown: dict[str, Name]) -> frozenset[str] | None:
    """None if an unknown name stands where a value cannot be taken apart."""
    match pattern:
        case Name(name=name, old=False):
            return frozenset({name}) & unknown.keys()
        case Binary(op="|->", left=left, right=right):
            these, those = pattern_names(left, unknown), pattern_names(right, unknown)
            return None if these is None or those is None else these | those
    return None if free_names(pattern) & unknown.keys() else frozenset()


def rank_of_set(s: Formula) -> int:
    """How many elements a set expression promises to have, roughly."""
    match s:
        case Builtin(name=name):
            return ENDLESS if name in ENDLESS_SETS else NUMBERS if name in TYPES_FIRST else ATOMS
        case Name():
            return ATOMS
        case Unary(op="POW" | "POW1" | "FIN" | "FIN1" | "iseq" | "iseq1" | "perm", argument=argument):
            return max(POWERSET, rank_of_set(argument))
        case Unary(op="seq" | "seq1" | "tree" | "btree"):
            return ENDLESS
        case Binary(op=op, left=left, right=right) if op in ARROWS:
            return max(ARROW_SET, rank_of_set(left), rank_of_set(right))
        case Binary(op="×", left=left, right=right):
            return max(NUMBERS, rank_of_set(left), rank_of_set(right))
    return SMALL


def ranges(waiting: list[Formula], unknown: dict[str, Name]) -> list[Way]:
    """Integers between bounds; with one bound missing only the last resort."""
    found: list[Way] = []
    if not any(isinstance(c, Binary) for c in waiting):
        return []
    for name in unknown.values():
        if name.type != INTEGER:
            continue
        low = bounds_of(name.name, False, waiting, unknown, LONGEST_CHAIN)
        high = bounds_of(name.name, True, waiting, unknown, LONGEST_CHAIN)
        if low or high:
            found.append((NUMBERS if low and high else ONE_SIDED, Range(name, tuple(low), tuple(high)), None))
    return found


def bounds_of(name: str, upper: bool, waiting: list[Formula], unknown: dict[str, Name], chain: int) -> list[Formula]:
    """What the conjuncts say a number is at most, or at least; also through other numbers that are bounded."""
    found: list[Formula] = []
    for c in waiting:
        match c:
            case Binary(op=":", left=Name(name=text), right=Builtin(name="NATURAL" | "NATURAL1")) if text == name:
                if not upper:
                    found.append(c.right)
            case Binary(op="<" | "<=" | ">" | ">="):
                isolated = isolate(c, name)
                if isolated is not None and (isolated.op in ("<", "<=")) == upper:
                    bound = known_bound(isolated.right, upper, waiting, unknown, chain)
                    if bound is not None:
                        found.append(strict_bound(bound, upper) if isolated.op in ("<", ">") else bound)
            case Binary(op=":", left=Name(name=text), right=Binary(op="..") as s) if text == name:
                bound = known_bound(s.right if upper else s.left, upper, waiting, unknown, chain)
                if bound is not None and free_names(s) & unknown.keys():
                    found.append(bound)
    return found


def strict_bound(bound: Formula, upper: bool) -> Formula:
    """The nearest number that is less, or greater."""
    if isinstance(bound, Number):
        return replace(bound, value=bound.value + (-1 if upper else 1))
    return integer("-" if upper else "+", bound, Number(bound.span, 1, type=INTEGER))


def known_bound(
    e: Formula, upper: bool, waiting: list[Formula], unknown: dict[str, Name], chain: int
) -> Formula | None:
    """A known formula that is at least e, or at most: e with its unknown numbers replaced by their bounds."""
    if not free_names(e) & unknown.keys():
        return e
    match e:
        case Name(name=name, old=False) if chain and name in unknown:
            for bound in bounds_of(name, upper, waiting, unknown, chain - 1):
                return (
                    Number(e.span, int(bound.name == "NATURAL1"), type=INTEGER) if isinstance(bound, Builtin) else bound
                )
        case Binary(op="+" | "-" as op, left=left, right=right, type=of) if of == INTEGER:
            a = known_bound(left, upper, waiting, unknown, chain)
            b = known_bound(right, upper if op == "+" else not upper, waiting, unknown, chain)
            return None if a is None or b is None else integer(op, a, b)
    return None


TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "="}


def isolate(c: Binary, name: str) -> Binary | None:
    """A comparison of sums rewritten with the name alone on its left side; None if it does not stand there once."""
    if name in free_names(c.right):
        c = Binary(c.span, TURNED[c.op], c.right, c.left, type=c.type)
    while not isinstance(c.left, Name):
        if name in free_names(c.right):
            return None
        match c.left:
            case Binary(op="+", left=a, right=b) if name not in free_names(b):
                c = Binary(c.span, c.op, a, integer("-", c.right, b), type=c.type)
            case Binary(op="+", left=a, right=b) if name not in free_names(a):
                c = Binary(c.span, c.op, b, integer("-", c.right, a), type=c.type)
            case Binary(op="-", left=a, right=b, type=of) if name not in free_names(b) and of == INTEGER:
                c = Binary(c.span, c.op, a, integer("+", c.right, b), type=c.type)
            case Binary(op="-", left=a, right=b, type=of) if name not in free_names(a) and of == INTEGER:
                c = Binary(c.span, TURNED[c.op], b, integer("-", a, c.right), type=c.type)
            case _:
                return None
    return c if c.left.name == name and name not in free_names(c.right) else None


def integer(op: str, a: Formula, b: Formula) -> Formula:
    return Binary(a.span, op, a, b, type=INTEGER)
