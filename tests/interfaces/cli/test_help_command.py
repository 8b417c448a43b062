"""`noderag help`: the manual in a pipe, for programs, and in a terminal."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

from helpers.command_line import Noderag

import noderag_local
from noderag_local.manual.pages import page, pages


def in_terminal(*words: str, **variables: str) -> str:
    """What a terminal of 80 columns is sent."""
    leader, follower = pty.openpty()
    environment = {**os.environ, "COLUMNS": "80", "LINES": "24", "TERM": "xterm", **variables}
    command = [sys.executable, "-m", "noderag_local", *words]
    with subprocess.Popen(command, stdin=follower, stdout=follower, stderr=follower, env=environment) as running:
        os.close(follower)
        sent = b""
        try:
            while piece := os.read(leader, 65536):
                sent += piece
        except OSError:
            pass  # the other end is closed
        assert running.wait() == 0
    os.close(leader)
    return sent.decode()


def test_without_a_topic_it_lists_all_pages(noderag: Noderag) -> None:
    done = noderag("help")
    assert done.code == 0
    for one in pages()[1:]:
        assert f"`{one.name}`" in done.out


def test_a_page_in_a_pipe_is_as_it_is_written(noderag: Noderag) -> None:
    assert noderag("help", "settings").out == page("settings").text + "\n"


def test_a_topic_may_be_several_words(noderag: Noderag) -> None:
    assert noderag("help", "models", "get").out.startswith("## noderag models get\n")


def test_an_unknown_topic_is_an_error_that_names_the_nearest(noderag: Noderag) -> None:
    done = noderag("help", "setings")
    assert done.code == 7
    assert "noderag help settings" in done.err
    assert noderag("help", "setings", "--json").document["error"]["type"] == "NotFound"


def test_for_programs(noderag: Noderag) -> None:
    assert [one["name"] for one in noderag("help", "--json").document["pages"]] == [one.name for one in pages()]
    document = noderag("help", "forget", "--json").document
    assert (document["page"], document["title"]) == ("commands", "noderag forget")


def test_a_terminal_is_shown_it_laid_out_through_the_pager(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    pager = tmp_path / "pager"
    pager.write_text(f"#!/bin/sh\ncat > '{kept}'\n", encoding="utf-8")
    pager.chmod(0o755)
    in_terminal("help", "settings", PAGER=str(pager))
    text = kept.read_text(encoding="utf-8")
    assert "budget_tokens" in text
    assert "| --- |" not in text
    assert max(len(line) for line in text.splitlines()) < 400  # colours count


def test_a_pager_that_is_not_there_is_done_without() -> None:
    assert "budget_tokens" in in_terminal("help", "settings", PAGER="no-such-program")


def test_the_package_carries_the_manual() -> None:
    assert (Path(noderag_local.__file__).parent / "manual" / "contents.md").is_file()
