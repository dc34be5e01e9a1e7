"""Long computations beside the page: each in a process of its own, so that steps are answered meanwhile and a search
can be ended at any moment.  ``work.py`` is what runs there; it tells how far it is, line by line, as JSON."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from threading import Lock, Thread
from typing import Any

from quorbit.explorer.task import LENGTH, Task

Data = dict[str, Any]
CRASHED = "the process that computed this has ended without an answer"


class Job:
    """A task on its way; ``state`` is running, done, failed or stopped."""

    def __init__(self, task: Task) -> None:
        self.task, self.state, self.error = task, "running", ""
        self.progress: Data = {}
        self.result: Any = None
        self.lock = Lock()
        command = [sys.executable, "-m", "quorbit.explorer.work"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self.process.stdin is not None
        pickled = pickle.dumps(task)
        self.process.stdin.write(len(pickled).to_bytes(LENGTH, "big") + pickled)
        self.process.stdin.flush()  # and it stays open: when it is closed, the process ends
        self.reader = Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.receive(json.loads(line))
        self.process.wait()
        with self.lock:
            if self.state == "running":
                self.state, self.error = "failed", CRASHED

    def receive(self, told: Data) -> None:
        with self.lock:
            if self.state != "running":
                return
            if "progress" in told:
                self.progress = told["progress"]
            elif "result" in told:
                self.result, self.state = told["result"], "done"
            else:
                self.error, self.state = told["error"], "failed"

    def stop(self) -> None:
        with self.lock:
            if self.state == "running":
                self.state = "stopped"
        self.process.kill()

    def tell(self) -> Data:
        with self.lock:
            return {"state": self.state, "error": self.error, "progress": self.progress, "kind": self.task.kind}
