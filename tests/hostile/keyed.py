"""A small encrypted vault, and what somebody can do to its folder who does not have the key."""

from __future__ import annotations

import shutil
from pathlib import Path

from helpers.conversation_turns import TURN
from helpers.small_documents import add, document, link_and_embed

from noderag_local.storage.backup.backups import Backups
from noderag_local.storage.conversations.conversations import Conversations
from noderag_local.storage.database.store import Store
from noderag_local.vault.encrypt import VaultEncryption

INDEX, TALKS, KEY = "vault.sqlite", "conversations.sqlite", "vault.key"
QUICK = 4
"""log2 of scrypt's n."""
PASSPHRASE = "open sesame"


def write_note(vault: Path, name: str, sentence: str) -> None:
    """Adds a document, as indexing does."""
    with Store.open(vault, write=True) as store:
        add(store, document(f"/notes/{name}.md", [sentence]))
        link_and_embed(store)


def talk(vault: Path) -> None:
    """Adds a conversation."""
    Conversations(vault).add(None, TURN)


def sentences(vault: Path) -> list[str]:
    """What the vault answers from."""
    with Store.open(vault, write=False) as store:
        return [text for (text,) in store.rows("SELECT text FROM sentences ORDER BY text")]


def plain_vault(folder: Path, sentence: str = "Quirin hides the ledger.") -> Path:
    """A note, a conversation and a backup, not encrypted."""
    write_note(folder, "a", sentence)
    talk(folder)
    Backups(folder).make()
    return folder


def encrypt(vault: Path) -> None:
    """Puts all of it under a key that this process has."""
    VaultEncryption(vault, lambda: None).encrypt(PASSPHRASE, log2_n=QUICK)


def copied(vault: Path, to: Path, *names: str) -> Path:
    """Copies files of a vault, as somebody who can read its place may; all of them where none is named."""
    to.mkdir(exist_ok=True)
    for path in vault.iterdir():
        if path.is_file() and (not names or path.name in names):
            shutil.copy(path, to / path.name)
    return to


def put(kept: Path, vault: Path, *names: str) -> None:
    """Puts copies in the place of a vault's files; all of them where none is named."""
    for path in kept.iterdir():
        if path.is_file() and (not names or path.name in names):
            shutil.copy(path, vault / path.name)
