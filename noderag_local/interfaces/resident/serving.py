"""The resident process: waits for commands, runs one after the other, and ends when none has come for some minutes."""

from __future__ import annotations

import os
import select
import signal
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType

from noderag_local.domain.errors import SettingsError
from noderag_local.interfaces.cli.failures import BUG
from noderag_local.interfaces.cli.run_command import run
from noderag_local.interfaces.resident.caller import Caller, in_place_of, of_a_process, with_streams
from noderag_local.interfaces.resident.code_stamp import CodeStamp
from noderag_local.interfaces.resident.held_vaults import Declined, HeldVaults
from noderag_local.interfaces.resident.meeting_place import code_name, is_own
from noderag_local.interfaces.resident.messages import (
    ACCEPTED,
    DECLINED,
    GO,
    INTERRUPT,
    WrongMessage,
    close_all,
    receive,
    send,
)
from noderag_local.system import offline

IDLE_SECONDS = 600.0
"""The process ends when no command has come for so long."""
LOOK_SECONDS = 1.0
"""Time between two looks at whether a held vault has changed."""
AGAIN_SECONDS = 0.05
"""Time until a command whose caller has left is interrupted again: it may be waiting for a reader at another place now."""
REPLY_SECONDS = 1.0
"""Time that a caller has for each of its words."""


class ResidentProcess:
    """Runs commands that come through a listening socket, in the main thread, one after the other."""

    def __init__(self, listening: socket.socket, path: str, vaults: HeldVaults) -> None:
        """Takes a socket that listens.

        Args:
            listening: the socket.
            path: where it is.
            vaults: vaults that the process holds.
        """
        self._listening = listening
        self._path = path
        self._file = _identity(path)
        self._vaults = vaults
        self._code = CodeStamp()
        self._started = time.time()
        self._last_used = time.monotonic()
        self._commands = 0
        self._is_over = False
        self._is_running = False

    def serve(self) -> None:
        """Runs commands until the process is told to end, has been idle for long, or another one has taken its place."""
        signal.signal(signal.SIGINT, self._interrupt)
        while not self._is_over:
            ready, _, _ = select.select([self._listening], [], [], LOOK_SECONDS)
            if ready:
                with self._listening.accept()[0] as connection:
                    self._answer(connection)
            else:
                self._vaults.follow()
                self._is_over = self._has_no_use()

    def _has_no_use(self) -> bool:
        """Whether nobody asks any more, nobody can find this process, or its code is of yesterday."""
        is_idle = time.monotonic() - self._last_used > IDLE_SECONDS
        return is_idle or _identity(self._path) != self._file or self._code.is_changed()

    def _answer(self, connection: socket.socket) -> None:
        """Answers one caller; whatever it sends, only its own connection is lost."""
        if not is_own(connection):
            return
        connection.settimeout(REPLY_SECONDS)
        with suppress(OSError, WrongMessage):
            message, descriptors = receive(connection, 3)
            try:
                match message.get("do"):
                    case "run" if len(descriptors) == 3:
                        self._run(Caller.of_message(message), descriptors, connection)
                    case "tell":
                        send(connection, self._state())
                    case "end":
                        self._is_over = True
                        self._vaults.close()
                        send(connection, self._state())
            finally:
                close_all(descriptors)

    def _state(self) -> dict[str, object]:
        return {
            "process": os.getpid(),
            "since": self._started,
            "idle_seconds": time.monotonic() - self._last_used,
            "commands": self._commands,
            "vaults": len(self._vaults),
            "memory_bytes": _memory_bytes(),
        }

    def _run(self, caller: Caller, descriptors: tuple[int, ...], connection: socket.socket) -> None:
        """Runs a command if nothing speaks against it, and tells its exit code."""
        if self._code.is_replaced():
            self._is_over = True
            return
        own = of_a_process(os.environ)
        if caller.code != code_name() or of_a_process(caller.environment) != own:
            return
        with in_place_of(caller):
            if not _settings_allow():
                return
            connection.sendall(ACCEPTED)
            if connection.recv(1) != GO:
                return
            try:
                with with_streams(descriptors, caller.encodings):
                    told = b"%d" % self._code_of(caller, connection)
            except Declined:
                told = DECLINED
        self._last_used = time.monotonic()
        self._commands += told != DECLINED
        with suppress(OSError):
            connection.sendall(told)

    def _code_of(self, caller: Caller, connection: socket.socket) -> int:
        """Returns the exit code of a command, run as `noderag` runs it in a process of its own."""
        try:
            with self._interrupted_by(connection):
                code = run(caller.arguments)
        except KeyboardInterrupt:
            code = 130
        if code:
            # The next command finds everything as a new process would.
            self._vaults.close()
        # A refused connection counts for the whole process.
        self._is_over = self._is_over or code == BUG or bool(offline.violations())
        return code

    @contextmanager
    def _interrupted_by(self, connection: socket.socket) -> Iterator[None]:
        """Sends Ctrl-C to the main thread each time that the caller hands it on, and until the end once the caller has left."""
        connection.settimeout(None)
        ended = threading.Event()
        deciding = threading.Lock()

        def interrupt() -> None:
            with deciding:
                if self._is_running:
                    # A signal and no flag, as it also wakes a call of the system that waits.
                    signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

        def watch() -> None:
            with suppress(OSError):
                while connection.recv(1) == INTERRUPT:
                    interrupt()
            while not ended.wait(AGAIN_SECONDS):
                interrupt()

        watching = threading.Thread(target=watch, name="resident-caller", daemon=True)
        self._is_running = True
        watching.start()
        try:
            yield
        finally:
            with deciding:
                self._is_running = False
            ended.set()
            # Wakes the thread.
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RD)
            watching.join()
            signal.signal(signal.SIGINT, self._interrupt)

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        if self._is_running:
            raise KeyboardInterrupt


def _settings_allow() -> bool:
    from noderag_local.config import load_settings

    try:
        settings = load_settings()
    except SettingsError:
        # The command itself reports it.
        return False
    return settings.resident and not settings.log


def _identity(path: str) -> tuple[int, int] | None:
    try:
        status = os.lstat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _memory_bytes() -> int:
    """Returns the memory that the process holds now; 0 if the system does not tell."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        return 0
