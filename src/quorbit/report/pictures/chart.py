"""Message sequence charts: who did what, and which message went where, as text.

A message that goes through a channel is sent in one row and received in a later one; a handshake is one row.  What is
no message is a note on the lifeline of the process that acts.
"""

from __future__ import annotations

from quorbit.model.meaning.evaluate import Firing, Meaning
from quorbit.model.meaning.show import show_firing
from quorbit.model.system.system import State, System
from quorbit.report.pictures.messages import Event, events_of, queues_of
from quorbit.report.trace import actors_of
from quorbit.result.outcome import Trace
from quorbit.source.frozen import field, frozen, mutable, replace

__all__ = ["draw_chart", "only_messages", "show_chart"]

WIDEST_COLUMN = 26
NOBODY = "environment"  # acts where a command has no actor


@frozen
class Note:
    """Something a process does by itself."""

    row: int
    process: str
    text: str


@frozen
class Message:
    """From a sender to a receiver; None: it is still on its way when the run ends."""

    channel: str
    text: str
    sender: str
    sent: int
    receiver: str | None = None
    received: int | None = None


@frozen
class Chart:
    """The processes from left to right; rows are numbered from 1 like the commands of the run."""

    processes: tuple[str, ...]
    rows: int
    notes: tuple[Note, ...]
    messages: tuple[Message, ...]


@mutable
class Drawing:
    """What is drawn so far; ``waiting``: for every channel the numbers of its messages, in their order."""

    meaning: Meaning
    notes: list[Note] = field(default_factory=list)
    messages: list[Message] = field(default_factory=list)
    waiting: dict[int, list[int | None]] = field(default_factory=dict)
    seen: dict[str, None] = field(default_factory=dict)


def draw_chart(system: System, trace: Trace) -> Chart:
    """The chart of a run."""
    drawing = Drawing(Meaning(system))
    s, row = trace.start, 0
    drawing.waiting.update({i: [None] * size for i, size in queues_of(system, s).items()})
    for step in trace.steps:
        for firing in step.firings:
            row += 1
            t = drawing.meaning.fire(s, firing)[0]
            draw_firing(drawing, row, firing, s, t)
            s = t
    return Chart(order(system, drawing.seen), row, tuple(drawing.notes), tuple(drawing.messages))


def only_messages(chart: Chart) -> Chart:
    """Without what processes do by themselves; a chart without messages stays as it is."""
    if not chart.messages:
        return chart
    talking = {name for m in chart.messages for name in (m.sender, m.receiver)}
    return replace(chart, processes=tuple(name for name in chart.processes if name in talking), notes=())


def order(system: System, seen: dict[str, None]) -> tuple[str, ...]:
    """The processes that act, in the order of the model's atoms."""
    place = {atom.name: i for i, atom in enumerate(system.atoms)}
    return tuple(sorted(seen, key=lambda name: place.get(name, -1)))


def draw_firing(drawing: Drawing, row: int, firing: Firing, s: State, t: State) -> None:
    system = drawing.meaning.system
    actors = actors_of(drawing.meaning, s, (firing,)) or (NOBODY,)
    drawing.seen.update(dict.fromkeys(actors))
    moved = [follow_message(drawing, row, actors, event) for event in events_of(system, s, t)]
    if len(actors) > 1:
        text = system.commands[firing.command].label
        drawing.messages.append(Message("", text, actors[0], row, actors[1], row))
    elif not any(moved):
        label = show_firing(system, firing) if actors == (NOBODY,) else system.commands[firing.command].label
        drawing.notes.append(Note(row, actors[0], label))


def follow_message(drawing: Drawing, row: int, actors: tuple[str, ...], event: Event) -> bool:
    """Note a message put into a channel or taken out of it; False if it is neither, or came from before the run."""
    waiting = drawing.waiting[event.queue]
    match event.kind:
        case "send":
            waiting.insert(event.at, len(drawing.messages))
            drawing.messages.append(Message(event.channel, event.text, actors[0], row))
            return True
        case "receive":
            number = waiting.pop(event.at)
            if number is not None:
                drawing.messages[number] = replace(drawing.messages[number], receiver=actors[-1], received=row)
            return number is not None
        case _:
            drawing.waiting[event.queue] = [None] * event.at
            return False


# As text.


def show_chart(chart: Chart) -> str:
    """A column for every process, a row for every command; a handshake is an arrow."""
    if not chart.processes:
        return "nothing happened\n"
    cells: dict[tuple[int, str], str] = {(n.row, n.process): n.text for n in chart.notes}
    arrows: dict[int, Message] = {}
    for m in chart.messages:
        if m.received == m.sent:
            arrows[m.sent] = m
            continue
        cells[m.sent, m.sender] = f"{m.channel} ! {m.text}"
        if m.receiver is not None and m.received is not None:
            cells[m.received, m.receiver] = f"{m.channel} ? {m.text}"
    longest = max(
        len(text) for text in [*cells.values(), *chart.processes, *(f"{m.text}------" for m in arrows.values())]
    )
    width = min(longest, WIDEST_COLUMN) + 2
    number = len(str(chart.rows))
    lines = [" " * number + "  " + "".join(fit(name, width) for name in chart.processes)]
    told = {row for row, _ in cells} | set(arrows)
    for row in (row for row in range(1, chart.rows + 1) if row in told):
        shown = arrow_row(chart, arrows[row], width) if row in arrows else cell_row(chart, cells, row, width)
        lines.append(f"{row:>{number}}  {shown}")
    return "\n".join(line.rstrip() for line in lines) + "\n"


def cell_row(chart: Chart, cells: dict[tuple[int, str], str], row: int, width: int) -> str:
    return "".join(fit(cells.get((row, name), "|"), width) for name in chart.processes)


def arrow_row(chart: Chart, message: Message, width: int) -> str:
    """|---- text --->| between the two processes."""
    assert message.receiver is not None
    a, b = chart.processes.index(message.sender), chart.processes.index(message.receiver)
    line = list("".join(fit("|", width) for _ in chart.processes))
    left, right = (min(a, b) * width + width // 2, max(a, b) * width + width // 2)
    room = right - left - 1
    if room < 3:
        return "".join(line)
    text = message.text if len(message.text) <= room - 4 else message.text[: max(0, room - 6)] + ".."
    line[left + 1 : right] = f" {text} ".center(room, "-")
    line[right - 1 if a < b else left + 1] = ">" if a < b else "<"
    return "".join(line)


def fit(text: str, width: int) -> str:
    """In the middle of a column, so that a single mark stands at width // 2."""
    shown = text if len(text) < width else text[: width - 3] + ".."
    left = width // 2 - len(shown) // 2
    return (" " * left + shown).ljust(width)
