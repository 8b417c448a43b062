#!/usr/bin/env python3
"""Hostile files for every reader of a format: damaged ones by chance, and bombs made by hand.

    .venv/bin/python scripts/bench/fuzz_formats.py [--files 2000] [--seed 7] [--only PDF --only Word] [--no-bombs]

Takes every file of tests/data/formats and tests/data/plain, flips bits in it, cuts it short, repeats and splices parts of it (inside the members too,
where it is a zip file), and reads each as indexing does. The bombs are those of tests/ingest/formats/bombs.py. Prints a table by
format: files, those that gave documents, those left out with a message, how often the reading process crashed or went over a
limit, the slowest file in seconds; and the largest memory that a reading process ever held. Ends with 1 if anything else than a
document or a message that names the file came out, or a limit did not hold. Markdown, text and JSON Lines are read by
code of our own, so nothing at all may go wrong there; each such file may take PLAIN_SECONDS.
"""

from __future__ import annotations

import argparse
import io
import random
import resource
import sys
import tempfile
import time
import zipfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

TESTS = Path(__file__).parents[2] / "tests"
sys.path.insert(0, str(TESTS))

from ingest.formats.bombs import bombs  # noqa: E402 - lies among the tests

from noderag_local.domain.documents import SourceFile  # noqa: E402
from noderag_local.ingest.chunks.parsed_document import Draft  # noqa: E402
from noderag_local.ingest.formats.registry import FORMATS, format_of, known_format  # noqa: E402
from noderag_local.ingest.sandbox.worker_exchange import DEFAULT_LIMITS, SPARE_SECONDS  # noqa: E402
from noderag_local.ingest.sandbox.worker_process import WorkerProcess, end_waiting  # noqa: E402
from noderag_local.ingest.sync.read_files import Wanted, read_drafts  # noqa: E402

FIXTURES = (TESTS / "data" / "formats", TESTS / "data" / "formats" / "Keep", TESTS / "data" / "plain")
PLAIN_SECONDS = 5
PLAIN = "plain text"
LIBRARIES_BYTES = 256 << 20
"""A process has this before it meets a file: Python and the libraries."""
STARTING_SECONDS = 5
OUTCOMES = ("read", "left out", "crash", "time", "memory", "output")
_TOLD = (
    ("crash", "made its reader crash"),
    ("time", "reading it takes longer"),
    ("memory", "MB of memory"),
    ("output", "MB of text"),
)


def flipped(data: bytes, chance: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(chance.choice((1, 4, 32, 256))):
        changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
    return bytes(changed)


def cut(data: bytes, chance: random.Random) -> bytes:
    return data[: chance.randrange(len(data))]


def repeated(data: bytes, chance: random.Random) -> bytes:
    start, end = sorted(chance.randrange(len(data) + 1) for _ in range(2))
    return data[:end] + data[start:end] * chance.choice((1, 2, 50)) + data[end:]


def spliced(data: bytes, chance: random.Random) -> bytes:
    start, end, to = (chance.randrange(len(data) + 1) for _ in range(3))
    return data[:to] + data[min(start, end) : max(start, end)] + data[to:]


WAYS = (flipped, cut, repeated, spliced)


def mutated(data: bytes, chance: random.Random) -> bytes:
    """The file with damage, half the time inside a member where it is a zip file."""
    way = chance.choice(WAYS)
    if not data:
        return data
    if not data.startswith(b"PK") or chance.random() < 0.5:
        return way(data, chance)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    name = chance.choice(sorted(name for name, content in members.items() if content))
    members[name] = way(members[name], chance)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for member, content in members.items():
            archive.writestr(member, content)
    return out.getvalue()


def damaged(count: int, seed: int, only: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    """So many files with damage, fixture after fixture."""
    chance = random.Random(seed)
    fixtures = [path for folder in FIXTURES for path in sorted(folder.iterdir()) if wanted(str(path), only)]
    for number in range(count):
        path = fixtures[number % len(fixtures)]
        # Some formats are recognised by the whole name of the file, or by its folder.
        yield f"{number}/{path.parent.name}/{path.name}", mutated(path.read_bytes(), chance)


def wanted(name: str, only: Sequence[str]) -> bool:
    return known_format(name) is not None and (not only or kind_of(name) in only)


def kind_of(name: str) -> str:
    known = format_of(name)
    return PLAIN if known.is_text else known.kind


class Table:
    """What came of the files so far."""

    def __init__(self, folder: Path, process: WorkerProcess) -> None:
        self.folder, self.process = folder, process
        self.outcomes: Counter[tuple[str, str]] = Counter()
        self.slowest: dict[str, tuple[float, str]] = {}
        self.problems: list[str] = []

    def read(self, name: str, data: bytes, *, tell: bool) -> None:
        """Reads a file as indexing does, and notes what came of it."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        kind = kind_of(name)
        started = time.monotonic()
        drafts, told = 0, []
        for found in read_drafts(Wanted(SourceFile(str(path), len(data), 0)), self.process):
            if isinstance(found, Draft):
                drafts += 1
            else:
                told.append(found)
        seconds = time.monotonic() - started
        path.unlink()
        self.problems += [f"{name}: a message that does not name it" for one in told if str(path) not in one.detail]
        if not drafts and not told:
            self.problems.append(f"{name}: neither a document nor a message")
        most_seconds = DEFAULT_LIMITS.document_seconds + SPARE_SECONDS + STARTING_SECONDS
        if seconds > (PLAIN_SECONDS if kind == PLAIN else most_seconds):
            self.problems.append(f"{name}: {seconds:.1f} s")
        outcome = outcome_of([one.detail for one in told if one.is_error])
        self.outcomes[kind, outcome] += 1
        self.slowest[kind] = max(self.slowest.get(kind, (0.0, "")), (seconds, name))
        if tell or outcome not in ("read", "left out"):
            why = told[0].detail.removeprefix(str(path)) if told else f"{drafts} documents"
            print(f"  {name}: {seconds:.1f} s, {outcome}: {why[:110]}", flush=True)

    def print(self) -> None:
        print(f"{'format':>14} {'files':>6}", *(f"{outcome:>9}" for outcome in OUTCOMES), "   slowest")
        for kind in sorted(self.slowest):
            counts = [self.outcomes[kind, outcome] for outcome in OUTCOMES]
            seconds, name = self.slowest[kind]
            print(f"{kind:>14} {sum(counts):>6}", *(f"{count:>9}" for count in counts), f"   {seconds:.1f} s {name}")
        counts = [sum(self.outcomes[kind, outcome] for kind in self.slowest) for outcome in OUTCOMES]
        print(f"{'all':>14} {sum(counts):>6}", *(f"{count:>9}" for count in counts))


def outcome_of(errors: Sequence[str]) -> str:
    if not errors:
        return "read"
    return next((outcome for outcome, sign in _TOLD if any(sign in error for error in errors)), "left out")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument(
        "--only", action="append", default=[], choices=[PLAIN, *(known.kind for known in FORMATS if not known.is_text)]
    )
    parser.add_argument("--no-bombs", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, WorkerProcess() as process:
        table = Table(Path(folder), process)
        if not arguments.no_bombs:
            print("bombs")
            for name, data in bombs():
                if wanted(name, arguments.only):
                    table.read(name, data, tell=True)
            table.print()
        if arguments.files:
            print(f"{arguments.files} files with damage, seed {arguments.seed}")
            for name, data in damaged(arguments.files, arguments.seed, arguments.only):
                table.read(name, data, tell=False)
            table.print()
    # The system counts the memory of a process once it has ended.
    end_waiting()
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss << (0 if sys.platform == "darwin" else 10)
    most = DEFAULT_LIMITS.memory_bytes + LIBRARIES_BYTES
    print(f"largest memory of a reading process: {peak >> 20} MB (allowed: {most >> 20})")
    if peak > most:
        table.problems.append(f"memory of {peak >> 20} MB")
    for problem in table.problems:
        print(f"PROBLEM {problem}")
    return 1 if table.problems else 0


if __name__ == "__main__":
    sys.exit(main())
