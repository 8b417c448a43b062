"""The interface's session with a vault: threads for reading, writing and answering share one language model."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextlib import contextmanager
from datetime import date
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from noderag_local.config import Settings
from noderag_local.domain.passages import EVERYTHING, Scope
from noderag_local.models.language_model import LanguageModel
from noderag_local.storage.database.connection import FILE_NAME
from noderag_local.system.paths import absolute
from noderag_local.vault.vault import Vault

if TYPE_CHECKING:
    from noderag_local.domain.passages import Retrieval
    from noderag_local.domain.stream import Stream
    from noderag_local.generation.answering import Answer
    from noderag_local.vault.ask import AskProgress

T = TypeVar("T")

MODEL_SETTINGS = (
    "models_dir",
    "model",
    "threads",
    "gpu_layers",
    *(n for n in Settings.model_fields if n.startswith("server_")),
)
"""Settings whose change requires opening the language model again."""


class Session:
    """Gives the screens access to the vault, the settings and the language model. Call `close` at the end."""

    def __init__(
        self,
        settings: Settings,
        model_of: Callable[[Settings], LanguageModel] = LanguageModel,
        today: Callable[[], date] = date.today,
    ) -> None:
        """Keeps the arguments; nothing is opened yet.

        Args:
            settings: settings that name the vault and the model.
            model_of: creates the language model for settings; the session closes it.
            today: returns the present day.
        """
        self.settings = settings
        self.today = today
        self.folder = absolute(settings.vault)
        self._model_of = model_of
        self.model = model_of(settings)
        # A vault object serves one thread at a time, and closes its reader when the notes have changed. If pages and questions
        # shared one, a page would wait for a search, which may load models for seconds or use the language model. So each
        # thread has its own. What needs the graph's arrays goes to the thread that searches (`read_graph`), so that they are
        # loaded only once.
        self._reads = Vault(self.folder, settings, self.model)
        self._writes = Vault(self.folder, settings, self.model)
        self._asks = Vault(self.folder, settings, self.model)
        self._reading = ThreadPoolExecutor(1, thread_name_prefix="reading")
        self._writing = ThreadPoolExecutor(1, thread_name_prefix="writing")
        self._answering = ThreadPoolExecutor(1, thread_name_prefix="answering")
        self._asked = 0

    def has_vault(self) -> bool:
        """Returns whether the folder contains a vault."""
        return (self.folder / FILE_NAME).is_file()

    async def change(self, settings: Settings) -> None:
        """Uses other settings from now on, in the same vault; running work first finishes with the old ones.

        The language model is opened again only if one of its own settings has changed.
        """
        model, vaults = self.model, (self._reads, self._writes, self._asks)
        before, self.settings = self.settings, settings.model_copy(update={"vault": self.folder})
        is_same_model = all(getattr(before, name) == getattr(settings, name) for name in MODEL_SETTINGS)
        if not is_same_model:
            self.model = self._model_of(self.settings)
        self._reads = Vault(self.folder, self.settings, self.model)
        self._writes = Vault(self.folder, self.settings, self.model)
        self._asks = Vault(self.folder, self.settings, self.model)
        run = asyncio.get_running_loop().run_in_executor
        await run(self._reading, vaults[0].close)
        await run(self._writing, vaults[1].close)
        await run(self._answering, vaults[2].close)
        if not is_same_model:
            await run(self._answering, model.close)

    async def read(self, do: Callable[[Vault], T]) -> T:
        """Runs a short task with the vault; it never waits for work that writes."""
        return await asyncio.get_running_loop().run_in_executor(self._reading, do, self._reads)

    async def read_graph(self, do: Callable[[Vault], T]) -> T:
        """Runs a short task that needs the graph's arrays, with the vault for searching; it waits for a running answer."""
        return await asyncio.get_running_loop().run_in_executor(self._answering, do, self._asks)

    async def write(self, do: Callable[[Vault], T]) -> T:
        """Runs a task that may take hours, after any work that is already writing."""
        return await asyncio.get_running_loop().run_in_executor(self._writing, do, self._writes)

    def write_and_wait(self, do: Callable[[Vault], T]) -> T:
        """Does the same as `write`, from a thread other than the interface's.

        Raises:
            CancelledError: the session was closed before the task could start.
        """
        try:
            writing = self._writing.submit(do, self._writes)
        except RuntimeError as error:
            raise CancelledError from error
        return writing.result()

    def another_vault(self) -> Vault:
        """Returns another view of the same vault for a separate thread; the caller closes it."""
        return Vault(self.folder, self.settings, self.model)

    @contextmanager
    def asking(self) -> Iterator[None]:
        """Marks a question as running inside the block, from its search to the last word of its answer."""
        self._asked += 1
        try:
            yield
        finally:
            self._asked -= 1

    @property
    def is_asked(self) -> bool:
        """Whether an answer is awaited; safe to read from any thread."""
        return self._asked > 0

    async def search(self, question: str, *, method: str = "", scope: Scope = EVERYTHING) -> Retrieval:
        """Searches in the thread that answers; arguments and errors as for `Vault.search`."""
        search = partial(self._asks.search, question, method=method, scope=scope)
        return await asyncio.get_running_loop().run_in_executor(self._answering, search)

    async def read_ahead(
        self, question: str, *, method: str, budget_tokens: int, scope: Scope, unwanted: Callable[[], bool]
    ) -> None:
        """Reads in the thread that answers, until the caller is cancelled or a question is asked.

        Arguments and errors as for `Vault.read_ahead`; `unwanted` is called many times a second, and True stops the reading.
        """
        stopped = threading.Event()
        read = partial(
            self._asks.read_ahead,
            question,
            method=method,
            budget_tokens=budget_tokens,
            scope=scope,
            cancelled=lambda: stopped.is_set() or self.is_asked or unwanted(),
        )
        try:
            await asyncio.get_running_loop().run_in_executor(self._answering, read)
        finally:
            stopped.set()

    async def ask(
        self,
        begin: Callable[[Vault, Callable[[AskProgress], None]], Stream[Answer]],
        heard: Callable[[AskProgress | str], Awaitable[None]],
    ) -> Answer:
        """Asks in the thread that answers, and returns the complete answer.

        Args:
            begin: calls `Vault.ask` with the progress function that it is given.
            heard: receives the progress and the pieces in order, in the interface's own thread.
        """
        loop = asyncio.get_running_loop()
        told: asyncio.Queue[AskProgress | str | None] = asyncio.Queue()

        def tell(one: AskProgress | str | None) -> None:
            loop.call_soon_threadsafe(told.put_nowait, one)

        def read() -> Answer:
            try:
                stream = begin(self._asks, tell)
                for piece in stream:
                    tell(piece)
                return stream.result
            finally:
                tell(None)

        reading = loop.run_in_executor(self._answering, read)
        while (one := await told.get()) is not None:
            await heard(one)
        # Raises the exception of the thread, if there was one.
        return await reading

    def close(self) -> None:
        """Waits for running work, which must have been told to stop, and closes everything."""
        for thread in (self._answering, self._reading, self._writing):
            thread.shutdown(cancel_futures=True)
        for vault in (self._reads, self._writes, self._asks):
            vault.close()
        self.model.close()
