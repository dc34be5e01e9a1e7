"""The eight Systems of tests/unit/model/hand_built.py, written with the builder."""

from __future__ import annotations

from quorbit.languages.python.builder import Builder, Rule
from quorbit.languages.python.values import Value, either, every, nobody, set_of, size_of, some
from quorbit.model.system.expression import Apply, Elements, Operator
from quorbit.model.system.types import TRUTH, AtomOf, SetOf, TupleOf


def atomic_hand_over() -> Builder:
    m = Builder("atomic hand-over")
    process = m.sort("process", 2)
    pc, owner = m.variable("pc", range(4), process), m.variable("owner", process)
    token, x = m.variable("token", process), m.variable("x", range(2))

    def runs(i: Value, at: int) -> Rule:
        return m.when(pc[i] == at, (owner == nobody()) | (owner == i))

    m.command(i=process)(lambda i: runs(i, 0).do(pc[i].to(1), x.to(1 - x), owner.to(i)))
    m.command(i=process)(
        lambda i: m.when(pc[i] == 1, (owner == nobody()) | (owner == i), token == i).do(pc[i].to(2), owner.to(i))
    )
    m.command(i=process)(lambda i: runs(i, 2).do(pc[i].to(3), x.to(1 - x), owner.to(nobody()), token.to(nobody())))
    m.command(i=process)(lambda i: m.when(owner == nobody(), token == nobody(), pc[i] != 3).do(token.to(i)))
    m.command(rank=1)(lambda: m.when(owner != nobody()).do(owner.to(nobody())))
    m.no_deadlock((pc[process[0]] == 3) & (pc[process[1]] == 3))
    m.invariant("free", owner == nobody())
    m.transient(owner != nobody())
    return m


def rendezvous() -> Builder:
    m = Builder("rendezvous")
    sender, receiver = m.sort("sender", 2), m.sort("receiver", 2)
    pc, got = m.variable("pc", range(2), sender | receiver), m.variable("got", sender, receiver)

    @m.command(i=sender, j=receiver)
    def meet(i: Value, j: Value) -> Rule:
        return m.when(pc[i] == 0, pc[j] == 0).do(pc[i].to(1), pc[j].to(1), got[j].to(i))

    m.no_deadlock(every(sender, lambda i: pc[i] == 1))
    return m


def dynamic_creation() -> Builder:
    m = Builder("dynamic creation")
    parent, child = m.sort("parent", 1), m.sort("child", 2)
    alive, made = m.variable("alive", bool, child), m.variable("made", range(4))

    @m.command(new=m.fresh(child, lambda new: ~alive[new]), actor=parent[0])
    def run_child(new: Value) -> Rule:
        return m.when(made < 3, some(child, lambda i: ~alive[i])).do(alive[new].to(True), made.to(made + 1))

    m.command(i=child)(lambda i: m.when(alive[i]).do(alive[i].to(False)))
    m.no_deadlock(made == 3)
    return m


def unless() -> Builder:
    m = Builder("unless")
    process = m.sort("process", 2)
    pc, n = m.variable("pc", range(2), process), m.variable("n", range(3), process)
    alarm = m.variable("alarm", bool)
    m.command(turn=1, i=process)(lambda i: m.when(pc[i] == 0, n[i] < 2).do(n[i].to(n[i] + 1)))
    m.command(i=process)(lambda i: m.when(pc[i] == 0, alarm).do(pc[i].to(1)))
    m.command()(lambda: m.when(~alarm).do(alarm.to(True)))
    m.no_deadlock(alarm)
    return m


def d_step() -> Builder:
    m = Builder("d_step")
    process = m.sort("process", 3)
    pc, seat = m.variable("pc", range(2), process), m.variable("seat", process, shape=(2,))
    first, second = seat[0] == nobody(), seat[1] == nobody()
    m.command(i=process)(lambda i: m.when(pc[i] == 0, first).do(pc[i].to(1), seat[0].to(i)))
    m.command(i=process)(lambda i: m.when(pc[i] == 0, ~first, second).do(pc[i].to(1), seat[1].to(i)))
    m.command(i=process)(lambda i: m.when(pc[i] == 0, ~first, ~second).require(False, "blocks in d_step"))
    m.assertions()
    m.no_deadlock()
    return m


def process_death() -> Builder:
    m = Builder("process death")
    process = m.sort("process", 2)
    pc = m.variable("pc", range(3), process)
    a, b = process[0], process[1]
    m.command(i=process)(lambda i: m.when(pc[i] == 0).do(pc[i].to(1)))
    m.command(actor=b)(lambda: m.when(pc[b] == 1).do(pc[b].to(2)))
    m.command(actor=a)(lambda: m.when(pc[a] == 1, pc[b] == 2).do(pc[a].to(2)))
    m.no_deadlock(every(process, lambda i: pc[i] == 2))
    return m


def nested_set() -> Builder:
    m = Builder("nested set")
    people = m.sort("PEOPLE", ("ann", "bob", "cy"), kind="PEOPLE")
    person = AtomOf(people.atoms)
    teams = m.variable("teams", SetOf(SetOf(person)))
    m.variable("log", SetOf(TupleOf((person, TRUTH))))
    groups = Apply(Operator.POWERSET, (set_of(*(people[k] for k in range(3))).expr,))

    @m.command(t=Elements(groups, SetOf(person)))
    def add(t: Value) -> Rule:
        return m.when(size_of(t) == 2, ~t.within(teams), size_of(teams) < 2).do(teams.to(teams.joined(set_of(t))))

    m.no_deadlock(size_of(teams) == 2)
    m.count_once()
    return m


def netlist() -> Builder:
    m = Builder("netlist")
    latches = m.sort("latch", 3, kind="latch")
    latch = m.variable("latch", bool, latches)
    here = [latches[k] for k in range(3)]

    @m.command(stop=range(2))
    def step(stop: Value) -> Rule:
        wires = [m.define("wire", either(stop, latch[here[k]], latch[here[k - 1]]), here[k]) for k in range(3)]
        return m.when().do(*(latch[here[k]].to(wires[k]) for k in range(3)))

    for each in here:
        m.start(latch[each].to(True))
    m.invariant("one", latch[here[0]] + latch[here[1]] + latch[here[2]] < 2)
    return m
