"""Read the property of a concurrent assertion from its tokens [IEEE 1800-2017, 16.8 to 16.12].

What is neither an operator of sequences nor of properties belongs to a boolean expression: its tokens are kept as an
atom, for the reader of the design.  Named sequences and properties are written out where they are used, their arguments
put in as tokens in brackets.
"""

from __future__ import annotations

from collections.abc import Mapping

from quorbit.languages.circuits.assertions import sequences as seq
from quorbit.languages.circuits.assertions.properties import (
    Always,
    Constant,
    Eventually,
    Implies,
    Later,
    Matches,
    Property,
    Until,
    all_of,
    any_of,
    cannot_hold,
    negated,
)
from quorbit.languages.circuits.assertions.sequences import Atom, Sequence, matches_empty
from quorbit.languages.circuits.assertions.token_lists import CLOSE, OPEN, end_of_group, split_at, split_commas, texts
from quorbit.languages.circuits.verilog.tokens import Token
from quorbit.source.errors import UserError
from quorbit.source.frozen import field, frozen, mutable
from quorbit.source.span import Span

MOST_TICKS, DEEPEST = 1024, 60
REPETITIONS = frozenset(["*", "=", "->", "+"])  # after [
BETWEEN = frozenset(["##", "|->", "|=>", "#-#", "#=#"])
SEQUENCE_WORDS = frozenset(["throughout", "within", "intersect", "and", "or", "first_match"])
UNTILS = frozenset(["until", "s_until", "until_with", "s_until_with"])
PREFIXES = frozenset(["not", "nexttime", "s_nexttime", "always", "s_always", "s_eventually", "eventually", "if"])
OTHER_WORDS = frozenset(["implies", "iff", "else", "strong", "weak", "disable"])
REFUSED = frozenset(["accept_on", "reject_on", "sync_accept_on", "sync_reject_on", "case"])
WORDS = SEQUENCE_WORDS | UNTILS | PREFIXES | OTHER_WORDS | REFUSED


@frozen
class Named:
    """A sequence or property with its formal arguments (and their defaults) and its body."""

    kind: str
    name: str
    formals: tuple[tuple[str, tuple[Token, ...]], ...]
    body: tuple[Token, ...]
    span: Span


@frozen
class Names:
    """What a property can name beside signals: sequences, properties, and constants for numbers of ticks."""

    named: Mapping[str, Named] = field(default_factory=dict)
    constants: Mapping[str, int] = field(default_factory=dict)


@mutable
class Spec:
    """What an assertion says: at which edge, when not, and what."""

    clock: tuple[Token, ...] = ()
    disable: tuple[Token, ...] = ()
    body: Property = field(default_factory=lambda: Constant(True))
    sequence: Sequence | None = None  # if the body is one
    atoms: list[tuple[Token, ...]] = field(default_factory=list)


def read_spec(tokens: list[Token], names: Names, span: Span, strong: bool = False) -> Spec:
    """``strong``: sequences are (in cover)."""
    spec = Spec()
    p = Parser(tokens, names.named, span, spec, strong, names.constants)
    node = p.spec()
    if p.at < len(p.tokens):
        raise p.error(f"{p.text()} is not expected here")
    spec.body = p.as_property(node)
    spec.sequence = None if isinstance(node, Property) else node
    return spec


Node = Sequence | Property


@mutable
class Parser:
    tokens: list[Token]
    named: Mapping[str, Named]
    span: Span
    result: Spec
    strong: bool
    constants: Mapping[str, int]
    at: int = 0
    depth: int = 0

    # Reading tokens.

    def text(self, ahead: int = 0) -> str:
        return self.tokens[self.at + ahead].text if self.at + ahead < len(self.tokens) else ""

    def accept(self, *texts: str) -> bool:
        if self.text() in texts:
            self.at += 1
            return True
        return False

    def expect(self, text: str) -> None:
        if not self.accept(text):
            raise self.error(f"expected {text}" + (f", not {self.text()}" if self.text() else ""))

    def error(self, message: str) -> UserError:
        at = min(self.at, len(self.tokens) - 1)
        return UserError(self.tokens[at].span if self.tokens else self.span, message)

    def group(self) -> list[Token]:
        """The tokens between the bracket that is next and its partner, which are taken."""
        start = self.at
        self.at = end_of_group(self.tokens, start)
        if self.at < 0:
            self.at = start
            raise self.error(f"this {self.text()} is not closed")
        return self.tokens[start + 1 : self.at - 1]

    # Properties, from the loosest operator to the tightest.

    def spec(self) -> Node:
        self.clock()
        if self.accept("disable"):
            self.expect("iff")
            if self.result.disable:
                raise self.error("disable iff stands here twice")
            self.result.disable = tuple(self.group())
        self.clock()
        if (known := self.instance()) is not None:  # the whole may be a named property with a clock of its own
            inner, after = known
            if after == len(self.tokens):
                self.at = after
                return self.inside(inner, Parser.spec)
        return self.property()

    def clock(self) -> None:
        if not self.accept("@"):
            return
        event = self.group() if self.text() == "(" else [self.tokens[self.at]]
        if self.text(-1) not in CLOSE:
            self.at += 1
        if self.result.clock and texts(event) != texts(self.result.clock):
            raise self.error("an assertion with several clocks is not supported")
        if not (len(event) >= 2 and event[0].text in ("posedge", "negedge")) or any(
            t.text in ("or", ",", "iff") for t in event
        ):
            raise self.error("the clock of an assertion is one edge: @(posedge clk) or @(negedge clk)")
        self.result.clock = tuple(event)

    def inside(self, tokens: list[Token], rule: object) -> Node:
        if self.depth >= DEEPEST:
            raise self.error("sequences and properties are nested too deeply, or one contains itself")
        inner = Parser(tokens, self.named, self.span, self.result, self.strong, self.constants, depth=self.depth + 1)
        if not tokens:
            raise self.error("a sequence or property is expected in the brackets")
        assert callable(rule)
        node = rule(inner)
        if inner.at < len(inner.tokens):
            raise inner.error(f"{inner.text()} is not expected here")
        assert isinstance(node, Node)
        return node

    def property(self) -> Node:
        """always, s_eventually and if reach as far as they can; then implications, from the right."""
        if self.text() in REFUSED:
            raise self.error(f"{self.text()} is not supported")
        if self.accept("always", "s_always"):
            strong = self.text(-1) == "s_always"
            bounds = self.bounds() if self.text() == "[" else None
            return always(self.as_property(self.property()), bounds, strong, self)
        if self.accept("s_eventually", "eventually"):
            strong = self.text(-1) == "s_eventually"
            bounds = self.bounds() if self.text() == "[" else None
            if not strong and (bounds is None or bounds[1] is None):
                raise self.error("eventually needs a bounded range; s_eventually has none")
            body = self.as_property(self.property())
            return negated(always(negated(body), bounds, False, self)) if bounds else Eventually(body)
        if self.accept("if"):
            return self.conditional()
        left = self.implied()
        if self.text() in ("|->", "|=>", "#-#", "#=#"):
            operator = self.text()
            if isinstance(left, Property):
                raise self.error(f"the left side of {operator} must be a sequence")
            self.at += 1
            right = self.as_property(self.property())
            starts = [left if operator in ("|->", "#-#") else seq.then(left, seq.TRUE)]
            if operator == "|=>" and cannot_hold(right):  # it has failed before the next tick, which may disable it
                starts.append(left)
            found = Implies(frozenset(starts), right if operator[0] == "|" else negated(right))
            return found if operator[0] == "|" else negated(found)
        return left

    def conditional(self) -> Node:
        test = Matches(frozenset([Atom(self.atom(self.group()))]))
        yes = self.as_property(self.property())
        no = self.as_property(self.property()) if self.accept("else") else Constant(True)
        return all_of((any_of((negated(test), yes)), any_of((test, no))))

    def implied(self) -> Node:
        """implies, iff and until, from the right."""
        left = self.iff()
        if self.text() == "implies":
            self.at += 1
            return any_of((negated(self.as_property(left)), self.as_property(self.implied())))
        if self.text() in UNTILS:
            word = self.text()
            self.at += 1
            p, q = self.as_property(left), self.as_property(self.implied())
            return Until(p, all_of((p, q)) if word.endswith("with") else q, word.startswith("s_"))
        return left

    def iff(self) -> Node:
        left = self.or_()
        if not self.accept("iff"):
            return left
        p, q = self.as_property(left), self.as_property(self.iff())
        return any_of((all_of((p, q)), all_of((negated(p), negated(q)))))

    def or_(self) -> Node:
        left = self.and_()
        while self.accept("or"):
            right = self.and_()
            if isinstance(left, Property) or isinstance(right, Property):
                left = any_of((self.as_property(left), self.as_property(right)))
            else:
                left = seq.either((left, right))
        return left

    def and_(self) -> Node:
        left = self.prefixed()
        while self.accept("and"):
            right = self.prefixed()
            if isinstance(left, Property) or isinstance(right, Property):
                left = all_of((self.as_property(left), self.as_property(right)))
            else:
                left = seq.and_(left, right)
        return left

    def prefixed(self) -> Node:
        if self.accept("not"):
            return negated(self.as_property(self.prefixed()))
        if self.accept("nexttime", "s_nexttime"):
            ticks = 1
            if self.text() == "[":
                low, high = self.bounds()
                if low != high:
                    raise self.error("nexttime takes one number")
                ticks = low
            return Later(ticks, self.as_property(self.prefixed()))
        if self.text() in PREFIXES | REFUSED:
            return self.property()
        return self.intersect()

    # Sequences.

    def intersect(self) -> Node:
        left = self.within()
        while self.accept("intersect"):
            left = seq.both(self.as_sequence(left), self.as_sequence(self.within()))
        return left

    def within(self) -> Node:
        left = self.throughout()
        while self.accept("within"):
            left = seq.within(self.as_sequence(left), self.as_sequence(self.throughout()))
        return left

    def throughout(self) -> Node:
        left = self.delays()
        if not self.accept("throughout"):
            return left
        if not isinstance(left, Atom):
            raise self.error("the left side of throughout must be a boolean expression")
        return seq.both(seq.star(left), self.as_sequence(self.throughout()))

    def delays(self) -> Node:
        left: Node = seq.TRUE if self.text() == "##" else self.repetition()
        while self.accept("##"):
            least, most = self.delay()
            left = seq.delayed(self.as_sequence(left), least, most, self.as_sequence(self.repetition()))
        return left

    def delay(self) -> tuple[int, int | None]:
        """After ##: a number, a constant in brackets, [m:n], [*] or [+]."""
        if self.text() == "[":
            if self.text(1) in ("*", "+") and self.text(2) == "]":
                least = int(self.text(1) == "+")
                self.at += 3
                return least, None
            return self.bounds()
        value = self.constant(self.group() if self.text() == "(" else [self.tokens[self.at]])
        if self.text(-1) != ")":
            self.at += 1
        return value, value

    def repetition(self) -> Node:
        node = self.primary()
        while self.text() == "[" and self.text(1) in REPETITIONS:
            kind = self.text(1)
            if kind in ("*", "+") and self.text(2) == "]":
                self.at += 3
                node = seq.repeated(self.as_sequence(node), int(kind == "+"), None)
                continue
            if kind == "+":
                raise self.error("[+] has no bounds")
            least, most = self.bounds(2)
            body = self.as_sequence(node)
            if kind == "*":
                node = seq.repeated(body, least, most)
                continue
            if not isinstance(body, Atom):
                raise self.error(f"[{kind} repeats a boolean expression only")
            without = seq.star(Atom(body.number, not body.wanted)) if body.number >= 0 else seq.EMPTY
            node = seq.repeated(seq.then(without, body), least, most)
            if kind == "=":
                node = seq.then(node, without)
        return node

    def bounds(self, skip: int = 1) -> tuple[int, int | None]:
        """[m], [m:n] or [m:$]; ``skip`` tokens come before the first number."""
        start = self.at
        parts = split_at(self.group()[skip - 1 :], ":")
        if len(parts) not in (1, 2):
            raise self.error("a range has two ends")
        least = self.constant(parts[0])
        most = least if len(parts) == 1 else None if texts(parts[1]) == ["$"] else self.constant(parts[1])
        if most is not None and most < least:
            raise UserError(self.tokens[start].span, f"the range {least}:{most} is empty")
        return least, most

    def constant(self, tokens: list[Token]) -> int:
        """A number; expressions of numbers are computed."""
        value = computed([str(self.constants.get(t.text, t.text)) for t in tokens])
        if value is None or not 0 <= value <= MOST_TICKS:
            shown = " ".join(texts(tokens))
            raise self.error(f"{shown or 'nothing'} is not a number of ticks from 0 to {MOST_TICKS}")
        return value

    def primary(self) -> Node:
        if not self.text():
            raise self.error("a sequence or property is expected at the end")
        if self.text() in ("strong", "weak") and self.text(1) == "(":
            strong = self.text() == "strong"
            self.at += 1
            return Matches(
                frozenset([self.nonempty(self.as_sequence(self.inside(self.group(), Parser.property)))]), strong
            )
        if self.text() == "first_match" and self.text(1) == "(":
            self.at += 1
            inside = self.group()
            if has_comma(inside):
                raise self.error("local variables of sequences are not supported")
            return seq.First(frozenset([self.as_sequence(self.inside(inside, Parser.property))]))
        if (known := self.instance()) is not None:
            inner, self.at = known
            return self.inside(inner, Parser.spec)
        if self.text() == "(" and self.is_temporal():
            inside = self.group()
            if has_comma(inside):
                raise self.error("local variables of sequences are not supported")
            return self.inside(inside, Parser.spec)
        return Atom(self.atom(self.boolean()))

    def is_temporal(self) -> bool:
        """Whether the bracket that is next holds more than a boolean expression."""
        end = end_of_group(self.tokens, self.at)
        inside = self.tokens[self.at + 1 : end - 1]
        follows = self.tokens[end].text if 0 <= end < len(self.tokens) else ""
        goes_on = follows not in ("", ")", ",", ";", "[", *BETWEEN, *WORDS)
        if goes_on and not has_operator(inside, self.named):
            return False
        return has_operator(inside, self.named) or has_comma(inside)

    def boolean(self) -> list[Token]:
        """The tokens of a boolean expression: all up to an operator of sequences or properties."""
        start = self.at
        while self.at < len(self.tokens):
            text = self.text()
            if text in BETWEEN or (text in WORDS and self.tokens[self.at].kind == "name") or text in CLOSE:
                break
            if text == "[" and self.text(1) in REPETITIONS:
                break
            if text in (",", ";", "@"):
                break
            if text in OPEN:
                self.group()
            else:
                self.at += 1
        if self.at == start:
            raise self.error(f"expected a boolean expression, not {self.text()}")
        return self.tokens[start : self.at]

    def atom(self, tokens: list[Token]) -> int:
        if not tokens:
            raise self.error("a boolean expression is expected in the brackets")
        if texts(tokens) in (["1"], ["1'b1"], ["(", "1", ")"]):
            return -1
        for k, known in enumerate(self.result.atoms):
            if texts(known) == texts(tokens):
                return k
        self.result.atoms.append(tuple(tokens))
        return len(self.result.atoms) - 1

    # Named sequences and properties.

    def instance(self) -> tuple[list[Token], int] | None:
        """The text that a named sequence or property stands for, with its arguments, and where its use ends."""
        found = self.named.get(self.text()) if self.at < len(self.tokens) else None
        if found is None or self.tokens[self.at].kind != "name" or self.text(1) == ".":
            if found is not None:
                raise self.error(f"{self.text()}{self.text(1)}{self.text(2)} is not supported")
            return None
        end = self.at + 1
        given: list[list[Token]] = []
        if self.text(1) == "(":
            end = end_of_group(self.tokens, self.at + 1)
            if end < 0:
                raise self.error("the arguments are not closed")
            given = split_commas(self.tokens[self.at + 2 : end - 1])
        return self.bound(found, given), end

    def bound(self, named: Named, given: list[list[Token]]) -> list[Token]:
        values: dict[str, list[Token]] = {}
        if len(given) > len(named.formals):
            raise self.error(f"{named.name} takes {len(named.formals)} arguments, not {len(given)}")
        for k, (formal, default) in enumerate(named.formals):
            plain = given[k] if k < len(given) and (not given[k] or given[k][0].text != ".") else None
            by_name = [a for a in given if len(a) > 3 and a[0].text == "." and a[1].text == formal]
            chosen = by_name[0][3:-1] if by_name else plain or list(default)
            if not chosen:
                raise self.error(f"{named.name} needs its argument {formal}")
            values[formal] = chosen
        result: list[Token] = []
        for k, token in enumerate(named.body):
            value = values.get(token.text) if token.kind == "name" else None
            if value is None or (k and named.body[k - 1].text == "."):
                result.append(token)
            elif len(value) == 1:
                result += value
            else:
                result += [Token("symbol", "(", value[0].span), *value, Token("symbol", ")", value[-1].span)]
        return result

    # What a node is taken for.

    def as_property(self, node: Node) -> Property:
        if isinstance(node, Property):
            return node
        return Matches(frozenset([self.nonempty(node)]), self.strong)

    def as_sequence(self, node: Node) -> Sequence:
        if isinstance(node, Property):
            raise self.error("a sequence is expected here, not a property")
        return node

    def nonempty(self, s: Sequence) -> Sequence:
        if matches_empty(s):
            raise self.error("a sequence that can be empty cannot be a property: let it begin with a tick")
        return s


def always(body: Property, bounds: tuple[int, int | None] | None, strong: bool, p: Parser) -> Property:
    if bounds is None:
        if strong:
            raise p.error("s_always needs a range")
        return Always(body)
    least, most = bounds
    if most is None:
        return Later(least, Always(body)) if least else Always(body)
    return all_of(Later(k, body) if k else body for k in range(least, most + 1))


def has_operator(tokens: list[Token], named: Mapping[str, Named]) -> bool:
    for k, token in enumerate(tokens):
        if token.text in BETWEEN or (token.kind == "name" and (token.text in WORDS or token.text in named)):
            return True
        if token.text == "[" and k + 1 < len(tokens) and tokens[k + 1].text in REPETITIONS:
            return True
    return bool(tokens) and tokens[0].text == "@"


def has_comma(tokens: list[Token]) -> bool:
    return len(split_commas(tokens)) > 1


def computed(words: list[str]) -> int | None:
    """The value of numbers joined by + - * and brackets; None for anything else."""
    if not words or not all(w.isdecimal() or w in ("+", "-", "*", "(", ")") for w in words) or len(words) > 40:
        return None
    value, rest = summed(words)
    return value if not rest else None


def summed(words: list[str]) -> tuple[int | None, list[str]]:
    value, rest = multiplied(words)
    while value is not None and rest and rest[0] in ("+", "-"):
        sign = 1 if rest[0] == "+" else -1
        other, rest = multiplied(rest[1:])
        value = None if other is None else value + sign * other
    return value, rest


def multiplied(words: list[str]) -> tuple[int | None, list[str]]:
    value, rest = operand(words)
    while value is not None and rest and rest[0] == "*":
        other, rest = operand(rest[1:])
        value = None if other is None else value * other
    return value, rest


def operand(words: list[str]) -> tuple[int | None, list[str]]:
    if words and words[0] == "(":
        value, rest = summed(words[1:])
        return (value, rest[1:]) if rest and rest[0] == ")" else (None, rest)
    return (int(words[0]), words[1:]) if words and words[0].isdecimal() else (None, words)
