"""Looks up the data that `noderag show` and `noderag stats` print."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from noderag_local.domain.errors import NotFound
from noderag_local.domain.graph import EdgeType, Layer, Neighbour, NodeType
from noderag_local.domain.holdings import Shown, Stats
from noderag_local.domain.passages import Source
from noderag_local.graph.summaries.entity_summary import (
    EntitySummary,
    Placed,
    elements_of,
    entity_summary,
    placed_statements,
)
from noderag_local.storage.browsing.overview import Overview
from noderag_local.storage.database.fact_names import COMING_BY, EMBEDDED_BY, MODEL_RATES, TOKENIZER
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.file_rows import FileRows
from noderag_local.storage.documents.texts import TextRows
from noderag_local.storage.graph.graph_rows import GraphRows
from noderag_local.storage.graph.llm_cache import LlmCache
from noderag_local.storage.graph.merged_names import MergedNames
from noderag_local.system.printing.cited_place import named
from noderag_local.text.identity import entity_key

PASSAGES = 10
"""Maximal number of sentences shown for a document or entity."""
NEIGHBOURS = 20
SUGGESTIONS = 5

_Found = tuple[tuple[str, str], list[int]]
"""(property, value) of a place in a file, and ids of the sentences there."""


@dataclass(frozen=True, slots=True)
class ShownEntity(Shown):
    """Returns an entity with its attribute and relationships."""

    portrait: EntitySummary


@dataclass(frozen=True, slots=True)
class ShownDocument(Shown):
    """A document, and what was found about the person or thing of the same name."""

    entity: ShownEntity | None
    """None if nothing of this name is known."""


def shown(store: Store, name: str) -> Shown:
    """Returns the document, entity or source with this name.

    Tried in this order: a source by "path:line" or "path, place", a document by path or title, together with the entity of
    this name, an entity by name, a relationship by "name | name", an overview by its title.

    Raises:
        NotFound: nothing has this name; the message suggests similar names.
    """
    wanted = name.strip()
    for look in (_source, _document, _entity, _relationship, _overview):
        found = look(store, wanted)
        if found is not None:
            return found
    if empty := _empty_line(store, wanted):
        raise NotFound(empty)
    near = _near(store, wanted)
    hint = f" Did you mean: {', '.join(near)}?" if near else " 'noderag search' looks inside the texts."
    raise NotFound(f"There is no document, entity or source called {name!r} in this vault.{hint}")


def sources_at(store: Store, path: str, line: int, place: str = "") -> tuple[Source, ...]:
    """Returns the sentences on a line of a file or, if `line` is 0, at a place such as a page."""
    overview = Overview(store)
    found = overview.sentences_at(path, line) if line else overview.sentences_placed(path, place)
    return tuple(TextRows(store).passages(found))


def stats(store: Store, layers: tuple[Layer, ...]) -> Stats:
    """Returns the counts and settings of a vault."""
    overview = Overview(store)
    return Stats(
        folder=str(store.folder),
        files=overview.files(),
        documents=overview.documents(),
        chunks=overview.chunks(),
        sentences=overview.sentences(),
        tokens=overview.tokens(),
        nodes=overview.nodes(),
        edges=overview.edges(),
        embeddings=overview.embeddings(),
        size_bytes=overview.size_bytes(),
        embedding_model=store.facts.get(EMBEDDED_BY, ""),
        coming_model=store.facts.get(COMING_BY, ""),
        tokenizer=store.facts.get(TOKENIZER, ""),
        layers=layers,
        stage_use=tuple(LlmCache(store).use_of_stages().items()),
        model_rates=_model_rates(store),
        state=store.stamp,
    )


def _model_rates(store: Store) -> tuple[tuple[str, float], ...]:
    noted = json.loads(store.facts.get(MODEL_RATES, "{}"))
    rates = ((model, rate["tokens_per_second"]) for model, rate in sorted(noted.items()))
    return tuple((model, rate) for model, rate in rates if rate)


def _source(store: Store, wanted: str) -> Shown | None:
    at, ids = _at_line(store, wanted) or _at_place(store, wanted) or (("", ""), [])
    if not ids:
        return None
    passages = TextRows(store).passages(ids)
    title = " > ".join([name for name in (passages[0].title, *passages[0].headings) if name])
    properties = (("path", passages[0].path), at, ("under", title))
    return Shown(NodeType.TEXT, wanted, properties, _numbered(passages), _beside(store, ids[0]))


def _at_line(store: Store, wanted: str) -> _Found | None:
    at = _path_and_line(wanted)
    ids = Overview(store).sentences_at(*at) if at else []
    return (("line", str(at[1])), ids) if at and ids else None


def _path_and_line(wanted: str) -> tuple[str, int] | None:
    """Returns the parts of "path:line"; None for anything else."""
    path, colon, line = wanted.rpartition(":")
    return (path, int(line)) if colon and line.isdecimal() else None


def _empty_line(store: Store, wanted: str) -> str:
    """Returns a message if the name is a line of a known file and the line has no text; else ""."""
    at = _path_and_line(wanted)
    if at is None or Overview(store).find_file(at[0]) is None:
        return ""
    path, line = at
    return f"Line {line} of {path} has no text in this vault. 'noderag show \"{path}\"' shows the document."


def _at_place(store: Store, wanted: str) -> _Found | None:
    """Finds a place by its citation, such as "plan.pdf, page 3"; both parts may contain commas."""
    parts = wanted.split(", ")
    for cut in range(1, len(parts)):
        path, place = ", ".join(parts[:cut]), ", ".join(parts[cut:])
        ids = Overview(store).sentences_placed(path, place)
        if ids:
            return ("place", place), ids
    return None


def _document(store: Store, wanted: str) -> Shown | None:
    overview = Overview(store)
    found = overview.find_document(wanted)
    if found is None:
        return None
    properties = (
        ("path", found.path),
        ("title", found.title),
        ("encoding", found.encoding or "none: this is the text as it was read from the file"),
        ("sentences", str(found.sentences)),
        ("tags", ", ".join(found.tags)),
        ("aliases", ", ".join(found.aliases)),
        *(("left out", skip.told) for skip in FileRows(store).skipped() if skip.path == found.path),
    )
    passages = TextRows(store).passages(overview.sentences_of_document(found.id, PASSAGES))
    return ShownDocument(
        NodeType.DOCUMENT,
        found.title or found.path,
        properties,
        _numbered(passages),
        _beside(store, found.id),
        _entity(store, wanted),
    )


def _entity(store: Store, wanted: str) -> ShownEntity | None:
    graph = GraphRows(store)
    node = graph.find(NodeType.ENTITY, [entity_key(wanted)]).get(entity_key(wanted))
    if node is None:
        return None
    entities = MergedNames(store).all_of(node)
    called, *others = graph.names(entities)
    ids = Overview(store).sentences_naming(entities)
    passages = TextRows(store).passages(ids[:PASSAGES])
    neighbours = tuple(Overview(store).named_together(entities, NEIGHBOURS))
    return ShownEntity(
        NodeType.ENTITY,
        called,
        (("sentences", str(len(ids))), *(("also", other) for other in sorted(others))),
        _numbered(passages),
        neighbours,
        entity_summary(store, *entities),
    )


def _relationship(store: Store, wanted: str) -> Shown | None:
    first, bar, second = wanted.partition("|")
    keys = sorted((entity_key(first), entity_key(second)))
    graph = GraphRows(store)
    ends = graph.find(NodeType.ENTITY, keys) if bar else {}
    if len(ends) < len(keys):
        return None
    of_each = [{source for source, _, _ in graph.edges_to(EdgeType.RELATES, [end])} for end in ends.values()]
    common = set.intersection(*of_each)
    if not common:
        return None
    said = tuple(("says", _with_place(one)) for node in sorted(common) for one in placed_statements(store, node))
    name = " | ".join(graph.names([ends[key] for key in keys]))
    return Shown(NodeType.RELATIONSHIP, name, said, (), _beside(store, min(common)))


def _overview(store: Store, wanted: str) -> Shown | None:
    graph = GraphRows(store)
    node = graph.find(NodeType.OVERVIEW, [entity_key(wanted)]).get(entity_key(wanted))
    if node is None:
        return None
    elements = [target for _, target, _ in graph.edges_from(EdgeType.TITLE, [node])]
    themes = tuple(("tells", element.description) for element in elements_of(graph, elements))
    matched = [neighbour for element in elements for neighbour in _beside(store, element)]
    beside = tuple(neighbour for neighbour in matched if neighbour.edge is EdgeType.MATCHED)
    return Shown(NodeType.OVERVIEW, graph.names([node])[0], themes, (), beside[:NEIGHBOURS])


def _with_place(one: Placed) -> str:
    return f"{one.text}  ({named(one.path, one.first_line, one.place)})" if one.path else one.text


def _near(store: Store, wanted: str) -> list[str]:
    graph = GraphRows(store)
    looks: tuple[Callable[[], list[int]], ...] = (
        lambda: graph.entities_containing(wanted.split(), SUGGESTIONS),
        lambda: [node for word in wanted.split() for node in graph.entities_containing([word], 2)][:SUGGESTIONS],
    )
    return next((graph.names(found) for look in looks if (found := look())), [])


def _beside(store: Store, node: int) -> tuple[Neighbour, ...]:
    return tuple(GraphRows(store).neighbours(node, NEIGHBOURS))


def _numbered(passages: Sequence[Source]) -> tuple[Source, ...]:
    return tuple(replace(passage, number=number) for number, passage in enumerate(passages, 1))
