"""Whatever is written with text of the notes in it is its owner's alone, from its first instant and under any umask."""

from __future__ import annotations

import os
import stat
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from helpers.conversation_turns import TURN
from helpers.eval_runs import FIVE, PROVENANCE, run
from hostile.file_making import made_by_itself

import noderag_local
from noderag_local.config import Settings
from noderag_local.evaluation.dump import Dump
from noderag_local.evaluation.marks import marked
from noderag_local.evaluation.reports.comparison import compared
from noderag_local.evaluation.reports.report_page import write_report
from noderag_local.interfaces.cli.run_command import run as noderag
from noderag_local.interfaces.tui.settings.settings_file import change_setting
from noderag_local.storage.conversations.conversations import Conversations
from noderag_local.system.disk.private_files import (
    make_private_folder,
    new_private,
    open_private,
    replacing,
    write_private,
)
from noderag_local.vault.export.conversation_export import write_markdown
from noderag_local.vault.vault import Vault

PACKAGE = Path(noderag_local.__file__).parent
SCRIPTS = PACKAGE.parent / "scripts"
THE_WAY = "system/disk/"
"""Folder of the package with the one way to make a file."""
OF_MADE_UP_TEXT = {
    "bench/blows.py",
    "bench/canaries.py",
    "bench/canary_files.py",
    "bench/deep_documents.py",
    "bench/encryption.py",
    "bench/forget.py",
    "bench/fuzz_formats.py",
    "bench/haystack.py",
    "bench/hostile_texts.py",
    "bench/interface.py",
    "bench/killed.py",
    "bench/kills.py",
    "bench/made_notes.py",
    "bench/many_files.py",
    "bench/power_cuts.py",
    "bench/readers.py",
    "bench/sizes.py",
    "bench/vault_life.py",
    "picture.py",
    "record.py",
    "set_up_answers.py",
    "set_up_environment.py",
    "set_up_llama.py",
    "set_up.py",
}
"""Scripts that write what they made up, or into a folder of `tempfile`, which is private."""
PASSPHRASE = "three blind mice"


@pytest.fixture(autouse=True)
def loosest_umask() -> Iterator[None]:
    """Under which everything is for everybody that does not say otherwise."""
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """Where things are to be written: folders that are not there yet."""
    return tmp_path / "new" / "folder"


@pytest.fixture(scope="module", params=[False, True], ids=["plain", "encrypted"])
def vault(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A vault of one note with a conversation; not to be written to."""
    folder = tmp_path_factory.mktemp("vault")
    notes = folder.with_name(f"{folder.name}-notes")
    notes.mkdir()
    (notes / "quirin.md").write_text("# Quirin\n\nQuirin hides the ledger under the stairs.\n", encoding="utf-8")
    with Vault(folder, Settings(models_dir=folder.parent / "none")) as opened:
        opened.index([notes])
        if request.param:
            opened.encryption.encrypt(PASSPHRASE, log2_n=4)
        opened.conversations.add(None, TURN)
    return folder


def loose(folder: Path) -> dict[str, str]:
    """Files and folders in a folder that others may do anything with."""
    there = {path: stat.S_IMODE(path.lstat().st_mode) for path in (folder, *folder.rglob("*"))}
    return {str(path): oct(mode) for path, mode in there.items() if mode & 0o077}


def test_no_other_code_makes_files() -> None:
    sources = [(path, path.relative_to(PACKAGE).as_posix()) for path in PACKAGE.rglob("*.py")]
    own = [(path, name) for path, name in sources if not name.startswith(THE_WAY)]
    scripts = [(path, path.relative_to(SCRIPTS).as_posix()) for path in SCRIPTS.rglob("*.py")]
    looked_at = [*own, *((path, name) for path, name in scripts if name not in OF_MADE_UP_TEXT)]
    made = [
        f"{path}:{line}: {call}"
        for path, _ in looked_at
        for line, call in made_by_itself(path.read_text(encoding="utf-8"))
    ]
    assert made == [], "use noderag_local.system.disk.private_files"


@pytest.mark.parametrize(
    "call",
    [
        "open(path, 'w')",
        "open(path, mode='xb')",
        "open(path, how)",
        "path.open('a', encoding='utf-8')",
        "os.open(path, flags, 0o644)",
        "path.write_text(text)",
        "(folder / 'a').write_bytes(b'')",
        "path.mkdir(parents=True)",
        "os.makedirs(path)",
        "path.touch()",
        "shutil.copyfile(a, b)",
    ],
)
def test_the_rule_sees(call: str) -> None:
    assert list(made_by_itself(call))


@pytest.mark.parametrize("call", ["open(path)", "open(path, 'rb')", "path.open('r+b')", "store.touch()", "d.copy()"])
def test_the_rule_passes_over(call: str) -> None:
    assert not list(made_by_itself(call))


def conversation(vault: Path, out: Path, opened: Vault) -> None:
    """Needs the folder."""
    make_private_folder(out)
    kept = opened.conversations.all()[0]
    write_markdown(kept, opened.conversations.turns(kept.id), out)


def dump(vault: Path, out: Path, opened: Vault) -> None:
    make_private_folder(out)
    with Dump(out / "runs.jsonl", PROVENANCE, [FIVE]) as written:
        written.keep(run(FIVE, "Quirin hides the ledger."))


def report(vault: Path, out: Path, opened: Vault) -> None:
    write_report(
        out, [compared([(PROVENANCE, [marked(run(FIVE, "Quirin hides the ledger."))])], lambda method: ())], "x"
    )


def archive(vault: Path, out: Path, opened: Vault) -> None:
    make_private_folder(out)
    opened.exchange.write_archive(out / "vault.jsonl", conversations=True)


def notes_of_entities(vault: Path, out: Path, opened: Vault) -> None:
    opened.exchange.write_notes(out)


def graph(vault: Path, out: Path, opened: Vault) -> None:
    make_private_folder(out)
    opened.exchange.write_graph(out / "graph.graphml")


def backup(vault: Path, out: Path, opened: Vault) -> None:
    opened.safety.back_up(out)


@pytest.mark.parametrize("write", [conversation, dump, report, archive, notes_of_entities, graph, backup])
def test_what_is_taken_out_is_its_owners_alone(
    write: Callable[[Path, Path, Vault], None], vault: Path, out: Path, settings: Settings
) -> None:
    with Vault(vault, settings) as opened:
        write(vault, out, opened)
    assert [path for path in out.rglob("*") if path.is_file()]
    assert loose(out.parent) == {}


def test_a_vault_and_the_folders_above_it_are_their_owners_alone(tmp_path: Path, settings: Settings) -> None:
    (tmp_path / "notes.md").write_text("Quirin hides the ledger.", encoding="utf-8")
    folder = tmp_path / "a" / "b" / "vault"
    with Vault(folder, settings) as opened:
        opened.index([tmp_path / "notes.md"])
        Conversations(folder).add(None, TURN)
        assert loose(tmp_path / "a") == {}
    assert loose(tmp_path / "a") == {}


def test_settings_and_the_folders_above_them_are_their_owners_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NODERAG_SETTINGS", str(tmp_path / "a" / "b" / "settings.toml"))
    change_setting("server_key", "secret")
    assert loose(tmp_path / "a") == {}


@pytest.mark.parametrize("form", ["vault.jsonl", "graph.graphml", "entities"])
def test_a_plain_copy_of_an_encrypted_vault_is_told(
    form: str, vault: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], request: pytest.FixtureRequest
) -> None:
    assert noderag(["export", str(tmp_path / form), "--vault", str(vault)]) == 0
    told = f"{tmp_path / form} is plain text" in " ".join(capsys.readouterr().err.split())
    assert told == ("encrypted" in request.node.callspec.id)


def test_nothing_is_readable_while_it_is_written(tmp_path: Path) -> None:
    with replacing(tmp_path / "a") as file:
        file.write(b"Quirin")
        assert loose_but(tmp_path) == {}
        assert not (tmp_path / "a").exists()
    with open_private(tmp_path / "b", "ab"), new_private(tmp_path / "c"):
        assert loose_but(tmp_path) == {}


def loose_but(folder: Path) -> dict[str, str]:
    """As `loose`, the folder itself apart."""
    return {path: mode for path, mode in loose(folder).items() if path != str(folder)}


def test_writers_at_once_leave_one_whole_file(tmp_path: Path) -> None:
    texts = [letter * 100_000 for letter in "abcdefgh"]
    writers = [threading.Thread(target=write_private, args=(tmp_path / "a", text)) for text in texts]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert (tmp_path / "a").read_text() in texts
    assert len(list(tmp_path.iterdir())) == 1


def test_a_link_in_the_place_of_a_file_is_replaced_and_its_target_stays(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("mine")
    (tmp_path / "a").symlink_to(tmp_path / "mine")
    write_private(tmp_path / "a", "new")
    assert ((tmp_path / "mine").read_text(), (tmp_path / "a").is_symlink()) == ("mine", False)


def test_what_fails_leaves_the_old_file_and_nothing_beside_it(tmp_path: Path) -> None:
    write_private(tmp_path / "a", "old")
    with pytest.raises(ZeroDivisionError), replacing(tmp_path / "a") as file:
        file.write(b"new")
        raise ZeroDivisionError
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("a", "old")]


def test_the_longest_name_can_be_written(tmp_path: Path) -> None:
    name = "ж" * 127
    write_private(tmp_path / name, "x")
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_a_file_in_the_place_of_a_folder_is_refused(tmp_path: Path) -> None:
    write_private(tmp_path / "a", "x")
    with pytest.raises(OSError):
        make_private_folder(tmp_path / "a" / "b")
    with pytest.raises(NotADirectoryError):
        make_private_folder(tmp_path / "a")
