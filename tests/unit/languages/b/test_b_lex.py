"""Tokens: comments, spellings, strings, numbers, and where the text is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from quorbit.languages.b.meaning.query import parse_text
from quorbit.languages.b.syntax.lex import lex
from quorbit.languages.b.syntax.parse_machine import parse_machine
from quorbit.source.errors import UserError
from quorbit.source.read import read_source
from quorbit.source.span import Source


def texts(text: str) -> list[str]:
    return [t.text for t in lex(Source("t", text))][:-1]


def test_longest_sign_first() -> None:
    signs = "<<->> <<-> <->> <-> <-- <- <<: <<| <=> <= <: <+ <| < >->> >-> >+>> >+> >< >= > +->> +-> + -->> --> -> -"
    more = (
        r"=> == = |-> |>> |> || | /<<: /<: /|\ /: /= /\ / \|/ \/ \ :: := : ** * .. . ' ! # % & , ; ( ) [ ] { } ^ ~ $ <>"
    )
    assert texts(f"{signs} {more}") == [*signs.split(), *more.split()]
    assert texts("a:=-1||b::c\\/d") == ["a", ":=", "-", "1", "||", "b", "::", "c", "\\/", "d"]


def test_comments_vanish() -> None:
    assert texts("a /* b \n * c */ d // e\n f /*@ pragma */ g") == ["a", "d", "f", "g"]


@pytest.mark.parametrize(
    ("unicode", "ascii"),
    [
        ("∀x·(x∈S ⇒ x≠a)", "!x.(x:S => x/=a)"),
        ("∃(x,y).(x↦y ∈ r ∧ ¬(x=y) ∨ x≤y)", "#(x,y).(x|->y : r & not(x=y) or x<=y)"),
        ("λx.(x∈ℕ ∣ x×2)", "%x.(x:NATURAL | x*2)"),
        ("ℙ(S) ∪ ∅ ∩ T ∖ U", "POW(S) \\/ {} /\\ T \\ U"),
        ("f ∈ A ⇸ B ∨ f ∈ A → B ∨ f ∈ A ⤖ B ∨ f ∈ A ↔ B", "f : A +-> B or f : A --> B or f : A >->> B or f : A <-> B"),
        ("a ◁ r ⩥ b", "a <| r |>> b"),
        ("ℕ1 ⊆ ℤ ⇔ ⊤", "NATURAL1 <: INTEGER <=> btrue"),
    ],
)
def test_unicode_spellings(unicode: str, ascii: str) -> None:
    assert parse_text(unicode) == parse_text(ascii)


def test_accepted_spellings_of_keywords() -> None:
    machine = parse_machine(
        Source("t", "MODEL m VARIABLES x INVARIANT x=1 INITIALIZATION x:=1 EVENTS a = skip; b = x:=2 END")
    )
    assert [o.name for o in machine.operations] == ["a", "b"]


def test_latin_1_file(tmp_path: Path) -> None:
    path = tmp_path / "m.mch"
    path.write_bytes("/* Prüfung */ MACHINE m END".encode("latin-1"))
    assert parse_machine(read_source(path)).name == "m"


def test_strings_and_numbers() -> None:
    assert texts(r'"a\"b\n"') == ['a"b\n']
    assert texts("'''two\nlines'''") == ["two\nlines"]
    assert texts("0x1F 12") == ["31", "12"]


@pytest.mark.parametrize(
    ("text", "column", "part"),
    [
        ("a /* b", 3, "never closed"),
        ('a "b', 3, "not closed"),
        ("a ? b", 3, "unexpected character"),
        ("9" * 5000, 1, "digits"),
    ],
)
def test_wrong_characters_are_located(text: str, column: int, part: str) -> None:
    with pytest.raises(UserError) as caught:
        lex(Source("t", text))
    assert caught.value.span.column == column
    assert part in caught.value.message
