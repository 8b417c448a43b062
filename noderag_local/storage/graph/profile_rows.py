"""Stores LightRAG's profiles of entities and relationships: keys to search by and a text (Guo et al. 2024, section 3.1)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from noderag_local.domain.graph import NodeType
from noderag_local.storage.database.store import Store
from noderag_local.storage.graph.drawn_texts import DrawnTexts


@dataclass(frozen=True, slots=True)
class Profile:
    """The keys and the text of a profile."""

    keys: tuple[str, ...]
    """The entity's name, or the themes of a relationship."""
    text: str

    @property
    def stored(self) -> str:
        """The name of its node: each key on a line, and the text on the last one."""
        return "\n".join(" ".join(part.split()) for part in (*self.keys, self.text))


class ProfileRows(DrawnTexts):
    """Nodes of the type P with their edges."""

    def __init__(self, store: Store) -> None:
        super().__init__(store, NodeType.PROFILE)

    def put(self, key: str, profile: Profile, of: Sequence[int], sentences: Collection[int]) -> int:
        """Stores a profile in place of an earlier one and returns its node; the arguments are those of `put_text`."""
        return self.put_text(key, profile.stored, of, sentences)


def read_profile(name: str) -> Profile:
    """Returns the profile that the name of its node holds, as `Profile.stored` made it."""
    *keys, text = name.split("\n")
    return Profile(tuple(keys), text)
