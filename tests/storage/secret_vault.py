"""A small vault with a secret in every kind of file, for tests of its encryption."""

from __future__ import annotations

from pathlib import Path

from helpers.conversation_turns import TURN
from helpers.small_documents import add, document, link_and_embed

from noderag_local.storage.backup.backups import Backups
from noderag_local.storage.backup.digest import digest
from noderag_local.storage.conversations.conversations import Conversations
from noderag_local.storage.database.store import Store
from noderag_local.storage.encryption.conversion import DATABASES, encrypt_folder
from noderag_local.storage.encryption.key_file import KeyFile
from noderag_local.storage.encryption.vault_conversion import plain_files
from noderag_local.storage.encryption.vault_key import VaultKey, give
from noderag_local.storage.snapshots.snapshot import Snapshot

HEADER = b"SQLite format 3\0"
SECRETS = [word.encode(code) for word in ("stairs", "Quirin") for code in ("utf-8", "utf-16-le")]


def made(folder: Path) -> Path:
    """Two documents, a conversation, a cache and a backup, not encrypted."""
    with Store.open(folder, write=True) as store:
        add(store, document("/notes/a.md", ["Quirin hides the ledger.", "Bob read."]))
        add(store, document("/notes/b.md", ["It lies under the stairs."]))
        link_and_embed(store)
        Snapshot.open(store)
    Conversations(folder).add(None, TURN)
    Backups(folder).make()
    return folder


def key_in(folder: Path) -> VaultKey:
    """A new key in a folder's key file, which this process is given."""
    key = VaultKey.new()
    KeyFile.of(key).write(folder)
    give(key)
    return key


def encrypted(folder: Path, key: VaultKey | None = None) -> VaultKey:
    """Encrypts the databases of a vault, or of a backup, by a key that this process is given."""
    key = key or VaultKey.new()
    give(key)
    encrypt_folder(folder, KeyFile.of(key), key)
    return key


def digest_of(folder: Path) -> str:
    """Of the vault, or of a backup, in a folder."""
    with Store.open(folder, write=False) as store:
        return digest(store)


def plain_names(folder: Path) -> list[str]:
    """Databases of a vault, backups apart, that are not encrypted."""
    return [path.name for path in plain_files(folder) if path.parent == folder and path.name in DATABASES]


def leaks(folder: Path) -> list[str]:
    """Files with words of the notes, or with what SQLite begins with."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return [path.name for path in files if any(s in path.read_bytes() for s in (*SECRETS, HEADER))]
