"""Every screen and dialog looks as it did, in a small and in a large terminal and in both themes.

Where a change is wanted: scripts/test tests/interfaces/tui/test_snapshots.py --snapshot-update, and look at the pictures' diff.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from helpers.time_zones import in_zone
from interfaces.tui.pictured_notes import TODAY, furnish
from interfaces.tui.pictures import PictureFile, Rows, blotted, cells_of, drawn
from interfaces.tui.scenes import NARROW, SCENES, WIDE, Pausing, Size
from interfaces.tui.waiting import SECONDS, run
from syrupy.assertion import SnapshotAssertion
from textual.pilot import Pilot
from textual.widgets import Input, TextArea

from noderag_local.interfaces.tui.shell.application import NoderagApp
from noderag_local.interfaces.tui.shell.colour_themes import THEMES, theme_name

AppOf = Callable[..., NoderagApp]
HOW = "scripts/test tests/interfaces/tui/test_snapshots.py --snapshot-update takes new pictures; read their diff"
OF_THE_MACHINE = [
    r"(?<=vault )[\d.]+ [KM]?B",
    r"[\d.]+ [KM]?B(?=  on disk)",
    r" · \d+ s on this step",
]
"""Blotted out: how large SQLite's file is, and how long a test has taken."""
CONVERSATIONS = "conversations.sqlite*"
STILL_SECONDS = 0.1
"""A screen that has not changed for so long is ready."""


@pytest.fixture(scope="module")
def furnished(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A home folder with notes, their vault and a model."""
    home = tmp_path_factory.mktemp("home").resolve()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(home))
        furnish(home)
    yield home


@pytest.fixture
def home(furnished: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """It, as that of the person who runs the application, somewhere in the world."""
    for name in ("NO_COLOR", "UNICODE_VERSION", "NODERAG_MODELS_DIR", "VISUAL", "EDITOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(furnished))
    monkeypatch.setenv("NODERAG_SETTINGS", str(furnished / "settings.toml"))
    kept = {path: path.read_bytes() for path in furnished.rglob(CONVERSATIONS)}
    with in_zone("UTC"):
        yield furnished
    # A draft that one test leaves would stand in the box of the next.
    for path in list(furnished.rglob(CONVERSATIONS)):
        path.unlink()
    for path, content in kept.items():
        path.write_bytes(content)


@pytest.mark.parametrize("name", SCENES)
def test_it_looks_as_it_did(app_of: AppOf, home: Path, snapshot: SnapshotAssertion, name: str) -> None:
    scene = SCENES[name]
    taken: dict[Size, dict[str, Rows]] = {NARROW: {}, WIDE: {}}

    async def take(*themes: str) -> None:
        engine = Pausing()
        app = app_of(home / scene.vault, engine, models_dir=home / "models", theme=themes[0])
        app.session.today = lambda: TODAY
        app.animation_level = "none"
        async with app.run_test(size=scene.first) as pilot:
            await scene.come_to(pilot)
            for size in (scene.first, NARROW if scene.first == WIDE else WIDE):
                await pilot.resize_terminal(*size)
                for theme in themes:
                    app.theme = theme_name(theme)
                    taken[size][theme] = blotted(cells_of(await still(pilot), size), OF_THE_MACHINE)
            engine.may_go_on.set()

    for themes in [tuple(THEMES)] if scene.follows_theme else [(theme,) for theme in THEMES]:
        run(partial(take, *themes))
    pictures = [f"== {width} x {height}\n{drawn(taken[width, height])}" for width, height in (NARROW, WIDE)]
    assert "\n".join(pictures) == snapshot(extension_class=PictureFile), HOW


async def still(pilot: Pilot[None]) -> str:
    """The screen as Textual exports it, when nothing moves on it any more.

    Raises:
        AssertionError: something moves for ever.
    """
    for field in [*pilot.app.screen.query(Input), *pilot.app.screen.query(TextArea)]:
        field.cursor_blink = False
    last, seen, since = time.monotonic() + SECONDS, "", time.monotonic()
    while not seen or time.monotonic() - since < STILL_SECONDS:
        assert time.monotonic() < last, "the screen never stands still"
        await pilot.pause(STILL_SECONDS / 4)
        svg = pilot.app.export_screenshot()
        if svg != seen:
            seen, since = svg, time.monotonic()
    return seen
