"""Print what one run of the program goes through, in order: does it go one way, or back and forth?

    python tools/layers.py check examples/mutex.edges

Beside each step stand the layers that are entered from it; where one is entered again after another, that is
said.  Then come the frames from the command to the engine, and how often what should run once has run.
"""

import sys
from collections import Counter
from types import FrameType
from typing import Any

from quorbit.cli.main import main

ONCE = ("extract_constants", "ground", "layout_of", "structure", "lay_out", "initial_states", "starting_ways")
RUN = "quorbit.pipeline.run"
STEPS = ("ask", "choose", "specialise", "detect", "classify", "notes_about", "may_adapt")
STEPS += ("explore", "explore_by_sets", "tell", "infer_if_promising")


class Layers:
    """Notes the steps, the layers below them, and the way to the engine."""

    def __init__(self) -> None:
        self.steps: list[tuple[str, list[str]]] = [("load", [])]
        self.way: list[str] = []
        self.ran: Counter[str] = Counter()

    def __call__(self, frame: FrameType, event: str, argument: Any) -> None:
        module, name = module_of(frame), frame.f_code.co_name
        if event != "call" or not module.startswith("quorbit.") or name.startswith("<"):
            return
        self.ran[name] += name in ONCE
        caller = module_of(frame.f_back)
        if caller == RUN and name in STEPS:
            self.steps.append((name, []))
        elif caller.startswith(("quorbit.pipeline", "quorbit.cli")) and not module.startswith(
            ("quorbit.pipeline", "quorbit.cli")
        ):
            self.note(module.split(".")[1])
        if module.startswith("quorbit.engines.") and module.endswith(".engine") and name == "explore":
            self.way = self.way or way_to(frame)

    def note(self, layer: str) -> None:
        below = self.steps[-1][1]
        if layer != "source" and layer not in below[-1:]:
            below.append(layer)


def module_of(frame: FrameType | None) -> str:
    return "" if frame is None else str(frame.f_globals.get("__name__", ""))


def way_to(frame: FrameType | None) -> list[str]:
    found = []
    while frame is not None:
        if module_of(frame).startswith("quorbit."):
            found.append(f"{module_of(frame).removeprefix('quorbit.')}.{frame.f_code.co_name}")
        frame = frame.f_back
    return found[::-1]


def show(layers: Layers) -> None:
    for step, below in layers.steps:
        again = "" if len(set(below)) == len(below) else "   (back and forth)"
        print(f"{step:24} {' > '.join(below)}{again}")
    print("\nto the engine: " + " > ".join(layers.way))
    print("ran: " + ", ".join(f"{name} {layers.ran[name]}" for name in ONCE))


if __name__ == "__main__":
    layers = Layers()
    sys.setprofile(layers)
    code = main(sys.argv[1:])
    sys.setprofile(None)
    show(layers)
    sys.exit(code)
