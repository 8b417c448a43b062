"""A vault's life (vault_life.py) behind a passphrase, and what anybody can read of it who gets at the disk."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from vault_life import PEOPLE, TOWNS, Life, Step, nothing

from noderag_local.domain.errors import NoderagError
from noderag_local.domain.passages import Retrieval
from noderag_local.storage.conversations.conversations import Conversations, Turn
from noderag_local.storage.encryption.unlock import unlock
from noderag_local.vault.encrypt import VaultEncryption

PASSPHRASES = ("the first of two", "the second one")
QUICK = 4
"""log2 of scrypt's n: what is struck is writing, not the making of a key."""
WORDS = (*PEOPLE, *(town for town in TOWNS if len(town) > 5), "SQLite format 3")
"""Long enough not to stand in what is encrypted by chance."""
QUESTION = f"Where did {PEOPLE[0]} go?"
TURN = Turn(QUESTION, "", f"To {TOWNS[0]}.", Retrieval("noderag", QUESTION, 0, TOWNS[0], 1, (), (), (), 1.0))


@dataclass
class EncryptedLife(Life):
    """The same life, encrypted when there are notes, a conversation and a backup; decrypted once, and encrypted again."""

    def steps(self) -> list[Step]:
        """In order."""
        first, *others = super().steps()
        found: list[Step] = [
            first,
            Step("talk and backup", nothing, self._talk),
            self._conversion("encrypt", self._encrypt),
        ]
        for step in others:
            found.append(replace(step, is_secret=True))
            if step.name == "backup":
                found.append(self._conversion("passphrase", self._change_passphrase, is_secret=True))
            if step.name == "restore":
                found.append(self._conversion("decrypt", self._decrypt))
                found.append(self._conversion("encrypt again", self._encrypt))
        return [replace(step, prepare=self._opened(step.prepare), work=self._opened(step.work)) for step in found]

    def unlock(self) -> None:
        """Lets this process open the vault, by whichever passphrase it has by now."""
        unlock_by_any(self.vault)

    def secure(self, vault: Path) -> None:
        """Encrypts a new vault."""
        unlock_by_any(vault)
        VaultEncryption(vault, nothing).encrypt(PASSPHRASES[0], log2_n=QUICK)

    def exposed(self) -> list[str]:
        """Files of the vault, and of what was made of it, that have a word of the notes."""
        outside = (self.vault.with_name("imported"), self.vault.with_name("carried.jsonl"))
        files = [path for place in (self.vault, *outside) for path in (place, *place.rglob("*")) if path.is_file()]
        return [path.name for path in files if _is_readable(path)]

    @property
    def archive_passphrase(self) -> Callable[[], str]:
        """Of what is carried."""
        return lambda: PASSPHRASES[0]

    def _opened(self, work: Callable[[], None]) -> Callable[[], None]:
        def done() -> None:
            self.unlock()
            work()

        return done

    def _conversion(self, name: str, work: Callable[[], None], *, is_secret: bool = False) -> Step:
        def done() -> None:
            # Forgetting may have taken it: it quotes a note.
            before = Conversations(self.vault).all()
            work()
            if Conversations(self.vault).all() != before:
                raise AssertionError(f"{name}: a conversation was lost")
            for finding in self._encryption.check():
                if not finding.ok:
                    # A disk that fails may make a backup look damaged.
                    raise NoderagError(finding.detail)

        return Step(name, nothing, done, keeps_items=True, is_secret=is_secret)

    @property
    def _encryption(self) -> VaultEncryption:
        return VaultEncryption(self.vault, nothing)

    def _talk(self) -> None:
        if not Conversations(self.vault).all():
            Conversations(self.vault).add(None, TURN)
        self._back_up()

    def _encrypt(self) -> None:
        self._encryption.encrypt(PASSPHRASES[0], log2_n=QUICK)

    def _change_passphrase(self) -> None:
        self._encryption.change_passphrase(PASSPHRASES[1], log2_n=QUICK)

    def _decrypt(self) -> None:
        self._encryption.decrypt()


def unlock_by_any(vault: Path) -> None:
    """Tries one passphrase after the other; harmless where the vault is not encrypted."""
    typed = itertools.cycle(PASSPHRASES)
    unlock(vault, lambda again: next(typed))


def _is_readable(path: Path) -> bool:
    content = path.read_bytes().lower()
    return any(word.lower().encode(code) in content for word in WORDS for code in ("utf-8", "utf-16-le"))
