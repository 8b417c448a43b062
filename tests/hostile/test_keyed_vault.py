"""Whoever can write to the place of an encrypted vault, and has no key: nothing of theirs is answered from, and nothing is written
in the clear. What cannot be noticed is a test, too."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import traceback
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hostile.keyed import (
    INDEX,
    KEY,
    PASSPHRASE,
    TALKS,
    copied,
    encrypt,
    plain_vault,
    put,
    sentences,
    talk,
    write_note,
)

from noderag_local.domain.errors import StoreError, VaultDamaged, VaultMissing
from noderag_local.storage.backup.backups import Backups, chosen_backup
from noderag_local.storage.backup.restore import restore
from noderag_local.storage.conversations.conversations import Conversations
from noderag_local.storage.database.sqlite_file import open_sqlite
from noderag_local.storage.database.store import Store
from noderag_local.storage.encryption.generations import Least, note_conversations, note_index
from noderag_local.storage.encryption.key_file import read_key_file
from noderag_local.storage.encryption.known_vaults import KnownVault, known
from noderag_local.storage.encryption.vault_key import give
from noderag_local.vault.encrypt import VaultEncryption
from noderag_local.vault.safety import VaultSafety

OWN, FORGED = "Quirin hides the ledger.", "Quirin hands the ledger over."


@pytest.fixture(autouse=True)
def own_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One on which nothing was seen yet."""
    monkeypatch.setenv("NODERAG_STATE", str(tmp_path / "here"))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a plain vault, the same one encrypted, and one that somebody forged; not to be written to."""
    folder = tmp_path_factory.mktemp("made")
    plain_vault(folder / "plain")
    shutil.copytree(folder / "plain", folder / "keyed")
    encrypt(folder / "keyed")
    plain_vault(folder / "forged", FORGED)
    return folder


@pytest.fixture
def plain(made: Path, tmp_path: Path) -> Path:
    """Not encrypted yet."""
    return Path(shutil.copytree(made / "plain", tmp_path / "vault"))


@pytest.fixture
def vault(made: Path, tmp_path: Path) -> Path:
    """Encrypted, and known on this machine."""
    shutil.copytree(made / "keyed", tmp_path / "vault")
    sentences(tmp_path / "vault")
    return tmp_path / "vault"


@pytest.fixture
def forged(made: Path) -> Path:
    """A plain vault that somebody made; not to be written to."""
    return made / "forged"


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Goes to a machine that has never seen any vault."""
    return lambda: monkeypatch.setenv("NODERAG_STATE", str(tmp_path / "elsewhere"))


def refused(vault: Path, match: str) -> None:
    """Neither read nor written."""
    for write in (False, True):
        with pytest.raises(VaultDamaged, match=match):
            Store.open(vault, write=write)


def talks_refused(vault: Path, match: str) -> None:
    with pytest.raises(StoreError, match=match):
        Conversations(vault).all()
    with pytest.raises(StoreError, match=match):
        talk(vault)


def safety(vault: Path) -> VaultSafety:
    return VaultSafety(vault, lambda: None)


class TestAPlainFileInThePlaceOfAnEncryptedOne:
    def test_the_index(self, vault: Path, forged: Path) -> None:
        put(forged, vault, INDEX)
        before = (vault / INDEX).read_bytes()
        refused(vault, "not encrypted")
        assert (vault / INDEX).read_bytes() == before

    def test_the_conversations(self, vault: Path, forged: Path) -> None:
        put(forged, vault, TALKS)
        before = (vault / TALKS).read_bytes()
        talks_refused(vault, "not encrypted")
        assert (vault / TALKS).read_bytes() == before
        assert sentences(vault) == [OWN]

    def test_the_whole_vault_and_the_key_file_gone(self, vault: Path, forged: Path) -> None:
        (vault / KEY).unlink()
        put(forged, vault)
        refused(vault, "was encrypted when it was last opened here")
        talks_refused(vault, "was encrypted")

    def test_nothing_at_all_in_its_place(self, vault: Path) -> None:
        shutil.rmtree(vault)
        with pytest.raises(VaultMissing):
            Store.open(vault, write=False)
        with pytest.raises(VaultDamaged, match="was encrypted"):
            write_note(vault, "b", "Written in the clear.")
        assert not (vault / INDEX).is_file() or not (vault / INDEX).stat().st_size

    def test_a_key_file_that_leads_nowhere(self, vault: Path, forged: Path, elsewhere: Callable[[], None]) -> None:
        elsewhere()
        (vault / KEY).unlink()
        (vault / KEY).symlink_to(vault / "nothing")
        put(forged, vault, INDEX, TALKS)
        refused(vault, "link to nothing")
        talks_refused(vault, "link to nothing")

    def test_conversations_in_the_place_of_the_index(self, vault: Path) -> None:
        shutil.copy(vault / TALKS, vault / INDEX)
        refused(vault, "another program")

    def test_encrypting_once_more_takes_nothing_over(self, vault: Path, forged: Path) -> None:
        put(forged, vault, INDEX)
        with pytest.raises(VaultDamaged, match="not encrypted"):
            encrypt(vault)

    def test_its_own_files_from_before_it_was_encrypted(self, vault: Path, made: Path) -> None:
        put(made / "plain", vault)
        refused(vault, "not encrypted")

    def test_a_key_file_that_says_it_may_be_plain(self, vault: Path, forged: Path) -> None:
        put(forged, vault, INDEX)
        document = json.loads((vault / KEY).read_bytes())
        document["plain"] = {INDEX: hashlib.sha256((vault / INDEX).read_bytes()).hexdigest()}
        document["plain_mac"] = "00" * 32
        (vault / KEY).write_text(json.dumps(document))
        refused(vault, "not encrypted")


class TestAnInterruptedConversion:
    @pytest.fixture
    def part(self, plain: Path) -> Path:
        """A vault whose encrypting was stopped before it came to the index."""
        VaultEncryption(plain, lambda: None).encrypt(PASSPHRASE, cancelled=lambda: True, log2_n=4)
        return plain

    def test_what_it_has_not_come_to_is_read_and_the_next_writer_encrypts_it(self, part: Path) -> None:
        assert sentences(part) == [OWN]
        assert len(Conversations(part).all()) == 1
        write_note(part, "b", "Bob read.")
        talk(part)
        for name in (INDEX, TALKS):
            assert not (part / name).read_bytes().startswith(b"SQLite")
        assert sentences(part) == ["Bob read.", OWN]

    def test_whoever_writes_a_conversation_encrypts_it_first(self, part: Path) -> None:
        talk(part)
        assert not (part / TALKS).read_bytes().startswith(b"SQLite")

    def test_what_somebody_put_there_meanwhile_is_refused(self, part: Path, forged: Path) -> None:
        put(forged, part, INDEX, TALKS)
        refused(part, "not encrypted")
        talks_refused(part, "not encrypted")
        with pytest.raises(VaultDamaged, match="not encrypted"):
            encrypt(part)

    def test_the_key_file_of_that_time_brings_the_plain_files_back_nowhere_they_are_known(
        self, part: Path, tmp_path: Path
    ) -> None:
        kept = copied(part, tmp_path / "kept")
        encrypt(part)
        write_note(part, "b", "Bob read.")
        put(kept, part)
        refused(part, "older than it was")


class TestDecrypting:
    def test_a_plain_file_that_somebody_put_there_is_not_taken_over(self, vault: Path, forged: Path) -> None:
        put(forged, vault, INDEX)
        self._is_refused(vault, "not encrypted")

    def test_an_older_index_is_not_taken_over(self, vault: Path, tmp_path: Path) -> None:
        old = copied(vault, tmp_path / "old", INDEX)
        write_note(vault, "b", "Bob read.")
        put(old, vault)
        self._is_refused(vault, "older than it was")

    @pytest.mark.parametrize("name", [INDEX, TALKS])
    def test_a_damaged_file_keeps_its_key(self, vault: Path, name: str) -> None:
        """Without the key, the pages that are in order would be lost, too."""
        with (vault / name).open("r+b") as file:
            file.write(os.urandom(100))
        self._is_refused(vault, "damaged")

    def test_a_damaged_backup_keeps_its_key(self, vault: Path) -> None:
        (backup,) = Backups(vault).all()
        with (backup.folder / INDEX).open("r+b") as file:
            file.write(os.urandom(100))
        assert VaultEncryption(vault, lambda: None).decrypt().left == (backup.folder,)
        assert (backup.folder / KEY).is_file()
        assert sentences(vault) == [OWN]

    def _is_refused(self, vault: Path, match: str) -> None:
        before = {path: path.read_bytes() for path in vault.rglob("*.sqlite")}
        with pytest.raises(VaultDamaged, match=match):
            VaultEncryption(vault, lambda: None).decrypt()
        assert (vault / KEY).is_file()
        assert {path: path.read_bytes() for path in before} == before


class TestOlderFiles:
    """Copies of the vault's own encrypted files, put back."""

    def test_the_index_alone_where_the_conversations_are_newer(
        self, vault: Path, tmp_path: Path, elsewhere: Callable[[], None]
    ) -> None:
        kept = copied(vault, tmp_path / "kept")
        write_note(vault, "b", "Bob forgot.")
        talk(vault)
        put(kept, vault, INDEX)
        elsewhere()
        refused(vault, f"{INDEX} is older")

    def test_an_index_that_was_written_since_and_nobody_talked(
        self, vault: Path, tmp_path: Path, elsewhere: Callable[[], None]
    ) -> None:
        talk(vault)
        kept = copied(vault, tmp_path / "kept")
        write_note(vault, "b", "Bob forgot.")
        put(kept, vault, INDEX)
        elsewhere()
        refused(vault, f"{INDEX} is older")

    def test_conversations_alone_where_the_index_is_newer(
        self, vault: Path, tmp_path: Path, elsewhere: Callable[[], None]
    ) -> None:
        talk(vault)
        kept = copied(vault, tmp_path / "kept")
        talk(vault)
        write_note(vault, "b", "Bob forgot.")
        put(kept, vault, TALKS)
        elsewhere()
        talks_refused(vault, f"{TALKS} is older")

    def test_all_of_them_together_on_this_machine(self, vault: Path, tmp_path: Path) -> None:
        kept = copied(vault, tmp_path / "kept")
        write_note(vault, "b", "Bob forgot.")
        put(kept, vault)
        refused(vault, "older than it was")

    def test_whoever_comes_late_with_an_older_count_takes_nothing_from_what_is_known(self, vault: Path) -> None:
        seen = known(vault)
        assert seen is not None
        note_index(vault, seen.index + 5)
        # It began to write before the index was.
        note_conversations(vault, Least(seen.index, seen.conversations), seen.conversations + 1)
        assert known(vault) == KnownVault(seen.vault, seen.index + 5, seen.conversations + 1)

    def test_conversations_together_with_the_index_of_their_time(self, vault: Path, tmp_path: Path) -> None:
        talk(vault)
        kept = copied(vault, tmp_path / "kept")
        talk(vault)
        put(kept, vault)
        talks_refused(vault, "older than it was")

    def test_all_of_them_together_on_another_machine_cannot_be_noticed(
        self, vault: Path, tmp_path: Path, elsewhere: Callable[[], None]
    ) -> None:
        kept = copied(vault, tmp_path / "kept")
        write_note(vault, "b", "Bob forgot.")
        put(kept, vault)
        elsewhere()
        assert sentences(vault) == [OWN]

    def test_a_whole_plain_vault_on_another_machine_cannot_be_noticed(
        self, vault: Path, forged: Path, elsewhere: Callable[[], None]
    ) -> None:
        (vault / KEY).unlink()
        put(forged, vault)
        elsewhere()
        assert sentences(vault) == [FORGED]

    def test_a_backup_copied_there_by_hand_is_refused_and_restored_it_is_not(self, vault: Path) -> None:
        backup = Backups(vault).make()
        write_note(vault, "b", "Bob read.")
        talk(vault)
        put(backup.folder, vault)
        refused(vault, "noderag restore")
        restore(vault, backup)
        assert sentences(vault) == [OWN]
        assert len(Conversations(vault).all()) == 1

    def test_after_going_back_on_purpose_the_files_of_before_do_not_fit(self, vault: Path, tmp_path: Path) -> None:
        backup = Backups(vault).make()
        write_note(vault, "b", "Bob read.")
        kept = copied(vault, tmp_path / "kept")
        restore(vault, backup)
        assert sentences(vault) == [OWN]
        put(kept, vault)
        refused(vault, "older than it was")


class TestBackups:
    def test_a_plain_one_is_not_restored_into_an_encrypted_vault(self, vault: Path, forged: Path) -> None:
        with pytest.raises(StoreError, match="is not encrypted, but the vault"):
            restore(vault, Backups(forged).all()[0])
        assert sentences(vault) == [OWN]

    def test_nor_where_the_key_file_was_taken_away(self, vault: Path, forged: Path) -> None:
        (vault / KEY).unlink()
        with pytest.raises(StoreError, match="was encrypted"):
            restore(vault, Backups(forged).all()[0])

    def test_one_that_was_put_among_the_vaults_own_as_the_newest(self, vault: Path, forged: Path) -> None:
        newest = vault / "backups" / (datetime.now(UTC) + timedelta(days=1)).strftime("%Y-%m-%dT%H-%M-%S-%fZ")
        shutil.copytree(Backups(forged).all()[0].folder, newest)
        for key_file in (False, True):
            if key_file:
                shutil.copy(vault / KEY, newest / KEY)
            with pytest.raises(StoreError, match="not encrypted"):
                restore(vault, chosen_backup(vault, None))
            done = VaultEncryption(vault, lambda: None).encrypt("", log2_n=4)
            assert done.left == (newest,)
            assert (newest / INDEX).read_bytes().startswith(b"SQLite")
        assert sentences(vault) == [OWN]

    def test_it_can_be_restored_into_a_folder_of_its_own(self, vault: Path, tmp_path: Path, forged: Path) -> None:
        restore(tmp_path / "new", Backups(forged).all()[0])
        assert sentences(tmp_path / "new") == [FORGED]


class TestSayingThatItIsOnesOwn:
    def test_a_vault_that_was_decrypted_elsewhere(self, vault: Path, forged: Path) -> None:
        (vault / KEY).unlink()
        put(forged, vault)
        safety(vault).accept()
        assert sentences(vault) == [FORGED]

    def test_a_plain_file_under_a_key_is_encrypted(self, vault: Path, forged: Path) -> None:
        put(forged, vault, INDEX)
        safety(vault).accept()
        assert sentences(vault) == [FORGED]
        assert not (vault / INDEX).read_bytes().startswith(b"SQLite")
        assert len(Conversations(vault).all()) == 1

    def test_older_files(self, vault: Path, tmp_path: Path) -> None:
        kept = copied(vault, tmp_path / "kept")
        write_note(vault, "b", "Bob forgot.")
        talk(vault)
        put(kept, vault, INDEX)
        refused(vault, "older than it was")
        safety(vault).accept()
        assert sentences(vault) == [OWN]
        assert len(Conversations(vault).all()) == 2
        write_note(vault, "c", "Bob read.")
        talk(vault)
        assert sentences(vault) == ["Bob read.", OWN]


class TestAVaultInOrderIsNeverRefused:
    def test_decrypted_by_its_owner(self, vault: Path) -> None:
        VaultEncryption(vault, lambda: None).decrypt()
        write_note(vault, "b", "Bob read.")
        assert sentences(vault) == ["Bob read.", OWN]

    def test_encrypted_again_with_files_exchanged_in_between(self, vault: Path, tmp_path: Path) -> None:
        VaultEncryption(vault, lambda: None).decrypt()
        kept = copied(vault, tmp_path / "kept")
        write_note(vault, "b", "Bob read.")
        talk(vault)
        put(kept, vault, INDEX)
        encrypt(vault)
        assert sentences(vault) == [OWN]
        assert len(Conversations(vault).all()) == 2

    def test_one_of_a_version_that_did_not_count(self, vault: Path, elsewhere: Callable[[], None]) -> None:
        talk(vault)
        for name, statement in (
            (INDEX, "DELETE FROM facts WHERE name LIKE 'generation of%'"),
            (TALKS, "DROP TABLE _generation"),
        ):
            connection = open_sqlite(vault / name)
            connection.execute(statement)
            connection.close()
        elsewhere()
        assert sentences(vault) == [OWN]
        write_note(vault, "b", "Bob read.")
        talk(vault)
        assert len(Conversations(vault).all()) == 3
        assert len(sentences(vault)) == 2

    def test_without_its_conversations_which_begin_anew(self, vault: Path) -> None:
        talk(vault)
        write_note(vault, "b", "Bob read.")
        (vault / TALKS).unlink()
        assert Conversations(vault).all() == []
        talk(vault)
        write_note(vault, "c", "Bob wrote.")
        assert len(Conversations(vault).all()) == 1

    def test_without_its_index_which_is_made_anew(self, vault: Path) -> None:
        talk(vault)
        (vault / INDEX).unlink()
        write_note(vault, "b", "Bob read.")
        talk(vault)
        assert sentences(vault) == ["Bob read."]
        assert len(Conversations(vault).all()) == 3

    def test_where_nothing_can_be_remembered(
        self, vault: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "a file").write_text("")
        monkeypatch.setenv("NODERAG_STATE", str(tmp_path / "a file"))
        write_note(vault, "b", "Bob read.")
        talk(vault)
        assert sentences(vault) == ["Bob read.", OWN]

    def test_with_a_note_of_this_machine_that_a_power_cut_has_emptied(self, vault: Path) -> None:
        (note,) = (Path(os.environ["NODERAG_STATE"]) / "encrypted vaults").iterdir()
        note.write_bytes(b"")
        assert sentences(vault) == [OWN]
        assert note.read_bytes()

    def test_the_notes_of_this_machine_are_private_and_name_no_path(self, vault: Path) -> None:
        (note,) = (Path(os.environ["NODERAG_STATE"]) / "encrypted vaults").iterdir()
        assert (note.stat().st_mode & 0o777, note.parent.stat().st_mode & 0o777) == (0o600, 0o700)
        assert str(vault) not in note.read_text()

    def test_while_others_write_both_files(self, vault: Path) -> None:
        work = "for n in range(12):\n write_note(vault, f'n{n}', f'Bob read {n}.')", "for n in range(12):\n talk(vault)"
        with running(vault, work[0]) as index, running(vault, work[1]) as talks:
            while index.poll() is None or talks.poll() is None:
                sentences(vault)
                Conversations(vault).all()
        assert (index.returncode, talks.returncode) == (0, 0)
        assert len(Conversations(vault).all()) == 13


WORK: dict[str, Callable[[Path], object]] = {
    "write": lambda vault: (talk(vault), write_note(vault, "b", "Bob read."), talk(vault)),
    "restore": lambda vault: restore(vault, Backups(vault).all()[-1]),
    "decrypt": lambda vault: VaultEncryption(vault, lambda: None).decrypt(),
    "encrypt": encrypt,
    "accept": lambda vault: safety(vault).accept(),
}
STEPS = {"decrypt": 9, "encrypt": 5}
"""Calls from one kill to the next, later one; else 2."""
EVENTS = ("open", "os.rename", "os.remove", "sqlite3.connect")


@pytest.mark.parametrize("what", WORK)
def test_a_kill_between_any_two_writes_leaves_a_vault_that_opens(
    what: str, plain: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if what != "encrypt":
        encrypt(plain)
        talk(plain)
        write_note(plain, "old", "Ada wrote.")
    instant, ended = 1, None
    while ended != 0:
        place = tmp_path / "struck" / "vault"
        shutil.rmtree(place.parent, ignore_errors=True)
        shutil.copytree(plain, place)
        monkeypatch.setenv("NODERAG_STATE", str(place.parent / "state"))
        sentences(place)
        ended = killed(WORK[what], place, instant)
        give_key_of(place)
        assert OWN in sentences(place)
        assert Conversations(place).all()
        write_note(place, "after", "Cora came.")
        talk(place)
        instant += STEPS.get(what, 2)
    assert instant > 10


def killed(work: Callable[[Path], object], vault: Path, instant: int) -> int:
    """Works in another process, which is killed before it opens, renames or removes its nth file; how that ended."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    left = instant

    def kill_in_time(event: str, arguments: tuple[object, ...]) -> None:
        nonlocal left
        if event in EVENTS and str(vault.parent) in str(arguments[0]):
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(kill_in_time)
    ended = 1
    try:
        work(vault)
        ended = 0
    finally:
        # Nothing of pytest's own goes on in the child.
        if sys.exc_info()[0]:
            traceback.print_exc()
        os._exit(ended)


def running(vault: Path, work: str) -> subprocess.Popen[bytes]:
    """Another process at work on the vault, which it can open."""
    code = (
        "import sys\nfrom pathlib import Path\nfrom hostile.keyed import *\nfrom noderag_local.storage.encryption.unlock import unlock\n"
        f"vault = Path(sys.argv[1])\nunlock(vault, lambda again: PASSPHRASE)\n{work}"
    )
    return subprocess.Popen([sys.executable, "-c", code, vault], cwd=Path(__file__).parents[1])


def give_key_of(vault: Path) -> None:
    file = read_key_file(vault)
    key = file and file.opened_by(PASSPHRASE)
    if key:
        give(key)
