"""Paths, settings and variables that are no UTF-8, hold what ends texts, or lead nowhere: all works, or says what is wrong."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest
from helpers.command_line import Done, Noderag

from noderag_local.config import Settings
from noderag_local.interfaces.cli.run_command import run
from noderag_local.storage.encryption.conversion import DATABASES
from noderag_local.storage.encryption.vault_conversion import plain_files
from noderag_local.storage.encryption.vault_key import KEY_FILE_NAME
from noderag_local.vault.vault import Vault

BUG = 70
ODD = {
    "bytes": os.fsdecode(b"v\xff\xfe"),
    "line and colour": "a\nb\x1b[31m",
    "signs of URIs": "a?b=c#d%41&mode=ro",
    "quote": "a'b\"c;--",
    "long": "l" * 250,
}
PASSPHRASE = "three blind mice"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A vault of one note; not to be written to."""
    folder = tmp_path_factory.mktemp("made")
    (folder / "notes").mkdir()
    (folder / "notes" / "a.md").write_text("# Bob\n\nBob went home to Paris.\n", encoding="utf-8")
    (folder / "secret").write_text(PASSPHRASE, encoding="utf-8")
    with Vault(folder / "vault", Settings(models_dir=folder / "none")) as opened:
        opened.index([folder / "notes"])
    return folder


@pytest.fixture
def noderag(made: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    """Runs `noderag`, with no model and the passphrase given; every end but a bug's is a proper one."""
    monkeypatch.setenv("NODERAG_MODELS_DIR", str(made / "none"))
    monkeypatch.setenv("NODERAG_PASSPHRASE_FILE", str(made / "secret"))

    def command(*words: object) -> Done:
        capfd.readouterr()
        code = run([str(word) for word in words])
        told = capfd.readouterr()
        assert code != BUG, told.err
        return Done(code, told.out, told.err)

    return command


@pytest.mark.parametrize("name", ODD.values(), ids=ODD)
def test_a_vault_of_any_name_serves_every_command(name: str, made: Path, tmp_path: Path, noderag: Noderag) -> None:
    vault, out = tmp_path / name, tmp_path / "out"
    shutil.copytree(made / "vault", vault)
    for words in (
        ["index", made / "notes"],
        ["search", "Paris"],
        ["encrypt", "--passphrase-file", made / "secret"],
        ["search", "Paris", "--json"],
        ["ask", "Where did Bob go?"],
        ["show", made / "notes" / "a.md"],
        ["stats"],
        ["backup"],
        ["restore", "--yes"],
        ["export", out / "v.jsonl", "--format", "jsonl"],
        ["decrypt", "--yes"],
        ["forget", made / "notes" / "a.md", "--yes", "--backups"],
    ):
        out.mkdir(exist_ok=True)
        done = noderag(*words, "--vault", vault)
        assert done.code == 0, (words, done.err)
    assert not (vault / KEY_FILE_NAME).exists()


@pytest.mark.parametrize("name", ODD.values(), ids=ODD)
def test_encrypting_leaves_no_key_beside_a_plain_database(
    name: str, made: Path, tmp_path: Path, noderag: Noderag
) -> None:
    vault = tmp_path / name
    shutil.copytree(made / "vault", vault)
    noderag("encrypt", "--passphrase-file", made / "secret", "--vault", vault)
    plain = [path.name for path in plain_files(vault) if path.name in DATABASES]
    assert ((vault / KEY_FILE_NAME).exists(), plain) == (True, [])


@pytest.mark.parametrize("name", ODD.values(), ids=ODD)
def test_what_is_taken_out_and_brought_in_may_have_any_name(
    name: str, made: Path, tmp_path: Path, noderag: Noderag
) -> None:
    vault = tmp_path / "vault"
    shutil.copytree(made / "vault", vault)
    out = tmp_path / name
    out.mkdir()
    notes = tmp_path / "odd notes" / name
    shutil.copytree(made / "notes", notes)
    (tmp_path / "odd notes" / f"{name[:200]}.json").write_text(
        json.dumps([{"id": "1", "question": "Where did Bob go?", "answer": "Paris"}]), encoding="utf-8"
    )
    for words in (
        ["export", out / "v.jsonl"],
        ["export", out / "v.graphml"],
        ["export", out / "entities"],
        ["backup", out / "backups"],
        ["restore", out / "backups", "--yes"],
        ["index", notes],
        ["search", "Paris", "--folder", notes],
        ["search", name],
        ["forget", notes, "--yes"],
        ["import", out / "v.jsonl", "--vault", out / "imported"],
        [
            *("eval", tmp_path / "odd notes" / f"{name[:200]}.json", "--corpus", notes, "--vault", out / "eval"),
            *("--dump", out / "dump.jsonl", "--report", out / "report", "--budgets", "100"),
        ],
    ):
        vaulted = [] if "--vault" in words else ["--vault", vault]
        done = noderag(*words, *vaulted)
        assert done.code == 0, (words, done.err)


SETTINGS = {
    "no UTF-8": (b'model = "\xff"\n', "not UTF-8"),
    "UTF-16": (b'\xff\xfem\x00 \x00=\x00 \x00"\x00"\x00', "not UTF-8"),
    "cut letter": ('model = "ж"\n'.encode()[:10], "not UTF-8"),
    "NUL in a path": (b'vault = "/tmp/\\u0000x"\n', "NUL"),
    "NUL in a text": (b'server_url = "http://\\u0000"\n', "NUL"),
    "no TOML": (b"\x00\x01", "not valid TOML"),
}


@pytest.mark.parametrize("kind", SETTINGS)
def test_settings_that_cannot_be_used_are_told(
    kind: str, made: Path, tmp_path: Path, noderag: Noderag, monkeypatch: pytest.MonkeyPatch
) -> None:
    content, wanted = SETTINGS[kind]
    (tmp_path / "settings.toml").write_bytes(content)
    monkeypatch.setenv("NODERAG_SETTINGS", str(tmp_path / "settings.toml"))
    for words in (["stats"], ["search", "Paris"], ["index", made / "notes"], ["models", "list"]):
        done = noderag(*words)
        assert (done.code, wanted in done.err, str(tmp_path / "settings.toml") in done.err) == (2, True, True), done.err
    done = noderag("doctor")
    assert done.code == 1
    assert wanted in " ".join((done.out + done.err).split())


@pytest.mark.parametrize(
    "name", ["MODEL", "METHOD", "SERVER_URL", "SERVER_MODEL", "SERVER_KEY", "THEME", "BUDGET_TOKENS"]
)
def test_variables_that_are_no_utf8_are_told_and_never_shown(
    name: str, made: Path, noderag: Noderag, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(f"NODERAG_{name}", os.fsdecode(b"hidden\xff"))
    for words in (["stats"], ["ask", "Paris"]):
        done = noderag(*words, "--vault", made / "vault")
        assert (done.code, name.lower() in done.err) == (2, True), done.err
        assert "hidden" not in done.err


@pytest.mark.parametrize("name", ["VAULT", "MODELS_DIR", "PASSPHRASE_FILE", "SETTINGS"])
def test_variables_with_paths_may_hold_any_bytes(
    name: str, made: Path, tmp_path: Path, noderag: Noderag, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(f"NODERAG_{name}", str(tmp_path / ODD["bytes"]))
    assert noderag("stats", *([] if name == "VAULT" else ["--vault", made / "vault"])).code == (
        4 if name == "VAULT" else 0
    )


@pytest.mark.parametrize(
    "words",
    [
        ["index", "~nobody-here/x"],
        ["stats", "--vault", "~nobody-here/x"],
        ["export", "~nobody-here/x.jsonl"],
        ["forget", "~nobody-here/x", "--yes"],
        ["search", "Paris", "--folder", "~nobody-here"],
        ["restore", "~nobody-here", "--yes"],
        ["models", "list", "--models-dir", "~nobody-here"],
    ],
)
def test_the_home_of_nobody_is_a_name_like_any(
    words: list[str], made: Path, tmp_path: Path, noderag: Noderag, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(made / "vault", tmp_path / "vault")
    vaulted = [] if "--vault" in words or words[0] == "models" else ["--vault", tmp_path / "vault"]
    noderag(*words, *vaulted)


def test_where_the_current_folder_is_gone_it_is_told(
    made: Path, tmp_path: Path, noderag: Noderag, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    done = noderag("index", ".", "--vault", made / "vault")
    assert (done.code, "current folder no longer exists" in done.err) == (3, True)


def test_a_settings_file_that_may_not_be_read_is_told(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("takes another user's rights")
    path = tmp_path / "settings.toml"
    path.write_text("")
    path.chmod(0)
    for folder in (tmp_path, *tmp_path.parents):
        if folder.name.startswith(("pytest-", "test_")):
            folder.chmod(0o755)
    child = os.fork()
    if child == 0:
        from noderag_local.config import load_settings
        from noderag_local.domain.errors import SettingsError

        os.environ["NODERAG_SETTINGS"] = str(path)
        os.setgid(65534)
        os.setuid(65534)
        try:
            load_settings()
        except SettingsError as error:
            os._exit(0 if str(path) in str(error) else 1)
        os._exit(2)
    assert os.waitpid(child, 0)[1] == 0
