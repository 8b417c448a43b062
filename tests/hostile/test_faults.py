"""A fault of the program that one document brings out, at whatever stage, costs that document and a line in the report."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from noderag_local.config import Settings
from noderag_local.domain.errors import StoreError
from noderag_local.domain.progress import IndexReport
from noderag_local.extraction import instant_graph
from noderag_local.extraction.instant_graph import NOT_LINKED
from noderag_local.ingest.chunks import packing
from noderag_local.ingest.chunks.packing import NOT_CUT
from noderag_local.models.embedding.wordpieces import WordPieces
from noderag_local.storage.backup.digest import digest
from noderag_local.storage.database.store import Store
from noderag_local.vault.vault import Vault

POISON = "Mandragora"
"""Its document brings the fault out."""
RECORDS = "".join(f'{{"title": "{name}", "text": "{name} grows in a pot."}}\n' for name in ("Fern", POISON, "Moss"))


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "a.md").write_text("# Bob\n\nBob went home to Paris.\n", encoding="utf-8")
    (folder / "b.md").write_text(f"# {POISON}\n\n{POISON} grows in Rome.\n", encoding="utf-8")
    (folder / "c.jsonl").write_text(RECORDS, encoding="utf-8")
    return folder


@pytest.fixture
def vault(tmp_path: Path, settings: Settings) -> Iterator[Vault]:
    with Vault(tmp_path / "vault", settings) as opened:
        yield opened


def cutting(raised: BaseException, real: Callable[..., Any] = packing._document) -> tuple[Any, ...]:
    def fails(draft: Any, *rest: Any) -> Any:
        if POISON in draft.text:
            raise raised
        return real(draft, *rest)

    return packing, "_document", fails


def counting(raised: BaseException, real: Callable[..., Any] = WordPieces.count) -> tuple[Any, ...]:
    def fails(pieces: WordPieces, texts: Sequence[str]) -> Any:
        if any(POISON in text for text in texts):
            raise raised
        return real(pieces, texts)

    return WordPieces, "count", fails


def linking(raised: BaseException, real: Callable[..., Any] = instant_graph.read_document) -> tuple[Any, ...]:
    def fails(document: Any) -> Any:
        if document.title == POISON:
            raise raised
        return real(document)

    return instant_graph, "read_document", fails


def told(report: IndexReport) -> dict[str, set[str]]:
    """Names of the files under each reason, of what is an error."""
    found: dict[str, set[str]] = {}
    for skip in report.skipped:
        if skip.is_error:
            assert skip.path in skip.detail and "KeyError" in skip.detail and "tries it again" in skip.detail
            found.setdefault(skip.reason, set()).add(Path(skip.path).name)
    return found


def digest_of(vault: Vault) -> str:
    with Store.open(vault.folder, write=False) as store:
        return digest(store)


@pytest.mark.parametrize("stage", [cutting, counting])
def test_a_document_that_cannot_be_cut_is_left_out_and_tried_again(
    stage: Callable[[BaseException], tuple[Any, ...]], notes: Path, vault: Vault, tmp_path: Path, settings: Settings
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(*stage(KeyError("a fault")))
        report = vault.index([notes])
        assert told(report) == {NOT_CUT: {"b.md", "c.jsonl"}}
        assert report.added == 3
        assert not any(source.path.endswith("b.md") for source in vault.search(f"Where does {POISON} grow?").sources)
        again = vault.index([notes])
        assert (again.added, again.unchanged, told(again)) == (0, 1, {NOT_CUT: {"b.md", "c.jsonl"}})
    mended = vault.index([notes])
    assert (mended.added, mended.removed, told(mended)) == (2, 0, {})
    assert vault.index([notes]).unchanged == 3
    with Vault(tmp_path / "fresh", settings) as fresh:
        fresh.index([notes])
        assert digest_of(vault) == digest_of(fresh)


def test_a_changed_record_that_cannot_be_cut_leaves_those_around_it(notes: Path, vault: Vault) -> None:
    vault.index([notes])
    (notes / "c.jsonl").write_text(RECORDS.replace(f"{POISON} grows", f"{POISON} withers"), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(*cutting(KeyError("a fault")))
        report = vault.index([notes])
        assert (report.added, report.removed, told(report)) == (0, 1, {NOT_CUT: {"c.jsonl"}})
    mended = vault.index([notes])
    assert (mended.added, mended.removed, told(mended)) == (1, 0, {})


def test_a_document_that_cannot_be_linked_is_found_by_its_words_and_tried_again(
    notes: Path, vault: Vault, tmp_path: Path, settings: Settings
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(*linking(KeyError("a fault")))
        report = vault.index([notes])
        assert (report.added, told(report)) == (5, {NOT_LINKED: {"b.md", "c.jsonl"}})
        for method in ("bm25", "naive", "noderag"):
            assert any(one.path.endswith("b.md") for one in vault.search(f"{POISON} in Rome", method=method).sources)
        assert told(vault.index([notes])) == {NOT_LINKED: {"b.md", "c.jsonl"}}
        assert all(finding.ok for finding in vault.check())
    assert told(vault.index([notes])) == {}
    with Vault(tmp_path / "fresh", settings) as fresh:
        fresh.index([notes])
        assert digest_of(vault) == digest_of(fresh)


@pytest.mark.parametrize(
    "raised",
    [
        KeyboardInterrupt(),
        SystemExit(3),
        MemoryError(),
        StoreError("The disk is full."),
        sqlite3.OperationalError("database is locked"),
    ],
    ids=lambda raised: type(raised).__name__,
)
def test_what_is_no_fault_of_a_document_ends_the_run_and_the_next_does_all(
    raised: BaseException, notes: Path, vault: Vault
) -> None:
    for stage in (cutting, counting, linking):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(*stage(raised))
            with pytest.raises((type(raised), StoreError)):
                vault.index([notes])
    assert told(vault.index([notes])) == {}
    assert len(vault.atlas.library().within(str(notes))) == 5
