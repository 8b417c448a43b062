#!/usr/bin/env python3
"""Kills a vault's work at random instants, lets calls to the system fail, and looks whether anything was lost.

    .venv/bin/python scripts/bench/kills.py [--kills 500] [--errors 100] [--seed 1] [--notes 40] [--encrypted]

A life of a vault (vault_life.py): notes indexed, enriched, some changed and indexed again, some forgotten, backed up, followed while
they change, the backup restored, what is derived repaired, indexed and enriched again, exported and imported. Every step runs in a
process of its own, which is killed (SIGKILL), runs against a limit of file sizes or a full file system, or has a call to the system
fail (strace: writing, syncing, renaming, opening or reading, EIO or ENOSPC, once or from then on), until it comes to its end
undisturbed. After each blow the vault must open, for reading and for writing, its checks must be clean, and no document or answer
that was finished before may be missing. In the end the digest must be that of a life that nothing disturbed. The real pipeline
works; vectors and answers are made by a rule, so that a step takes a second. With --encrypted, the vault and a backup are
encrypted, get another passphrase, are decrypted and encrypted again, and while they are encrypted no word of the notes may stand in
any of their files (encrypted_life.py).
"""

from __future__ import annotations

import argparse
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from blows import TOLD, WRONG, Blow, Outcome, any_refusal, can_refuse, run_step
from encrypted_life import EncryptedLife
from vault_life import Life, Step

from noderag_local.domain.errors import NoderagError, VaultLocked, VaultMissing
from noderag_local.storage.backup.integrity import integrity
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.file_rows import FileRows
from noderag_local.storage.encryption.known_vaults import forget_vault

UNFINISHED = {"embeddings", "files"}
"""Checks that are not clean in the middle of indexing, and say how to go on."""
REFUSALS_OF_ERRORS = 0.8
"""Share of the errors that are refused calls; the others are limits of file sizes."""
TMPFS_BYTES = 1 << 29


@dataclass
class Findings:
    """What was seen."""

    kills: int = 0
    errors: int = 0
    unfelt: int = 0
    """Errors that the step came to its end in spite of."""
    wrong: list[str] = field(default_factory=list)
    messages: Counter[str] = field(default_factory=Counter)
    killed: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)

    def tell(self, wrong: str) -> None:
        """Something that must not be."""
        self.wrong.append(wrong)
        print(f"WRONG {wrong}", flush=True)


@dataclass(frozen=True)
class Finished:
    """What a vault has that must not be lost."""

    files: frozenset[str] = frozenset()
    """Those that are complete."""
    items: frozenset[object] = frozenset()
    """Items of enriching that are done, by what stands in them: a node may get another id."""


def open_to_write(vault: Path) -> None:
    """Opens a vault for writing and closes it.

    A process that is killed while it starts another leaves that one for some milliseconds with the lock, until it is another program.

    Raises:
        NoderagError: the vault does not open, also after a second.
    """
    for _ in range(20):
        with suppress(VaultLocked):
            Store.open(vault, write=True).close()
            return
        time.sleep(0.05)
    Store.open(vault, write=True).close()


def finished(life: Life, step: Step, findings: Findings, where: str) -> Finished:
    """Looks through the vault."""
    if step.is_secret and (exposed := life.exposed()):
        findings.tell(f"{where}: words of the notes stand in {exposed}")
    try:
        life.unlock()
        with Store.open(life.vault, write=False) as store:
            clean = UNFINISHED | step.unclean
            bad = [one for one in integrity(store) if not one.ok and one.what not in clean]
            for one in bad:
                findings.tell(f"{where}: {one.what}: {one.detail}")
            files = {path for path, file in FileRows(store).known().items() if file.complete}
            items = store.rows("SELECT stage, input_hash FROM work_items WHERE status = 'done'")
        open_to_write(life.vault)
    except VaultMissing:
        return Finished()
    except NoderagError as error:
        findings.tell(f"{where}: does not open: {error}")
        return Finished()
    else:
        return Finished(frozenset(files), frozenset(items))


class Disturbed:
    """A life whose steps are struck until the numbers are reached."""

    def __init__(self, life: Life, chance: random.Random, findings: Findings, wanted: argparse.Namespace) -> None:
        self._life, self._chance, self._findings, self._wanted = life, chance, findings, wanted
        self._refuses = can_refuse()

    def run(self, seconds: Sequence[float]) -> None:
        """All steps; `seconds` is what each takes."""
        for step, typical in zip(self._life.steps(), seconds, strict=True):
            step.prepare()
            before = finished(self._life, step, self._findings, f"before {step.name}")
            while True:
                blow = self._blow(typical)
                outcome = self._struck(step, blow)
                if outcome.code == 0:
                    break
                before = self._checked(step, before)
                if outcome.code == WRONG:
                    break

    def _struck(self, step: Step, blow: Blow) -> Outcome:
        life = self._life
        with life.world():
            outcome = run_step(step.work, blow, life.vault.parent, folder=life.vault)
        note(outcome, step, blow, self._findings)
        return outcome

    def _checked(self, step: Step, before: Finished) -> Finished:
        now = finished(self._life, step, self._findings, step.name)
        lost = before.files - now.files
        if lost and not step.may_lose:
            self._findings.tell(f"{step.name}: lost {sorted(lost)[:3]}")
        if step.keeps_items and before.items - now.items:
            self._findings.tell(f"{step.name}: {len(before.items - now.items)} finished items lost")
        return now

    def _blow(self, typical: float) -> Blow:
        findings, wanted, chance = self._findings, self._wanted, self._chance
        kills, errors = max(wanted.kills - findings.kills, 0), max(wanted.errors - findings.errors, 0)
        if not kills + errors or chance.random() < 0.1:
            return Blow()
        if chance.random() * (kills + errors) < kills:
            return Blow(delay_seconds=chance.uniform(0, 0.7 * typical))
        if self._refuses and chance.random() < REFUSALS_OF_ERRORS:
            return Blow(refusal=any_refusal(chance))
        sizes = [path.stat().st_size for path in self._life.vault.rglob("*") if path.is_file()] or [0]
        return Blow(limit_bytes=chance.randrange(max(max(sizes), 1) + (1 << 18)))


def note(outcome: Outcome, step: Step, blow: Blow, findings: Findings) -> None:
    """Counts a blow, and what came of it."""
    refused = f"{blow.refusal.kind} {blow.refusal.error}" if blow.refusal and outcome.struck else ""
    if outcome.code == -signal.SIGKILL and blow.delay_seconds is not None:
        findings.kills += 1
        findings.killed[step.name] += 1
    elif outcome.code or refused:
        findings.errors += 1
        findings.unfelt += not outcome.code
        findings.refused[refused or "too large"] += 1
    if outcome.code == TOLD:
        findings.messages[re.sub(r"/\S+|[\d,]+ (?:bytes|MB)", "…", outcome.said)[:100]] += 1
    if outcome.struck_no_file:
        return
    if outcome.code and (outcome.code not in (TOLD, -signal.SIGKILL) or blow == Blow()):
        findings.tell(f"{step.name}: {blow}: ended with {outcome.code}: {outcome.said}")


def undisturbed(life: Life) -> list[float]:
    """Seconds of each step."""
    seconds = []
    for step in life.steps():
        step.prepare()
        started = time.perf_counter()
        with life.world():
            outcome = run_step(step.work, Blow(), life.vault.parent, folder=life.vault)
        if outcome.code:
            sys.exit(f"{step.name} failed undisturbed: {outcome.said}")
        seconds.append(time.perf_counter() - started)
    return seconds


def full_disks(scratch: Path, quiet: Life, findings: Findings, chance: random.Random, rounds: int) -> int:
    """Lives on a file system that fills up at some point; how many there were. Needs the right to mount one."""
    place = scratch / "small"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={TMPFS_BYTES}", "tmpfs", place]
    if subprocess.run(mount, check=False, capture_output=True).returncode:
        return 0
    try:
        for _ in range(rounds):
            life = replace(quiet, vault=place / "vault")
            for step in life.steps():
                step.prepare()
                fill_up(life, step, place, findings, chance)
            if life.graph() != quiet.graph():
                findings.tell("another graph on a full disk")
            end(life)
    finally:
        subprocess.run(["umount", place], check=True)
    return rounds


def end(life: Life) -> None:
    """Removes a vault; the next one at its place is another."""
    shutil.rmtree(life.vault)
    forget_vault(life.vault)


def fill_up(life: Life, step: Step, place: Path, findings: Findings, chance: random.Random) -> None:
    """One step on a disk with little room, and once more with enough."""
    before = finished(life, step, findings, f"before {step.name} on a full disk")
    ballast = place / "ballast"
    with ballast.open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, max(shutil.disk_usage(place).free - chance.randrange(1 << 20), 1))
    with life.world():
        outcome = run_step(step.work, Blow(), place.parent, folder=life.vault)
    ballast.unlink()
    if not outcome.code:
        return
    note(outcome, step, Blow(limit_bytes=0), findings)
    now = finished(life, step, findings, f"{step.name} on a full disk")
    if before.files - now.files and not step.may_lose:
        findings.tell(f"{step.name}: lost documents on a full disk")
    with life.world():
        again = run_step(step.work, Blow(), place.parent, folder=life.vault)
    if again.code:
        findings.tell(f"{step.name}: does not go on after a full disk: {again.said}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=500)
    parser.add_argument("--errors", type=int, default=100)
    parser.add_argument("--full-disks", type=int, default=5)
    parser.add_argument("--notes", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--encrypted", action="store_true", help="the vault, most of its life; converting is struck, too"
    )
    wanted = parser.parse_args()
    chance, findings = random.Random(wanted.seed), Findings()
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        os.environ["NODERAG_STATE"] = str(scratch / "state")
        born = EncryptedLife if wanted.encrypted else Life
        quiet = born(scratch / "notes", scratch / "quiet", wanted.seed, wanted.notes)
        seconds = undisturbed(quiet)
        told = ", ".join(f"{step.name} {took:.2f} s" for step, took in zip(quiet.steps(), seconds, strict=True))
        print(f"undisturbed: {told}", flush=True)
        expected, lives, unequal = quiet.graph(), 0, 0
        while findings.kills < wanted.kills or findings.errors < wanted.errors:
            life = born(scratch / "notes", scratch / "struck", wanted.seed, wanted.notes)
            Disturbed(life, chance, findings, wanted).run(seconds)
            lives += 1
            unequal += life.graph() != expected
            end(life)
            print(
                f"{lives} lives, {findings.kills} kills, {findings.errors} errors, {unequal} unequal, {len(findings.wrong)} wrong",
                flush=True,
            )
        full = full_disks(scratch, quiet, findings, chance, wanted.full_disks) if wanted.full_disks else 0
    print(f"killed in: {dict(findings.killed)}")
    print(
        f"refused: {dict(findings.refused)}; {findings.unfelt} of them without effect; {full} lives on a disk that fills up"
    )
    for message, times in findings.messages.most_common(12):
        print(f"  {times} × {message}")
    print(
        f"{findings.kills} kills, {findings.errors} errors in {lives} lives: {unequal} graphs differ, {len(findings.wrong)} things wrong"
    )
    sys.exit(bool(unequal or findings.wrong))


if __name__ == "__main__":
    main()
