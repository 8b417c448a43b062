#!/usr/bin/env python3
"""Makes the picture of the chat at the top of the README: the sample notes, a question, the real answer of a real model.

    .venv/bin/python scripts/picture.py [--output noderag_local/manual/chat.svg] [--theme dark] [--size 110x32] [--question …]

Indexes the sample notes into a scratch vault, opens the interface in a terminal of that size without showing it, types
the question, waits for the answer and its source, and writes what then stands on the screen. Needs a language model.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import shutil
import tempfile
from pathlib import Path

from noderag_local.config import load_settings
from noderag_local.interfaces.tui.shell.application import NoderagApp
from noderag_local.interfaces.tui.shell.session import Session
from noderag_local.vault.vault import Vault

ROOT = Path(__file__).resolve().parent.parent
NOTES = ROOT / "noderag_local" / "evaluation" / "demo" / "notes"
QUESTION = "Who wrote the book that I lent to Tomasz?"
PATIENCE_SECONDS = 180


async def picture(app: NoderagApp, size: tuple[int, int], question: str) -> str:
    """An SVG of the chat after one answer."""
    async with app.run_test(size=size) as pilot:
        await until(app, "Ask your notes")
        await asyncio.to_thread(app.session.model.engine)
        await pilot.press(*("space" if letter == " " else letter for letter in question), "enter")
        await until(app, "tokens read")
        await pilot.pause(1)
        return app.export_screenshot(title="noderag", simplify=True)


async def until(app: NoderagApp, text: str) -> None:
    """Waits until a text stands on the screen."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while text not in re.sub("<[^>]+>", "", app.export_screenshot()).replace("&#160;", " "):
            await asyncio.sleep(0.2)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, default=ROOT / "noderag_local" / "manual" / "chat.svg")
    parser.add_argument("--theme", choices=("dark", "light"), default="dark")
    parser.add_argument("--size", default="110x32")
    parser.add_argument("--question", default=QUESTION)
    arguments = parser.parse_args()
    columns, rows = map(int, arguments.size.split("x"))
    with tempfile.TemporaryDirectory() as scratch:
        # A copy, so that the picture shows no path of the machine that it is made on.
        notes = shutil.copytree(NOTES, Path(scratch) / "notes")
        settings = load_settings(vault=Path(scratch) / "vault", theme=arguments.theme)
        with Vault(settings.vault, settings) as vault:
            vault.index([notes])
        session = Session(settings)
        try:
            svg = asyncio.run(picture(NoderagApp(session), (columns, rows), arguments.question))
        finally:
            session.close()
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    # Without the web fonts that Textual names: the README's picture must ask nobody for anything.
    arguments.output.write_text(re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL), encoding="utf-8")
    print(f"{arguments.output}: {columns} columns, {rows} rows")


if __name__ == "__main__":
    main()
