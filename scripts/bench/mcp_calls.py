"""Measures `noderag mcp`: the time to the first answer, the time of each tool, and whether many calls keep memory or files.

    mcp_calls.py VAULT [--starts 7] [--calls 1000]

Needs the package mcp and Linux's /proc. The vault is one of `tests/data/lives/lisbon/notes`. Prints one line per figure.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

CALLS: tuple[tuple[str, dict[str, object]], ...] = (
    ("search_notes", {"query": "When does the lease end?"}),
    ("find", {"query": "lease"}),
    ("related_names", {"name": "Lisbon"}),
    ("timeline", {"first": "2025-01-01", "last": "2026-12-31"}),
    ("open_tasks", {}),
    ("recent_changes", {}),
)


class Server:
    def __init__(self, vault: Path) -> None:
        self.started = time.perf_counter()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "noderag_local", "mcp", "--vault", str(vault)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
        self._number = 0
        self.ask("initialize", hello)
        self._send({"method": "notifications/initialized"})

    def _send(self, message: dict[str, Any]) -> None:
        assert self.process.stdin
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self.process.stdin.flush()

    def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        assert self.process.stdout
        self._number += 1
        self._send({"id": self._number, "method": method, "params": params})
        while True:
            message: dict[str, Any] = json.loads(self.process.stdout.readline())
            if message.get("id") == self._number:
                return message

    def call(self, tool: str, arguments: dict[str, object]) -> float:
        """Seconds that the call took."""
        started = time.perf_counter()
        answer = self.ask("tools/call", {"name": tool, "arguments": arguments})
        assert not answer["result"].get("isError"), answer
        return time.perf_counter() - started

    def memory_mb(self) -> float:
        lines = Path(f"/proc/{self.process.pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1024

    def files(self) -> int:
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def close(self) -> None:
        assert self.process.stdin
        self.process.stdin.close()
        assert self.process.wait(30) == 0


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("vault", type=Path)
    parser.add_argument("--starts", type=int, default=7)
    parser.add_argument("--calls", type=int, default=1000)
    given = parser.parse_args()
    hello, first = [], []
    for _ in range(given.starts):
        server = Server(given.vault)
        hello.append(time.perf_counter() - server.started)
        server.call(*CALLS[0])
        first.append(time.perf_counter() - server.started)
        server.close()
    print(
        f"handshake after {statistics.median(hello):.2f} s, first search after {statistics.median(first):.2f} s"
        f" (medians of {given.starts}; slowest {max(first):.2f} s; load {os.getloadavg()[0]:.1f})",
        flush=True,
    )
    server = Server(given.vault)
    taken: dict[str, list[float]] = {tool: [] for tool, _ in CALLS}
    for number in range(given.calls):
        tool, arguments = CALLS[number % len(CALLS)]
        taken[tool].append(server.call(tool, arguments))
        if number + 1 in (100, given.calls):
            print(f"after {number + 1} calls: {server.memory_mb():.0f} MB, {server.files()} open files", flush=True)
    for tool, seconds in taken.items():
        print(f"{tool}: {1000 * statistics.median(seconds):.1f} ms (median of {len(seconds)})")
    server.close()


if __name__ == "__main__":
    main()
