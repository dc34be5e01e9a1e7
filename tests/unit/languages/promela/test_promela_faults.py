"""Run-time errors that SPIN reports although nothing depends on the value, and what SPIN's C makes of numbers.

The answers are those of spin 6.5.2 (``pan -c0``)."""

from __future__ import annotations

from pathlib import Path

import pytest

from quorbit.languages.options import LoadOptions
from quorbit.machine.options import SearchOptions
from quorbit.pipeline.load import load
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.run import check
from quorbit.source.errors import UserError

HOLDS = {
    "the else of a d_step": "if :: d_step { w == 0 -> skip } :: d_step { else -> assert(false) } fi",
    "the else of a d_step in a block": "if :: w == 0 -> skip :: d_step { { else -> assert(false) } } fi",
    "two elses": "if :: d_step { else -> w = 5 } :: else -> assert(false) fi",
    "nothing divided by nothing": "dead = 0 / w",
    "a sum compared with a constant": "n = 2147483647; assert(!(n + 1 < 0))",
    "a sum that is kept": "n = 2147483647; n = n + 1; assert(n < 0)",
    "a constant shifted out": "assert((1 << 31) < 0 && (1 << 32) == 0)",
    "a product that is compared with a variable": "n = 65536; assert(n * n == w)",
    "bits of an array": "b[1] = 2; assert(b[1] == 2); b[0] = 256; assert(b[0] == 0)",
    "one bit": "one = 2; assert(one == 0)",
    "an escape that goes first": "w = 5; { t[w] == 0 -> skip } unless { w > 1 -> skip }",
    "a hidden value": "w = 1; assert(h == 2)",
    "a hidden value that a new process begins with": "run Begins()",
    "a hidden value that is carried": "h = 3; w = 1; assert(h == 3)",
    "a message for a full channel": "q!1; if :: q!t[9] :: skip fi",
    "a pattern of an empty channel": "if :: q?eval(t[9]) :: skip fi",
    "a poll of a rendezvous after what is false": "if :: w == 1 && r?[1] :: else fi",
    "a number written by the first step of all": "n = 2147483647; atomic { n = _pid + 1; if :: n == 1 fi }",
    "a message of one bit": "c!2; c?w; assert(w == 2); c!257; c?w; assert(w == 1)",
    "a message of one bit that is polled": "c!2; assert(c?[2] && !(c?[0])); c?b[1]; assert(b[1] == 2)",
    "a bit in a message": "d!2,2; d?w,one; assert(w == 0 && one == 0)",
    "a rendezvous of one bit": "run Q(); rb!3",
    "to nobody": "_ = w; w = 1; _ = t[w]",
}
FAILS = {
    "an else that comes first": "if :: d_step { else -> assert(false) } :: w == 0 fi",
    "the else of an if in a d_step": "if :: w == 0 :: d_step { if :: else -> assert(false) :: w == 1 fi } fi",
    "a value nobody reads": "dead = t[5]",
    "an element nobody reads": "deads[5] = 1",
    "the length of no channel": "dead = len(none)",
    "no channel is full": "if :: full(none) :: else fi",
    "no channel is not full": "if :: nfull(none) :: else fi",
    "no channel is empty": "if :: empty(none) :: else fi",
    "no channel is not empty": "if :: nempty(none) :: else fi",
    "a poll of no channel": "if :: none?[1] :: else fi",
    "a printed element": 'w = 2; printf("%d", t[w])',
    "an element printed by a variable that is only printed": 'seen = 2; printf("%d", deads[seen])',
    "a message nobody takes": "if :: r!t[w + 2] :: skip fi",
    "a poll for an element": "if :: q??[eval(t[w + 2])] :: skip fi",
    "a conjunct before one that is false": "if :: t[w + 2] == 0 && zero == 1 :: skip fi",
    "an element looked into": "if :: (t[2] & 1) == 0 :: skip fi",
    "a channel out of range": "if :: full(cc[zero + 9]) :: else fi",
    "a rendezvous channel out of range": "if :: empty(rr[zero + 9]) && w < 2 :: else fi",
    "the length of a rendezvous channel out of range": "dead = len(rr[w + 2])",
    "a poll of a rendezvous": "if :: r?[1] :: else fi",
    "a poll of any message of a rendezvous": "w = rr[w]??[1]",
    "a poll of a rendezvous that nobody needs": "dead = r?[1]",
    "a printed poll of a rendezvous": 'printf("%d", rr[w]?[1])',
    "a poll of a channel that may be a rendezvous": "none = q; w = none?[1]; none = r; w = none?[1]",
    "to nobody": "_ = t[w + 2]",
    "an endless d_step": "d_step { w = 0; do :: w = 1 - w od }",
}
GLOBALS = """
byte w, dead, deads[2], t[2], zero, seen; int n; bit b[2]; bit one; hidden byte h = 2;
chan q = [1] of { byte }; chan r = [0] of { byte }; chan none; chan cc[2] = [1] of { byte };
chan rr[2] = [0] of { byte }; chan c = [1] of { bool }; chan d = [1] of { bit, byte }; chan rb = [0] of { bit };
proctype Q() { rb?w; assert(w == 3) }
hidden byte given = 4; proctype Begins() { byte k = given; assert(k == 4) }
"""


def verdict(path: Path, count_like: str, engine: str = "auto") -> str:
    options = CheckOptions(engine=engine, search=SearchOptions(native=False))
    return check(load(path, LoadOptions(count_like=count_like)), options).worst.outcome.verdict.value


@pytest.mark.parametrize("count_like", ["own", "spin", "plain"])
@pytest.mark.parametrize(
    ("body", "expected"),
    [*((text, "holds") for text in HOLDS.values()), *((text, "fails") for text in FAILS.values())],
    ids=[*(f"holds, {name}" for name in HOLDS), *(f"fails, {name}" for name in FAILS)],
)
def test_verdict(body: str, expected: str, count_like: str, tmp_path: Path) -> None:
    path = tmp_path / "model.pml"
    path.write_text(f"{GLOBALS}\nactive proctype P() {{ {body} }}\n")
    assert verdict(path, count_like) == expected
    if count_like == "own":
        assert verdict(path, "own", "reference") == expected


def test_a_guard_of_a_lower_priority_is_not_looked_at(tmp_path: Path) -> None:
    path = tmp_path / "model.pml"
    path.write_text(
        "byte a[2], k; active proctype P() priority 5 { k = 5; k = 0 }\nactive proctype Q() priority 1 { a[k] == 0 }\n"
    )
    assert {verdict(path, "own", engine) for engine in ("explicit", "reference")} == {"holds"}


CHANNELS = "chan cc[2] = [1] of {{ byte }}; byte k; active proctype P() {{ byte c, a; do {options} od }}"


@pytest.mark.parametrize(
    "options",
    [":: c = 2 :: c = 0 :: c = 1 :: cc[c]?k :: cc[c]!0", ":: cc[2]?a :: cc[c]?k :: cc[c]!0 -> c = 1 - c"],
    ids=["a variable", "a constant"],
)
@pytest.mark.parametrize("symmetry", ["auto", "off"])
def test_a_channel_that_does_not_exist(options: str, symmetry: str, tmp_path: Path) -> None:
    """SPIN 6.5.2 finds an invalid array index in both.  The numbers of the channels become their names; the number that
    is nobody's must not become a channel on which nothing ever happens."""
    path = tmp_path / "model.pml"
    path.write_text(CHANNELS.format(options=options))
    result = check(load(path), CheckOptions(symmetry=symmetry)).worst
    assert (result.verdict, result.outcome.property) == ("fails", "run-time errors")


def test_a_number_that_is_written_at_once(tmp_path: Path) -> None:
    """What a variable holds before its first step need not be a value that it ever holds in a state."""
    path = tmp_path / "model.pml"
    path.write_text("""byte k, t[2]; int n = 2147483647;
        active proctype P() { atomic { if :: k * 2 < 2 -> if :: k != 0 :: true fi; n = _pid + 1 fi; n == t[k == 1] } }
        """)
    assert {verdict(path, count) for count in ("own", "spin", "plain")} == {"fails"}


def test_an_index_that_names_no_process_is_told_by_its_number(tmp_path: Path) -> None:
    path = tmp_path / "model.pml"
    path.write_text("""byte a[3], who = 255;
        active [3] proctype P() { do :: who == 255 -> who = _pid :: who != 255 -> who = 255 :: a[who] == 0 od }
        """)
    found = check(load(path)).worst
    assert not found.symmetry.group.is_trivial  # so that 255 is no number in the search
    assert found.outcome.message == "a[255] does not exist: index out of range"


ACCEPTED = {
    "a global after a parameter of its name": "proctype A(chan c) { c!1 }\nchan c = [1] of { bit };\ninit { run A(c) }",
    "a global after a local of its name": "active proctype A() { byte x; x = 1 }\nbyte x;\ninit { x = 2 }",
    "an inline with a variable's name": "int f = 1;\ninline f() { skip }\ninit { f() }",
    "the end of a comment that never began": "init { /* a /* b */ */ skip }",
    "a structure with a channel as a parameter": """typedef M { chan l = [0] of { bool }; int c }
        proctype p(M m) { end: m.l?false }
        init { M x; run p(x); x.l!false }""",
}
REFUSED = {
    "a variable with an inline's name": "inline f() { skip }\nint f = 1;\ninit { f() }",
    "an array without an index": "chan q[2] = [1] of { bit };\nactive proctype P() { xr q; q[0]?1 }",
    "an array indexed with itself": "byte a[2];\ninit { a[a[0]] = 1 }",
    "an array in a parameter": "typedef T { byte f[2] }\nproctype P(T x) { skip }\ninit { T x; run P(x) }",
}


@pytest.mark.parametrize("text", ACCEPTED.values(), ids=ACCEPTED)
def test_spin_accepts_it(text: str, tmp_path: Path) -> None:
    path = tmp_path / "model"  # without a suffix
    path.write_text(text)
    assert verdict(path, "own") == "holds"


@pytest.mark.parametrize("text", REFUSED.values(), ids=REFUSED)
def test_spin_refuses_it(text: str, tmp_path: Path) -> None:
    path = tmp_path / "model.prom"
    path.write_text(text)
    with pytest.raises(UserError):
        load(path)


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        ("a: if :: goto a :: x == 2 -> goto b fi; b: if :: goto b fi", "holds"),
        ("a: if :: goto a :: x == 2 -> goto accept_b fi; accept_b: if :: goto accept_b fi", "fails"),
        ("a: if :: goto a :: goto b fi; b: if :: x == 2 -> goto c fi; c: skip", "fails"),
    ],
)
def test_jumps_of_a_claim(claim: str, expected: str, tmp_path: Path) -> None:
    path = tmp_path / "model.pml"
    path.write_text(f"byte x; active proctype p() {{ x = 1; x = 2 }}\nnever {{ {claim} }}\n")
    assert check(load(path), CheckOptions(properties=("never",))).worst.outcome.verdict.value == expected


def test_a_value_nobody_reads_and_nobody_keeps_counts_as_in_spin(tmp_path: Path) -> None:
    path = tmp_path / "model.pml"
    path.write_text("byte r = 1;\nactive proctype Q() { _ = r; r = 2; r = 3 }\n")
    found = check(load(path, LoadOptions(count_like="spin")), CheckOptions(symmetry="off")).worst.outcome.statistics
    assert (found.states, found.transitions) == (5, 5)
