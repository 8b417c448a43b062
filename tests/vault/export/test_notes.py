"""Notes of the graph: linked to each other, safe on every system, harmless to open."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote

import pytest
import yaml

from noderag_local.config import Settings
from noderag_local.domain.errors import SourceError
from noderag_local.vault.vault import Vault

LINK = re.compile(r"\[\[([^\]|]+)\|([^\]|]+)\]\]")
FILE_LINK = re.compile(r"\]\(<file://([^>]+)>\)")


@pytest.fixture(scope="module")
def written(sample: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("written") / "notes"
    with Vault(sample, Settings()) as vault:
        done = vault.exchange.write_notes(folder)
    assert done.entities > 50
    return folder


def texts(folder: Path) -> dict[str, str]:
    return {str(path.relative_to(folder)): path.read_text(encoding="utf-8") for path in sorted(folder.rglob("*.md"))}


def test_every_link_leads_to_a_note(written: Path) -> None:
    notes = texts(written)
    linked = {target for text in notes.values() for target, _ in LINK.findall(text)}
    assert linked
    assert {f"{target}.md" for target in linked} <= set(notes)


def test_every_source_is_a_link_to_a_file_that_is_there(written: Path) -> None:
    paths = {unquote(path) for text in texts(written).values() for path in FILE_LINK.findall(text)}
    assert paths
    assert all(Path(path).is_file() for path in paths)


def test_a_note_says_what_it_is_and_where_its_entity_is_named(written: Path) -> None:
    name, text = next((name, text) for name, text in texts(written).items() if name == "Entities/Aunt Hedwig.md")
    head = yaml.safe_load(text.split("---")[1])
    assert head["type"] == "entity" and head["aliases"][0] in text.split("---", 2)[2]
    mentions = text.split("## Mentions\n\n")[1].splitlines()
    assert len(mentions) == head["mentions"], name


def test_only_their_owner_reads_them(written: Path) -> None:
    assert {path.stat().st_mode & 0o777 for path in written.rglob("*.md")} == {0o600}
    assert {path.stat().st_mode & 0o777 for path in (written, *written.glob("*/")) if path.is_dir()} == {0o700}


def test_names_from_hostile_notes_stay_names(tmp_path: Path, settings: Settings) -> None:
    notes = tmp_path / "in"
    notes.mkdir()
    (notes / "a.md").write_text(
        "# Zed\n\nZed met [[../../evil]] and [[CON]] and [[a|b]] in Oslo. ![x](http://example.org/x.png) <img src=x>\n"
        "See [here](https://example.org) for Zed.\n",
        encoding="utf-8",
    )
    with Vault(tmp_path / "vault", settings) as vault:
        vault.index([notes])
        vault.exchange.write_notes(tmp_path / "out")
    files = texts(tmp_path / "out")
    assert not (tmp_path / "evil.md").exists() and not (tmp_path.parent / "evil.md").exists()
    assert all(name.count("/") <= 1 and not name.endswith("/CON.md") for name in files)
    whole = "\n".join(files.values())
    assert "![" not in whole.replace(r"!\[", "") and "<img" not in whole.replace(r"\<img", "")
    assert "://" not in whole.replace("<file://", "")


def test_a_folder_that_holds_something_is_left_alone(sample: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.md").write_text("mine", encoding="utf-8")
    with Vault(sample, Settings()) as vault, pytest.raises(SourceError, match="holds something already"):
        vault.exchange.write_notes(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.md"]


def test_nothing_is_written_into_the_vault_itself(sample: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(sample)
    with Vault(sample, Settings()) as vault:
        for place in (sample / "notes", tmp_path / "link" / "notes"):
            with pytest.raises(SourceError, match="vault itself"):
                vault.exchange.write_notes(place)
