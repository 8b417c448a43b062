"""`noderag export`, `import` and `bundle` as commands."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.command_line import Noderag


@pytest.mark.parametrize(
    ("target", "words", "told"),
    [
        ("v.jsonl", (), "rows of"),
        ("v.JSONL", (), "rows of"),
        ("g.graphml", (), "nodes and"),
        ("notes", (), "entities and"),
    ],
)
def test_the_ending_says_what_is_written(
    noderag: Noderag, sample_vault: Path, tmp_path: Path, target: str, words: tuple[str, ...], told: str
) -> None:
    done = noderag("export", tmp_path / target, *words, "--vault", sample_vault)
    assert done.code == 0, done.err
    assert done.out.startswith("Wrote ") and told in done.out
    again = noderag("export", tmp_path / target, *words, "--vault", sample_vault)
    assert again.code == 3 and "--force" in again.err
    assert noderag("export", tmp_path / target, *words, "--force", "--vault", sample_vault).code == 0


def test_an_encrypted_export_comes_back_by_its_passphrase(noderag: Noderag, sample_vault: Path, tmp_path: Path) -> None:
    secret, file = tmp_path / "secret", tmp_path / "v.jsonl"
    secret.write_text("correct horse\n", encoding="utf-8")
    done = noderag("export", file, "--encrypt", "--passphrase-file", secret, "--vault", sample_vault, "--json")
    assert done.code == 0 and done.document["documents"] > 0
    refused = noderag("import", file, "--vault", tmp_path / "back")
    assert refused.code == 2 and "--passphrase-file" in refused.err
    secret.write_text("correct horses\n", encoding="utf-8")
    wrong = noderag("import", file, "--passphrase-file", secret, "--vault", tmp_path / "back")
    assert wrong.code == 3 and "passphrase does not open" in wrong.err
    secret.write_text("correct horse\n", encoding="utf-8")
    back = noderag("import", file, "--passphrase-file", secret, "--vault", tmp_path / "back", "--json")
    assert back.document["vault"] == str(tmp_path / "back")
    one, other = (
        noderag("search", "When does the lease end?", "--vault", vault, "--json").document["context"]
        for vault in (sample_vault, tmp_path / "back")
    )
    assert one == other


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("export", "notes", "--encrypt"), "--format jsonl"),
        (("export", "g.graphml", "--conversations"), "--format jsonl"),
        (("export", "vault.xyz"), "no format has the ending '.xyz'"),
        (("bundle", "stick", "--wheels", ".", "--encrypt"), "--with-vault"),
    ],
)
def test_options_that_do_not_fit_are_told(noderag: Noderag, words: tuple[str, ...], told: str) -> None:
    done = noderag(*words)
    assert done.code == 2 and told in done.err


def test_a_folder_may_have_a_dot_in_its_name(noderag: Noderag, sample_vault: Path, tmp_path: Path) -> None:
    (there := tmp_path / "notes.old").mkdir()
    for folder in (tmp_path / "notes-2026.11", tmp_path / "v1.2", there):
        assert noderag("export", folder, "--vault", sample_vault).code == 0
        assert list(folder.rglob("*.md"))


def test_a_short_passphrase_is_refused_before_anything_is_written(
    noderag: Noderag, sample_vault: Path, tmp_path: Path
) -> None:
    (tmp_path / "secret").write_text("short\n", encoding="utf-8")
    done = noderag(
        "export", tmp_path / "v.jsonl", "--encrypt", "--passphrase-file", tmp_path / "secret", "--vault", sample_vault
    )
    assert done.code == 2 and "easy to guess" in done.err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["secret"]


def test_a_bundle_carries_the_vault(noderag: Noderag, sample_vault: Path, tmp_path: Path) -> None:
    from noderag_local import __version__

    wheels = tmp_path / "wheels"
    wheels.mkdir()
    (wheels / f"noderag_local-{__version__}-py3-none-any.whl").write_bytes(b"")
    stick = tmp_path / "stick"
    done = noderag("bundle", stick, "--wheels", wheels, "--with-vault", "--vault", sample_vault)
    assert done.code == 0, done.err
    assert "Seal: " in done.out
    assert noderag("import", stick / "vault.jsonl", "--vault", tmp_path / "back").code == 0
    lost = noderag("bundle", tmp_path / "other", "--wheels", wheels, "--model", "none", "--vault", sample_vault)
    assert lost.code == 6
