"""The manual tells everything that there is, and nothing that there is not."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import pytest
from helpers.command_line import Command, commands
from typer.main import get_command

import noderag_local
from noderag_local import config
from noderag_local.config import Settings
from noderag_local.domain import errors
from noderag_local.domain.graph import EdgeType, NodeType
from noderag_local.ingest.formats.registry import FORMATS
from noderag_local.interfaces import tui
from noderag_local.interfaces.cli.command_app import app
from noderag_local.interfaces.tui.chat.slash_commands import COMMANDS as SLASH_COMMANDS
from noderag_local.interfaces.tui.shared.help_dialog import PLACES
from noderag_local.manual.pages import linked, page, pages, sections
from noderag_local.models.llm.gguf_files.catalog import catalog
from noderag_local.retrieval.retriever import METHODS
from noderag_local.storage.database.store import Store
from noderag_local.storage.graph.edge_letters import LETTERS

ROOT = Path(noderag_local.__file__).parents[1]
COMMANDS = page("commands").text
EVERYWHERE = {"--vault", "--json", "--yes", "--models-dir", "--log", "--log-names"}
"""Options that are documented once for all commands."""


def section(title: str) -> str:
    return next(one.text for one in sections() if one.title == title)


def table(text: str) -> list[list[str]]:
    """The cells of all tables, without the heads."""
    rows = [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in text.splitlines() if line[:1] == "|"]
    return [row for row in rows if not set(row[0]) <= {"-"}]


@pytest.mark.parametrize("command", commands(), ids=lambda command: command.name)
def test_every_command_has_a_section_with_its_arguments_and_options(command: Command) -> None:
    text = section(f"noderag {command.name}")
    usage = text.splitlines()[2]
    for argument in command.arguments:
        assert argument.lower() in usage.lower(), "add it to noderag_local/manual/commands.md"
    for option in command.options:
        known = COMMANDS if option in EVERYWHERE else text
        assert re.search(rf"{option}\b", known), f"add {option} to noderag_local/manual/commands.md"


def test_no_section_is_about_a_command_that_is_gone() -> None:
    documented = {one.title for one in sections() if one.page == "commands" and one.title.startswith("noderag ")}
    assert documented == {f"noderag {command.name}" for command in commands()}


def test_no_option_is_documented_that_does_not_exist() -> None:
    known = {option for command in commands() for option in command.options} | for_the_whole_program()
    assert set(re.findall(r"--[a-z][a-z-]+", COMMANDS)) <= known | {"--help", "--no-keyring"}


def test_every_option_of_the_whole_program_is_told() -> None:
    assert [option for option in sorted(for_the_whole_program()) if option not in COMMANDS] == []


def for_the_whole_program() -> set[str]:
    """Options that stand before the command."""
    return {option for parameter in get_command(app).params for option in parameter.opts}


def test_the_exit_codes_are_those_of_the_errors() -> None:
    codes = {error.exit_code for error in vars(errors).values() if isinstance(error, type)}
    documented = {int(row[0]) for row in table(section("Exit codes")) if row[0].isdigit()}
    assert documented == codes | {0, 2, 70, 130, 141}


def test_the_settings_are_those_of_the_program() -> None:
    documented = {row[0].strip("`"): row[1] for row in table(section("All settings"))[1:]}
    assert list(documented) == list(Settings.model_fields), "noderag_local/manual/settings.md lists them in this order"
    for name, default in documented.items():
        if default.isdigit():
            assert Settings.model_fields[name].default == int(default)


def test_every_variable_is_told() -> None:
    told = section("Other environment variables")
    assert all(f"`{name}`" in told for name in config.OTHER_VARIABLES)


def test_the_methods_are_those_of_the_program() -> None:
    rows = table(section("All methods"))[1:]
    assert sorted(row[0].strip("`") for row in rows) == sorted(METHODS), "noderag_local/manual/methods.md lists them"
    for row in rows:
        module = METHODS[row[0].strip("`")].partition(":")[0]
        assert row[2].strip("`") == module.replace(".", "/") + ".py"


def test_every_format_and_its_endings_are_told() -> None:
    told = page("formats").text
    for known in FORMATS:
        endings = " ".join(f"`{suffix}`" for suffix in known.suffixes if suffix) or "none"
        row = next((row for row in table(told) if row[0].startswith(known.kind)), None)
        assert row is not None, f"add the row: | {known.kind} | {endings} | PLACE |"
        assert row[1] == endings


def test_every_model_of_the_catalogue_is_told() -> None:
    tables = [table(section(name))[1:] for name in ("The catalogue", "Embedding models")]
    told = {row[0].strip("`"): row for rows in tables for row in rows}
    assert list(told) == [entry.name for entry in catalog()]
    for entry in catalog():
        assert told[entry.name][1] == f"{entry.size_bytes / 1e9:.1f} GB"
        assert told[entry.name][2] == entry.licence


def test_every_type_of_node_and_edge_is_told() -> None:
    nodes = {row[0] for row in table(section("Types of nodes"))[1:]}
    edges = {row[0]: row[1] for row in table(section("Types of edges"))[1:]}
    assert nodes == {kind.value for kind in NodeType}
    assert edges == {LETTERS[kind]: kind.value for kind in EdgeType}


def test_every_table_of_a_vault_is_told(tmp_path: Path) -> None:
    with Store.open(tmp_path, write=True), closing(sqlite3.connect(tmp_path / "vault.sqlite")) as opened:
        rows = opened.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')")
        names = [name for (name,) in rows]
    indexes = ("chunk_words_", "entity_names_", "sqlite_")
    told = section("Tables of vault.sqlite")
    missing = [name for name in names if not name.startswith(indexes) and f"`{name}`" not in told]
    assert missing == [], "add them to noderag_local/manual/data-model.md"


def test_every_slash_command_is_told() -> None:
    told = section("Chat")
    for command in SLASH_COMMANDS:
        assert f"| `/{command.name} {command.takes}".rstrip() + "` |" in told


KEYS = {
    "ctrl+j": "^j",
    "up": "↑",
    "down": "↓",
    "slash": "/",
    "escape": "esc",
    "delete": "del",
    "pagedown": "pgdn",
    "pageup": "pgup",
}
"""How the page writes the keys that are not written as they are, or as ctrl+."""


def bindings() -> list[tuple[str, str]]:
    """(key as the page writes it, what it does) of every key of the interface that is described."""
    found = {}
    for module in walk_packages(tui.__path__, "noderag_local.interfaces.tui."):
        for cls in vars(import_module(module.name)).values():
            if isinstance(cls, type) and cls.__module__ == module.name:
                for binding in vars(cls).get("BINDINGS", ()):
                    if binding.show and binding.description:
                        for key in binding.key.split(","):
                            found[KEYS.get(key, key.replace("ctrl+", "^")), binding.description] = None
    return list(found)


@pytest.mark.parametrize(("key", "does"), bindings())
def test_every_key_that_the_interface_shows_is_told(key: str, does: str) -> None:
    lines = page("interface").text.splitlines()
    word = rf"(?<![\w^+]){re.escape(key)}(?![\w+])"
    told = [line for line in lines if re.search(word, line) and does.lower() in line.lower()]
    assert told, "add it to noderag_local/manual/interface.md"


@pytest.mark.parametrize("mode", PLACES)
def test_every_key_of_a_screen_is_told_where_help_opens(mode: str) -> None:
    found = linked(PLACES[mode][0])
    assert found is not None
    name = mode.capitalize() + "Screen"
    folder = "library" if mode == "welcome" else mode
    screen = getattr(import_module(f"noderag_local.interfaces.tui.{folder}.{mode}_screen"), name)
    for binding in vars(screen)["BINDINGS"]:
        if binding.show:
            assert binding.description.lower() in found.text.lower()


def test_every_part_of_the_threat_model_names_tests_that_there_are() -> None:
    parts = re.split(r"^### ", section("Threat model"), flags=re.MULTILINE)[1:-1]
    assert len(parts) > 5
    for part in parts:
        assert "**Left open:**" in part
        named = re.findall(r"`((?:tests|scripts/bench)/[\w/.]+)", part.partition("**Tests:**")[2])
        assert named, part[:60]
        assert [path for path in named if not (ROOT / path).exists()] == []


def test_every_hostile_test_is_named_in_the_threat_model() -> None:
    there = {path.relative_to(ROOT).as_posix() for path in (ROOT / "tests/hostile").glob("test_*.py")}
    assert sorted(path for path in there if path not in section("Threat model")) == []


def test_every_file_that_is_named_is_there() -> None:
    named = {
        path
        for one in sections()
        for path in re.findall(r"`((?:noderag_local|tests|scripts)/[\w/.-]+)", one.text)
        if not path.endswith("/...")
    }
    assert sorted(path for path in named if not (ROOT / path).exists()) == []


def test_the_readme_is_short_and_lists_every_page() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(readme.splitlines()) <= 200
    assert [one.name for one in pages()[1:] if f"(noderag_local/manual/{one.name}.md)" not in readme] == []
