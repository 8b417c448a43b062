"""The server as the official SDK's own client sees it, over a real process."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import anyio
import pytest
from mcp import Client, MCPError, StdioServerParameters


def server(*options: object) -> StdioServerParameters:
    command = ["-m", "noderag_local", "mcp", *map(str, options)]
    return StdioServerParameters(command=sys.executable, args=command, env=dict(os.environ))


def test_the_sdk_s_client_lists_and_calls(vault: Path) -> None:
    async def talk() -> None:
        told: list[str | None] = []

        async def progress(done: float, total: float | None, message: str | None) -> None:
            told.append(message)

        async with Client(server("--vault", vault)) as client:
            tools = (await client.list_tools()).tools
            assert "search_notes" in [tool.name for tool in tools]
            found = await client.call_tool(
                "search_notes", {"query": "Who plants the pear trees?"}, progress_callback=progress
            )
            assert not found.is_error
            assert "pear trees" in found.structured_content["passages"][0]["text"]
            assert told == ["Searching …"]
            wrong = await client.call_tool("search_notes", {"limit": 5})
            assert wrong.is_error
            with pytest.raises(MCPError, match="Unknown tool"):
                await client.call_tool("rm", {})

    anyio.run(talk)


def test_a_call_that_the_client_gives_up_leaves_the_next_one_alone(vault: Path) -> None:
    async def talk() -> None:
        async with Client(server("--vault", vault)) as client:
            with anyio.move_on_after(0.001):
                await client.call_tool("ask_notes", {"question": "Who plants the pear trees?"})
            found = await client.call_tool("recent_changes", {})
            assert len(found.structured_content["documents"]) == 4

    anyio.run(talk)
