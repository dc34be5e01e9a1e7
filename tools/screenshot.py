"""The picture of the explorer in the README: ``python tools/screenshot.py`` writes docs/pictures/explorer.png.

Starts ``quorbit explore`` on an example, takes a few moves by the keyboard and photographs the page in Chromium.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).parents[1]
MODEL = ROOT / "examples" / "promela" / "service.pml"
TARGET = ROOT / "docs" / "pictures" / "explorer.png"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
WIDTH, HEIGHT = 1280, 720
MOVES = "1121211"  # keys that take the first or the second move
SECONDS = 20
AT = "text => document.querySelector('.position').textContent === text"


def main() -> int:
    program = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    if program is None:
        print("Chromium is not installed", file=sys.stderr)
        return 1
    command = [sys.executable, "-m", "quorbit", "explore", str(MODEL), "--no-browser", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        photograph(program, json.loads(server.stdout.readline())["address"])
        server.terminate()
        server.wait(SECONDS)
    return 0


def photograph(program: str, address: str) -> None:
    TARGET.parent.mkdir(exist_ok=True)
    sandbox = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=sandbox)
        page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="light")
        page.goto(address)
        page.wait_for_selector(".move-button")
        for k, key in enumerate(MOVES, 1):
            page.keyboard.press(key)
            page.wait_for_function(
                "text => document.querySelector('.position').textContent === text", arg=f"{k} of {k}"
            )
            page.wait_for_selector(".move-button:not(.next)")
        page.wait_for_timeout(500)
        page.screenshot(path=TARGET)
        browser.close()


if __name__ == "__main__":
    sys.exit(main())
