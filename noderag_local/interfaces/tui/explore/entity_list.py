"""The list of entities by weight."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from noderag_local.domain.graph import NodeType
from noderag_local.interfaces.tui.reader.entity_entries import KINDS
from noderag_local.interfaces.tui.reader.navigation import NavigationStep
from noderag_local.interfaces.tui.shared.line_list import LineList, fitted, one_line

if TYPE_CHECKING:
    from noderag_local.vault.browsing.catalogue import EntityCatalogue


COUNT_CELLS = 7


class EntityList(LineList):
    """Shows each entity's name, kind and number of mentions."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.catalogue: EntityCatalogue | None = None
        self._rows: Sequence[int] = ()

    def show(self, catalogue: EntityCatalogue, query: str) -> None:
        """Shows the entities that match a query."""
        self._take(catalogue, query)
        self.show_rows(len(self._rows))

    def show_changed(self, catalogue: EntityCatalogue, query: str) -> None:
        """Shows the matching entities after a change of the vault; the cursor stays on its entity if that still exists."""
        before, at = self.step, self.cursor
        self._take(catalogue, query)
        self.show_again(len(self._rows), at if before is None else self._place_of(before, at))

    def _take(self, catalogue: EntityCatalogue, query: str) -> None:
        self.catalogue = catalogue
        self._rows = catalogue.matching(query)
        self.empty = "No entity is called that." if len(catalogue) else "No entities yet."

    def _place_of(self, step: NavigationStep, otherwise: int) -> int:
        assert self.catalogue is not None
        row = self.catalogue.row_of(step.node)
        if row is None and step.name in self.catalogue.names:
            row = self.catalogue.names.index(step.name)
        return self._rows.index(row) if row is not None and row in self._rows else otherwise

    @property
    def step(self) -> NavigationStep | None:
        """Page of the entity under the cursor."""
        return self.step_of(self.cursor) if self.catalogue and self._rows else None

    def step_of(self, row: int) -> NavigationStep:
        """Returns the page of a row's entity."""
        assert self.catalogue is not None
        entity = self.catalogue.entity(self._rows[row])
        return NavigationStep(NodeType.ENTITY, entity.node, entity.name)

    def cells(self, row: int, width: int) -> Sequence[tuple[str, str]]:
        """Returns the text of an entity's row."""
        assert self.catalogue is not None
        entity = self.catalogue.entity(self._rows[row])
        kind = KINDS.get(entity.kind, "")
        name_cells = width - COUNT_CELLS - 1 - (len(kind) + 1 if kind else 0)
        name = fitted(f" {one_line(entity.name)}", name_cells)
        return [(name, ""), (f" {kind}" if kind else "", "muted"), (f"{entity.mentions:>{COUNT_CELLS},} ", "muted")]
