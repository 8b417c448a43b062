"""Exports and bundles that somebody else has made: what does not fit is refused with nothing left of it, what fits reads no folder
that nobody here has chosen, and nothing is written outside."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from helpers.conversation_turns import TURN
from helpers.stub_wheel import write_stub_wheel
from hostile.keyed import INDEX, TALKS, encrypt, plain_vault, sentences, write_note
from typer.testing import CliRunner

from noderag_local.config import Settings
from noderag_local.domain.errors import SourceError
from noderag_local.interfaces.cli.command_app import app
from noderag_local.storage.conversations.conversations import Conversations
from noderag_local.storage.database.store import Store
from noderag_local.vault.export.archive import read_archive, write_archive
from noderag_local.vault.export.archive_filling import BYTES_A_STATEMENT, batches
from noderag_local.vault.export.archive_lines import LONGEST_LINE
from noderag_local.vault.export.bundle import write_bundle
from noderag_local.vault.vault import Vault
from noderag_local.vault.watch import known_roots

Lines = list[dict[str, Any]]
SECRET = "Marta keeps the key under the stone."


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """An export of a vault with conversations."""
    folder = tmp_path_factory.mktemp("exported")
    plain_vault(folder / "vault")
    Conversations(folder / "vault").add(None, TURN)
    with Store.open(folder / "vault", write=False) as store:
        write_archive(store, folder / "v.jsonl", conversations=True, passphrase=None, force=False)
    return (folder / "v.jsonl").read_bytes()


@pytest.fixture
def lines(exported: bytes) -> Lines:
    """Its head and rows, to be changed."""
    return [json.loads(line) for line in exported.splitlines()][:-1]


@pytest.fixture
def archive(tmp_path: Path) -> Callable[[Lines], Path]:
    """Writes lines as one writes them who knows the form: counted and hashed."""

    def written(lines: Lines) -> Path:
        counts: dict[str, int] = dict.fromkeys(lines[0]["tables"], 0)
        for line in lines[1:]:
            counts[line["table"]] = counts.get(line["table"], 0) + 1
        body = b"".join(json.dumps(line).encode() + b"\n" for line in [{**lines[0], "tables": counts}, *lines[1:]])
        end = {"end": {"lines": len(lines), "sha256": hashlib.sha256(body).hexdigest()}}
        path = tmp_path / "hostile.jsonl"
        path.write_bytes(body + json.dumps(end, separators=(",", ":")).encode() + b"\n")
        return path

    return written


def imported(path: Path) -> Path:
    vault = path.parent / "vault"
    read_archive(vault, path, str)
    return vault


def refused(path: Path) -> str:
    """The message; nothing of the file is left."""
    vault = path.parent / "vault"
    with pytest.raises(SourceError) as caught:
        read_archive(vault, path, str)
    left = [one.name for one in vault.iterdir() if not one.name.startswith("vault.lock")] if vault.exists() else []
    assert left == []
    return str(caught.value)


def rows(lines: Lines, table: str) -> list[dict[str, Any]]:
    return [line["row"] for line in lines if line.get("table") == table]


def with_fact(lines: Lines, name: str, value: str) -> Lines:
    others = [line for line in lines if line.get("table") != "facts" or line["row"]["name"] != name]
    return [*others, {"table": "facts", "row": {"name": name, "value": value}}]


class TestFoldersThatNobodyHereHasChosen:
    @pytest.fixture
    def place(self, tmp_path: Path) -> Path:
        """A folder of this machine that the file names."""
        folder = tmp_path / "private"
        folder.mkdir()
        (folder / "diary.md").write_text(SECRET + "\n")
        return folder

    @pytest.fixture
    def vault(self, lines: Lines, archive: Callable[[Lines], Path], place: Path) -> Path:
        for number, row in enumerate(rows(lines, "files")):
            row.update(root=str(place), path=str(place / f"gone {number}.md"))
        # It may say that its folders are chosen.
        return imported(archive(with_fact(lines, "roots of an import", "[]")))

    def opened(self, vault: Path) -> Vault:
        return Vault(vault, Settings(models_dir=vault / "none", automatic_backups=False))

    def test_are_not_followed_and_not_read(self, vault: Path, place: Path) -> None:
        looked: list[Path] = []
        rounds = iter(range(4))
        with self.opened(vault) as opened:
            opened.watch(stopped=lambda: next(rounds, None) is None, looked=looked.extend)
            assert opened.exchange.unchosen_roots() == [str(place)]
        assert looked == []
        assert SECRET not in sentences(vault)

    def test_are_told(self, lines: Lines, archive: Callable[[Lines], Path], place: Path, tmp_path: Path) -> None:
        rows(lines, "files")[0].update(root=f"{place}\x1b]0;owned\x07", path=str(place / "a.md"))
        done = CliRunner().invoke(app, ["import", str(archive(lines)), "--vault", str(tmp_path / "told")])
        assert done.exit_code == 0, done.output
        assert "Not followed until you index it" in done.output and "\x1b" not in done.output

    def test_are_followed_once_they_were_named(self, vault: Path, place: Path) -> None:
        with self.opened(vault) as opened:
            opened.index([place])
            assert opened.exchange.unchosen_roots() == []
        assert SECRET in sentences(vault)
        with Store.open(vault, write=False) as store:
            assert [one.paths for one in known_roots(store)] == [(place,)]

    def test_are_followed_once_a_folder_above_was_named(self, vault: Path, place: Path, tmp_path: Path) -> None:
        with self.opened(vault) as opened:
            opened.index([tmp_path])
        with Store.open(vault, write=False) as store:
            assert (place in {path for one in known_roots(store) for path in one.paths}) or SECRET in sentences(vault)


HOSTILE: dict[str, Callable[[Lines], object]] = {
    "a word where a number belongs": lambda lines: rows(lines, "sentences")[0].update(tokens="many"),
    "bytes where text belongs": lambda lines: rows(lines, "sentences")[0].update(text={"base64": "/w=="}),
    "a number where text belongs": lambda lines: rows(lines, "documents")[0].update(title=7),
    "no number": lambda lines: rows(lines, "edges")[0].update(weight=float("nan")),
    "endless": lambda lines: rows(lines, "edges")[0].update(weight=float("inf")),
    "vectors of two lengths": lambda lines: rows(lines, "embeddings")[0].update(vector={"base64": "AAAA"}),
    "no vector": lambda lines: rows(lines, "embeddings")[0].update(vector={"base64": "AA=="}),
    "tags that are no list": lambda lines: rows(lines, "documents")[0].update(tags='{"a": 1}'),
    "tags that are no JSON": lambda lines: rows(lines, "documents")[0].update(tags="[" * 100_000),
    "an alias that is no text": lambda lines: rows(lines, "documents")[0].update(aliases='["a\\ud83d"]'),
    "a retrieval that is none": lambda lines: rows(lines, "conversations/turns")[0].update(found='{"sources": 3}'),
    "a scope that is none": lambda lines: rows(lines, "conversations/turns")[0].update(scope="[]"),
    "the same row twice": lambda lines: lines.append(lines[-1]),
    "a row without its parent": lambda lines: rows(lines, "chunks")[0].update(document_id=4711),
    "nothing where something must be": lambda lines: rows(lines, "chunks")[0].update(text=None),
    "a table of SQLite's own": lambda lines: lines.append({"table": "sqlite_schema", "row": {"name": "x"}}),
    "a part of an index": lambda lines: lines.append({"table": "chunk_words_data", "row": {"id": 1, "block": None}}),
    "the counts of another vault": lambda lines: lines.append(
        {"table": "conversations/_generation", "row": {"own": 1, "index_seen": 1}}
    ),
    "a column with SQL in its name": lambda lines: rows(lines, "files")[0].update({'a") VALUES (1); --': 1}),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_rows_that_mean_nothing_leave_nothing(what: str, lines: Lines, archive: Callable[[Lines], Path]) -> None:
    HOSTILE[what](lines)
    refused(archive(lines))


@pytest.mark.parametrize("value", ["none", "9" * 400, "-5", "", str(1 << 62)])
def test_counts_of_states_are_the_vault_s_own_whatever_the_file_says(
    value: str, lines: Lines, archive: Callable[[Lines], Path]
) -> None:
    for name in ("generation", "generation of conversations"):
        lines = with_fact(lines, name, value)
    vault = imported(archive(with_fact(lines, "stamp", "a stamp of theirs")))
    with Store.open(vault, write=False) as store:
        assert (store.generation, store.stamp == "a stamp of theirs") == (1, False)


def test_the_counts_of_an_encrypted_vault_go_on(lines: Lines, archive: Callable[[Lines], Path], tmp_path: Path) -> None:
    encrypt(tmp_path / "vault")
    vault = imported(archive(with_fact(lines, "generation", "-7")))
    assert sentences(vault)
    write_note(vault, "b", "Bob read.")
    assert "Bob read." in sentences(vault)


def test_a_vault_that_was_there_keeps_its_files_when_an_import_is_refused(
    lines: Lines, archive: Callable[[Lines], Path], tmp_path: Path
) -> None:
    Store.open(tmp_path / "vault", write=True).close()
    HOSTILE["a row without its parent"](lines)
    with pytest.raises(SourceError):
        read_archive(tmp_path / "vault", archive(lines), str)
    assert (tmp_path / "vault" / INDEX).is_file() and not (tmp_path / "vault" / TALKS).exists()


class TestFilesThatAreNone:
    def test_a_pipe_is_not_waited_for(self, tmp_path: Path) -> None:
        os.mkfifo(tmp_path / "pipe")
        assert "is no file" in refused(tmp_path / "pipe")

    def test_a_device_and_a_folder(self, tmp_path: Path) -> None:
        (tmp_path / "zero").symlink_to("/dev/zero")
        (tmp_path / "folder").mkdir()
        for name in ("zero", "folder"):
            assert "is no file" in refused(tmp_path / name)

    def test_a_terabyte_of_nothing_is_not_read_to_its_end(self, exported: bytes, tmp_path: Path) -> None:
        path = tmp_path / "sparse"
        path.write_bytes(exported)
        os.truncate(path, 1 << 40)
        refused(path)

    def test_a_line_without_end(self, exported: bytes, tmp_path: Path) -> None:
        head, rest = exported.split(b"\n", 1)
        (tmp_path / "long").write_bytes(head + b"\n" + b'{"table": "' + b"a" * LONGEST_LINE + b"\n" + rest)
        refused(tmp_path / "long")

    @pytest.mark.parametrize("line", [b"[" * 1_000_000, b'{"a":' * 1_000_000, b'{"noderag":' + b"9" * 100_000 + b"}"])
    def test_nesting_and_numbers_without_end(self, line: bytes, tmp_path: Path) -> None:
        (tmp_path / "deep").write_bytes(line + b"\n")
        refused(tmp_path / "deep")

    def test_rows_are_taken_in_by_their_size(self) -> None:
        found = [("files", {"path": "a" * (BYTES_A_STATEMENT // 4)})] * 40
        sizes = [len(batch) for _, batch in batches(iter(found))]
        assert (sum(sizes), max(sizes)) == (40, 4)


STUB = """
import os, sys
def main():
    print(*sys.argv[1:])
    sys.exit(6 if sys.argv[1:] == ["models", "check"] and os.environ.get("BAD_MODEL") else 0)
"""


class TestBundles:
    @pytest.fixture
    def wheels(self, tmp_path: Path) -> Path:
        (tmp_path / "wheels").mkdir()
        write_stub_wheel(tmp_path / "wheels", STUB)
        return tmp_path / "wheels"

    @pytest.fixture
    def stick(self, wheels: Path, tmp_path: Path) -> Path:
        (tmp_path / "tiny.gguf").write_bytes(b"GGUF" + bytes(1000))
        model, vault = tmp_path / "tiny.gguf", tmp_path / "v.jsonl"
        vault.write_text("the vault")
        write_bundle(tmp_path / "stick", wheels, [model], lambda path: shutil.copy(vault, path), force=False)
        return tmp_path / "stick"

    def install(self, stick: Path, **variables: str) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "NODERAG_PYTHON": sys.executable, "HOME": str(stick.parent / "home"), **variables}
        command = ["sh", str(stick / "install.sh")]
        return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)

    SPOILED: dict[str, Callable[[Path], object]] = {
        "a link in place of a model": lambda stick: _linked(stick / "models" / "tiny.gguf"),
        "a pipe": lambda stick: os.mkfifo(stick / "models" / "pipe.gguf"),
        "a name above": lambda stick: _listed(stick, "../outside"),
        "an absolute name": lambda stick: _listed(stick, "/etc/hostname"),
        "a name deep below": lambda stick: _listed(stick, "models/../../outside"),
        "a name that begins with a dash": lambda stick: _listed(stick, "-c"),
        "a name of sha256sum's escapes": lambda stick: _listed(stick, "a\\nb"),
        "a name with a sequence for terminals": lambda stick: _listed(stick, "\x1b]0;owned\x07"),
        "a file twice": lambda stick: _listed(stick, "README.md"),
        "a file that is not listed": lambda stick: (stick / "models" / "other.gguf").write_bytes(b"GGUF"),
    }

    @pytest.mark.parametrize("what", SPOILED)
    def test_one_that_names_or_holds_what_it_may_not_installs_nothing(self, what: str, stick: Path) -> None:
        self.SPOILED[what](stick)
        done = self.install(stick)
        assert done.returncode == 1, done.stderr
        assert "Nothing was installed" in done.stderr and "\x1b" not in done.stderr
        assert not (stick.parent / "home").exists()

    def test_models_are_checked_before_the_vault_is_brought(self, stick: Path) -> None:
        done = self.install(stick, BAD_MODEL="yes")
        assert done.returncode == 1
        assert "a model is damaged, or not the one that its name says" in done.stderr
        assert "import" not in done.stdout
        whole = self.install(stick)
        assert (whole.returncode, whole.stdout.split()[0]) == (0, "import"), whole.stderr


def _linked(path: Path) -> None:
    shutil.move(path, path.parents[2] / "elsewhere")
    path.symlink_to(path.parents[2] / "elsewhere")


def _listed(stick: Path, name: str) -> None:
    """Adds a name, with the hash of what is there."""
    path = Path(os.path.join(stick, name))
    digest = hashlib.sha256(path.read_bytes() if path.is_file() else b"").hexdigest()
    with (stick / "SHA256SUMS").open("a") as file:
        file.write(f"{digest}  {name}\n")
