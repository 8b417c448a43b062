"""A text on which the embedding model fails costs its own vectors and a line in the report, never the run."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from helpers.four_bit_model import four_bit_model
from helpers.model_server import Exchange, ModelServer, serving

from noderag_local.config import Settings
from noderag_local.domain.errors import ModelError
from noderag_local.domain.progress import IndexReport
from noderag_local.graph.vectors.sentence_embedding import NOT_EMBEDDED
from noderag_local.models.embedding.q4_file import convert
from noderag_local.storage.backup.digest import digest
from noderag_local.storage.database.store import Store
from noderag_local.vault.vault import Vault

POISON = "Mandragora"
"""The word that the model has no row for, or the server refuses."""


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny random model."""
    folder = tmp_path_factory.mktemp("models")
    (folder / "small.bin").write_bytes(four_bit_model().data)
    convert(folder / "small.bin", folder / "sound")
    return folder / "sound"


@pytest.fixture(scope="module")
def damaged(sound: Path) -> Path:
    """The same model with a tokenizer that knows more words than the table of words has rows: torch raises for the last."""
    folder = sound.parent / "damaged"
    shutil.copytree(sound, folder)
    tokenizer = json.loads((folder / "tokenizer.json").read_text("utf-8"))
    known, rows = (
        len(tokenizer["model"]["vocab"]),
        json.loads((folder / "config.json").read_text("utf-8"))["vocab_size"],
    )
    flags = dict.fromkeys(("lstrip", "normalized", "rstrip", "single_word", "special"), False)
    more = [*(f"unused {number}" for number in range(known, rows)), POISON]
    tokenizer["added_tokens"] += [{"id": at, "content": word, **flags} for at, word in enumerate(more, start=known)]
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer), "utf-8")
    return folder


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "a.md").write_text("# Bob\n\nBob went home to Paris.\n", encoding="utf-8")
    (folder / "b.md").write_text(f"# Herbs\n\n{POISON} grows in Rome. It is warm there.\n", encoding="utf-8")
    (folder / "c.md").write_text("# Moss\n\nMoss grows in a pot.\n", encoding="utf-8")
    return folder


@pytest.fixture
def open_vault(tmp_path: Path, settings: Settings) -> Iterator[Callable[..., Vault]]:
    opened: list[Vault] = []

    def opening(model: object, name: str = "vault") -> Vault:
        opened.append(Vault(tmp_path / name, settings.model_copy(update={"embedding_model": str(model)})))
        return opened[-1]

    yield opening
    for vault in opened:
        vault.close()


def failed(report: IndexReport) -> list[str]:
    assert {skip.reason for skip in report.skipped if skip.is_error} <= {NOT_EMBEDDED}
    return [Path(skip.path).name for skip in report.skipped if skip.reason == NOT_EMBEDDED]


def digest_of(vault: Vault) -> str:
    with Store.open(vault.folder, write=False) as store:
        return digest(store)


def is_found(vault: Vault, question: str, name: str) -> bool:
    return all(
        any(source.path.endswith(name) for source in vault.search(question, method=method).sources)
        for method in ("bm25", "noderag")
    )


def test_the_others_have_vectors_and_the_document_is_found_by_its_words(
    damaged: Path, notes: Path, open_vault: Callable[..., Vault]
) -> None:
    vault = open_vault(damaged)
    report = vault.index([notes])
    assert (report.added, failed(report), report.stopped) == (3, ["b.md"], False)
    (skip,) = (one for one in report.skipped if one.reason == NOT_EMBEDDED)
    assert "1 of its 1 parts (IndexError)" in skip.detail
    assert vault.stats().embeddings == 3 + 3
    assert is_found(vault, f"Where does {POISON} grow in Rome?", "b.md")
    assert is_found(vault, "Where does moss grow?", "c.md")
    assert vault.atlas.library().is_complete
    assert all(finding.ok for finding in vault.check())


def test_the_next_run_tells_it_again_and_changes_nothing(
    damaged: Path, notes: Path, open_vault: Callable[..., Vault]
) -> None:
    vault = open_vault(damaged)
    vault.index([notes])
    before = digest_of(vault)
    again = vault.index([notes])
    assert (again.unchanged, failed(again), digest_of(vault)) == (3, ["b.md"], before)


def test_a_changed_document_is_tried_again(damaged: Path, notes: Path, open_vault: Callable[..., Vault]) -> None:
    vault = open_vault(damaged)
    vault.index([notes])
    (notes / "b.md").write_text("# Herbs\n\nFern grows in Rome. It is warm there.\n", encoding="utf-8")
    assert failed(vault.index([notes])) == []
    fresh = open_vault(damaged, "fresh")
    fresh.index([notes])
    assert digest_of(vault) == digest_of(fresh)


def test_another_model_reads_all_of_them(
    damaged: Path, sound: Path, notes: Path, open_vault: Callable[..., Vault]
) -> None:
    with open_vault(damaged) as vault:
        vault.index([notes])
    with open_vault(sound) as vault:
        assert failed(vault.index([notes])) == []
        fresh = open_vault(sound, "fresh")
        fresh.index([notes])
        assert digest_of(vault) == digest_of(fresh)
        assert all(finding.ok for finding in vault.check())


def test_a_model_that_fails_where_the_old_one_did_not_takes_its_place(
    damaged: Path, sound: Path, notes: Path, open_vault: Callable[..., Vault]
) -> None:
    with open_vault(sound) as vault:
        vault.index([notes])
    with open_vault(damaged) as vault:
        report = vault.index([notes])
        assert (failed(report), report.stopped) == (["b.md"], False)
        fresh = open_vault(damaged, "fresh")
        fresh.index([notes])
        assert digest_of(vault) == digest_of(fresh)


def test_forgetting_another_document_leaves_the_graph_of_a_fresh_vault(
    damaged: Path, notes: Path, open_vault: Callable[..., Vault]
) -> None:
    vault = open_vault(damaged)
    vault.index([notes])
    vault.forget([notes / "a.md"])
    (notes / "a.md").unlink()
    fresh = open_vault(damaged, "fresh")
    fresh.index([notes])
    assert digest_of(vault) == digest_of(fresh)


class TestAServer:
    @pytest.fixture
    def site(self) -> Iterator[ModelServer]:
        with serving() as server:
            server.routes["/v1/embeddings"] = refusing(POISON)
            yield server

    def test_a_refused_text_is_reported_and_tried_again_on_demand(
        self, site: ModelServer, notes: Path, open_vault: Callable[..., Vault]
    ) -> None:
        vault = open_vault(site.url)
        assert failed(vault.index([notes])) == ["b.md"]
        site.routes["/v1/embeddings"] = refusing("nothing of this kind")
        assert failed(vault.index([notes])) == ["b.md"]
        assert failed(vault.index([notes], again=True)) == []
        assert vault.stats().embeddings == 3 + 4 + 3

    def test_a_server_that_refuses_everything_ends_the_run(
        self, site: ModelServer, notes: Path, open_vault: Callable[..., Vault]
    ) -> None:
        vault = open_vault(site.url)

        def only_the_first(exchange: Exchange) -> None:
            site.routes["/v1/embeddings"] = refusing("")
            refusing("nothing of this kind")(exchange)

        site.routes["/v1/embeddings"] = only_the_first
        with pytest.raises(ModelError):
            vault.index([notes])
        site.routes["/v1/embeddings"] = refusing("nothing of this kind")
        assert failed(vault.index([notes])) == []


def refusing(word: str) -> Callable[[Exchange], None]:
    """Answers texts with vectors, and refuses requests with a text that has the word."""

    def answer(exchange: Exchange) -> None:
        texts = exchange.document["input"]
        if any(word in text for text in texts):
            exchange.send_document({"error": {"message": "input is too large"}}, status=400)
            return
        rows = [[1.0 + len(text), 1.0 + text.count("e"), 1.0 + text.count("o")] for text in texts]
        exchange.send_document({"data": [{"index": at, "embedding": row} for at, row in enumerate(rows)]})

    return answer
