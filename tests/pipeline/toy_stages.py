"""An engine that answers by a rule, out of order, and stages that are a few lines long, on real stores."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from helpers.small_documents import add, document

from noderag_local.domain.errors import NoderagError
from noderag_local.domain.graph import EdgeType, NodeType
from noderag_local.domain.stream import Stream
from noderag_local.graph.summaries.model_stage import Verdict
from noderag_local.models.llm.engine import Completion, Finish, Message, Outcome, Request, Role, never
from noderag_local.models.llm.request_hash import request_hash
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.texts import TextRows
from noderag_local.storage.graph.fragments import FragmentRows
from noderag_local.storage.graph.graph_rows import GraphRows

NAMES = ("Ada", "Bob", "Carol", "Dora", "Emil", "Fritz", "Gwen")


def fill(store: Store, chunks: int) -> None:
    """Chunks that name two or three of a few people each."""
    chance = random.Random(5)
    paragraphs = [[f"{' and '.join(chance.sample(NAMES, 2))} met for the {n}th time."] for n in range(chunks)]
    add(store, document("/notes/a.md", *paragraphs))


def capitals(request: Request) -> str:
    """The words of a request's text that have a capital."""
    return " ".join(word for word in request.messages[-1].content.split() if word.istitle())


class ToyEngine:
    """Runs `width` requests side by side and ends them in an order of its own."""

    def __init__(
        self,
        answer: Callable[[Request], str] = capitals,
        *,
        identity: str = "toy-1",
        width: int = 4,
        seed: int = 0,
        seconds: float = 0.0,
        log: Path | None = None,
    ) -> None:
        self.name = self.identity = identity
        self.context_length = 1000
        self.calls: list[str] = []
        """Texts that were asked about, in the order in which they were begun."""
        self.hashes: list[str] = []
        self._answer = answer
        self._width = width
        self._chance = random.Random(seed)
        self._seconds = seconds
        self._log = log

    def count_tokens(self, text: str) -> int:
        return len(text.split())

    def count_many(self, texts: Sequence[str]) -> list[int]:
        return [self.count_tokens(text) for text in texts]

    def stream(self, request: Request, cancelled: Callable[[], bool] = never) -> Stream[Completion]:
        raise NotImplementedError

    def generate(self, requests: Iterable[Request], cancelled: Callable[[], bool] = never) -> Iterator[Outcome]:
        waiting = iter(requests)
        running: list[tuple[int, Request]] = []
        taken = 0
        while not cancelled():
            while len(running) < self._width and (request := next(waiting, None)) is not None:
                self._begin(request)
                running.append((taken, request))
                taken += 1
            if not running:
                return
            time.sleep(self._seconds)
            yield self._outcome(*running.pop(self._chance.randrange(len(running))))

    def _begin(self, request: Request) -> None:
        self.calls.append(request.messages[-1].content)
        self.hashes.append(request_hash(request))
        if self._log:
            with self._log.open("a", encoding="utf-8") as lines:
                lines.write(self.hashes[-1] + "\n")

    def _outcome(self, number: int, request: Request) -> Outcome:
        try:
            text = self._answer(request)
        except NoderagError as error:
            return Outcome(number, "", None, error)
        read, written = self.count_tokens(request.messages[-1].content), self.count_tokens(text)
        return Outcome(number, text, Completion(Finish.STOP, read + 10, 10, written, 0.0, self._seconds))


class Units:
    """Items are chunks; each becomes a semantic unit that names entities."""

    name = "units"

    def __init__(self, version: str = "1", descending: bool = False) -> None:
        self.prompt_version = version
        self.stale: set[int] = set()
        self._descending = descending

    def items(self, store: Store) -> Sequence[int]:
        return sorted(TextRows(store).chunk_table().ids.tolist(), reverse=self._descending)

    def forget_others(self, store: Store, items: Sequence[int]) -> None:
        """Leaves nothing behind."""

    def is_stale(self, store: Store, node: int) -> bool:
        return node in self.stale

    def request(self, store: Store, node: int) -> Request | None:
        return self._asked(self._text(store, node))

    def retry(self, store: Store, node: int) -> Request | None:
        return self._asked(self._text(store, node)[:20])

    def accept(self, store: Store, node: int, text: str) -> Verdict:
        graph = GraphRows(store)
        words = [word for word in text.split() if word in NAMES]
        FragmentRows(store).replace(node, NodeType.SEMANTIC_UNIT, [])
        if words:
            (unit,) = graph.put_nodes(NodeType.SEMANTIC_UNIT, [(self._text(store, node), text)]).tolist()
            FragmentRows(store).replace(node, NodeType.SEMANTIC_UNIT, [(unit, "")])
            named = graph.put_nodes(NodeType.ENTITY, [(word.lower(), word) for word in words], rename=False)
            graph.add_edges(EdgeType.NAMES, [unit] * len(words), named, [1.0] * len(words))
            graph.add_edges(EdgeType.INSERTED, [node], [unit], [1.0])
        return Verdict(len(words), len(text.split()) - len(words), ok=bool(words))

    def drop(self, store: Store) -> None:
        graph = GraphRows(store)
        graph.remove_nodes(graph.nodes_of(NodeType.SEMANTIC_UNIT)[0].tolist())
        graph.drop_orphans([NodeType.ENTITY])

    def _text(self, store: Store, node: int) -> str:
        return " ".join(TextRows(store).chunk_text(node).sentences)

    def _asked(self, text: str) -> Request:
        return Request((Message(Role.SYSTEM, "Who?"), Message(Role.USER, text)), 20)


class Portraits:
    """Items are entities; each gets an attribute made of the units that name it."""

    name = "portraits"
    prompt_version = "1"

    def items(self, store: Store) -> Sequence[int]:
        return [int(number) for number in GraphRows(store).nodes_of(NodeType.ENTITY)[0]]

    def forget_others(self, store: Store, items: Sequence[int]) -> None:
        """Leaves nothing behind."""

    def is_stale(self, store: Store, node: int) -> bool:
        return False

    def request(self, store: Store, node: int) -> Request | None:
        graph = GraphRows(store)
        units = [source for source, _, _ in graph.edges_to(EdgeType.NAMES, [node])]
        text = " ".join(sorted(graph.names(units)))
        return Request((Message(Role.SYSTEM, "Describe."), Message(Role.USER, text)), 20)

    def retry(self, store: Store, node: int) -> Request | None:
        return None

    def accept(self, store: Store, node: int, text: str) -> Verdict:
        graph = GraphRows(store)
        (attribute,) = graph.put_nodes(NodeType.ATTRIBUTE, [(f"{graph.names([node])[0]} is", text)])
        graph.add_edges(EdgeType.DESCRIBES, [attribute], [node], [1.0])
        return Verdict(1, 0)

    def drop(self, store: Store) -> None:
        GraphRows(store).remove_nodes(GraphRows(store).nodes_of(NodeType.ATTRIBUTE)[0].tolist())


class Pairs:
    """A step: joins units that follow each other."""

    def __init__(self, name: str = "pairs") -> None:
        self.name = name
        self.runs = 0

    def needed(self, store: Store) -> bool:
        return store.facts.get(self.name) != self._state(store)

    def run(self, store: Store, advanced: Callable[[int, int], None], cancelled: Callable[[], bool]) -> None:
        self.runs += 1
        ids = sorted(GraphRows(store).nodes_of(NodeType.SEMANTIC_UNIT)[0].tolist())
        with store.transaction():
            GraphRows(store).replace_edges(EdgeType.SIMILAR, ids[:-1], ids[1:], [0.5] * len(ids[1:]))
            store.facts[self.name] = self._state(store)
        advanced(len(ids), len(ids))

    def drop(self, store: Store) -> None:
        with store.transaction():
            GraphRows(store).replace_edges(EdgeType.SIMILAR, [], [], [])
            store.facts.pop(self.name, None)

    def _state(self, store: Store) -> str:
        return ",".join(GraphRows(store).nodes_of(NodeType.SEMANTIC_UNIT)[1])
