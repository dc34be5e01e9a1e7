"""A process beside the server that answers one request after the other, and can be cut short."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

from quorbit.source.frozen import mutable

MOST_BYTES = 64 * 2**20  # of an answer


@mutable
class Worker:
    """``patience``: seconds after which a request is given up."""

    patience: float
    process: asyncio.subprocess.Process | None = None
    turn: asyncio.Lock | None = None

    async def ask(self, task: str, path: Path, text: str) -> dict[str, Any]:
        """The answer; empty if there was none in time."""
        self.turn = self.turn or asyncio.Lock()
        async with self.turn:
            process = await self.started()
            assert process.stdin is not None
            assert process.stdout is not None
            try:
                process.stdin.write(json.dumps({"task": task, "path": str(path), "text": text}).encode() + b"\n")
                line = await asyncio.wait_for(process.stdout.readline(), self.patience)
                found: dict[str, Any] = json.loads(line) if line else {}
                return found
            except (asyncio.CancelledError, asyncio.TimeoutError, OSError, ValueError) as reason:
                self.stop()
                if isinstance(reason, asyncio.CancelledError):
                    raise
                return {}

    async def started(self) -> asyncio.subprocess.Process:
        if self.process is None or self.process.returncode is not None:
            self.process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "quorbit.editor.work",
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
                limit=MOST_BYTES,
            )
        return self.process

    def stop(self) -> None:
        if self.process is not None and self.process.returncode is None:
            self.process.kill()
        self.process = None
