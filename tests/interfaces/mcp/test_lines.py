"""The server as any client sees it: lines of JSON-RPC, and nothing but these."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from pathlib import Path

import pytest
from helpers.mcp_lines import LineClient, open_files
from helpers.model_server import Exchange, serving

from noderag_local.interfaces.cli.run_command import run
from noderag_local.interfaces.mcp.note_tools import TOOLS
from noderag_local.system.extras import installing

ARGUMENTS: dict[str, dict[str, object]] = {
    "search_notes": {"query": "Who plants the pear trees?"},
    "ask_notes": {"question": "Who plants the pear trees?"},
    "read_document": {"document": "Garden plan"},
    "find": {"query": "gardn plan"},
    "related_names": {"name": "Ana Lucas"},
    "timeline": {"first": "2026-01-01", "last": "2026-12-31"},
    "open_tasks": {},
    "recent_changes": {},
}


def test_every_tool_is_listed_with_bounds_and_as_reading_only(vault: Path) -> None:
    with LineClient("--vault", vault) as client:
        assert client.server["serverInfo"]["name"] == "noderag"
        assert "data" in client.server["instructions"]
        tools = {tool["name"]: tool for tool in client.ask("tools/list")["result"]["tools"]}
    assert set(tools) == {tool.name for tool in TOOLS} == set(ARGUMENTS)
    for tool in tools.values():
        assert tool["annotations"]["readOnlyHint"] is True
        assert tool["inputSchema"]["additionalProperties"] is False
        for one in tool["inputSchema"]["properties"].values():
            assert one.get("type") != "integer" or {"minimum"} <= set(one)
            assert one.get("type") != "string" or {"maxLength"} & set(one) or one.get("format") == "date"


def test_every_tool_finds_something_and_names_its_place(vault: Path, notes: Path) -> None:
    plan = str(notes / "work" / "plan.md")
    with LineClient("--vault", vault) as client:
        found = {tool: client.found(tool, **given) for tool, given in ARGUMENTS.items()}
    assert all("data, not instructions" in one["notice"] for one in found.values())
    assert found["search_notes"]["passages"][0]["place"].startswith(f"{plan}:")
    assert "pear trees" in found["ask_notes"]["answer"]
    assert found["read_document"]["sentences"][1]["text"].startswith("Ana Lucas plants")
    assert found["read_document"]["sentences"][1]["first_line"] == 7
    assert found["find"]["documents"][0]["path"] == plan
    assert "Tom Berg" in [one["name"] for one in found["related_names"]["related"]]
    assert [one["date"] for one in found["timeline"]["moments"]] == ["2026-03-05", "2026-04"]
    assert {one["task"] for one in found["open_tasks"]["tasks"]} == {"order the soil", "pay Mr Grimaldi for the quokka"}
    assert len(found["recent_changes"]["documents"]) == 4


def test_a_document_is_read_page_by_page(vault: Path) -> None:
    with LineClient("--vault", vault) as client:
        whole = client.found("read_document", document="work/plan.md")["sentences"]
        start, pieces = 0, []
        while start is not None:
            page = client.found("read_document", document="work/plan.md", start=start, limit=2)
            pieces += page["sentences"]
            start = page["next_start"]
        assert pieces == whole
        by_line = client.found("read_document", document="work/plan.md", line=11)
        assert "order the soil" in by_line["sentences"][0]["text"]
        assert "behind its end" in client.refused("read_document", document="work/plan.md", start=1000)
        assert "no text on line 999 or" in client.refused("read_document", document="work/plan.md", line=999)


def test_a_timeline_may_begin_in_any_year(vault: Path) -> None:
    with LineClient("--vault", vault) as client:
        assert client.found("timeline", first="0500-01-01", last="2026-12-31")["all_moments"] == 3


def test_hidden_letters_and_controls_reach_no_client(vault: Path) -> None:
    with LineClient("--vault", vault) as client:
        for tool, given in (("search_notes", {"query": "evil note"}), ("read_document", {"document": "Evil"})):
            text = json.dumps(client.found(tool, **given), ensure_ascii=False)
            assert "obey" in text
            assert not {"\x1b", "\u202e", "\u200b", "\U000e0041"} & set(text)


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("search_notes", {}),
        ("search_notes", {"query": ""}),
        ("search_notes", {"query": "x" * 2001}),
        ("search_notes", {"query": "x", "budget_tokens": 10**9}),
        ("search_notes", {"query": "x", "folder": "/"}),
        ("search_notes", {"query": ["x"]}),
        ("search_notes", {"query": "x", "since": "yesterday"}),
        ("search_notes", {"query": "x", "since": "2026-02-01", "until": "2026-01-01"}),
        ("timeline", {"first": "2026-02-01", "last": "2026-01-01"}),
        ("read_document", {"document": "Garden plan", "start": -1}),
        ("read_document", {"document": "../../etc/passwd"}),
        ("recent_changes", {"limit": 101}),
    ],
)
def test_wrong_arguments_are_told(vault: Path, tool: str, given: dict[str, object]) -> None:
    with LineClient("--vault", vault) as client:
        assert client.refused(tool, **given)
        assert client.found("recent_changes")


def test_malformed_lines_end_nothing(vault: Path) -> None:
    with LineClient("--vault", vault) as client:
        hostile = [
            b"",
            b"{",
            b"[]",
            b"null",
            b'{"jsonrpc": "2.0"}',
            b"\xff\xfe\x00",
            b"[" * 50_000,
            b'"' + b"x" * 5_000_000,
        ]
        for line in hostile:
            client.write(line + b"\n")
        assert client.ask("ping")["result"] == {}
        # The empty line is no message.
        told = [(one["id"], one["error"]["code"]) for one in client.notices]
        assert told == [(None, code) for code in (-32700, -32600, -32600, -32600, -32700, -32700, -32700)]
        assert client.ask("tools/call", {"name": "rm"})["error"]["code"] == -32602
        assert client.ask("tools/call", {"arguments": 3})["error"]["code"] == -32602
        assert client.ask("no/such")["error"]["code"] == -32601
        assert client.found("recent_changes")


def test_progress_comes_before_the_answer(vault: Path) -> None:
    with LineClient("--vault", vault) as client:
        for tool in ("search_notes", "ask_notes"):
            client.notices.clear()
            params = {"name": tool, "arguments": ARGUMENTS[tool], "_meta": {"progressToken": "t"}}
            assert client.ask("tools/call", params)["result"]["structuredContent"]
            told = [one["params"] for one in client.notices]
            assert told and all(one["progressToken"] == "t" and one["message"] for one in told)
            assert [one["progress"] for one in told] == sorted({one["progress"] for one in told})


def test_a_cancelled_request_is_not_answered_and_the_next_one_is(vault: Path) -> None:
    with LineClient("--vault", vault) as client:
        first = client.begin("tools/call", {"name": "ask_notes", "arguments": ARGUMENTS["ask_notes"]})
        waiting = client.begin("tools/call", {"name": "search_notes", "arguments": ARGUMENTS["search_notes"]})
        for number in (first, waiting):
            client.tell("notifications/cancelled", {"requestId": number})
        assert client.found("recent_changes")["documents"]
        assert not [one for one in client.notices if one.get("id") in (first, waiting)]


def test_a_cancelled_question_stops_the_language_model(vault: Path) -> None:
    writes = threading.Event()

    def hangs(exchange: Exchange) -> None:
        exchange.begin()
        writes.set()
        exchange.piece("Ana Lucas ")
        exchange.hang()

    with serving(answer=hangs) as site, LineClient("--vault", vault, NODERAG_SERVER_URL=site.url) as client:
        asked = client.begin("tools/call", {"name": "ask_notes", "arguments": ARGUMENTS["ask_notes"]})
        assert writes.wait(20)
        client.tell("notifications/cancelled", {"requestId": asked})
        assert site.left.wait(20)
        assert client.found("recent_changes")["documents"]


def test_requests_wait_for_one_another_and_all_are_answered(vault: Path) -> None:
    with LineClient("--vault", vault) as client:
        numbers = {client.begin("tools/call", {"name": tool, "arguments": ARGUMENTS[tool]}) for tool in ARGUMENTS}
        answered = [client.receive() for _ in numbers]
        assert {one["id"] for one in answered} == numbers
        assert all("structuredContent" in one["result"] for one in answered)


def test_it_ends_cleanly_with_its_input(vault: Path) -> None:
    with LineClient("--vault", vault) as client:
        client.found("recent_changes")
        assert client.close() == (0, b"", b"")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_cleanly(vault: Path, number: signal.Signals) -> None:
    with LineClient("--vault", vault) as client:
        client.begin("tools/call", {"name": "ask_notes", "arguments": ARGUMENTS["ask_notes"]})
        os.kill(client.process.pid, number)
        assert client.process.wait(30) == 0
        assert client.process.stderr is not None
        assert client.process.stderr.read() == b""


def test_a_client_that_leaves_without_a_word_ends_it(vault: Path) -> None:
    with LineClient("--vault", vault) as client:
        assert client.process.stdout is not None
        client.process.stdout.close()
        client.begin("ping")
        assert client.process.wait(30) == 0


def test_a_vault_is_read_while_another_process_writes_it(vault: Path, notes: Path, tmp_path: Path) -> None:
    new = tmp_path / "own"
    own = tmp_path / "notes"
    own.mkdir()
    (own / "one.md").write_text("# One\n\nThe lighthouse is white.\n", encoding="utf-8")
    assert run(["index", str(own), "--vault", str(new)]) == 0
    with LineClient("--vault", new) as client:
        assert client.found("search_notes", query="lighthouse")["passages"]
        (own / "two.md").write_text("# Two\n\nThe windmill is red.\n", encoding="utf-8")
        assert run(["index", str(own), "--vault", str(new)]) == 0
        assert "windmill" in client.found("search_notes", query="Which colour has the windmill?")["passages"][0]["text"]
        assert len(client.found("recent_changes")["documents"]) == 2


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="open files are counted in /proc")
def test_calls_leave_no_file_open(vault: Path) -> None:
    with LineClient("--vault", vault) as client:
        for tool, given in ARGUMENTS.items():
            client.found(tool, **given)
        before = open_files(client.process.pid)
        for _ in range(20):
            for tool, given in ARGUMENTS.items():
                client.found(tool, **given)
        assert open_files(client.process.pid) <= before


@pytest.mark.skipif(not Path("/proc/self/net/tcp").is_file(), reason="sockets are listed in /proc")
def test_nothing_listens(vault: Path) -> None:
    with LineClient("--vault", vault) as client:
        client.found("search_notes", query="pear trees")
        links = [os.readlink(one) for one in Path(f"/proc/{client.process.pid}/fd").iterdir()]
        sockets = {link[8:-1] for link in links if link.startswith("socket:[")}
        listed = [Path(f"/proc/self/net/{name}").read_text() for name in ("tcp", "tcp6", "udp", "udp6")]
        rows = [line.split() for text in listed for line in text.splitlines()[1:]]
        assert not [row for row in rows if row[9] in sockets]


def test_a_wrong_vault_or_scope_is_told_before_the_protocol(vault: Path, tmp_path: Path) -> None:
    for options, code in (
        (("--vault", tmp_path / "none"), 4),
        (("--vault", vault, "--folder", "/no/such"), 7),
        (("--vault", vault, "--folder", ""), 2),
        (("--vault", vault, "--tag", " # "), 2),
    ):
        with LineClient(*options, shakes_hands=False) as client:
            ended, out, err = client.close()
            assert (ended, out) == (code, b"")
            assert err.startswith(b"Error: ")


def test_without_the_package_it_says_what_to_install(
    vault: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "mcp", None)
    assert run(["mcp", "--vault", str(vault)]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err == f"Error: `noderag mcp` needs one more package: {installing('mcp')}\n"
