"""Runs one stage: asks about its items in parallel and stores the results in the items' order.

The order matters because rows get ascending ids, and ties are broken by id. So an enrichment gives the same graph whichever
answer comes first and however often it is killed. An early answer waits for those before it, but its text is cached at once,
so that a kill loses only the running calls.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from noderag_local.domain.errors import ModelError, NoderagError, SettingsError
from noderag_local.graph.summaries.model_stage import Stage, Status, cached_prompt, further_request
from noderag_local.models.llm.engine import Completion, Engine, Finish, Outcome, Request
from noderag_local.models.llm.request_hash import request_hash
from noderag_local.storage.database.store import Store
from noderag_local.storage.graph.llm_cache import CachedText, LlmCache
from noderag_local.storage.graph.work_items import WorkItem, WorkItemRows

UNUSABLE = "Nothing that the model wrote could be used."


@dataclass(slots=True)
class StageTally:
    """Counts of one stage in one run."""

    settled: int = 0
    """Number of items that are done or have failed."""
    accepted: int = 0
    rejected: int = 0
    calls: int = 0
    cached: int = 0
    read_tokens: int = 0
    written_tokens: int = 0


@dataclass(eq=False, slots=True)
class _Item:
    """An item that is being processed."""

    node: int
    request: Request | None
    """The last request; None if the model need not be asked."""
    hashes: tuple[str, ...] = ()
    """Of its requests."""
    texts: tuple[str, ...] = ()
    """Answers to its requests, without those that `retry` replaces."""
    is_complete: bool = False
    """Whether nothing more is to be asked."""
    error: NoderagError | None = None
    is_second_try: bool = False
    """Whether a request was repeated or replaced; that happens once."""
    is_replaced: bool = False
    """Whether the request is the one of `Stage.retry`."""
    rejected: int = 0
    """Statements of the first attempt."""

    @property
    def is_answered(self) -> bool:
        return self.request is None or self.is_complete or self.error is not None


class StageRun:
    """Runs the pending items of a stage with an engine."""

    def __init__(
        self,
        store: Store,
        stage: Stage,
        engine: Engine,
        pending: Sequence[int],
        told: Callable[[Completion | None], None],
    ) -> None:
        """Prepares the run; `told` is called at each progress, with the completion if a call has finished."""
        self.tally = StageTally()
        self._store = store
        self._stage = stage
        self._engine = engine
        self._told = told
        self._nodes = deque(pending)
        self._line: deque[_Item] = deque()
        self._again: deque[_Item] = deque()
        self._in_flight: dict[str, list[_Item]] = {}
        self._sent: list[str] = []

    @property
    def has_more(self) -> bool:
        """Whether any items have not been started yet."""
        return bool(self._nodes)

    @property
    def running(self) -> int:
        """Number of requests that have been sent and not been answered."""
        return len(self._in_flight)

    def run(self, may_begin: Callable[[], bool], cancelled: Callable[[], bool]) -> None:
        """Processes items until none are left or `may_begin` returns False, and then waits for the running ones.

        Args:
            may_begin: called before each item; False starts no further item.
            cancelled: called many times a second; True drops the running requests.

        Raises:
            ModelError: the engine failed; all answers so far are kept.
        """
        while (self._nodes and may_begin()) or self._again:
            self._sent = []
            outcomes = self._engine.generate(self._requests(may_begin), cancelled)
            try:
                for outcome in outcomes:
                    self._receive(outcome)
            finally:
                # If storing a result failed, the engine must be closed with its requests unfinished.
                close = getattr(outcomes, "close", None)
                if close is not None:
                    close()
            if cancelled():
                return
            if self._in_flight:
                raise ModelError(
                    f"{self._engine.name} ended without an answer to {len(self._in_flight)} requests. "
                    "Run noderag enrich again; it continues where it stopped."
                )
            self._settle()

    def _requests(self, may_begin: Callable[[], bool]) -> Iterator[Request]:
        """Yields requests for the engine, in the thread that reads its outcomes."""
        while (item := self._next(may_begin)) is not None:
            if item.request is not None and not self._is_known(item):
                yield item.request
            else:
                self._settle()

    def _next(self, may_begin: Callable[[], bool]) -> _Item | None:
        """Returns the next item: first those with another request, since others wait for them, then new ones."""
        if self._again:
            return self._again.popleft()
        while self._nodes and may_begin():
            node = self._nodes.popleft()
            request = self._stage.request(self._store, node)
            item = _Item(node, request, (request_hash(request),) if request else ())
            self._line.append(item)
            return item
        return None

    def _is_known(self, item: _Item) -> bool:
        """Returns whether the answer is cached, or another item is already asking the same."""
        wanted = item.hashes[-1]
        found = LlmCache(self._store).get(self._engine.identity, cached_prompt(self._stage), wanted)
        if found is not None:
            self._answer(item, found.output)
            self.tally.cached += 1
            return True
        waiting = self._in_flight.setdefault(wanted, [])
        waiting.append(item)
        if len(waiting) > 1:
            return True
        self._sent.append(wanted)
        return False

    def _receive(self, outcome: Outcome) -> None:
        if outcome.completion is not None and outcome.completion.finish is Finish.CANCELLED:
            return
        answered = self._sent[outcome.number]
        with self._store.transaction():
            if outcome.error is None:
                self._keep(answered, outcome)
            for item in self._in_flight.pop(answered):
                if outcome.error is None:
                    self._answer(item, outcome.text)
                else:
                    item.error = outcome.error
            self._settle()
        self._told(outcome.completion)

    def _answer(self, item: _Item, text: str) -> None:
        """Adds an answer to an item, and asks on if the stage does."""
        item.texts = (*item.texts, text)
        request = None if item.is_replaced else further_request(self._stage, self._store, item.node, item.texts)
        if request is None:
            item.is_complete = True
        else:
            self._ask(item, request)

    def _keep(self, answered: str, outcome: Outcome) -> None:
        cost = outcome.completion
        read = cost.prompt_tokens - cost.reused_tokens if cost else 0
        written = cost.generated_tokens if cost else 0
        self.tally.calls += 1
        self.tally.read_tokens += read
        self.tally.written_tokens += written
        text = CachedText(outcome.text, cost.prompt_tokens if cost else 0, written)
        LlmCache(self._store).put(self._engine.identity, cached_prompt(self._stage), answered, text)

    def _settle(self) -> None:
        """Stores the results of answered items, up to the first unanswered one."""
        moved = False
        while self._line and self._line[0].is_answered and self._is_settled(self._line[0]):
            self._line.popleft()
            self.tally.settled += 1
            moved = True
        if moved:
            self._told(None)

    def _is_settled(self, item: _Item) -> bool:
        """Stores the result of an answer; returns False if the item is tried again."""
        if item.request is None:
            self._note(item, Status.DONE)
            return True
        if item.error is not None and not self._gives_up(item, item.error):
            return False
        if not item.texts:
            item.hashes = ()
            self._note(item, Status.FAILED, str(item.error), 0, item.rejected)
            return True
        with self._store.transaction():
            verdict = self._stage.accept(self._store, item.node, "\n".join(item.texts))
            if not verdict.ok and not item.is_second_try:
                request = self._stage.retry(self._store, item.node)
                if request is not None:
                    item.rejected = verdict.rejected
                    self._replace(item, request)
                    return False
            rejected = item.rejected + verdict.rejected
            status, error = (Status.DONE, "") if verdict.ok else (Status.FAILED, UNUSABLE)
            if item.error is not None:
                # Without hashes the item is tried again in the next run; until then, the answers before the error count.
                status, error, item.hashes = Status.FAILED, str(item.error), ()
            self._note(item, status, error, verdict.accepted, rejected)
        self.tally.accepted += verdict.accepted
        self.tally.rejected += rejected
        return True

    def _gives_up(self, item: _Item, error: NoderagError) -> bool:
        """Returns whether nothing more is asked after an error; if something is, the item waits for it."""
        is_too_much = isinstance(error, SettingsError)
        if is_too_much and item.texts:
            # The request for more does not fit, and never will; the answers so far are all.
            item.error, item.hashes = None, item.hashes[:-1]
            return True
        if item.is_second_try:
            return True
        # If the first request is too long, half of it may fit.
        request = self._stage.retry(self._store, item.node) if is_too_much else item.request
        if request is None:
            return True
        if is_too_much:
            self._replace(item, request)
        else:
            item.is_second_try = True
            self._ask(item, request)
        return False

    def _replace(self, item: _Item, request: Request) -> None:
        """Asks the request of `Stage.retry` in place of those before it."""
        item.texts, item.is_second_try, item.is_replaced, item.is_complete = (), True, True, False
        self._ask(item, request)

    def _ask(self, item: _Item, request: Request) -> None:
        item.request, item.error = request, None
        item.hashes = tuple(dict.fromkeys((*item.hashes, request_hash(request))))
        self._again.append(item)

    def _note(self, item: _Item, status: Status, error: str = "", accepted: int = 0, rejected: int = 0) -> None:
        noted = WorkItem(
            model=self._engine.identity,
            prompt=self._stage.prompt_version,
            input_hash=" ".join(item.hashes),
            status=status,
            error=error,
            accepted=accepted,
            rejected=rejected,
        )
        WorkItemRows(self._store).put(self._stage.name, item.node, noted)
