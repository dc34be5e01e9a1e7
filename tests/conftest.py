"""What holds for all tests: none fails because the machine is busy, and when a run ends, its workers may need a while
to write down which lines they reached (`make coverage`)."""

from __future__ import annotations

from hypothesis import HealthCheck, settings
from xdist.workermanage import NodeManager

NodeManager.EXIT_TIMEOUT = 300  # seconds; after ten they would be killed, and all would be lost

settings.register_profile("busy machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("busy machine")
