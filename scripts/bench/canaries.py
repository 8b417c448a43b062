#!/usr/bin/env python3
"""Puts canaries wherever a word of a note can stand, forgets the notes, and looks for the canaries in every byte that is left.

    .venv/bin/python scripts/bench/canaries.py [--forms plain encrypted] [--changes renamed edited ...] [--few]

A canary is a word of letters that no language puts in a row. Each place in a file has one of its own (canary_files.py); the notes
are indexed, the tier of the language model is filled by a rule, every retrieval method is asked about them, the answers are kept as
conversations, and a backup is made. Then the files are renamed, edited (with another canary), both at once, or deleted on disk, and
forgotten with their backups; or the process is killed while it forgets, and another command comes after it. In the end no piece of a
canary may stand in any file of the vault, of the user's data or of the caches: as UTF-8, UTF-16, base64, hexadecimal, in any
case; packed by zlib; in any cell of any table, and in any page, used or free, of an encrypted database.
"""

from __future__ import annotations

import argparse
import base64
import os
import random
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from canary_files import SCRIPTS, WRITERS, canary
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from ruled_answers import answered

from noderag_local.config import load_settings
from noderag_local.domain.errors import NoderagError
from noderag_local.domain.passages import Scope
from noderag_local.models.embedding.sentence_transformer import SentenceTransformerEmbedder
from noderag_local.models.llm.scripted import ScriptedEngine
from noderag_local.pipeline.budget import Budget
from noderag_local.pipeline.enrichment import enrich
from noderag_local.pipeline.plan import LAYERS, plan
from noderag_local.retrieval.retriever import method_names
from noderag_local.storage.conversations.conversations import Turn
from noderag_local.storage.database.sqlite_file import PAGE_BYTES, open_sqlite, raw_key
from noderag_local.storage.database.store import Store
from noderag_local.storage.encryption.key_file import key_of
from noderag_local.storage.encryption.sealed_file import read_content
from noderag_local.vault.vault import Vault

CHANGES = ("as they were", "renamed", "edited", "renamed and edited", "deleted", "killed")
FEW = (
    "body",
    "title",
    "front matter tags",
    "link label",
    "mail subject",
    "csv cell",
    "file name",
    "chinese",
    "json lines text",
    "table cell",
)
COPIED = ("vault", "notes", "home")
"""The home as well: what is remembered there of an encrypted vault would refuse an older copy of it."""
PASSPHRASE = "a passphrase for canaries"
_TAKEN_BYTES = 80
"""Of a page of SQLCipher: its initialisation vector and its HMAC."""
_LATIN = re.compile(rb"[qxzjvkw]{8,}", re.IGNORECASE)
_WIDE = re.compile(rb"(?:[qxzjvkw]\0){8,}", re.IGNORECASE)
_HAN = re.compile(rb"(?:\xe3\x90[\x80-\xbf]){2,}")
_CYRILLIC = re.compile(rb"(?:\xd1[\xa0-\xbf]){6,}")
_HEX = re.compile(rb"[0-9a-f]{16,}", re.IGNORECASE)
_BASE64 = re.compile(rb"[A-Za-z0-9+/_-]{16,}")
KILLED = """
import os, signal, sys
from pathlib import Path
from noderag_local.pipeline import indexing as pipeline
from noderag_local.config import load_settings
from noderag_local.ingest.sync import forgetting as forgotten
from noderag_local.pipeline.caches import Caches
from noderag_local.storage.conversations.conversations import Conversations
from noderag_local.storage.database.store import Store
from noderag_local.storage.encryption.unlock import unlock
from noderag_local.vault.vault import Vault

def die(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)

where = [(Conversations, "delete_all"), (forgotten, "forget"), (pipeline, "build_instant_graph"), (Caches, "forget"),
    (Caches, "_save_vectors"), (Conversations, "clear_traces"), (Store, "clear_traces"), (Store, "_write_anew")]
setattr(*where[int(sys.argv[2])], die)
unlock(Path(sys.argv[1]))
with Vault(Path(sys.argv[1]), load_settings(models_dir="none", automatic_backups=False)) as vault:
    vault.forget([Path(path) for path in sys.argv[3:]], renew_backups=True)
"""
INSTANTS = 8


@dataclass
class Notes:
    """The folder of notes, and the canaries in it."""

    folder: Path
    kinds: Sequence[str]
    chance: random.Random
    words: dict[str, str] = field(default_factory=dict)
    """Canary → place."""
    paths: dict[str, Path] = field(default_factory=dict)
    """Place → its file."""

    @property
    def secret(self) -> Path:
        return self.folder / "secret"

    def write(self) -> None:
        self.secret.mkdir(parents=True)
        for number, town in enumerate(("Vienna", "Porto", "Ghent")):
            text = f"# {town}\n\nAda Berg met Ben in {town} on {number + 1} May 2021. See [[Porto]].\n"
            (self.folder / f"{town}.md").write_text(text, "utf-8")
        for kind in self.kinds:
            self.paths[kind] = WRITERS[kind](self.secret, kind, self.word(kind))

    def word(self, kind: str) -> str:
        """A new canary for a place."""
        word = canary(self.chance, SCRIPTS[kind]) if kind in SCRIPTS else canary(self.chance)
        self.words[word] = kind
        return word

    def rename(self) -> None:
        for kind, path in self.paths.items():
            self.paths[kind] = path.rename(path.with_name(f"{self.word(kind)}{path.suffix}"))

    def edit(self) -> None:
        for kind, path in self.paths.items():
            with tempfile.TemporaryDirectory() as scratch:
                written = WRITERS[kind](Path(scratch), kind, self.word(kind))
                shutil.copyfile(written, path)

    def delete(self) -> None:
        for path in self.paths.values():
            path.unlink()


def pieces(content: bytes, *, deeper: bool = True) -> Iterator[bytes]:
    """Pieces of canaries in some bytes, however they are spelled."""
    for pattern in (_LATIN, _WIDE, _HAN, _CYRILLIC):
        yield from pattern.findall(content)
    if deeper:
        for run in _HEX.findall(content):
            yield from pieces(bytes.fromhex(run[: len(run) // 2 * 2].decode()), deeper=False)
        for run in _BASE64.findall(content):
            for skipped in range(4):
                cut = run[skipped : skipped + (len(run) - skipped) // 4 * 4]
                yield from pieces(base64.b64decode(cut, b"-_" if b"-" in cut or b"_" in cut else None), deeper=False)


def unpacked(value: bytes) -> bytes:
    """What zlib packed, or the bytes themselves."""
    try:
        return zlib.decompress(value)
    except zlib.error:
        return value


def cells(path: Path) -> Iterator[tuple[str, bytes]]:
    """(table and column, content) of every cell of a database."""
    connection = open_sqlite(path)
    try:
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        for table in tables:
            found = connection.execute(f'SELECT * FROM "{table}"')
            names = [column[0] for column in found.description]
            for row in found:
                for name, value in zip(names, row, strict=True):
                    if isinstance(value, str | bytes):
                        raw = value.encode("utf-8", "surrogatepass") if isinstance(value, str) else unpacked(value)
                        yield f"{path.name} {table}.{name}", raw
    except sqlite3.OperationalError as error:
        if "no such table" not in str(error) and "contentless" not in str(error):
            raise
    finally:
        connection.close()


def pages(path: Path) -> bytes:
    """The pages of a database, used and free; decrypted where it is encrypted."""
    content = path.read_bytes()
    key = key_of(path.parent)
    if key is None or content.startswith(b"SQLite format 3\0"):
        return content
    secret = bytes.fromhex(raw_key(key)[2:66])
    found = b""
    for start in range(0, len(content), PAGE_BYTES):
        page = content[start + (16 if start == 0 else 0) : start + PAGE_BYTES]
        vector = page[-_TAKEN_BYTES:][:16]
        decryptor = Cipher(algorithms.AES(secret), modes.CBC(vector)).decryptor()
        found += decryptor.update(page[:-_TAKEN_BYTES]) + decryptor.finalize()
    if content and int.from_bytes(found[:2], "big") != PAGE_BYTES:
        sys.exit(f"{path} was not decrypted as it should be: nothing can be said of it")
    return found


def contents(folder: Path) -> Iterator[tuple[str, bytes]]:
    """(place, bytes) of all that stands in a folder, names included."""
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        yield f"name of {name}", os.fsencode(name)
        if not path.is_file():
            continue
        yield name, path.read_bytes()
        if path.suffix == ".sqlite":
            yield f"pages of {name}", pages(path)
            yield from cells(path)
        elif key_of(path.parent) is not None and path.suffix in (".arrays", ".usearch", ".links"):
            yield f"content of {name}", bytes(read_content(path, key_of(path.parent)))


def found_in(places: Iterator[tuple[str, bytes]], notes: Notes) -> dict[str, set[str]]:
    """Where pieces of canaries stand → of which kinds."""
    found: dict[str, set[str]] = {}
    for place, content in places:
        for piece in pieces(content):
            text = piece.replace(b"\0", b"").decode("utf-8").casefold()
            kinds = {kind for word, kind in notes.words.items() if text in word or word in text}
            found.setdefault(place, set()).update(kinds or {f"?{text}"})
    return found


def fill(vault: Vault) -> None:
    """The tiers of the language model, by a rule."""
    vault.close()
    with Store.open(vault.folder, write=True) as store:
        for layer in LAYERS:
            parts = plan(lambda: SentenceTransformerEmbedder(2), layer)
            report = enrich(store, parts, ScriptedEngine(reply=answered), Budget())
            if not report.is_complete:
                sys.exit(f"enriching failed: {report.error}")


def talk(vault: Vault, notes: Notes) -> list[str]:
    """A conversation about each file, and one by each method that the vault has what it needs for; which these are."""
    asked = []
    for word, kind in notes.words.items():
        found = vault.search(f"harbour of {kind} {word}", method="bm25", budget_tokens=120)
        vault.conversations.add(None, Turn(f"What of {kind}?", "", f"The {word} came [1].", found))
    word, kind = next((word, kind) for word, kind in notes.words.items() if kind == "body")
    for method in method_names():
        try:
            found = vault.search(f"Whom did {word.title()} meet?", method=method, budget_tokens=200)
        except NoderagError:
            continue
        if not pieces_of(found.context):
            # It quotes nothing; what a person asks is no trace of the notes.
            continue
        one = vault.conversations.add(None, Turn("And whom?", f"Whom did {word} meet?", "Ada Berg [1].", found))
        vault.conversations.rename(one.id, f"About {word} by {method}")
        asked.append(method)
    scope = Scope(folder=str(notes.secret))
    vault.conversations.add(
        None, Turn("In there?", "", "Yes.", vault.search("Ada", method="bm25", scope=scope), scope=scope)
    )
    return asked


def pieces_of(text: str) -> list[bytes]:
    return list(pieces(text.encode()))


def build(folder: Path, notes: Notes, form: str) -> tuple[Vault, list[str]]:
    """A vault with everything that can be made of the notes."""
    # A backup is made by hand.
    vault = Vault(folder, load_settings(models_dir=folder.parent / "none", automatic_backups=False))
    if form == "encrypted":
        folder.mkdir()
        vault.encryption.encrypt(PASSPHRASE, log2_n=14)
    vault.index([notes.folder])
    fill(vault)
    methods = talk(vault, notes)
    vault.safety.back_up()
    return vault, methods


def change(notes: Notes, vault: Vault, how: str) -> None:
    if "renamed" in how:
        notes.rename()
    if "edited" in how:
        notes.edit()
    if how == "deleted":
        notes.delete()
    vault.index([notes.folder])


def killed(vault: Vault, notes: Notes, instant: int, environment: dict[str, str]) -> None:
    """Kills the process that forgets, and lets another command come after it."""
    vault.close()
    arguments = [sys.executable, "-c", KILLED, vault.folder, str(instant), *map(str, notes.paths.values())]
    done = subprocess.run(arguments, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != -9:
        sys.exit(f"not killed at instant {instant}: {done.stderr[-2000:]}")
    command = [sys.executable, "-m", "noderag_local", "stats", "--vault", str(vault.folder)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"the next command failed: {done.stderr[-2000:]}")


def tried(scratch: Path, form: str, changes: Sequence[str], kinds: Sequence[str], seed: int) -> int:
    """Builds a vault once and forgets in copies of it; how many cases left something."""
    notes = Notes(scratch / "notes", kinds, random.Random(seed))
    notes.write()
    vault, methods = build(scratch / "vault", notes, form)
    vault.close()
    before = found_in(contents(vault.folder), notes)
    seen = set().union(*before.values())
    traces = {place for place in before if "." in place and " " in place and not place.startswith(("pages", "name"))}
    print(
        f"{form}: {len(seen & set(kinds))} of {len(kinds)} places in files are seen in the vault, in {len(traces)} columns"
    )
    print(f"  and by {len(methods)} methods; not seen: {', '.join(sorted(set(kinds) - seen)) or 'none'}", flush=True)
    pristine, words, paths = scratch / "pristine", dict(notes.words), dict(notes.paths)
    for name in COPIED:
        shutil.copytree(scratch / name, pristine / name)
    environment = {**os.environ, "NODERAG_PASSPHRASE_FILE": str(scratch / "passphrase")}
    (scratch / "passphrase").write_text(PASSPHRASE, "utf-8")
    leaks = 0
    for how in changes:
        for instant in range(INSTANTS if how == "killed" else 1):
            notes.words, notes.paths = dict(words), dict(paths)
            for name in COPIED:
                shutil.rmtree(scratch / name)
                shutil.copytree(pristine / name, scratch / name)
            if how == "killed":
                killed(vault, notes, instant, environment)
            else:
                change(notes, vault, how)
                # What could not be read and is not there any more is nothing that the vault knows of.
                named = [notes.secret] if how == "deleted" else list(notes.paths.values())
                report = vault.forget(named, renew_backups=True)
                leaks += report.has_traces
                vault.index([notes.folder])
                vault.close()
            left = found_in(contents(vault.folder), notes)
            left |= found_in(contents(scratch / "home"), notes)
            leaks += bool(left)
            at = f" at instant {instant}" if how == "killed" else ""
            print(f"  {form}, {how}{at}: {sum(map(len, left.values()))} found", flush=True)
            for place, which in list(left.items())[:8]:
                print(f"    {place}: {', '.join(sorted(which)[:8])}")
    return leaks


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--forms", nargs="+", choices=("plain", "encrypted"), default=("plain", "encrypted"))
    parser.add_argument("--changes", nargs="+", choices=CHANGES, default=CHANGES)
    parser.add_argument("--few", action="store_true", help="a tenth of the places")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    leaks = 0
    for form in arguments.forms:
        with tempfile.TemporaryDirectory() as place:
            scratch = Path(place)
            for name, folder in (("HOME", "home"), ("XDG_DATA_HOME", "home/data"), ("NODERAG_STATE", "home/state")):
                (scratch / folder).mkdir()
                os.environ[name] = str(scratch / folder)
            kinds = FEW if arguments.few else tuple(WRITERS)
            leaks += tried(scratch, form, arguments.changes, kinds, arguments.seed)
    print("no canary is left" if not leaks else f"{leaks} cases left something")
    sys.exit(bool(leaks))


if __name__ == "__main__":
    main()
