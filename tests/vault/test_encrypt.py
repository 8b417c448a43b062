"""An encrypted vault of real notes: all that a plain one can, and no word of them in any of its files."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import noderag_local
from noderag_local.config import Settings
from noderag_local.domain.passages import Source
from noderag_local.models.language_model import LanguageModel
from noderag_local.models.llm.engine import Request
from noderag_local.models.llm.scripted import ScriptedEngine
from noderag_local.pipeline.budget import Budget
from noderag_local.storage.backup.digest import digest
from noderag_local.storage.conversations.conversations import Turn
from noderag_local.storage.database.store import Store
from noderag_local.storage.encryption.key_file import read_key_file
from noderag_local.storage.snapshots.snapshot import FILE_NAME as SNAPSHOT
from noderag_local.vault.vault import Vault

NOTES = Path(noderag_local.__file__).parent / "evaluation" / "demo" / "notes"
COPIED = ("people/marta.md", "trips/porto.md", "home/mietvertrag.md")
WORDS = ("Marta", "Porto", "Mietvertrag", "Kaution", "Facts", "SQLite format 3")
"""Of the notes, of what the model says of them, and what every plain database begins with."""
QUESTION = "Where does Marta live?"
QUICK = 4
"""log2 of scrypt's n."""


class Scripted(LanguageModel):
    """Says the same of every sentence."""

    def engine(self) -> ScriptedEngine:  # type: ignore[override]
        return ScriptedEngine(reply=facts)


def facts(request: Request) -> str:
    """One fact of the first numbered sentence."""
    found = re.search(r"^(\d+)\. ", request.messages[-1].content, re.MULTILINE)
    return f"{found[1]} Marta | likes | Facts" if found else "Facts."


@pytest.fixture(scope="module")
def notes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("notes")
    for name in COPIED:
        (folder / name).parent.mkdir(exist_ok=True)
        shutil.copy(NOTES / name, folder / name)
    return folder


@pytest.fixture(scope="module")
def plain(notes: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A vault that is not encrypted, with a conversation and a backup; not to be written to."""
    folder = tmp_path_factory.mktemp("plain") / "vault"
    with opened(folder) as vault:
        vault.index([notes])
        found = vault.search(QUESTION)
        vault.conversations.add(None, Turn(QUESTION, "", "Marta lives in Porto.", found))
        vault.safety.back_up()
    return folder


@pytest.fixture(scope="module")
def sealed(plain: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An encrypted copy of it; not to be written to."""
    folder = tmp_path_factory.mktemp("sealed") / "vault"
    shutil.copytree(plain, folder)
    with opened(folder) as made:
        assert made.encryption.encrypt("open sesame", log2_n=QUICK).backups == 1
    return folder


@pytest.fixture
def vault(sealed: Path, tmp_path: Path) -> Iterator[Vault]:
    """A copy of the encrypted one."""
    shutil.copytree(sealed, tmp_path / "vault")
    with opened(tmp_path / "vault") as made:
        yield made


def opened(folder: Path) -> Vault:
    settings = Settings(models_dir=folder.parent / "none", automatic_backups=False)
    return Vault(folder, settings, Scripted(settings))


def digest_of(folder: Path) -> str:
    with Store.open(folder, write=False) as store:
        return digest(store)


def leaks(folder: Path) -> dict[str, list[str]]:
    """Of every file below a folder, the words of the notes in it."""
    codes = ("utf-8", "utf-16-le", "utf-16-be")
    files = [path for path in folder.rglob("*") if path.is_file()]
    found = {path: path.read_bytes().lower() for path in files}
    return {
        path.name: there
        for path, content in found.items()
        if (there := [word for word in WORDS for code in codes if word.lower().encode(code) in content])
    }


def sources(vault: Vault) -> tuple[Source, ...]:
    return vault.search(QUESTION).sources


def test_the_words_are_in_the_plain_vault(plain: Path) -> None:
    assert {"vault.sqlite", "conversations.sqlite"} <= leaks(plain).keys()


def test_no_word_of_the_notes_is_in_any_file_and_nothing_is_lost(vault: Vault, plain: Path) -> None:
    assert leaks(vault.folder) == {}
    assert digest_of(vault.folder) == digest_of(plain)
    with opened(plain) as before:
        assert sources(vault) == sources(before)
        assert vault.conversations.all() == before.conversations.all()
    assert (vault.folder / SNAPSHOT).is_file()
    assert all(finding.ok for finding in (*vault.check(), *vault.encryption.check()))
    assert leaks(vault.folder) == {}


def test_it_is_indexed_asked_enriched_and_forgotten_from(vault: Vault, notes: Path, tmp_path: Path) -> None:
    more = tmp_path / "more.md"
    more.write_text("# Kaution\n\nThe Kaution for Porto is at the bank.\n", "utf-8")
    vault.index([more])
    assert "at the bank" in vault.search("Where is the Kaution for Porto?").context
    report = vault.enrichment.run(Budget())
    assert (report.error, report.is_complete) == ("", True)
    assert leaks(vault.folder) == {}
    assert report.nodes and "Marta" in vault.search(QUESTION).context
    vault.forget([notes / "people" / "marta.md"], renew_backups=True)
    assert "marta.md" not in {Path(document.path).name for document in vault.atlas.library().documents}
    assert all(finding.ok for finding in (*vault.check(), *vault.encryption.check()))
    assert leaks(vault.folder) == {}


def test_a_backup_is_encrypted_and_brings_it_back(vault: Vault, tmp_path: Path) -> None:
    before = digest_of(vault.folder)
    made = vault.safety.back_up(tmp_path / "stick")
    assert leaks(tmp_path / "stick") == {}
    with opened(tmp_path / "lost") as lost:
        lost.safety.restore(made.folder)
        assert lost.encryption.protection().has_passphrase
        assert sources(lost) == sources(vault)
    assert digest_of(tmp_path / "lost") == before
    assert leaks(tmp_path / "lost") == {}


def test_a_damaged_cache_is_made_anew(vault: Vault) -> None:
    before = sources(vault)
    vault.close()
    cache = vault.folder / SNAPSHOT
    whole = cache.read_bytes()
    cache.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    with opened(vault.folder) as again:
        assert sources(again) == before
    assert cache.read_bytes() not in (whole, b"")
    assert leaks(vault.folder) == {}


def test_its_export_makes_the_same_vault(vault: Vault, tmp_path: Path) -> None:
    vault.exchange.write_archive(tmp_path / "all.jsonl", conversations=True)
    with opened(tmp_path / "back") as back:
        back.encryption.encrypt("another one", log2_n=QUICK)
        back.exchange.read_archive(tmp_path / "all.jsonl", lambda: "")
    assert digest_of(tmp_path / "back") == digest_of(vault.folder)
    assert leaks(tmp_path / "back") == {}


def test_a_vault_can_be_encrypted_before_anything_is_in_it(notes: Path, plain: Path, tmp_path: Path) -> None:
    with opened(tmp_path / "new") as new:
        new.encryption.encrypt("open sesame", log2_n=QUICK)
        new.index([notes])
        new.conversations.add(None, Turn(QUESTION, "", "In Porto.", new.search(QUESTION)))
    assert leaks(tmp_path / "new") == {}
    assert digest_of(tmp_path / "new") == digest_of(plain)


def test_decrypting_gives_the_plain_vault_again(vault: Vault, plain: Path) -> None:
    sources(vault)
    assert vault.encryption.decrypt().left == ()
    assert not vault.encryption.protection().is_encrypted
    assert digest_of(vault.folder) == digest_of(plain)
    assert all(finding.ok for finding in vault.check())
    vault.safety.restore()
    assert digest_of(vault.folder) == digest_of(plain)


def test_another_passphrase_opens_the_vault_and_its_backups_alone(vault: Vault) -> None:
    vault.encryption.change_passphrase("another one", log2_n=QUICK)
    for folder in (vault.folder, vault.safety.backups()[0].folder):
        file = read_key_file(folder)
        assert file is not None
        assert file.opened_by("another one") is not None and file.opened_by("open sesame") is None


def test_backups_can_be_removed_instead(plain: Path, tmp_path: Path) -> None:
    shutil.copytree(plain, tmp_path / "vault")
    with opened(tmp_path / "vault") as vault:
        assert vault.encryption.encrypt("open sesame", drop_backups=True, log2_n=QUICK).backups == 1
        assert vault.safety.backups() == []
        assert leaks(vault.folder) == {}
