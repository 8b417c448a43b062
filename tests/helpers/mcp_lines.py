"""A client of `noderag mcp` that speaks bare lines of JSON-RPC, so that no library hides what the server does."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Any

HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
Message = dict[str, Any]


class LineClient:
    """The server as a process, and the lines to and from it."""

    def __init__(self, *options: object, shakes_hands: bool = True, **variables: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "noderag_local", "mcp", *map(str, options)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, **variables},
        )
        self.notices: list[Message] = []
        self._last = 0
        if shakes_hands:
            self.server = self.ask("initialize", HELLO)["result"]
            self.tell("notifications/initialized")

    def __enter__(self) -> LineClient:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.process.kill()
        self.process.communicate()

    def write(self, line: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line)
        self.process.stdin.flush()

    def begin(self, method: str, params: Message | None = None) -> int:
        self._last += 1
        self._send({"id": self._last, "method": method, "params": params or {}})
        return self._last

    def tell(self, method: str, params: Message | None = None) -> None:
        self._send({"method": method, "params": params or {}})

    def _send(self, message: Message) -> None:
        self.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")

    def receive(self) -> Message:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, "the server has ended"
        found: Message = json.loads(line)
        assert found["jsonrpc"] == "2.0"
        return found

    def answer(self, number: int) -> Message:
        """The answer to a request; what comes before it is kept in `notices`."""
        while (message := self.receive()).get("id") != number:
            self.notices.append(message)
        return message

    def ask(self, method: str, params: Message | None = None) -> Message:
        return self.answer(self.begin(method, params))

    def call(self, tool: str, **arguments: object) -> Message:
        """The result of a tool."""
        result: Message = self.ask("tools/call", {"name": tool, "arguments": arguments})["result"]
        return result

    def found(self, tool: str, **arguments: object) -> Message:
        """What a tool found; it has to succeed."""
        result = self.call(tool, **arguments)
        assert not result.get("isError"), result
        assert json.loads(result["content"][0]["text"]) == result["structuredContent"]
        content: Message = result["structuredContent"]
        return content

    def refused(self, tool: str, **arguments: object) -> str:
        """Why a tool did not do what was asked."""
        result = self.call(tool, **arguments)
        assert result["isError"], result
        text: str = result["content"][0]["text"]
        return text

    def close(self) -> tuple[int, bytes, bytes]:
        """Ends the input; returns the exit code and what was still written on both outputs."""
        out, err = self.process.communicate(timeout=30)
        return self.process.returncode, out, err


def open_files(process: int) -> int:
    return len(list(Path(f"/proc/{process}/fd").iterdir()))
