"""An exported vault gives the same vault again, and nothing else passes for one."""

from __future__ import annotations

import base64
import hashlib
import json
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from helpers.conversation_turns import TURN
from hypothesis import given
from hypothesis import settings as quick
from hypothesis import strategies as st

from noderag_local.config import Settings
from noderag_local.domain.errors import NoderagError, SourceError, StoreError, VaultMissing
from noderag_local.storage.backup.digest import digest
from noderag_local.storage.conversations.conversations import Conversations
from noderag_local.storage.database.connection import FORMAT
from noderag_local.storage.database.store import Store
from noderag_local.vault.export.archive import read_archive, write_archive
from noderag_local.vault.vault import Vault

QUESTION = "Where does Anna keep the spare key?"


KILLS = 8
IMPORT = """
import pathlib, sys
from noderag_local.vault.export.archive import read_archive
from noderag_local.storage.database import migrations
print("begun", flush=True)
read_archive(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), lambda: "")
"""


def nobody() -> str:
    raise AssertionError("no passphrase is needed")


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three notes, one of them with a name that is no UTF-8, and a conversation; not to be written to."""
    folder = tmp_path_factory.mktemp("exported")
    notes = folder / "notes"
    notes.mkdir()
    (notes / "anna.md").write_text(
        "---\ndate: 2021-05-02\n---\n# Anna\n\nShe keeps the spare key behind the clock in Vienna.\n", encoding="utf-8"
    )
    (notes / "ben.md").write_text("# Ben\n\nBen met Anna in Vienna on 3 May 2021. 鍵は時計の後ろ。\n", encoding="utf-8")
    odd = bytes(notes) + b"/odd\xff.txt"
    with open(odd, "w", encoding="utf-8") as file:
        file.write("A line with \u2028 a separator.\n")
    with Vault(folder / "vault", Settings(models_dir=folder / "none")) as opened:
        opened.index([notes])
        opened.conversations.add(None, TURN)
    return folder / "vault"


@pytest.fixture
def archive(vault: Path, tmp_path: Path) -> Path:
    """The vault without its conversations, as a file."""
    with Store.open(vault, write=False) as store:
        write_archive(store, tmp_path / "v.jsonl", conversations=False, passphrase=None, force=False)
    return tmp_path / "v.jsonl"


def documents_in(folder: Path) -> int:
    try:
        with Store.open(folder, write=False) as store:
            return int(store.value("SELECT count(*) FROM documents"))
    except VaultMissing:
        return 0


def digest_of(folder: Path) -> str:
    with Store.open(folder, write=False) as store:
        return digest(store)


def test_the_vault_comes_back_as_it_was(vault: Path, archive: Path, tmp_path: Path, settings: Settings) -> None:
    done = read_archive(tmp_path / "back", archive, nobody)
    assert (done.documents, done.conversations) == (3, 0)
    assert digest_of(tmp_path / "back") == digest_of(vault)
    with Vault(vault, settings) as one, Vault(tmp_path / "back", settings) as other:
        for method in ("bm25", "noderag"):
            assert other.search(QUESTION, method=method).context == one.search(QUESTION, method=method).context
        assert all(finding.ok for finding in other.check())
        assert other.stats().state != one.stats().state


def test_indexing_goes_on_where_the_exported_vault_stood(
    archive: Path, vault: Path, settings: Settings, tmp_path: Path
) -> None:
    read_archive(tmp_path / "back", archive, nobody)
    with Vault(tmp_path / "back", settings) as opened:
        report = opened.index([vault.parent / "notes"])
    assert (report.added, report.changed, report.removed, report.unchanged) == (0, 0, 0, 3)


def test_an_import_that_is_killed_leaves_no_document_or_all_and_can_be_done_again(vault: Path, tmp_path: Path) -> None:
    archive, back = tmp_path / "v.jsonl", tmp_path / "back"
    with Store.open(vault, write=False) as store:
        write_archive(store, archive, conversations=True, passphrase=None, force=False)
    command = [sys.executable, "-c", IMPORT, back, archive]
    chance = random.Random(3)
    killed = 0
    while killed < KILLS:
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == "begun\n"
            time.sleep(chance.uniform(0, 0.1))
            process.kill()
        if documents_in(back):
            assert digest_of(back) == digest_of(vault)
            assert Conversations(back).turns(1) == (TURN,)
            shutil.rmtree(back)
        killed += 1
    if not documents_in(back):
        read_archive(back, archive, nobody)
    assert digest_of(back) == digest_of(vault)


def test_conversations_that_a_killed_import_has_left_are_not_in_the_way_but_others_are(
    vault: Path, tmp_path: Path
) -> None:
    archive, back = tmp_path / "v.jsonl", tmp_path / "back"
    with Store.open(vault, write=False) as store:
        write_archive(store, archive, conversations=True, passphrase=None, force=False)
    read_archive(back, archive, nobody)
    (back / "vault.sqlite").unlink()
    assert read_archive(back, archive, nobody).conversations == 1
    assert (digest_of(back), Conversations(back).turns(1)) == (digest_of(vault), (TURN,))
    (back / "vault.sqlite").unlink()
    Conversations(back).rename(1, "Something else")
    with pytest.raises(StoreError, match="holds something already"):
        read_archive(back, archive, nobody)
    assert Conversations(back).all()[0].name == "Something else"


def test_conversations_go_along_where_they_are_asked_for(vault: Path, tmp_path: Path) -> None:
    Conversations(vault).keep_draft("Nothing that was sent")
    with Store.open(vault, write=False) as store:
        done = write_archive(store, tmp_path / "v.jsonl", conversations=True, passphrase=None, force=False)
    Conversations(vault).keep_draft("")
    assert done.conversations == 1
    assert b"Nothing that was sent" not in (tmp_path / "v.jsonl").read_bytes()
    read_archive(tmp_path / "back", tmp_path / "v.jsonl", nobody)
    talks = Conversations(tmp_path / "back")
    assert talks.all() == Conversations(vault).all()
    assert talks.turns(1) == (TURN,)
    assert [one.id for one in talks.search(TURN.question.split()[-1].strip("?"))] == [1]
    assert talks.add(None, TURN).id == 2


def test_a_sealed_export_opens_by_its_passphrase_alone(vault: Path, tmp_path: Path) -> None:
    sealed = tmp_path / "v.sealed"
    with Store.open(vault, write=False) as store:
        write_archive(store, sealed, conversations=False, passphrase=lambda: "open sesame", force=False)
    assert b"Vienna" not in sealed.read_bytes()
    with pytest.raises(SourceError, match="passphrase does not open"):
        read_archive(tmp_path / "back", sealed, lambda: "Open sesame")
    assert not (tmp_path / "back").exists()
    read_archive(tmp_path / "back", sealed, lambda: "open sesame")
    assert digest_of(tmp_path / "back") == digest_of(vault)


def test_the_same_state_gives_the_same_bytes_readable_by_its_owner_alone(
    archive: Path, vault: Path, tmp_path: Path
) -> None:
    with Store.open(vault, write=False) as store:
        write_archive(store, tmp_path / "again.jsonl", conversations=False, passphrase=None, force=False)
    assert archive.read_bytes() == (tmp_path / "again.jsonl").read_bytes()
    assert archive.stat().st_mode & 0o777 == 0o600


def test_every_table_stands_in_it(archive: Path, vault: Path) -> None:
    head, *rows, _ = map(json.loads, archive.read_bytes().splitlines())
    with Store.open(vault, write=False) as store:
        named = {
            name
            for (name,) in store.rows("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'")
            if not name.startswith(("sqlite_", "_"))
        }
    assert set(head["tables"]) == named
    assert {row["table"] for row in rows} == {name for name, number in head["tables"].items() if number}


@quick(deadline=None, max_examples=60)
@given(data=st.data())
def test_a_file_that_was_cut_or_changed_is_refused(
    data: st.DataObject, cut: Callable[[bytes], Path], whole: bytes
) -> None:
    at = data.draw(st.integers(0, len(whole) - 1))
    changes = {"cut": whole[:at], "flipped": whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :]}
    changes["left out"] = whole[:at] + whole[at + 1 :]
    damaged = changes[data.draw(st.sampled_from(sorted(changes)))]
    path = cut(damaged)
    with pytest.raises(NoderagError):
        read_archive(path.parent / "back", path, nobody)
    assert not (path.parent / "back").exists()


@pytest.fixture(scope="module")
def whole(vault: Path, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("whole") / "v.jsonl"
    with Store.open(vault, write=False) as store:
        write_archive(store, path, conversations=False, passphrase=None, force=False)
    return path.read_bytes()


@pytest.fixture(scope="module")
def cut(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[bytes], Path]]:
    folder = tmp_path_factory.mktemp("cut")

    def written(content: bytes) -> Path:
        (folder / "v.jsonl").write_bytes(content)
        return folder / "v.jsonl"

    yield written


def resealed(lines: list[dict[str, object]]) -> bytes:
    """Lines with a head and a tail that fit them: what somebody could write who knows the form."""
    body = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
    end = {"end": {"lines": len(lines), "sha256": hashlib.sha256(body).hexdigest()}}
    return body + json.dumps(end, separators=(",", ":")).encode() + b"\n"


def head(**counts: int) -> dict[str, object]:
    return {"noderag": "vault", "form": 1, "vault_format": FORMAT, "tables": counts}


FILE = {"id": 1, "path": "/a", "root": "/", "size_bytes": 1, "modified_ns": 1, "by_lines": 0, "complete": 1}


@pytest.mark.parametrize(
    "lines",
    [
        [head(files=2), {"table": "files", "row": FILE}],
        [head(nobody=1), {"table": "nobody", "row": {"id": 1}}],
        [head(files=1), {"table": "files", "row": {**FILE, "evil) --": 1}}],
        [head(files=1), {"table": "sqlite_master", "row": {"name": "x"}}],
        [head(files=1), {"table": "files", "row": {**FILE, "id": 1 << 80}}],
        [head(files=1), {"table": "files", "row": {**FILE, "path": "\ud800"}}],
        [head(files=1), {"table": "files", "row": {**FILE, "path": ["a"]}}],
        [head(files=1), {"table": "files", "row": {**FILE, "path": {"base64": "?"}}}],
        [head(files=1), {"table": "files", "row": [1]}],
        [head(files=1), {"table": "files", "row": {"id": 1}}],
        [head(embeddings=1), {"table": "embeddings", "row": {"node_id": 7, "vector": {"base64": ""}}}],
        [{**head(), "tables": 3}],
        [{**head(), "form": "one"}],
    ],
)
def test_what_does_not_fit_leaves_nothing_in_the_way_of_a_good_file(
    lines: list[dict[str, object]], whole: bytes, tmp_path: Path
) -> None:
    path = tmp_path / "v.jsonl"
    path.write_bytes(resealed(lines))
    with pytest.raises(NoderagError):
        read_archive(tmp_path / "back", path, nobody)
    path.write_bytes(whole)
    assert read_archive(tmp_path / "back", path, nobody).documents == 3


def test_columns_that_an_older_version_did_not_have_take_their_defaults(
    vault: Path, archive: Path, tmp_path: Path
) -> None:
    lines = [json.loads(line) for line in archive.read_bytes().splitlines()][:-1]
    for line in lines:
        if line.get("table") in ("chunks", "sentences"):
            del line["row"]["place"]
    archive.write_bytes(resealed(lines))
    read_archive(tmp_path / "back", archive, nobody)
    assert digest_of(tmp_path / "back") == digest_of(vault)


@pytest.mark.parametrize("newer", [{"form": 2}, {"vault_format": FORMAT + 1}])
def test_an_export_of_a_newer_version_says_so(newer: dict[str, int], tmp_path: Path) -> None:
    path = tmp_path / "v.jsonl"
    path.write_bytes(resealed([{**head(), **newer}]))
    with pytest.raises(StoreError, match="newer version"):
        read_archive(tmp_path / "back", path, nobody)


@pytest.mark.parametrize("content", [b"", b"a note\n", b'{"a": 1}\n', b"[" * 100_000, base64.b64decode("AP8=")])
def test_other_files_are_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "v.jsonl").write_bytes(content)
    with pytest.raises(SourceError):
        read_archive(tmp_path / "back", tmp_path / "v.jsonl", nobody)


def test_a_vault_that_holds_something_is_left_as_it_is(vault: Path, archive: Path, tmp_path: Path) -> None:
    read_archive(tmp_path / "back", archive, nobody)
    with pytest.raises(StoreError, match="holds something already"):
        read_archive(tmp_path / "back", archive, nobody)
    assert digest_of(tmp_path / "back") == digest_of(vault)
