#!/usr/bin/env python3
"""Kills a vault's work at random instants, lets writes fail, and looks whether anything was lost.

    .venv/bin/python scripts/bench/kills.py [--kills 500] [--errors 100] [--seed 1] [--notes 40]

A life of a vault is: notes indexed, enriched, some changed and indexed again, some forgotten, backed up, enriched again. Every step
runs in a process of its own, which is killed (SIGKILL) or runs against a limit of file sizes or a full file system, until it comes to
its end undisturbed. After each blow the vault must open, for reading and for writing, its checks must be clean, and no document or
answer that was finished before may be missing. In the end the digest must be that of a life that nothing disturbed. The real pipeline
works; vectors and answers are made by a rule, so that a step takes a second.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from ruled_answers import answered

from noderag_local import pipeline
from noderag_local.embed.embedder import Passage, PassageVectors
from noderag_local.enrichment import Budget, enrich, plan
from noderag_local.errors import NoderagError, VaultMissing
from noderag_local.ingest.intake import Counters
from noderag_local.llm.engine import Request
from noderag_local.llm.scripted import ScriptedEngine
from noderag_local.store import migrations  # noqa: F401 - loaded once, before the forks
from noderag_local.store.backups import Backups
from noderag_local.store.conversations import Conversations
from noderag_local.store.database import Store
from noderag_local.store.digest import digest
from noderag_local.store.files import FileRows
from noderag_local.store.integrity import integrity

DIMENSION = 32
UNFINISHED = {"embeddings", "files"}
"""Checks that are not clean in the middle of indexing, and say how to go on."""
PEOPLE = ("Ada Berg", "Bo Lind", "Cora Maes", "Dario Conti", "Elin Dahl", "Femi Ojo", "Greta Weiss")
TOWNS = ("Vienna", "Porto", "Ghent", "Bergen", "Oslo", "Turin", "Lyon")
ANSWER_SECONDS = 0.002
TOLD, WRONG = 10, 11
"""Exit codes of a step: an error that says what to do; anything else."""
TMPFS_BYTES = 1 << 29


class HashEmbedder:
    """A vector that follows from the text alone."""

    name = "by words"
    dim = DIMENSION

    def batches(self, passages: Sequence[Passage]) -> Iterator[Mapping[int, PassageVectors]]:
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


def slowly(request: Request) -> str:
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


@dataclass
class Life:
    """One vault, and what is to happen to it."""

    notes: Path
    vault: Path
    seed: int
    count: int
    forgotten: list[Path] = field(default_factory=list)

    def steps(self) -> list[tuple[str, Callable[[], None], Callable[[], None]]]:
        """(name, what a person does to the notes, the step), in order."""
        return [
            ("index", self._write, self._index),
            ("enrich", _nothing, self._enrich),
            ("index again", self._edit, self._index),
            ("forget", self._choose, self._forget),
            ("backup", _nothing, self._back_up),
            ("enrich again", _nothing, self._enrich),
        ]

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
        counters = Counters(
            lambda texts: [len(t.split()) for t in texts], lambda texts: [len(t.split()) for t in texts]
        )
        with Store.open(self.vault, write=True) as store:
            request = pipeline.Request([self.notes], False, 1 << 24, counters, HashEmbedder, lambda _: None, never)
            pipeline.index(store, request)

    def _enrich(self) -> None:
        with Store.open(self.vault, write=True) as store:
            report = enrich(store, plan(HashEmbedder), ScriptedEngine(reply=slowly), Budget())
            if not report.is_complete:
                raise NoderagError(report.error)

    def _forget(self) -> None:
        with Store.open(self.vault, write=True) as store:
            for path in self.forgotten:
                # What an earlier try has forgotten is gone by now.
                if str(path) in FileRows(store).known():
                    pipeline.forget(store, [path], Conversations(self.vault), lambda _: None, never)
        self._index()

    def _back_up(self) -> None:
        Backups(self.vault).make()


def _nothing() -> None:
    return


def never() -> bool:
    return False


@dataclass
class Blow:
    """What is done to a process."""

    delay_seconds: float | None = None
    """Until it is killed."""
    limit_bytes: int | None = None
    """Longest file that it may write."""


def run_step(step: Callable[[], None], blow: Blow, said: Path) -> int:
    """Exit code of the step in a process of its own; negative where it was killed."""
    child = os.fork()
    if not child:
        code = WRONG
        try:
            if blow.limit_bytes is not None:
                resource.setrlimit(resource.RLIMIT_FSIZE, (blow.limit_bytes, blow.limit_bytes))
            step()
            code = 0
        except NoderagError as error:
            os.write(
                os.open(said, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), f"{type(error).__name__}: {error}"[:500].encode()
            )
            code = TOLD
        except BaseException as error:  # noqa: BLE001 - told by the parent
            os.write(
                os.open(said, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), f"{type(error).__name__}: {error}"[:500].encode()
            )
        finally:
            os._exit(code)
    if blow.delay_seconds is not None:
        time.sleep(blow.delay_seconds)
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status)


@dataclass
class Findings:
    """What was seen."""

    kills: int = 0
    errors: int = 0
    wrong: list[str] = field(default_factory=list)
    messages: Counter[str] = field(default_factory=Counter)
    hit: Counter[str] = field(default_factory=Counter)


def finished(vault: Path, findings: Findings, where: str) -> tuple[set[str], set[object]]:
    """Looks through the vault: files that are complete, and work items that are done."""
    try:
        with Store.open(vault, write=False) as store:
            bad = [one for one in integrity(store) if not one.ok and one.what not in UNFINISHED]
            findings.wrong += [f"{where}: {one.what}: {one.detail}" for one in bad]
            files = {path for path, file in FileRows(store).known().items() if file.complete}
            # By what stands in the item: a node may get another id.
            items = set(store.rows("SELECT stage, input_hash FROM work_items WHERE status = 'done'"))
        Store.open(vault, write=True).close()
    except VaultMissing:
        return set(), set()
    except NoderagError as error:
        findings.wrong.append(f"{where}: does not open: {error}")
        return set(), set()
    else:
        return files, items


def disturbed(
    life: Life, seconds: Sequence[float], chance: random.Random, findings: Findings, wanted: argparse.Namespace
) -> None:
    """A life in which the steps are struck until the numbers are reached."""
    said = life.vault.with_name("said")
    for (name, before, step), typical in zip(life.steps(), seconds, strict=True):
        before()
        known = finished(life.vault, findings, f"before {name}")
        while True:
            blow = next_blow(life, typical, chance, findings, wanted)
            code = run_step(step, blow, said)
            if code == 0:
                break
            note_end(code, name, said, blow, findings)
            now = finished(life.vault, findings, name)
            lost = (known[0] if name != "forget" else set()) - now[0] - {str(life.notes / "note 1.md")}
            if lost:
                findings.wrong.append(f"{name}: lost {sorted(lost)[:3]}")
            # The second enrichment rightly does anew what was made of notes that have changed.
            if name == "enrich" and known[1] - now[1]:
                findings.wrong.append(f"{name}: {len(known[1] - now[1])} finished items lost")
            known = now
            if code == WRONG:
                break


def next_blow(
    life: Life, typical: float, chance: random.Random, findings: Findings, wanted: argparse.Namespace
) -> Blow:
    if findings.errors < wanted.errors and chance.random() < wanted.errors / (wanted.errors + wanted.kills or 1):
        sizes = [path.stat().st_size for path in life.vault.rglob("*") if path.is_file()] or [0]
        return Blow(limit_bytes=chance.randrange(max(max(sizes), 1) + (1 << 20)))
    if findings.kills < wanted.kills and chance.random() < 0.9:
        return Blow(delay_seconds=chance.uniform(0, 0.7 * typical))
    return Blow()


def note_end(code: int, name: str, said: Path, blow: Blow, findings: Findings) -> None:
    findings.hit[name] += 1
    if code == -signal.SIGKILL:
        findings.kills += 1
        return
    findings.errors += 1
    text = said.read_text("utf-8", "replace") if said.exists() else ""
    findings.messages[re.sub(r"/\S+|[\d,]+ bytes", "…", text)[:90]] += 1
    if code != TOLD or blow == Blow():
        findings.wrong.append(f"{name}: ended with {code}: {text}")


def undisturbed(life: Life) -> list[float]:
    """Seconds of each step."""
    seconds = []
    for name, before, step in life.steps():
        before()
        started = time.perf_counter()
        if run_step(step, Blow(), life.vault.with_name("said")):
            sys.exit(f"{name} failed undisturbed: {life.vault.with_name('said').read_text()}")
        seconds.append(time.perf_counter() - started)
    return seconds


def graph(vault: Path) -> str:
    with Store.open(vault, write=False) as store:
        return digest(store)


def full_disks(scratch: Path, life: Life, findings: Findings, chance: random.Random, rounds: int) -> int:
    """Lives on a file system that fills up at some point; how many there were. Needs the right to mount one."""
    place = scratch / "small"
    place.mkdir()
    if subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={TMPFS_BYTES}", "tmpfs", place], check=False, capture_output=True
    ).returncode:
        return 0
    done = 0
    try:
        for _ in range(rounds):
            one = Life(life.notes, place / "vault", life.seed, life.count)
            for name, before, step in one.steps():
                before()
                known = finished(one.vault, findings, f"before {name} on a full disk")
                room = shutil.disk_usage(place).free
                ballast = place / "ballast"
                ballast.write_bytes(bytes(max(room - chance.randrange(1 << 20), 0)))
                code = run_step(step, Blow(), scratch / "said")
                ballast.unlink()
                if code:
                    note_end(code, name, scratch / "said", Blow(limit_bytes=0), findings)
                    now = finished(one.vault, findings, f"{name} on a full disk")
                    if name == "index again" and known[0] - now[0] - {str(one.notes / "note 1.md")}:
                        findings.wrong.append(f"{name}: lost documents on a full disk")
                    if run_step(step, Blow(), scratch / "said"):
                        findings.wrong.append(
                            f"{name}: does not go on after a full disk: {(scratch / 'said').read_text()}"
                        )
            done += 1
            findings.hit["digest on a full disk equal"] += graph(one.vault) == graph(life.vault)
            shutil.rmtree(one.vault)
    finally:
        subprocess.run(["umount", place], check=True)
    return done


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=500)
    parser.add_argument("--errors", type=int, default=100)
    parser.add_argument("--full-disks", type=int, default=5)
    parser.add_argument("--notes", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    wanted = parser.parse_args()
    chance, findings = random.Random(wanted.seed), Findings()
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        quiet = Life(scratch / "notes", scratch / "quiet", wanted.seed, wanted.notes)
        seconds = undisturbed(quiet)
        told = ", ".join(f"{step[0]} {took:.2f} s" for step, took in zip(quiet.steps(), seconds, strict=True))
        print(f"undisturbed: {told}", flush=True)
        expected, lives, unequal = graph(quiet.vault), 0, 0
        while findings.kills < wanted.kills or findings.errors < wanted.errors:
            life = Life(scratch / "notes", scratch / "struck", wanted.seed, wanted.notes)
            disturbed(life, seconds, chance, findings, wanted)
            lives += 1
            unequal += graph(life.vault) != expected
            shutil.rmtree(life.vault)
            print(
                f"{lives} lives, {findings.kills} kills, {findings.errors} errors, {unequal} unequal, {len(findings.wrong)} wrong",
                flush=True,
            )
        full = full_disks(scratch, quiet, findings, chance, wanted.full_disks) if wanted.full_disks else 0
    print(f"struck in: {dict(findings.hit)}; {full} lives on a disk that fills up")
    for message, times in findings.messages.most_common(12):
        print(f"  {times} × {message}")
    for one in findings.wrong[:20]:
        print(f"WRONG {one}")
    print(
        f"{findings.kills} kills, {findings.errors} errors in {lives} lives: {unequal} graphs differ, {len(findings.wrong)} things wrong"
    )
    sys.exit(bool(unequal or findings.wrong))


if __name__ == "__main__":
    main()
