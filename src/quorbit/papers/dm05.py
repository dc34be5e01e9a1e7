"""Table 1 of [DM05]: how long it takes to find the symmetries of four models, and how many there are.

The sizes are not printed; those here have the published orders.
"""

from __future__ import annotations

from quorbit.papers.dm09 import duration
from quorbit.report.text_tables import table
from quorbit.source.frozen import frozen

__all__ = ["TABLE_1", "Found", "Published", "table_1"]


@frozen
class Published:
    """A row of the table, and the size that has its order."""

    model: str
    size: str
    seconds: float
    order: int


TABLE_1 = (
    Published("token ring", "10 stations", 2.52, 10),
    Published("load balancer", "6 clients, 2 balancers, 3 servers", 2.70, 432),
    Published("three-tiered", "3 and 4 clients", 3.56, 144),
    Published("resource allocator", "4 and 4 clients", 7.44, 576),
)
NOTE = "  the diagram's way is [DM05, Algorithm 1] with random conjugates; '?' where not all cosets were tried"


@frozen
class Found:
    """The order by the syntax graph and by the channel diagram (None: not asked for), with the seconds."""

    order: int
    seconds: float
    diagram_order: int | None = None
    diagram_seconds: float | None = None
    complete: bool = True


def table_1(rows: list[tuple[Published, Found]]) -> list[str]:
    header = ["model", "size", "|G|", "published", "s", "published", "by diagram", "s"]
    listed = [
        [
            p.model,
            p.size,
            str(f.order),
            str(p.order),
            duration(f.seconds),
            duration(p.seconds),
            "-" if f.diagram_order is None else f"{f.diagram_order}{'' if f.complete else '?'}",
            duration(f.diagram_seconds),
        ]
        for p, f in rows
    ]
    return [*table(header, listed), NOTE]
