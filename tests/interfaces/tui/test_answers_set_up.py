"""While llama.cpp and the language model are set up in the background, the interface says how far that is."""

from __future__ import annotations

import json
import os
from pathlib import Path

from interfaces.tui.conftest import ScriptedModel
from interfaces.tui.waiting import run, until

from noderag_local.config import load_settings
from noderag_local.interfaces.tui.chat.ask_line import NO_MODEL, AskLine
from noderag_local.interfaces.tui.shell.application import NoderagApp
from noderag_local.interfaces.tui.shell.session import Session
from noderag_local.interfaces.tui.shell.status_line import StatusLine
from noderag_local.models.llm.scripted import ScriptedEngine


def write(file: Path, is_over: bool, parts: dict[str, list[int]], *problems: str) -> None:
    fresh = file.with_suffix(".new")
    fresh.write_text(json.dumps({"is_over": is_over, "parts": parts, "problems": problems}), encoding="utf-8")
    fresh.replace(file)


def opened(vault: Path, file: Path) -> tuple[NoderagApp, ScriptedModel]:
    settings = load_settings(vault=vault, models_dir=vault / "no-models")
    model = ScriptedModel(settings, None)
    return NoderagApp(Session(settings, lambda _: model), file), model


def last_line(app: NoderagApp) -> str:
    return str(app.screen.query_one(StatusLine).render())


def state(app: NoderagApp) -> str:
    return str(app.screen.query_one(AskLine).render())


def toasts(app: NoderagApp) -> list[str]:
    return [f"{one.title}: {one.message}" for one in app._notifications]


def test_answers_switch_on_by_themselves(vault_folder: Path, tmp_path: Path) -> None:
    async def test() -> None:
        file = tmp_path / "set-up.json"
        write(file, False, {"compiling llama.cpp": [10, 100]})
        app, model = opened(vault_folder, file)
        async with app.run_test(size=(120, 40)) as pilot:
            await until(pilot, lambda: "compiling llama.cpp 10 %" in last_line(app))
            await until(pilot, lambda: NO_MODEL in state(app))
            write(file, False, {"compiling llama.cpp": [99, 100], "fetching the language model": [1, 2]})
            await until(pilot, lambda: "compiling llama.cpp 99 %, fetching the language model 50 %" in last_line(app))
            model.scripted = ScriptedEngine([])
            write(file, True, {})
            await until(pilot, lambda: any("language model writes the answers" in one for one in toasts(app)))
            await until(pilot, lambda: NO_MODEL not in state(app) and model.name() in last_line(app))

    run(test)


def test_what_failed_is_told_with_what_to_do(vault_folder: Path, tmp_path: Path) -> None:
    async def test() -> None:
        file = tmp_path / "set-up.json"
        write(file, False, {"compiling llama.cpp": [10, 100]})
        app, _ = opened(vault_folder, file)
        async with app.run_test(size=(120, 40)) as pilot:
            await until(pilot, lambda: "compiling llama.cpp 10 %" in last_line(app))
            write(file, True, {}, "Building llama.cpp needs CMake, not found here. To install: apt install cmake")
            await until(pilot, lambda: any("apt install cmake" in one for one in toasts(app)))
            await until(pilot, lambda: "no model" in last_line(app))

    run(test)


def test_a_set_up_that_was_killed_is_not_told_as_one_that_has_ended(vault_folder: Path, tmp_path: Path) -> None:
    async def test() -> None:
        file = tmp_path / "set-up.json"
        write(file, False, {"compiling llama.cpp": [10, 100]})
        app, _ = opened(vault_folder, file)
        async with app.run_test(size=(120, 40)) as pilot:
            await until(pilot, lambda: "compiling llama.cpp 10 %" in last_line(app))
            os.utime(file, (0, 0))
            await until(pilot, lambda: toasts(app))
            (told,) = toasts(app)
            assert "The set-up was broken off" in told

    run(test)


def test_a_set_up_that_ended_before_says_nothing(vault_folder: Path, tmp_path: Path) -> None:
    async def test() -> None:
        file = tmp_path / "set-up.json"
        write(file, True, {}, "an old problem")
        app, _ = opened(vault_folder, file)
        async with app.run_test(size=(120, 40)) as pilot:
            await until(pilot, lambda: "no model" in last_line(app))
            assert toasts(app) == []

    run(test)
