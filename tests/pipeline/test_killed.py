"""An enrichment is killed at random moments and gone on with: the same graph, and no call twice but those that ran."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from pipeline.toy_stages import Pairs, Portraits, ToyEngine, Units, fill

from noderag_local.pipeline.budget import Budget
from noderag_local.pipeline.enrichment import enrich
from noderag_local.storage.backup.digest import digest
from noderag_local.storage.backup.integrity import integrity
from noderag_local.storage.database.store import Store

KILLS = 30
CHUNKS = 240
WIDTH = 4
# One process that has imported everything forks off each run, so that a run starts in milliseconds.
DRIVER = f"""
import json, os, pathlib, random, signal, sys, time
from pipeline.toy_stages import Pairs, Portraits, ToyEngine, Units
from noderag_local.pipeline.budget import Budget
from noderag_local.pipeline.enrichment import enrich
from noderag_local.storage.database.store import Store

vault, log = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
delays, moments = random.Random(11), random.Random(12)

def finish_or(calls):
    # Not for a time alone: on a slow machine, no call has begun by then.
    def begun():
        return len(log.read_text().split()) if log.exists() else 0
    while begun() < calls and not os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT):
        time.sleep(0.001)

for run in range({KILLS}):
    child = os.fork()
    if not child:
        with Store.open(vault, write=True) as store:
            engine = ToyEngine(seconds=0.012, width={WIDTH}, seed=run, log=log)
            enrich(store, [Units(), Portraits(), Pairs()], engine, Budget())
        os._exit(0)
    finish_or(moments.randrange(12))
    time.sleep(delays.uniform(0, 0.012))
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    begun = log.read_text().split() if log.exists() else []
    log.unlink(missing_ok=True)
    with Store.open(vault, write=True) as store:
        answered = [row[0] for row in store.rows("SELECT input_hash FROM llm_cache")]
    print(json.dumps([os.WIFSIGNALED(status), begun, answered]), flush=True)
"""


def test_killed_thirty_times(tmp_path: Path) -> None:
    with Store.open(tmp_path / "killed", write=True) as store:
        fill(store, CHUNKS)
    command = [sys.executable, "-c", DRIVER, tmp_path / "killed", tmp_path / "calls"]
    done = subprocess.run(command, cwd=Path(__file__).parents[1], capture_output=True, text=True, check=True)
    known: set[str] = set()
    for line in done.stdout.splitlines():
        was_killed, begun, answered = json.loads(line)
        assert was_killed
        assert len(set(begun)) == len(begun)
        assert known.isdisjoint(begun), "what was answered is not asked again"
        assert len(set(begun) - set(answered)) <= WIDTH, "only calls that ran are lost"
        known = set(answered)
    assert 20 < len(known) < CHUNKS, "kills have hit the work"
    with Store.open(tmp_path / "killed", write=True) as store:
        assert [finding.what for finding in integrity(store) if not finding.ok] == ["embeddings"]
        engine = ToyEngine(seed=77)
        assert enrich(store, [Units(), Portraits(), Pairs()], engine, Budget()).is_complete
        assert known.isdisjoint(engine.hashes)
        found = digest(store), store.rows("SELECT * FROM nodes ORDER BY id")
    assert found == unbroken(tmp_path / "unbroken")


def unbroken(folder: Path) -> tuple[str, list[tuple[object, ...]]]:
    with Store.open(folder, write=True) as store:
        fill(store, CHUNKS)
        enrich(store, [Units(), Portraits(), Pairs()], ToyEngine(), Budget())
        return digest(store), store.rows("SELECT * FROM nodes ORDER BY id")


def failing_at(moment: int) -> Callable[[], bool]:
    """Fails the process's work at its n-th look whether to go on."""
    looks = iter(range(10**9))

    def look() -> bool:
        if next(looks) == moment:
            raise ZeroDivisionError
        return False

    return look


@pytest.mark.parametrize("moment", range(3, 48, 7))
def test_an_error_of_ours_loses_nothing_that_was_answered(tmp_path: Path, moment: int) -> None:
    with Store.open(tmp_path / "vault", write=True) as store:
        fill(store, 12)
        engine = ToyEngine()
        with pytest.raises(ZeroDivisionError):
            enrich(store, [Units(), Portraits()], engine, Budget(), cancelled=failing_at(moment))
        again = ToyEngine()
        enrich(store, [Units(), Portraits()], again, Budget())
        assert len(set(engine.hashes) & set(again.hashes)) <= WIDTH
