"""`noderag enrich`, with a model server on the loopback for a language model."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from helpers.command_line import Noderag
from helpers.model_server import Exchange, ModelServer, serving

from noderag_local.domain.graph import EdgeType, NodeType
from noderag_local.interfaces.cli.notes.enrich_command import seconds_of
from noderag_local.interfaces.cli.notes.enrich_view import estimate_lines, print_enriched
from noderag_local.pipeline.budget import Budget
from noderag_local.pipeline.enrichment_report import EnrichProgress, EnrichReport, StageReport
from noderag_local.pipeline.forecast import Estimate, StageEstimate

PATIENCE_SECONDS = 300
KEEPING_PRIORITY = """
from contextlib import nullcontext
from noderag_local.__main__ import main
from noderag_local.interfaces.cli import low_priority
low_priority.low_priority = nullcontext
main()
"""
# Linux shares the processor out among sessions first. The command lowers the session that it runs in, here that of all
# tests: beside busy programs of other sessions it would hardly run at all, and a killed one leaves the session lowered.
COMMAND = [sys.executable, "-c", KEEPING_PRIORITY]
PEOPLE = ("Ann Lee", "Bob Moore", "Carl Nilsen", "Dora Holm")


def state_facts(exchange: Exchange) -> None:
    """Who lives where, of numbered sentences; nothing usable else."""
    text = exchange.document["messages"][-1]["content"]
    found = re.search(r"^(\d+)\. (\w+ \w+) lives in (\w+)", text, re.MULTILINE)
    exchange.say(f"{found[1]} {found[2]} | lives in | {found[3]}" if found else "Well.")


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    with serving(answer=state_facts) as running:
        monkeypatch.setenv("NODERAG_SERVER_URL", running.url)
        yield running


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A vault of four notes, to be copied."""
    from noderag_local.interfaces.cli.run_command import run

    folder = tmp_path_factory.mktemp("enrich")
    (folder / "notes").mkdir()
    for person, town in zip(PEOPLE, ("Oslo", "Bergen", "Voss", "Hamar"), strict=True):
        text = f"{person} lives in {town}. The house is old."
        (folder / "notes" / f"{town}.md").write_text(f"# {town}\n\n{text}\n", encoding="utf-8")
    with pytest.MonkeyPatch.context() as variables:
        variables.setenv("NODERAG_SETTINGS", str(folder / "none.toml"))
        variables.setenv("NODERAG_MODELS_DIR", str(folder))
        assert run(["index", str(folder / "notes"), "--vault", str(folder / "vault")]) == 0
    return folder / "vault"


@pytest.fixture
def vault(indexed: Path, tmp_path: Path) -> Path:
    import shutil

    return Path(shutil.copytree(indexed, tmp_path / "vault"))


def test_the_notes_are_read_once(noderag: Noderag, site: ModelServer, vault: Path) -> None:
    first = noderag("enrich", "--all", "--vault", vault)
    assert first.code == 0
    assert "decompose: 4 to do" in first.err
    assert re.search(r"^decompose: 4 done, 0 left, 0 failed", first.out, re.MULTILINE)
    assert "semantic unit 4" in first.out
    assert "relationship 4" in first.out
    calls = len(site.asked)
    again = noderag("enrich", "--all", "--vault", vault, "--json")
    assert (again.code, len(site.asked)) == (0, calls)
    assert "Nothing is left to do." in again.err
    assert again.document["stages"][0]["done"] == 4
    assert noderag("doctor", "--vault", vault).code in (0, 1)
    stages = noderag("stats", "--vault", vault, "--json").document["stages"]
    assert (stages["decompose"]["done"], stages["decompose"]["failed"]) == (4, 0)
    assert stages["decompose"]["llm_use"]["calls"] == 4
    assert "stage: decompose" in noderag("stats", "--vault", vault).out


def test_what_is_dropped_is_made_anew_without_a_call(noderag: Noderag, site: ModelServer, vault: Path) -> None:
    noderag("enrich", "--all", "--vault", vault)
    before, calls = noderag("stats", "--vault", vault, "--json").document["nodes"], len(site.asked)
    assert dict(before)["R"] == 4
    dropped = noderag("enrich", "--drop", "all", "--vault", vault)
    assert (dropped.code, "Removed: all" in dropped.err) == (0, True)
    held = noderag("stats", "--vault", vault, "--json").document
    counts = dict(held["nodes"])
    assert (counts["S"], counts["R"], counts["A"], counts["H"], held["stages"]) == (0, 0, 0, 0, {})
    assert noderag("enrich", "--all", "--vault", vault).code == 0
    assert len(site.asked) == calls
    assert noderag("stats", "--vault", vault, "--json").document["nodes"] == before
    noderag("enrich", "--redo", "decompose", "--all", "--vault", vault)
    assert len(site.asked) == calls


def test_an_estimate_measures_a_new_model_by_work_that_is_kept(
    noderag: Noderag, site: ModelServer, vault: Path
) -> None:
    told = noderag("enrich", "--all", "--estimate", "--vault", vault, "--json").document
    assert told["tokens_per_second"] > 0
    assert told["stages"][0]["name"] == "decompose"
    assert told["stages"][0]["items"] == 0, "the four that it was measured by are all there are"
    assert len(site.asked) == 4
    noderag("enrich", "--share", "1", "--vault", vault)
    assert len([one for one in site.asked if "lives in" in one["messages"][-1]["content"]]) <= 5


def test_an_estimate_says_what_it_waits_for_and_begins_no_further_call_of_a_slow_model(
    noderag: Noderag, site: ModelServer, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("noderag_local.pipeline.forecast.MEASURING_SECONDS", -1.0)
    done = noderag("enrich", "--all", "--estimate", "--vault", vault)
    assert done.err.index("Opening the language model") < done.err.index("Measuring the speed")
    assert "Ctrl-C" in done.err
    assert site.asked == []
    assert "decompose: 4 to do" in done.out


def test_an_estimate_that_is_interrupted_tells_all_but_the_time(site: ModelServer, vault: Path) -> None:
    held = threading.Event()
    asked = threading.Event()

    def hold(exchange: Exchange) -> None:
        asked.set()
        held.wait(PATIENCE_SECONDS)
        state_facts(exchange)

    site.answer = hold
    command = [*COMMAND, "enrich", "--all", "--estimate", "--vault", str(vault)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert asked.wait(PATIENCE_SECONDS)
            process.send_signal(signal.SIGINT)
            out, _ = process.communicate(timeout=PATIENCE_SECONDS)
        finally:
            held.set()
            process.kill()
    assert process.returncode == 0
    assert "decompose: 4 to do" in out
    assert "The time will be known after the model has started" in out


def test_a_server_that_fails_ends_the_run_and_says_so(noderag: Noderag, site: ModelServer, vault: Path) -> None:
    site.answer = lambda exchange: exchange.send_document({"error": {"message": "no such model"}}, 404)
    done = noderag("enrich", "--all", "--vault", vault)
    assert "no such model" in done.err or "4 failed" in done.out


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--for", "soon"], "30m"),
        (["--for", "0m"], "30m"),
        (["--share", "1.5"], "0.3"),
        (["--share", "0"], "0.3"),
        (["--all", "--for", "2h"], "--all"),
        (["--drop", "everything"], "decompose, attributes, communities"),
        (["--drop", "all", "--estimate"], "--estimate"),
        (["--drop", "all", "--redo", "decompose", "--share", "0.3"], "--redo, --share"),
        (["--redo", "decompose", "--estimate"], "--estimate"),
    ],
)
def test_wrong_usage_says_what_is_right(noderag: Noderag, vault: Path, words: list[str], told: str) -> None:
    done = noderag("enrich", *words, "--vault", vault)
    assert done.code == 2
    assert told in done.err


def test_without_a_model_the_way_to_one_is_told(noderag: Noderag, vault: Path) -> None:
    done = noderag("enrich", "--vault", vault)
    assert done.code == 6
    assert "noderag models get" in done.err


def test_without_a_vault_nothing_is_made(noderag: Noderag, tmp_path: Path) -> None:
    done = noderag("enrich", "--vault", tmp_path / "none")
    assert done.code == 4
    assert "noderag index" in done.err
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize(("text", "seconds"), [("90s", 90), ("30m", 1800), ("2h", 7200), ("1h30m", 5400), ("1H", 3600)])
def test_times(text: str, seconds: float) -> None:
    assert seconds_of(text) == seconds


class TestSignals:
    @pytest.fixture
    def goes_on(self) -> threading.Event:
        """When set, the server answers its second request and all that follow."""
        return threading.Event()

    @pytest.fixture
    def held(self, site: ModelServer, goes_on: threading.Event) -> Iterator[ModelServer]:
        """A server that answers one request and holds the next."""

        def answer(exchange: Exchange) -> None:
            if len(site.asked) > 1:
                goes_on.wait(PATIENCE_SECONDS)
            state_facts(exchange)

        site.answer = answer
        yield site
        goes_on.set()

    @contextmanager
    def started(self, site: ModelServer, vault: Path) -> Iterator[subprocess.Popen[str]]:
        """The command after its first answer, while the server holds its second request."""
        command = [*COMMAND, "enrich", "--all", "--vault", str(vault)]
        environment = {**os.environ, "NODERAG_SERVER_CONCURRENCY": "1"}
        pipe = subprocess.PIPE
        # A process group of its own: Ctrl-Z stops nothing in the group of a test run that no shell waits for.
        with subprocess.Popen(
            command, stdout=pipe, stderr=pipe, text=True, env=environment, process_group=0
        ) as process:
            try:
                while len(site.asked) < 2:
                    assert process.poll() is None
                    time.sleep(0.01)
                yield process
            finally:
                process.kill()

    def test_ctrl_c_keeps_what_is_done(
        self, noderag: Noderag, held: ModelServer, goes_on: threading.Event, vault: Path
    ) -> None:
        with self.started(held, vault) as process:
            process.send_signal(signal.SIGINT)
            assert process.stderr is not None
            while "Ctrl-C again stops at once" not in process.stderr.readline():
                assert process.poll() is None
            goes_on.set()
            out, err = process.communicate(timeout=PATIENCE_SECONDS)
        assert process.returncode == 130
        assert "run the same command to continue" in out
        assert "Traceback" not in err
        state = noderag("stats", "--vault", vault, "--json").document["stages"]["decompose"]
        assert 0 < state["done"] < 4
        assert noderag("enrich", "--all", "--vault", vault, "--json").document["stages"][0]["left"] == 0

    def test_ctrl_z_stops_it_until_it_is_called_back(
        self, held: ModelServer, goes_on: threading.Event, vault: Path
    ) -> None:
        with self.started(held, vault) as process:
            process.send_signal(signal.SIGTSTP)
            _, status = os.waitpid(process.pid, os.WUNTRACED)
            assert os.WIFSTOPPED(status)
            goes_on.set()
            process.send_signal(signal.SIGCONT)
            out, _ = process.communicate(timeout=PATIENCE_SECONDS)
        assert process.returncode == 0
        assert "decompose: 4 done" in out


def test_the_line_of_status() -> None:
    progress = EnrichProgress("decompose", 412, 1890, 84.2, 2290.0, 0.031)
    assert progress.line() == "decompose 412 of 1,890 (21 %) · 84 tokens/s · about 38 min left · 3 % rejected"
    assert EnrichProgress("similar", 0, 0).line() == "similar 0"


def test_an_estimate_in_words() -> None:
    stages = (StageEstimate("decompose", 1890, 700_000, 12_000.0), StageEstimate("elements", 0, 0, 0.0))
    lines = list(estimate_lines(Estimate(stages, 58.0), Budget(seconds=600)))
    assert lines[0] == "decompose: 1,890 to do, about 700,000 tokens, about 3 h 20 min"
    assert lines[1].startswith("In all about 3 h 20 min at 58 tokens/s")
    assert "10 min 00 s" in lines[2]
    unknown = list(estimate_lines(Estimate((StageEstimate("decompose", 3, 900, None),), None), Budget()))
    assert unknown[0] == "decompose: 3 to do, about 900 tokens"
    assert "after the model has started" in unknown[1]


def test_a_report_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    stage = StageReport("decompose", 412, 1478, 3, 970, 30, 400, 12, 120_000, 18_000, 1500.0)
    nodes = ((NodeType.TEXT, 1890), (NodeType.SEMANTIC_UNIT, 2100), (NodeType.OVERVIEW, 0))
    print_enriched(EnrichReport((stage,), (("similar", 2.0),), nodes, ((EdgeType.NAMES, 7000),), False, "", 1503.0))
    assert capsys.readouterr().out.splitlines() == [
        "decompose: 412 done, 1,478 left, 3 failed, 3 % rejected, 120,000 tokens read, 18,000 written, 92 tokens/s,"
        " 12 answered before",
        "similar: 2 s",
        "",
        "nodes: text 1,890, semantic unit 2,100",
        "edges: names 7,000",
        "25 min 03 s.",
        "There is more to do; run the same command to continue.",
    ]
