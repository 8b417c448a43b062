#!/usr/bin/env python3
"""Cuts the power at random instants of a vault's life, and looks whether anything was lost.

    .venv/bin/python scripts/bench/power_cuts.py [--cuts 25] [--seed 1] [--notes 8] [--encrypted]

Every step of a life (vault_life.py) runs once, and strace notes down what it writes. At so many instants of each step, and at its end,
the disk is made as a power cut may leave it: of a file, what was written since its last fsync is there in part, in any order, or not
at all; of the names in a folder that were made, changed or removed since the folder's own last fsync, only the first few. (File
systems with a journal keep more.) The vault must then open, its checks must be clean, and nothing may be missing that was finished
before the step; after the end of a step nothing of the step. A part of them goes on from there, and must come to the same graph.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import sys
import tempfile
from dataclasses import dataclass, field, replace
from pathlib import Path

from blows import Blow, can_refuse, run_step
from encrypted_life import EncryptedLife
from kills import Findings, Finished, finished
from vault_life import Life, Step
from written_log import Event, events

from noderag_local.domain.errors import NoderagError
from noderag_local.storage.encryption.known_vaults import forget_vault

GOES_ON = 0.2
"""Share of the cuts after which the step is done again."""


@dataclass
class File:
    """A file of the model."""

    content: bytearray = field(default_factory=bytearray)
    durable: bytes = b""
    pending: list[tuple[int, bytes | None]] = field(default_factory=list)
    """(offset, data), or (length, None) where it was cut, since the last fsync."""

    def change(self, place: int, data: bytes | None) -> None:
        """Writes, or cuts."""
        self.pending.append((place, data))
        _apply(self.content, place, data)

    def sync(self) -> None:
        """All of it is on the disk."""
        self.durable, self.pending = bytes(self.content), []

    def after_a_cut(self, chance: random.Random, kept: float) -> bytes:
        """What may be on the disk; `kept` is the share of what is not safe that made it."""
        content = bytearray(self.durable)
        for place, data in self.pending:
            if chance.random() < kept:
                _apply(content, place, data)
        return bytes(content)


def _apply(content: bytearray, place: int, data: bytes | None) -> None:
    if data is None:
        del content[place:]
        content.extend(bytes(place - len(content)))
        return
    content.extend(bytes(max(place - len(content), 0)))
    content[place : place + len(data)] = data


Entries = dict[str, "File | Folder"]


@dataclass
class Folder:
    """A folder of the model."""

    entries: Entries = field(default_factory=dict)
    durable: Entries = field(default_factory=dict)
    pending: list[Entries] = field(default_factory=list)
    """All entries after each change since the last fsync."""

    def change(self) -> None:
        """To be called after each change of `entries`."""
        self.pending.append(dict(self.entries))

    def sync(self) -> None:
        """All names are on the disk."""
        self.durable, self.pending = dict(self.entries), []

    def write_after_a_cut(self, path: Path, chance: random.Random, kept: float) -> None:
        """Makes a real folder of what may be on the disk."""
        path.mkdir(mode=0o700)
        states = [self.durable, *self.pending]
        for name, found in states[int(kept * (len(states) - 1) + chance.random() * 0.999)].items():
            if isinstance(found, Folder):
                found.write_after_a_cut(path / name, chance, kept)
            elif name.endswith("-shm"):
                # Shared memory, which may hold anything after a start.
                (path / name).write_bytes(chance.randbytes(len(found.content)))
            else:
                (path / name).write_bytes(found.after_a_cut(chance, kept))


class Disk:
    """All below one folder, which itself is safe."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self.top = Folder()
        self._open: dict[int, File | Folder] = {}
        self._offsets: dict[int, int] = {}

    def play(self, event: Event) -> None:
        """Does what a process did.

        Only that of the vault has files in this folder open. The process that reads files has descriptors of the same numbers,
        of other files.
        """
        if not event.path.is_relative_to(self._root):
            return
        if event.call == "openat":
            self._opened(event)
        elif event.call in ("rename", "exchange", "link", "unlink", "mkdir"):
            self._named(event)
        elif (found := self._open.get(event.descriptor)) is not None:
            self._written(event, found)

    def process_ended(self) -> None:
        """Nothing is open any more."""
        self._open.clear()

    def at(self, path: Path) -> File | Folder | None:
        """What has this name now."""
        found: File | Folder | None = self.top
        for name in path.relative_to(self._root).parts:
            found = found.entries.get(name) if isinstance(found, Folder) else None
        return found

    def _opened(self, event: Event) -> None:
        self._open.pop(event.descriptor, None)
        found = self.at(event.path)
        if found is None and "O_CREAT" in event.flags:
            folder = self._folder(event.path)
            found = folder.entries[event.path.name] = File()
            folder.change()
        if isinstance(found, File) and "O_TRUNC" in event.flags and found.content:
            found.change(0, None)
        if found is not None:
            self._open[event.descriptor], self._offsets[event.descriptor] = found, 0

    def _named(self, event: Event) -> None:
        folder = self._folder(event.path)
        if event.call == "mkdir":
            folder.entries[event.path.name] = Folder()
        elif event.call == "unlink":
            folder.entries.pop(event.path.name)
        elif event.call == "link":
            assert event.to is not None and event.to.parent == event.path.parent, "a second name within one folder"
            folder.entries[event.to.name] = folder.entries[event.path.name]
        else:
            assert event.to is not None and event.to.parent == event.path.parent, "a rename within one folder"
            moved, replaced = folder.entries.pop(event.path.name), folder.entries.get(event.to.name)
            folder.entries[event.to.name] = moved
            if event.call == "exchange":
                assert replaced is not None, "an exchange has two files"
                folder.entries[event.path.name] = replaced
        folder.change()

    def _written(self, event: Event, found: File | Folder) -> None:
        if event.call == "fsync":
            found.sync()
            return
        assert isinstance(found, File), "a folder is not written to"
        if event.call == "ftruncate":
            found.change(event.place, None)
        elif event.call == "lseek":
            self._offsets[event.descriptor] = event.place
        else:
            self._append(event, found)

    def _append(self, event: Event, found: File) -> None:
        offset = self._offsets[event.descriptor] if event.place < 0 or event.call == "copy" else event.place
        data = event.data
        if event.call == "copy":
            assert event.to is not None
            source = self.at(event.to)
            assert isinstance(source, File), f"{event.to} is known"
            data = bytes(source.content[offset : offset + event.place])
        found.change(offset, data)
        if event.place < 0 or event.call == "copy":
            self._offsets[event.descriptor] = offset + len(data)

    def _folder(self, path: Path) -> Folder:
        found = self.at(path.parent)
        assert isinstance(found, Folder), f"{path.parent} is known"
        return found


class Cuts:
    """A life that is recorded, and all that power cuts may have made of it."""

    def __init__(self, scratch: Path, born: type[Life], seed: int, notes: int, cuts: int) -> None:
        self._scratch, self._cuts = scratch, cuts
        (scratch / "disk").mkdir()
        self._life = born(scratch / "notes", scratch / "disk" / "vault", seed, notes)
        self._disk = Disk(scratch / "disk")
        self._chance = random.Random(seed)
        self.findings = Findings()
        self.done = self.went_on = 0

    def run(self) -> None:
        """All steps."""
        before = Finished()
        for step in self._life.steps():
            step.prepare()
            log = self._scratch / "log"
            with self._life.world():
                outcome = run_step(step.work, Blow(record=log), self._scratch, folder=self._life.vault)
            if outcome.code:
                sys.exit(f"{step.name} failed undisturbed: {outcome.said}")
            self._replay(step, [*events(log)], before)
            before = finished(self._life, step, self.findings, step.name)
            print(f"{step.name}: {self.done} cuts, {len(self.findings.wrong)} things wrong", flush=True)

    def _replay(self, step: Step, recorded: list[Event], before: Finished) -> None:
        graph = self._life.graph()
        instants = sorted(self._chance.randrange(len(recorded)) for _ in range(self._cuts))
        kept = Finished() if step.may_lose else before
        for number, event in enumerate(recorded):
            while instants and instants[0] == number:
                instants.pop(0)
                self._cut(step, kept, self._chance.choice((0.0, 0.5, 0.9, 1.0)), graph)
            self._disk.play(event)
        self._disk.process_ended()
        self._cut(replace(step, may_lose=False), finished(self._life, step, self.findings, step.name), 0.0, graph)

    def _cut(self, step: Step, kept: Finished, share: float, graph: str) -> None:
        """One power cut: what is there, and sometimes whether it goes on."""
        place = self._scratch / "cut"
        self._disk.top.write_after_a_cut(place, self._chance, share)
        cut = replace(self._life, vault=place / "vault")
        now = finished(cut, step, self.findings, f"cut in {step.name}")
        if kept.files - now.files:
            self.findings.tell(f"cut in {step.name}: lost {sorted(kept.files - now.files)[:3]}")
        if self._chance.random() < GOES_ON:
            self._go_on(step, cut, graph)
        shutil.rmtree(place)
        # The next cut may be of an earlier instant.
        forget_vault(cut.vault)
        self.done += 1

    def _go_on(self, step: Step, cut: Life, graph: str) -> None:
        again = next(one for one in cut.steps() if one.name == step.name)
        outcome = run_step(again.work, Blow(), self._scratch, folder=cut.vault)
        self.went_on += 1
        if outcome.code:
            self.findings.tell(f"{step.name} does not go on after a cut: {outcome.said}")
        elif _graph(cut) != graph:
            self.findings.tell(f"{step.name}: another graph after a cut")


def _graph(life: Life) -> str:
    """ "" where the vault does not open."""
    try:
        return life.graph()
    except NoderagError:
        return ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cuts", type=int, default=25, help="in each step")
    parser.add_argument("--notes", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--encrypted", action="store_true", help="as kills.py")
    wanted = parser.parse_args()
    if not can_refuse():
        sys.exit("strace is needed, and the right to trace a process of one's own.")
    with tempfile.TemporaryDirectory() as name:
        os.environ["NODERAG_STATE"] = str(Path(name) / "state")
        born = EncryptedLife if wanted.encrypted else Life
        cuts = Cuts(Path(name), born, wanted.seed, wanted.notes, wanted.cuts)
        cuts.run()
    print(f"{cuts.done} power cuts, {cuts.went_on} of them gone on from: {len(cuts.findings.wrong)} things wrong")
    sys.exit(bool(cuts.findings.wrong))


if __name__ == "__main__":
    main()
