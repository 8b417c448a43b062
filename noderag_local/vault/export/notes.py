"""Writes the graph as a folder of linked notes for Obsidian: a note for each name and theme, and a list of all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from noderag_local.domain.graph import EdgeType, EntityKind
from noderag_local.domain.passages import Source
from noderag_local.domain.progress import Progress
from noderag_local.graph.summaries.entity_summary import EntitySummary, Placed, entity_summary
from noderag_local.ingest.formats.registry import is_note
from noderag_local.storage.browsing.atlas_rows import AtlasRows
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.texts import TextRows
from noderag_local.storage.graph.graph_rows import GraphRows
from noderag_local.storage.graph.merged_names import MergedNames
from noderag_local.storage.snapshots.snapshot import Edges, Snapshot
from noderag_local.system.disk.new_files import NewFolder
from noderag_local.system.printing.cited_place import named
from noderag_local.system.printing.markdown_text import code, file_link, one_line, property_value
from noderag_local.system.printing.safe_names import SafeNames
from noderag_local.text.dates.document_days import days_of
from noderag_local.vault.browsing.catalogue import EntityCatalogue, ListedEntity
from noderag_local.vault.browsing.themes import ListedTheme, ThemePage, theme_page

WIDELY = 2000
"""Maximal number of sentences in which co-occurring entities are counted; a more frequent entity occurs with everything."""


class Mentions:
    """The sentences of every entity, and the entities of every sentence."""

    def __init__(self, store: Store, catalogue: EntityCatalogue) -> None:
        """Reads the mentions of a vault; the catalogue must be of the same state."""
        self._catalogue = catalogue
        self._sentences: dict[int, set[int]] = {}
        self._entities: dict[int, set[int]] = {}
        self._same: dict[int, set[int]] = {}
        edges = MergedNames(store).edges(Snapshot.open(store).edges)
        for kind in (EdgeType.MENTION, EdgeType.RECOGNISED):
            for sentence, entity in _pairs(edges, kind):
                self._sentences.setdefault(entity, set()).add(sentence)
                self._entities.setdefault(sentence, set()).add(entity)
        for one, other in _pairs(edges, EdgeType.ALIAS):
            self._same.setdefault(one, set()).add(other)
            self._same.setdefault(other, set()).add(one)
        files = AtlasRows(store).files_of(self._entities)
        # A path is read once, and not for each of its sentences.
        days = {key: days_of(*key)[0].isoformat() for key in {(one.path, one.modified_ns, one.day) for one in files}}
        self._places = {
            one.sentence: (days[one.path, one.modified_ns, one.day], one.path, one.sentence) for one in files
        }

    def dated(self, entity: int, limit: int) -> list[tuple[str, int]]:
        """Returns (day of the file, sentence): the first `limit` in time, then by path and place in the file."""
        found = sorted(self._places[sentence] for sentence in self._sentences.get(entity, ()))
        return [(day, sentence) for day, _, sentence in found[:limit]]

    def near(self, entity: int, limit: int) -> list[tuple[int, str, int]]:
        """Returns (entity, name, sentences that name both), those with most sentences first, ties by name."""
        naming = sorted(self._sentences.get(entity, ()))[:WIDELY]
        together = Counter(other for sentence in naming for other in self._entities[sentence] if other != entity)
        named = [(other, self._name(other), number) for other, number in together.items()]
        return sorted(named, key=lambda one: (-one[2], one[1], one[0]))[:limit]

    def same(self, entity: int) -> list[tuple[int, str]]:
        """Returns the entity's other names, sorted, each as (id, name)."""
        return sorted(((other, self._name(other)) for other in self._same.get(entity, ())), key=lambda one: one[::-1])

    def _name(self, entity: int) -> str:
        row = self._catalogue.row_of(entity)
        return "" if row is None else self._catalogue.names[row]


def _pairs(edges: Mapping[EdgeType, Edges], kind: EdgeType) -> Iterator[tuple[int, int]]:
    sources, targets, _ = edges[kind]
    return zip(sources.tolist(), targets.tolist(), strict=True)


ENTITIES, THEMES, CONTENTS = "Entities", "Themes", "Contents"
NEAR = 15
"""Number of other entities that a note lists."""
MENTIONS = 50
"""Number of sentences that a note quotes: the earliest ones."""
LISTED = 500
"""Number of entities in the list of contents, the heaviest first."""


@dataclass(frozen=True, slots=True)
class WrittenNotes:
    """The result of writing notes."""

    path: str
    entities: int
    themes: int


@dataclass(frozen=True, slots=True)
class _Names:
    """Maps each node to the name of its note."""

    entities: Mapping[int, str]
    themes: Mapping[int, str]

    def entity(self, node: int, shown: str) -> str:
        """Returns a link to an entity's note, or its name when it has none."""
        return _link(ENTITIES, self.entities[node], shown) if node in self.entities else one_line(shown)

    def theme(self, community: int) -> str:
        """Returns a link to a theme's note."""
        return _link(THEMES, self.themes[community], self.themes[community])


def write_notes(
    store: Store,
    catalogue: EntityCatalogue,
    themes: tuple[ListedTheme, ...],
    folder: Path,
    *,
    force: bool,
    progress: Callable[[Progress], None] = lambda _: None,
) -> WrittenNotes:
    """Writes a note for every named entity and every theme of one state of a vault.

    Args:
        store: the vault to export.
        catalogue: entities of that state.
        themes: themes of that state.
        folder: folder to write the notes into.
        force: the folder may hold something; files of the same names are replaced.
        progress: told how far it is.

    Raises:
        SourceError: the folder cannot be written, or holds something already.
    """
    target = NewFolder(folder, force=force)
    # Dates and amounts get no notes of their own, since these would hide the notes of names.
    every = [catalogue.entity(row) for row in range(len(catalogue))]
    entities = [one for one in every if one.kind is EntityKind.NAME]
    names = _names_of(entities, themes)
    total = len(entities) + len(themes)
    with store.steady():
        writer = _EntityNotes(store, catalogue, names)
        for done, entity in enumerate(entities, 1):
            target.write(f"{names.entities[entity.node]}.md", writer.note(entity).encode(), within=ENTITIES)
            progress(Progress("writing", done, total, "notes"))
        for done, theme in enumerate(themes, len(entities) + 1):
            note = _theme_note(theme_page(store, catalogue, theme.community), names)
            target.write(f"{names.themes[theme.community]}.md", note.encode(), within=THEMES)
            progress(Progress("writing", done, total, "notes"))
    lists = [names.entity(one.node, one.name) for one in entities[:LISTED]]
    links = [names.theme(one.community) for one in themes]
    contents = "\n\n".join(["# Contents", *_section("Themes", links), *_section("Entities", lists)])
    target.write(f"{CONTENTS}.md", f"{contents}\n".encode())
    return WrittenNotes(str(folder), len(entities), len(themes))


def _names_of(entities: Sequence[ListedEntity], themes: Sequence[ListedTheme]) -> _Names:
    free = SafeNames("unnamed")
    of_entities = {one.node: free.new(one.name) for one in entities}
    free = SafeNames("theme")
    return _Names(of_entities, {one.community: free.new(one.title) for one in themes})


class _EntityNotes:
    """Writes the notes of entities."""

    def __init__(self, store: Store, catalogue: EntityCatalogue, names: _Names) -> None:
        self._store, self._names, self._merged = store, names, MergedNames(store)
        self._mentions = Mentions(store, catalogue)
        self._themes: dict[int, list[int]] = {}
        for theme in names.themes:
            for _, member, _ in GraphRows(store).edges_from(EdgeType.MEMBER, [theme]):
                themes_of = self._themes.setdefault(self._merged.stands_for(member), [])
                if theme not in themes_of:
                    themes_of.append(theme)

    def note(self, entity: ListedEntity) -> str:
        others = self._mentions.same(entity.node)
        entities = self._merged.all_of(entity.node)
        merged = sorted(GraphRows(self._store).names(entities[1:]))
        aliases = [entity.name, *merged, *(name for _, name in others)]
        near = self._mentions.near(entity.node, NEAR)
        summary = entity_summary(self._store, *entities)
        parts = [
            _front_matter(type="entity", kind=str(entity.kind), aliases=aliases, mentions=entity.mentions),
            f"# {one_line(entity.name)}",
            *_told(summary),
            *_section("Also called", [self._names.entity(node, name) for node, name in others]),
            *_section("Themes", [self._names.theme(one) for one in self._themes.get(entity.node, ())]),
            *_section("Named together with", [f"{self._names.entity(node, name)} ({n})" for node, name, n in near]),
            *_section("Mentions", self._quotes(entity.node)),
        ]
        return "\n\n".join(part for part in parts if part) + "\n"

    def _quotes(self, entity: int) -> Iterator[str]:
        dated = self._mentions.dated(entity, MENTIONS)
        found = TextRows(self._store).passages([sentence for _, sentence in dated])
        for (day, _), source in zip(dated, found, strict=True):
            yield f"{day}: {_quoted(source.text, source)}"


def _told(portrait: EntitySummary) -> Iterator[str]:
    yield one_line(portrait.attribute)
    yield from _section("Relationships", map(_placed, portrait.relationships))
    yield from _section("Statements", map(_placed, portrait.units))


def _theme_note(page: ThemePage, names: _Names) -> str:
    parts = [
        _front_matter(type="theme", members=page.members),
        f"# {one_line(page.title) or 'Theme'}",
        *(f"**{one_line(one.title)}** {one_line(one.description)}".strip() for one in page.elements),
        *_section("Entities", [names.entity(one.node, one.name) for one in page.entities]),
        *_section("Statements", [_quoted(one.text, one.source) for one in page.units]),
    ]
    return "\n\n".join(parts) + "\n"


def _front_matter(**properties: str | int | list[str]) -> str:
    lines = [f"{name}: {property_value(value)}" for name, value in properties.items()]
    return "\n".join(["---", *lines, "---"])


def _section(title: str, items: Iterable[str]) -> Iterator[str]:
    listed = [f"- {item}" for item in items]
    if listed:
        yield f"## {title}"
        yield "\n".join(listed)


def _link(folder: str, name: str, shown: str) -> str:
    return f"[[{folder}/{name}|{one_line(shown).replace('|', '/').replace('[', '(').replace(']', ')')}]]"


def _placed(one: Placed) -> str:
    return f"{one_line(one.text)} {_place(one.path, one.first_line, one.place)}".rstrip()


def _quoted(text: str, source: Source | None) -> str:
    place = _place(source.path, source.first_line, source.place) if source else ""
    return f"{one_line(text)} {place}".rstrip()


def _place(path: str, first_line: int, place: str) -> str:
    """A link to a file that is text; a click on any other starts a program, which may run or fetch what the file names."""
    if not path or not is_note(path):
        return f"({code(named(path, first_line, place))})" if path else ""
    return f"({file_link(named(Path(path).name, first_line, place), path)})"
