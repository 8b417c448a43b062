"""The examples of the manual: command lines that the parser takes, settings that load, Python that runs, links that lead somewhere."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.command_line import commands
from typer.main import get_command

import noderag_local
from noderag_local.config import load_settings
from noderag_local.interfaces.cli.command_app import app
from noderag_local.manual.pages import pages, sections
from noderag_local.models.llm.gguf_files.catalog import catalog

ROOT = Path(noderag_local.__file__).parents[1]
README = ROOT / "README.md"
DOCUMENTS = {**{f"{one.name}.md": one.text for one in pages()}, "README.md": README.read_text(encoding="utf-8")}


def blocks(language: str) -> list[tuple[str, str]]:
    """(document, content) of the code blocks in this language."""
    return [
        (name, block)
        for name, text in DOCUMENTS.items()
        for block in re.findall(rf"^```{language}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    ]


def command_lines() -> Iterator[tuple[str, str]]:
    """(document, words after the name of the program) of every call of noderag, in blocks and in running text."""
    for name, block in blocks("bash"):
        for line in block.splitlines():
            for call in re.findall(
                r"(?:^|&& )(?:[A-Z_]+=\S+ )?(?:noderag|scripts/run)(?: ([^|&#]*))?(?=$|[|&#])", line
            ):
                yield name, call
    for name, text in DOCUMENTS.items():
        for call in re.findall(
            r"`(?:noderag|scripts/run) ([^`]+)`", re.sub(r"^```.*?^```", "", text, flags=re.S | re.M)
        ):
            if not re.search(r"[A-Z]{2}|…|\[|^--", call):
                yield name, call


@pytest.mark.parametrize(("document", "call"), sorted(set(command_lines())))
def test_the_parser_takes_every_command_line(document: str, call: str) -> None:
    command, words = get_command(app), shlex.split(call)
    context = command.make_context("noderag", list(words), resilient_parsing=not words)
    while hasattr(command, "commands") and words:
        name, command, words = command.resolve_command(context, [*context._protected_args, *context.args])
        complete = bool(words) or hasattr(command, "commands") or not any(p.required for p in command.params)
        # A command that is named without what it needs is talked about, not called.
        context = command.make_context(name, list(words), parent=context, resilient_parsing=not complete)


def test_every_model_in_an_example_is_in_the_catalogue() -> None:
    helps = [(f"noderag {command.name} --help", command.help) for command in commands()]
    texts = [*((name, block) for name, block in blocks("bash")), *helps]
    pattern = r"(?:bundle|enrich)\b.*--model (\S+)|models (?:get|rm) ([\w.-]+)"
    named = [(name, "".join(found)) for name, text in texts for found in re.findall(pattern, text)]
    known = {entry.name for entry in catalog()}
    assert len(named) >= 3
    assert [one for one in named if one[1] not in known] == []


@pytest.mark.parametrize(("document", "block"), blocks("toml"))
def test_the_settings_in_it_load(document: str, block: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if "entry-points" in block:
        return
    (tmp_path / "settings.toml").write_text(block, encoding="utf-8")
    monkeypatch.setenv("NODERAG_SETTINGS", str(tmp_path / "settings.toml"))
    load_settings()


def test_the_python_on_the_page_about_the_architecture_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (code,) = [block for name, block in blocks("python") if name == "architecture.md"]
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "lease.md").write_text("The lease of the flat ends in March.", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NODERAG_MODELS_DIR", str(tmp_path / "models"))
    exec(compile(code, "architecture.md", "exec"), {})
    printed = capsys.readouterr().out
    assert printed.count("The lease of the flat ends in March.") == 2
    assert "no language model" in printed


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_link_leads_somewhere(document: str) -> None:
    folder = README.parent if document == "README.md" else Path(noderag_local.__file__).parent / "manual"
    anchors = {(one.page, one.anchor) for one in sections()}
    for target in re.findall(r"\]\(([^)]+)\)", DOCUMENTS[document]):
        if target.startswith("https:"):
            continue
        path, _, anchor = target.partition("#")
        place = folder / path if path else folder / document
        assert place.exists(), target
        assert not anchor or (place.stem, anchor) in anchors, target


def test_pages_link_only_to_what_ships_with_them() -> None:
    outside = [
        (name, target)
        for name, text in DOCUMENTS.items()
        if name != "README.md"
        for target in re.findall(r"\]\(([^)#]+)", text)
        if "/" in target
    ]
    assert outside == []
