"""`noderag backup`, `noderag restore`, and what `noderag doctor` says of damage."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from helpers.command_line import Noderag


@pytest.fixture
def vault(tmp_path: Path, noderag: Noderag) -> Path:
    """A vault of one note."""
    (tmp_path / "ann.md").write_text("# Ann\n\nAnn Lee lives in Oslo.\n", "utf-8")
    folder = tmp_path / "vault"
    assert noderag("index", tmp_path / "ann.md", "--vault", folder).code == 0
    return folder


def test_there_and_back(noderag: Noderag, vault: Path, tmp_path: Path) -> None:
    done = noderag("backup", "--vault", vault)
    assert (done.code, "it was checked" in done.out) == (0, True)
    noderag("forget", tmp_path / "ann.md", "--yes", "--vault", vault)
    done = noderag("restore", "--yes", "--vault", vault)
    assert (done.code, "The previous vault is in" in done.out) == (0, True)
    assert "Oslo" in noderag("search", "Where is Ann?", "--vault", vault).out


def test_on_another_disk(noderag: Noderag, vault: Path, tmp_path: Path) -> None:
    stick = tmp_path / "stick"
    made = noderag("backup", stick, "--vault", vault, "--json").document
    assert Path(made["backup"]).parent == stick
    assert f"noderag restore {stick}" in " ".join(noderag("backup", stick, "--vault", vault).out.split())
    assert str(stick) in " ".join(noderag("doctor", "--vault", vault).out.split())
    assert noderag("restore", stick, "--yes", "--vault", tmp_path / "new").code == 0
    assert noderag("stats", "--vault", tmp_path / "new", "--json").document["documents"] == 1


def test_nobody_to_ask_nothing_to_restore_and_no_vault(noderag: Noderag, vault: Path, tmp_path: Path) -> None:
    assert noderag("restore", "--vault", vault).code == 2
    assert noderag("restore", "--yes", "--vault", vault).code == 4
    assert noderag("backup", "--vault", tmp_path / "none").code == 4


def test_the_doctor_names_the_backup_to_go_back_to(noderag: Noderag, vault: Path) -> None:
    assert "ok   backups: none yet" in noderag("doctor", "--vault", vault).out
    made = noderag("backup", "--vault", vault, "--json").document["backup"]
    assert "ok   backups: 1, " in noderag("doctor", "--vault", vault).out
    (vault / "vault.sqlite").write_bytes(b"no database at all" * 500)
    done = noderag("doctor", "--vault", vault)
    assert done.code == 1
    assert f"noderag restore goes back to {made}" in " ".join(done.out.split()).replace("- ", "-")


def test_the_doctor_makes_a_broken_full_text_index_anew(noderag: Noderag, vault: Path) -> None:
    from noderag_local.storage.database.store import Store

    with Store.open(vault, write=True) as store:
        store.run("DELETE FROM chunk_words_docsize")
    assert "NOT  full-text index" in noderag("doctor", "--vault", vault).out
    assert "doctor --repair" in noderag("doctor", "--vault", vault).out
    done = noderag("doctor", "--repair", "--vault", vault)
    assert (done.code, "Rebuilt: full-text indexes" in done.err) == (0, True)
    assert "Oslo" in noderag("search", "Oslo", "--method", "bm25", "--vault", vault).out


def test_where_the_rows_are_damaged_repair_says_what_is_left_to_do(noderag: Noderag, vault: Path) -> None:
    made = noderag("backup", "--vault", vault, "--json").document["backup"]
    path = vault / "vault.sqlite"
    content = bytearray(path.read_bytes())
    content[8192:] = os.urandom(len(content) - 8192)
    path.write_bytes(content)
    done = noderag("doctor", "--repair", "--vault", vault)
    assert (done.code, "Repair was not possible" in done.err) == (1, True)
    assert "noderag restore" in done.out
    assert noderag("restore", made, "--yes", "--vault", vault).code == 0
    assert noderag("doctor", "--vault", vault).code == 0


def test_a_vault_whose_key_file_is_gone_is_refused_until_its_owner_accepts_it(
    noderag: Noderag, vault: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = tmp_path / "kept.sqlite"
    shutil.copy(vault / "vault.sqlite", kept)
    (tmp_path / "secret").write_text("open sesame\n", "utf-8")
    monkeypatch.setenv("NODERAG_PASSPHRASE_FILE", str(tmp_path / "secret"))
    secret = ("--passphrase-file", tmp_path / "secret")
    assert noderag("encrypt", *secret, "--vault", vault).code == 0
    assert "Oslo" in noderag("search", "Where is Ann?", "--vault", vault).out
    (vault / "vault.key").unlink()
    shutil.copy(kept, vault / "vault.sqlite")
    for words in (("search", "Where is Ann?"), ("index", tmp_path / "ann.md"), ("doctor",)):
        done = noderag(*words, "--vault", vault)
        assert done.code != 0 and "noderag restore --accept" in " ".join((done.out + done.err).split())
    assert noderag("restore", "--accept", "--vault", vault).code == 2
    assert noderag("restore", "--accept", vault, "--yes", "--vault", vault).code == 2
    done = noderag("restore", "--accept", "--yes", "--vault", vault, "--json")
    assert (done.code, done.document["accepted"], done.document["backup"]) == (0, True, None)
    assert "Oslo" in noderag("search", "Where is Ann?", "--vault", vault).out
