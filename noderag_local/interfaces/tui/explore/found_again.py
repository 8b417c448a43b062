"""A page that was open, found again after the vault has changed: what is read anew gets another id."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from noderag_local.domain.errors import NotFound
from noderag_local.domain.graph import NodeType

if TYPE_CHECKING:
    from noderag_local.interfaces.tui.explore.page_steps import NavigationStep
    from noderag_local.vault.vault import Vault


class DocumentPlace(NamedTuple):
    """Where a document lies."""

    path: str
    record: int
    """0-based number in its file."""


def found_again(vault: Vault, step: NavigationStep, place: DocumentPlace | None) -> NavigationStep:
    """The same document, by its place, or the same entity, by its name.

    Args:
        place: of a document's page, as it was when it was read; None: that is not known.

    Raises:
        NotFound: it is not in the vault any more.
    """
    if step.type is NodeType.DOCUMENT and place is not None:
        documents = vault.atlas.library().documents
        node = next((one.node for one in documents if one.node and (one.path, one.record) == place), 0)
    elif step.type is NodeType.ENTITY:
        catalogue = vault.atlas.entities()
        node = catalogue.entity(catalogue.names.index(step.name)).node if step.name in catalogue.names else 0
    else:
        node = 0
    if not node:
        raise NotFound(f"{step.name} is not in the vault any more. Backspace goes back.")
    return replace(step, node=node)
