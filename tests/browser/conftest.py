"""Real Chromium for the tests of pages: Debian's, driven by Playwright, which downloads nothing of its own.

Run by ``make test-browser``; where Chromium or Playwright is missing the tests say so and are left out.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
LATEST = 20_000  # milliseconds that anything may take on a busy machine


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed (pip install 'quorbit[dev]')")
    program = next((found for name in NAMES if (found := shutil.which(name))), None)
    if program is None:
        pytest.skip("Chromium is not installed (on Debian: apt-get install chromium)")
    sandbox = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    with api.sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=program, args=sandbox)
        yield opened
        opened.close()


class Watched:
    """What a page asked for, and what went wrong in it."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.requests: list[str] = []
        self.errors: list[str] = []
        self.bytes = 0
        page.set_default_timeout(LATEST)
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("console", lambda message: self.errors.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("dialog", lambda dialog: self.errors.append(f"dialog: {dialog.message}"))


@pytest.fixture
def open_page(browser: Any) -> Iterator[Callable[..., Watched]]:
    """Opens an address in a window of its own; at the end nothing may have gone wrong in any."""
    opened: list[tuple[Any, Watched]] = []

    def open_at(address: str, width: int = 1400, height: int = 900, **options: Any) -> Watched:
        context = browser.new_context(viewport={"width": width, "height": height}, accept_downloads=True, **options)
        watched = Watched(context.new_page())
        opened.append((context, watched))
        watched.page.goto(address)
        return watched

    yield open_at
    for context, watched in opened:
        assert watched.errors == []
        context.close()


@pytest.fixture(scope="module")
def explore() -> Iterator[Callable[..., str]]:
    """Starts ``quorbit explore`` on a model and gives its address."""
    running: list[subprocess.Popen[str]] = []

    def start(path: Path | str, *options: str) -> str:
        command = [sys.executable, "-m", "quorbit", "explore", str(path), "--no-browser", "--json", *options]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        running.append(process)
        assert process.stdout is not None
        return str(json.loads(process.stdout.readline())["address"])

    yield start
    for process in running:
        process.terminate()
        assert process.wait(20) == 0


@pytest.fixture
def report(tmp_path: Path) -> Callable[..., str]:
    """The address of the report that a command writes."""

    def write(*arguments: str) -> str:
        file = tmp_path / "report.html"
        command = [sys.executable, "-m", "quorbit", *arguments, "--html", str(file)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode in (0, 1, 3), done.stderr
        return file.as_uri()

    return write
