"""When a test run ends, its workers may need a while to write down which lines they reached (`make coverage`)."""

from __future__ import annotations

from xdist.workermanage import NodeManager

NodeManager.EXIT_TIMEOUT = 300  # seconds; after ten they would be killed, and all would be lost
