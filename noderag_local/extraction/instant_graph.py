"""Builds the instant tier of the graph: entities, keywords and their edges from every sentence, by rule.

A document is read once, when it is new. What it says is added to counts over all documents, and subtracted when the document
goes. A node or edge that depends on several documents is updated when one of its counts changes. So the graph is a function of
the texts alone, in whatever order they came, and a changed paragraph costs no more than a paragraph.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import TypeVar

import numpy as np

from noderag_local.domain.documents import Skipped
from noderag_local.domain.graph import EdgeType, NodeType
from noderag_local.extraction.rules.document_reading import Reading, read_document
from noderag_local.extraction.same_names.merging import merge_names
from noderag_local.graph.algorithms.rows import first_of_each
from noderag_local.storage.database.fact_names import READ_BY
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.each_alone import Failure, each_alone
from noderag_local.storage.documents.texts import StoredDocument, TextRows
from noderag_local.storage.graph.document_counts import DocumentCountRows, Share, WordCount
from noderag_local.storage.graph.graph_rows import GraphRows
from noderag_local.text.identity import display_name
from noderag_local.text.keywords import is_kept

RULES = "6"
"""Version of the rules that read a document; raised when they change, so that all documents are read again."""

NOT_LINKED = "not linked"
_MADE = (EdgeType.MENTION, EdgeType.SUBJECT, EdgeType.ALIAS, EdgeType.KEYWORD, EdgeType.LINK)
_PROGRESS = 50
"""Number of documents between two reports of progress."""
BATCH = 2_000
"""Documents that are linked in one transaction; a kill loses the batch in hand, and memory holds the readings of one."""
Key = TypeVar("Key")


@dataclass(slots=True)
class _Change:
    """Changes of the counts, with what the new documents say."""

    names: Counter[tuple[str, str]] = field(default_factory=Counter)
    edges: Counter[str] = field(default_factory=Counter)
    aliases: Counter[tuple[str, str]] = field(default_factory=Counter)
    gone_words: dict[str, WordCount] = field(default_factory=dict)
    new_words: dict[str, WordCount] = field(default_factory=dict)
    titles: set[str] = field(default_factory=set)
    read: dict[int, Reading] = field(default_factory=dict)
    sentences: int = 0
    """Number of sentences of the new documents."""

    def count(self, share: Share, sign: int) -> None:
        """Adds what a document says to the counts (1), or takes it off (−1)."""
        for key, forms in share.names.items():
            for name, count in forms.items():
                self.names[key, name] += sign * count
        for key, count in share.edges.items():
            self.edges[key] += sign * count
        for first, second in share.aliases:
            self.aliases[first, second] += sign
        words = self.new_words if sign > 0 else self.gone_words
        for word, (sentences, id_sum) in share.words.items():
            words[word] = words.get(word, WordCount()).plus(sign * sentences, sign * id_sum, 0)
        for word in share.marked:
            words[word] = words.get(word, WordCount()).plus(0, 0, sign)
        self.titles.update(share.titles)


def rules_are_current(store: Store) -> bool:
    """Returns whether the present rules read the documents."""
    return store.facts.get(READ_BY) == RULES


def batches_to_read(store: Store) -> list[list[int] | None]:
    """Returns the documents whose sentences the rules must read, in batches for `build_instant_graph`; at least one batch."""
    if not rules_are_current(store) and GraphRows(store).has_any((NodeType.ENTITY, NodeType.KEYWORD)):
        # Other rules made them, and what no document has named yet would be dropped.
        return [None]
    unread = DocumentCountRows(store).unread()
    return [unread[at : at + BATCH] for at in range(0, len(unread), BATCH)] or [[]]


def build_instant_graph(
    store: Store, advanced: Callable[[int], None], documents: Sequence[int] | None = None
) -> list[Skipped]:
    """Brings entities, keywords and their edges up to the present sentences of some documents, in one transaction.

    The graph does not depend on the batches in which documents are read.

    Args:
        store: the vault.
        advanced: told now and then how many sentences are read.
        documents: ids of documents that were not read; None for all of them.

    Returns:
        Documents on which the rules failed: no entity or keyword leads to them, and they count as not read.
    """
    graph, rows = GraphRows(store), DocumentCountRows(store)
    with store.transaction():
        anew = not rules_are_current(store)
        if anew:
            rows.clear()
            for kind in _MADE:
                graph.replace_edges(kind, [], [], [])
        change, failed = _read(store, rows, rows.unread() if documents is None else documents, advanced)
        for write in (_write_entities, _write_keywords, _write_links):
            write(graph, rows, change)
            advanced(change.sentences)
        if anew:
            graph.drop_orphans([NodeType.ENTITY, NodeType.KEYWORD])
            store.facts[READ_BY] = RULES
        merge_names(store, {key for key, _ in change.names} | set(change.edges))
        advanced(change.sentences)
        while change.read:
            # One by one: the readings of tens of thousands of documents, freed at once, would hold the interpreter.
            change.read.popitem()
    return failed


def _read(
    store: Store, rows: DocumentCountRows, documents: Sequence[int], advanced: Callable[[int], None]
) -> tuple[_Change, list[Skipped]]:
    change, failed = _Change(), list[Skipped]()
    shares: dict[int, Share] = {}
    for share in rows.take_gone():
        change.count(share, -1)
    for number, document in enumerate(TextRows(store).sentences_of(documents)):
        (one,) = each_alone(_with_shares, [document])
        if isinstance(one, Failure):
            failed.append(_told(document, one))
        else:
            change.read[document.id], shares[document.id] = one
            change.count(shares[document.id], 1)
        change.sentences += len(document.sentences)
        if number % _PROGRESS == 0:
            advanced(change.sentences)
    advanced(change.sentences)
    rows.put(shares)
    return change, failed


def _with_shares(documents: Iterable[StoredDocument]) -> Iterator[tuple[Reading, Share]]:
    for document in documents:
        reading = read_document(document)
        yield reading, reading.share()


def _told(document: StoredDocument, failure: Failure) -> Skipped:
    place = f"{document.path} (record {document.record + 1})" if document.record else document.path
    detail = (
        f"{place} is found by its words and its meaning only: reading names and keywords out of it failed"
        f" ({failure.kind}), a fault of this program. The next `noderag index` tries it again; report the fault if it goes on."
    )
    return Skipped(document.path, NOT_LINKED, detail, is_error=True)


def _write_entities(graph: GraphRows, rows: DocumentCountRows, change: _Change) -> None:
    keys = sorted({key for key, _ in change.names} | set(change.edges))
    edges = _moved(rows.edges(keys), change.edges)
    rows.put_edges(edges)
    names = _write_names(rows, keys, change)
    known = graph.find(NodeType.ENTITY, keys)
    shown = [(key, display_name(names[key])) for key in keys if names[key] and (edges.get(key, 0) or key in known)]
    ids = graph.put_nodes(NodeType.ENTITY, shown)
    id_of = known | dict(zip((key for key, _ in shown), ids.tolist(), strict=True))
    readings = change.read.values()
    _add(graph, EdgeType.MENTION, ((node, id_of[key]) for reading in readings for node, key in reading.mentions))
    _add(graph, EdgeType.SUBJECT, ((node, id_of[key]) for reading in readings for node, key in reading.subjects))
    _write_aliases(graph, rows, change, id_of)
    graph.drop_unnamed(id_of[key] for key in keys if key in id_of and not edges.get(key, 0))


def _write_names(rows: DocumentCountRows, keys: Collection[str], change: _Change) -> dict[str, Counter[str]]:
    """Writes the surface forms of some keys with their new counts."""
    names = {key: Counter[str]() for key in keys}
    for key, forms in rows.names(keys).items():
        names[key].update(forms)
    for (key, name), count in change.names.items():
        names[key][name] += count
    rows.put_names({(key, name): names[key][name] for key, name in change.names})
    return {key: +forms for key, forms in names.items()}


def _write_aliases(graph: GraphRows, rows: DocumentCountRows, change: _Change, id_of: Mapping[str, int]) -> None:
    said = rows.aliases(change.aliases)
    pairs = _moved({pair: said.get(pair, 0) for pair in change.aliases}, change.aliases)
    rows.put_aliases(pairs)
    ends = {pair: (id_of[pair[0]], id_of[pair[1]]) for pair in pairs if pair[0] in id_of and pair[1] in id_of}
    ends = {pair: (min(two), max(two)) for pair, two in ends.items()}
    graph.remove_edges(EdgeType.ALIAS, (two for pair, two in ends.items() if not pairs[pair]))
    _add(graph, EdgeType.ALIAS, (two for pair, two in ends.items() if pairs[pair]))


def _write_keywords(graph: GraphRows, rows: DocumentCountRows, change: _Change) -> None:
    """Writes the keywords. A word that was none yet is in one sentence at most, so one row a word tells where it stands."""
    words = sorted({*change.gone_words, *change.new_words})
    none = WordCount()
    before = dict.fromkeys(words, none) | rows.words(words)
    between = {word: _sum(before[word], change.gone_words.get(word, none)) for word in words}
    after = {word: _sum(between[word], change.new_words.get(word, none)) for word in words}
    rows.put_words(after)
    was = {word for word in words if _is_keyword(word, before[word])}
    is_now = [word for word in words if _is_keyword(word, after[word])]
    id_of = graph.find(NodeType.KEYWORD, was)
    id_of |= zip(is_now, graph.put_nodes(NodeType.KEYWORD, [(word, word) for word in is_now]).tolist(), strict=True)
    new = {word: id_of[word] for word in is_now}
    said = ((node, new[word]) for reading in change.read.values() for node, word in reading.keywords if word in new)
    only = ((between[word].only_sentence, new[word]) for word in is_now if word not in was)
    _add(graph, EdgeType.KEYWORD, [*said, *((node, keyword) for node, keyword in only if node is not None)])
    lost = was - new.keys()
    ends = ((count[word].only_sentence, id_of[word]) for word in lost for count in (between, after))
    graph.remove_edges(EdgeType.KEYWORD, ((node, keyword) for node, keyword in ends if node is not None))
    graph.drop_unnamed(id_of[word] for word in lost)


def _is_keyword(word: str, count: WordCount) -> bool:
    return count.sentences > 0 and is_kept(word, count.sentences, count.marked > 0)


def _sum(count: WordCount, more: WordCount) -> WordCount:
    return count.plus(more.sentences, more.id_sum, more.marked)


def _write_links(graph: GraphRows, rows: DocumentCountRows, change: _Change) -> None:
    titles = [(document, name) for document, reading in change.read.items() for name in reading.titles]
    links = [(document, name) for document, reading in change.read.items() for name in reading.links]
    rows.put_notes(titles, links)
    touched = sorted({*rows.linking_to(change.titles), *(document for document, _ in links)})
    if touched:
        graph.remove_edges(
            EdgeType.LINK, [(source, target) for source, target, _ in graph.edges_from(EdgeType.LINK, touched)]
        )
        _add(graph, EdgeType.LINK, rows.leads_to(touched))


def _moved(counts: Mapping[Key, int], by: Mapping[Key, int]) -> dict[Key, int]:
    return {key: counts.get(key, 0) + by.get(key, 0) for key in {**counts, **by}}


def _add(graph: GraphRows, kind: EdgeType, pairs: Iterable[tuple[int, int]]) -> None:
    """Adds edges of weight 1, each pair once."""
    ends = np.fromiter(chain.from_iterable(pairs), np.int64).reshape(-1, 2)
    ends = ends[first_of_each(ends)]
    graph.add_edges(kind, ends[:, 0], ends[:, 1], np.ones(len(ends), dtype=np.float32))
