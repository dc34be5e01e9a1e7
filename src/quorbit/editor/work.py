"""The process that looks at models for the language server: one request a line, one answer a line, both JSON.

``python -m quorbit.editor.work``.  It is killed when an answer is no longer wanted, and started again.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from quorbit.editor.facts import find, read

TASKS = {"read": read, "find": find}


def answer(request: dict[str, Any]) -> dict[str, Any]:
    try:
        return TASKS[request["task"]](Path(request["path"]), request["text"])
    except (Exception, RecursionError) as error:  # a model that is half typed never ends the server
        return {"failed": f"{type(error).__name__}: {error}"}


def main() -> None:
    for line in sys.stdin:
        sys.stdout.write(json.dumps(answer(json.loads(line))) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
