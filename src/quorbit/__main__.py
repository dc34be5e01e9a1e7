"""``python -m quorbit`` is ``quorbit``."""

from __future__ import annotations

import sys

from quorbit.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
