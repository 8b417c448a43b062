#!/usr/bin/env python3
"""Hostile text files among ordinary notes: each read alone, then all indexed together.

    .venv/bin/python scripts/bench/hostile_texts.py [--files 2000] [--notes 200] [--seed 1] [--model] [--told]

The files are those of tests/hostile/hostile_texts.py: front matter, blanks, brackets, links, tables, code fences, Unicode, JSON.
Every one is read as indexing reads it, in the limited process, and its seconds are taken; the largest memory of a reading process
comes from the system. Then the folder is indexed into an empty vault, while another thread of the process ticks: how long it
missed its ticks is how long the interface would have stood still. Vectors follow from the text by a rule; --model takes the real
model. --told prints what was going on whenever ticks were missed.

Ends with 1 where a file takes longer than 2 s or 512 MB, ticks are missed for more than 100 ms, or an ordinary note is not indexed.
"""

from __future__ import annotations

import argparse
import hashlib
import resource
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

TESTS = Path(__file__).parents[2] / "tests"
sys.path.insert(0, str(TESTS))

from hostile.heartbeat import Heartbeat  # noqa: E402 - lies among the tests
from hostile.hostile_texts import hostile_texts, ordinary_notes  # noqa: E402

from noderag_local.config import load_settings  # noqa: E402
from noderag_local.domain.documents import SourceFile  # noqa: E402
from noderag_local.domain.progress import IndexReport, Progress  # noqa: E402
from noderag_local.ingest.chunks.packing import Counters  # noqa: E402
from noderag_local.ingest.chunks.parsed_document import Draft  # noqa: E402
from noderag_local.ingest.sandbox.worker_process import WorkerProcess  # noqa: E402
from noderag_local.ingest.sync.read_files import Wanted, read_drafts  # noqa: E402
from noderag_local.models.embedding.embedder import EmbeddedChunk, Embedder, PassageVectors  # noqa: E402
from noderag_local.models.embedding.embedding_model import builtin_model  # noqa: E402
from noderag_local.models.embedding.wordpieces import WordPieces  # noqa: E402
from noderag_local.pipeline import indexing  # noqa: E402
from noderag_local.pipeline.index_request import IndexRequest  # noqa: E402
from noderag_local.storage.database.store import Store  # noqa: E402
from noderag_local.storage.documents.file_rows import FileRows  # noqa: E402
from noderag_local.vault.index import LoadedModels  # noqa: E402

MOST_SECONDS = 2.0
MOST_BYTES = 512 << 20
MOST_HELD_SECONDS = 0.1
DIMENSION = 64


class ByRule:
    """Vectors that follow from the text alone, at once."""

    name = "by rule"
    dim = DIMENSION

    def batches(self, passages: Sequence[EmbeddedChunk]) -> Iterator[Mapping[int, PassageVectors]]:
        """One passage at a time."""
        for place, passage in enumerate(passages):
            yield {place: PassageVectors(_rows([passage.text()])[0], _rows(passage.sentences))}


def _rows(texts: Sequence[str]) -> NDArray[np.float32]:
    """(n, DIMENSION) unit rows."""
    digests = (hashlib.shake_128(text.encode("utf-8", "replace")).digest(DIMENSION) for text in texts)
    rows = np.array([np.frombuffer(digest, np.uint8) for digest in digests], np.float32).reshape(-1, DIMENSION) - 127.5
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


@dataclass
class Findings:
    """What was measured."""

    outcomes: Counter[str] = field(default_factory=Counter)
    """Files by what came of them."""
    slowest: list[tuple[float, str]] = field(default_factory=list)
    """(seconds, name), the slowest first."""
    reading_bytes: int = 0
    """Largest memory of a reading process."""
    held_seconds: float = 0.0
    """Longest time for which the indexing process could do nothing else."""
    gap_seconds: float = 0.0
    """The same by the clock, whoever was computing."""
    told: list[tuple[float, str]] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    """Ordinary notes that are not indexed."""
    report: IndexReport | None = None

    @property
    def problems(self) -> list[str]:
        """What is not as it has to be."""
        problems = [f"{name}: {seconds:.1f} s" for seconds, name in self.slowest if seconds > MOST_SECONDS]
        if self.reading_bytes > MOST_BYTES:
            problems.append(f"a reading process had {self.reading_bytes >> 20} MB")
        if self.held_seconds > MOST_HELD_SECONDS:
            problems.append(f"the process stood still for {1000 * self.held_seconds:.0f} ms")
        return problems + [f"{name} is not indexed" for name in self.missing]


def write_folder(folder: Path, files: int, notes: int, seed: int) -> None:
    """Hostile files and ordinary notes."""
    folder.mkdir()
    for name, data in (*hostile_texts(files, seed), *ordinary_notes(notes, seed)):
        (folder / name).write_bytes(data)


def largest_ended() -> int:
    """Bytes that any process ever had in memory that was started from here and has ended."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss << (0 if sys.platform == "darwin" else 10)


def largest_memory(process_id: int, before: int) -> int:
    """Bytes that a process ever had in memory; or one that has ended since `largest_ended` was `before`, if that is more."""
    status = Path(f"/proc/{process_id}/status")
    ended = largest_ended() if largest_ended() > before else 0
    lines = status.read_text().splitlines() if status.exists() else []
    return max([ended, *(int(line.split()[1]) << 10 for line in lines if line.startswith("VmHWM"))])


def read_alone(folder: Path, findings: Findings) -> None:
    """Each file by itself."""
    times: list[tuple[float, str]] = []
    with WorkerProcess() as process:
        for path in sorted(folder.iterdir()):
            before = largest_ended()
            started = time.perf_counter()
            found = list(read_drafts(Wanted(SourceFile(str(path), path.stat().st_size, 0)), process))
            times.append((time.perf_counter() - started, path.name))
            if any(isinstance(one, Draft) for one in found):
                findings.outcomes["read"] += 1
            else:
                findings.outcomes[found[0].reason if found and not isinstance(found[0], Draft) else "nothing"] += 1
            largest = [largest_memory(number, before) for number in process.process_ids]
            findings.reading_bytes = max(findings.reading_bytes, *largest, 0)
    findings.slowest = sorted(times, reverse=True)[:10]


def index_all(folder: Path, vault: Path, findings: Findings, *, with_model: bool, quiet: bool = False) -> None:
    """The whole folder into an empty vault."""
    pieces = WordPieces().count
    embedder: Embedder = LoadedModels(load_settings()).embedder(builtin_model()) if with_model else ByRule()

    def tell(progress: Progress) -> None:
        if not quiet and sys.stderr.isatty():
            print(f"\r{progress.stage} {progress.done}/{progress.total}   ", end="", file=sys.stderr)

    with Store.open(vault, write=True) as store:
        request = IndexRequest(
            [folder], False, 1 << 26, Counters(pieces, pieces), lambda: embedder, tell, lambda: False
        )
        with Heartbeat() as heartbeat:
            findings.report = indexing.index(store, request)
        complete = {Path(path).name for path, known in FileRows(store).known().items() if known.complete}
    findings.held_seconds, findings.gap_seconds = heartbeat.longest_seconds, heartbeat.longest_gap_seconds
    findings.told = heartbeat.told
    findings.missing = sorted(path.name for path in folder.glob("ordinary*") if path.name not in complete)


def measure(scratch: Path, files: int, notes: int, seed: int, *, with_model: bool = False) -> Findings:
    """Everything about one set of files."""
    findings = Findings()
    write_folder(scratch / "notes", files, notes, seed)
    read_alone(scratch / "notes", findings)
    index_all(scratch / "notes", scratch / "vault", findings, with_model=with_model)
    return findings


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=2000)
    parser.add_argument("--notes", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--model", action="store_true")
    parser.add_argument("--told", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        findings = measure(Path(scratch), arguments.files, arguments.notes, arguments.seed, with_model=arguments.model)
    print(f"{arguments.files} hostile files, {arguments.notes} ordinary notes, seed {arguments.seed}")
    print("read alone:", ", ".join(f"{count} {outcome}" for outcome, count in findings.outcomes.most_common()))
    print("slowest:", ", ".join(f"{seconds:.2f} s {name}" for seconds, name in findings.slowest[:5]))
    print(f"largest memory of a reading process: {findings.reading_bytes >> 20} MB")
    if findings.report:
        stages = ", ".join(f"{stage.stage} {stage.seconds:.1f} s" for stage in findings.report.stages)
        print(f"indexed: {findings.report.added:,} documents ({stages})")
    print(f"longest held: {1000 * findings.held_seconds:.0f} ms ({1000 * findings.gap_seconds:.0f} ms by the clock)")
    print(f"ordinary notes indexed: {arguments.notes - len(findings.missing)} of {arguments.notes}")
    for seconds, doing in sorted(findings.told, reverse=True)[: 30 if arguments.told else 0]:
        print(f"  {1000 * seconds:.0f} ms: {doing}")
    for problem in findings.problems:
        print(f"PROBLEM {problem}")
    return 1 if findings.problems else 0


if __name__ == "__main__":
    sys.exit(main())
