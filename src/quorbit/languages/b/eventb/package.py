"""ProB's packages: ``package(load_event_b_project(Machines, Contexts, Info, _))`` in a file that ends in .eventb."""

from __future__ import annotations

from pathlib import Path

from quorbit.languages.b.eventb.component import Action, Context, Event, EventMachine, Labelled, Project, Witness
from quorbit.languages.b.eventb.page import Page, read_twice
from quorbit.languages.b.eventb.prolog import Term, at, read_terms
from quorbit.languages.b.eventb.terms import action_of, formula_of, label_of, names_of
from quorbit.languages.b.syntax.formulas import Name
from quorbit.source.errors import UserError
from quorbit.source.read import read_source
from quorbit.source.span import Source


def read_package(path: Path) -> Project:
    """The components of a package; its first machine is the one that it was written for."""
    source = read_source(path)
    for clause in read_terms(source):
        if clause.functor == "package" and len(clause.arguments) == 1:
            return Reader(source).project(clause.arguments[0])
    raise UserError(None, f"{path}: there is no fact package(...) in this file; ProB's export writes one")


class Reader:
    def __init__(self, source: Source) -> None:
        self.source = source

    def refuse(self, t: Term, message: str) -> UserError:
        return UserError(at(self.source, t.start), message)

    def project(self, t: Term) -> Project:
        if t.functor != "load_event_b_project" or len(t.arguments) < 2:
            raise self.refuse(t, "a package holds load_event_b_project(Machines, Contexts, Info, _)")
        machines = [self.machine(m) for m in self.elements(t.arguments[0])]
        contexts = [self.context(c) for c in self.elements(t.arguments[1])]
        if not machines and not contexts:
            raise self.refuse(t, "the package holds no machine and no context")
        main = machines[0].name if machines else contexts[0].name
        return Project(main, {m.name: m for m in machines}, {c.name: c for c in contexts})

    def elements(self, t: Term) -> tuple[Term, ...]:
        if t.kind != "list":
            raise self.refuse(t, f"a list is expected, found {t}")
        return t.arguments

    def clauses(self, t: Term, functor: str) -> tuple[str, dict[str, Term]]:
        """Name and clauses of event_b_model(_, Name, [clause(_, Content), ...])."""
        if t.functor != functor or len(t.arguments) != 3:
            raise self.refuse(t, f"{functor}(_, Name, Clauses) is expected, found {t}")
        found: dict[str, Term] = {}
        for clause in self.elements(t.arguments[2]):
            if len(clause.arguments) < 2:
                raise self.refuse(clause, f"a clause is expected, found {clause}")
            found[clause.functor] = clause.arguments[1]
        return t.arguments[1].functor, found

    def component(self, name: str) -> str:
        return f"{self.source.name}:{name}"

    def context(self, t: Term) -> Context:
        name, clauses = self.clauses(t, "event_b_context")

        def read(page: Page) -> Context:
            span = page.write(f"CONTEXT {name}")
            extends = self.words(clauses, "extends")
            sets = tuple(
                Name(page.write("  SET ", s.arguments[-1].functor), s.arguments[-1].functor)
                for s in self.listed(clauses, "sets")
                if s.arguments
            )
            constants = (*self.names(page, clauses, "constants"), *self.names(page, clauses, "abstract_constants"))
            axioms = (*self.labelled(page, clauses, "axioms", False), *self.labelled(page, clauses, "theorems", True))
            return Context(span, name, extends, sets, constants, axioms)

        return read_twice(self.component(name), read)

    def machine(self, t: Term) -> EventMachine:
        name, clauses = self.clauses(t, "event_b_model")

        def read(page: Page) -> EventMachine:
            span = page.write(f"MACHINE {name}")
            refines = clauses.get("refines")
            above = self.words(clauses, "refines") if refines is not None and refines.kind == "list" else ()
            return EventMachine(
                span,
                name,
                next(iter(above), None) if refines is None or refines.kind == "list" else refines.functor,
                self.words(clauses, "sees"),
                self.names(page, clauses, "variables"),
                (*self.labelled(page, clauses, "invariant", False), *self.labelled(page, clauses, "theorems", True)),
                self.variants(page, clauses),
                tuple(self.event(page, e) for e in self.listed(clauses, "events")),
            )

        return read_twice(self.component(name), read)

    def listed(self, clauses: dict[str, Term], name: str) -> tuple[Term, ...]:
        return self.elements(clauses[name]) if name in clauses else ()

    def words(self, clauses: dict[str, Term], name: str) -> tuple[str, ...]:
        return tuple(w.functor for w in self.listed(clauses, name))

    def names(self, page: Page, clauses: dict[str, Term], clause: str) -> tuple[Name, ...]:
        return tuple(self.name(page, clause[:-1].upper(), t) for t in self.listed(clauses, clause))

    def name(self, page: Page, what: str, t: Term) -> Name:
        def make(span: object) -> Name:
            found = formula_of(t, span, self.refuse)  # type: ignore[arg-type]
            if not isinstance(found, Name):
                raise self.refuse(t, "an identifier is expected")
            return found

        return page.place(f"  {what} ", make)

    def labelled(self, page: Page, clauses: dict[str, Term], clause: str, theorem: bool) -> tuple[Labelled, ...]:
        return tuple(self.predicate(page, t, theorem) for t in self.listed(clauses, clause))

    def predicate(self, page: Page, t: Term, theorem: bool = False, indent: str = "  ") -> Labelled:
        label = label_of(t)
        return Labelled(label, page.place(f"{indent}{label}: ", lambda s: formula_of(t, s, self.refuse)), theorem)

    def variants(self, page: Page, clauses: dict[str, Term]) -> tuple[Labelled, ...]:
        """One variant or, in newer models, several."""
        found = clauses.get("variant")
        if found is None:
            return ()
        terms = found.arguments if found.kind == "list" else (found,)
        return tuple(self.predicate(page, t, indent="  VARIANT ") for t in terms)

    def event(self, page: Page, t: Term) -> Event:
        """event(Position, Name, Status, Refines, Parameters, Guards, Theorems, Actions, Witnesses)

        Older packages have no theorems here, the oldest no status either."""
        if t.functor != "event" or len(t.arguments) not in (7, 8, 9):
            raise self.refuse(t, f"an event of seven to nine parts is expected, found {t}")
        _, name, *status, refines, parameters, guards = t.arguments[: 5 + (len(t.arguments) > 7)]
        *proved, actions, witnesses = t.arguments[5 + (len(t.arguments) > 7) :]
        span = page.write(f"  EVENT {name.functor}")
        return Event(
            span,
            name.functor,
            status[0].functor if status else "ordinary",
            tuple(r.functor for r in (refines.arguments if refines.kind == "list" else (refines,)) if r.functor),
            False,
            tuple(self.name(page, "  any", p) for p in self.elements(parameters)),
            (
                *(self.predicate(page, g, indent="    ") for g in self.elements(guards)),
                *(self.predicate(page, g, True, "    ") for part in proved for g in self.elements(part)),
            ),
            tuple(self.witness(page, w) for w in self.elements(witnesses)),
            tuple(self.action(page, a) for a in self.elements(actions)),
        )

    def witness(self, page: Page, t: Term) -> Witness:
        if t.functor != "witness" or len(t.arguments) != 3:
            raise self.refuse(t, f"a witness is expected, found {t}")
        name = names_of(Term("[]", (t.arguments[1],), t.start, "list"), page.write("    with"), self.refuse)[0].name
        return Witness(name, page.place(f"    {name}: ", lambda s: formula_of(t.arguments[2], s, self.refuse)))

    def action(self, page: Page, t: Term) -> Action:
        label = label_of(t)
        return Action(label, page.place(f"    {label}: ", lambda s: action_of(t, s, self.refuse)))
