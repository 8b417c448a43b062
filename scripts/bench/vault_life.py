"""A vault's life in steps, with real parts but for vectors and answers, which follow from the text; what kills.py and power_cuts.py
disturb."""

from __future__ import annotations

import hashlib
import random
import re
import shutil
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from ruled_answers import answered

from noderag_local.config import Settings
from noderag_local.domain.errors import NoderagError, VaultMissing
from noderag_local.domain.progress import IndexReport
from noderag_local.ingest.chunks.packing import Counters
from noderag_local.ingest.scan import folder_watch
from noderag_local.models.embedding.embedder import EmbeddedChunk, PassageVectors
from noderag_local.models.llm.engine import Request
from noderag_local.models.llm.scripted import ScriptedEngine
from noderag_local.pipeline import indexing
from noderag_local.pipeline.budget import Budget
from noderag_local.pipeline.enrichment import enrich
from noderag_local.pipeline.index_request import IndexRequest
from noderag_local.pipeline.plan import plan
from noderag_local.storage.backup import integrity, restore
from noderag_local.storage.backup.backups import Backups, chosen_backup
from noderag_local.storage.backup.digest import digest
from noderag_local.storage.database.sqlite_file import open_sqlite
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.file_rows import FileRows
from noderag_local.vault.export.archive import read_archive, write_archive
from noderag_local.vault.vault import Vault
from noderag_local.vault.watch import Watched

DIMENSION = 32
PEOPLE = ("Ada Berg", "Bo Lind", "Cora Maes", "Dario Conti", "Elin Dahl", "Femi Ojo", "Greta Weiss")
TOWNS = ("Vienna", "Porto", "Ghent", "Bergen", "Oslo", "Turin", "Lyon")
ANSWER_SECONDS = 0.002
CHANGES_WATCHED = 12
BETWEEN_CHANGES_SECONDS = 0.1
SETTLE_SECONDS = 0.15
"""Shorter than a person's, so that more is indexed while something changes."""


class HashEmbedder:
    """A vector that follows from the text alone."""

    name = "by words"
    dim = DIMENSION

    def batches(self, passages: Sequence[EmbeddedChunk]) -> Iterator[Mapping[int, PassageVectors]]:
        """One passage at a time."""
        for place, passage in enumerate(passages):
            yield {place: PassageVectors(_vectors([passage.text()])[0], _vectors(passage.sentences))}


def _vectors(texts: Sequence[str]) -> NDArray[np.float32]:
    """(n, DIMENSION) unit rows, near each other where texts share words."""
    rows = np.zeros((len(texts), DIMENSION), np.float32)
    for row, text in zip(rows, texts, strict=True):
        for word in re.findall(r"\w+", text.lower()):
            seed = int.from_bytes(hashlib.sha256(word.encode()).digest()[:8], "little")
            row += np.random.default_rng(seed).normal(size=DIMENSION).astype(np.float32)
        row /= max(float(np.linalg.norm(row)), 1e-6)
    return rows


def _slowly(request: Request) -> str:
    """An answer that takes a moment, so that kills hit while others wait."""
    time.sleep(ANSWER_SECONDS)
    return answered(request)


def write_note(path: Path, chance: random.Random) -> None:
    """A note about a few people and towns."""
    paragraphs = []
    for _ in range(3):
        one, other = chance.sample(PEOPLE, 2)
        here, there = chance.sample(TOWNS, 2)
        day = chance.randrange(1, 28)
        paragraphs.append(f"{one} met {other} in {here} on {day} May 2021. Later {other} went to {there}.")
    path.write_text(f"# {path.stem.title()}\n\n" + "\n\n".join(paragraphs) + "\n", "utf-8")


def nothing() -> None:
    """For a step before which nobody does anything."""


def never() -> bool:
    return False


@dataclass(frozen=True)
class Step:
    """One thing that a vault goes through."""

    name: str
    prepare: Callable[[], None]
    """What a person does before."""
    work: Callable[[], None]
    """Done again from its beginning when it was struck."""
    may_lose: bool = False
    """Whether documents that were there are to be gone afterwards."""
    keeps_items: bool = False
    """Whether every finished item of enriching stays."""
    unclean: frozenset[str] = frozenset()
    """Checks that are not clean until it is done."""
    is_secret: bool = False
    """Whether no word of the notes may stand in any file of the vault, from before it on."""


@dataclass
class Life:
    """One vault, and what is to happen to it."""

    notes: Path
    vault: Path
    seed: int
    count: int
    forgotten: list[Path] = field(default_factory=list)
    changes_left: int = 0

    def steps(self) -> list[Step]:
        """In order."""
        return [
            Step("index", self._write, self._index),
            Step("enrich", nothing, self._enrich, keeps_items=True),
            Step("index again", self._edit, self._index, may_lose=True),
            Step("forget", self._choose, self._forget, may_lose=True),
            Step("backup", nothing, self._back_up),
            Step("watch", self._plan_changes, self._watch),
            Step("restore", nothing, self._restore, may_lose=True),
            Step("repair", self._damage, self._repair, unclean=frozenset({"full-text index"})),
            Step("index after restore", nothing, self._index),
            Step("enrich again", nothing, self._enrich),
            Step("export and import", nothing, self._carry),
        ]

    @contextmanager
    def world(self) -> Iterator[None]:
        """What goes on outside while a step is at work: notes change, as long as changes are left."""
        stopped = threading.Event()
        changing = threading.Thread(target=self._change, args=(stopped,))
        changing.start()
        try:
            yield
        finally:
            stopped.set()
            changing.join()

    def graph(self) -> str:
        """Digest of what the vault holds."""
        self.unlock()
        return _digest(self.vault)

    def unlock(self) -> None:
        """Lets this process open the vault."""

    def secure(self, vault: Path) -> None:
        """Protects a new vault as this one is."""

    def exposed(self) -> list[str]:
        """Files with words of the notes where there should be none."""
        return []

    @property
    def archive_passphrase(self) -> Callable[[], str] | None:
        """Of what is carried; None: anybody can read it."""
        return None

    def _write(self) -> None:
        shutil.rmtree(self.notes, ignore_errors=True)
        self.notes.mkdir()
        chance = random.Random(self.seed)
        for number in range(self.count):
            write_note(self.notes / f"note {number}.md", chance)

    def _edit(self) -> None:
        chance = random.Random(self.seed + 1)
        for number in range(0, self.count, 5):
            write_note(self.notes / f"note {number}.md", chance)
        write_note(self.notes / "new.md", chance)
        (self.notes / "note 1.md").unlink()

    def _choose(self) -> None:
        self.forgotten = [self.notes / f"note {number}.md" for number in range(2, self.count, 7)]

    def _index(self) -> None:
        self._index_paths([self.notes])

    def _index_paths(self, paths: Sequence[Path]) -> IndexReport:
        with Store.open(self.vault, write=True) as store:
            counters = Counters(_count_words, _count_words)
            request = IndexRequest(paths, False, 1 << 24, counters, HashEmbedder, lambda _: None, never)
            return indexing.index(store, request)

    def _enrich(self) -> None:
        with Store.open(self.vault, write=True) as store:
            report = enrich(store, plan(HashEmbedder), ScriptedEngine(reply=_slowly), Budget())
            if not report.is_complete:
                raise NoderagError(report.error)

    def _forget(self) -> None:
        with Store.open(self.vault, write=True) as store:
            for path in self.forgotten:
                # What an earlier try has forgotten is gone by now.
                if str(path) in FileRows(store).known():
                    indexing.forget(store, [path], lambda _: None, never)
        self._index()

    def _back_up(self) -> None:
        Backups(self.vault).make()

    def _plan_changes(self) -> None:
        self._settled.unlink(missing_ok=True)
        self.changes_left = CHANGES_WATCHED

    def _change(self, stopped: threading.Event) -> None:
        while self.changes_left and not stopped.wait(BETWEEN_CHANGES_SECONDS):
            number = self.changes_left
            write_note(self.notes / f"watched {number % 5}.md", random.Random(self.seed + 10 * number))
            self.changes_left -= 1
            if not self.changes_left:
                self._settled.touch()

    def _watch(self) -> None:
        """Until nothing changes any more."""
        folder_watch.SETTLE_SECONDS = SETTLE_SECONDS

        def index(one: Watched, files: int) -> IndexReport:
            return self._index_paths(one.paths)

        with Vault(self.vault, Settings()) as vault:
            vault.watch([self.notes], index=index, stopped=self._settled.exists)
        self._index()

    @property
    def _settled(self) -> Path:
        return self.notes.with_name("settled")

    def _restore(self) -> None:
        restore.restore(self.vault, chosen_backup(self.vault, None))

    def _damage(self) -> None:
        with closing(open_sqlite(self.vault / "vault.sqlite")) as connection:
            connection.execute("DELETE FROM chunk_words_docsize WHERE id % 3 = 0")
        for path in self.vault.glob("*.arrays"):
            path.write_bytes(path.read_bytes()[:-100])

    def _repair(self) -> None:
        with Store.open(self.vault, write=True) as store:
            integrity.repair(store)

    def _carry(self) -> None:
        """Out, and into a new vault, which is all there or not at all."""
        archive, imported = self.vault.with_name("carried.jsonl"), self.vault.with_name("imported")
        with Store.open(self.vault, write=False) as store:
            write_archive(store, archive, conversations=True, passphrase=self.archive_passphrase, force=True)
        self.secure(imported)
        if not _holds_documents(imported):
            read_archive(imported, archive, self.archive_passphrase or str)
        if _digest(imported) != self.graph():
            raise AssertionError("an import that was struck left a part of a vault")
        # No work of the vault's: a disk that refuses this, too, has refused nothing of it.
        shutil.rmtree(imported, ignore_errors=True)
        with suppress(OSError):
            archive.unlink()


def _count_words(texts: Sequence[str]) -> list[int]:
    return [len(text.split()) for text in texts]


def _holds_documents(vault: Path) -> bool:
    try:
        with Store.open(vault, write=False) as store:
            return bool(store.value("SELECT count(*) FROM documents"))
    except VaultMissing:
        return False


def _digest(vault: Path) -> str:
    with Store.open(vault, write=False) as store:
        return digest(store)
