"""Ten processes search a vault while another one writes to it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from helpers.note_files import written_notes

READERS = 10
SEARCHES = 3
RUNS = 8
READ = """
import sys
from pathlib import Path
from noderag_local import Vault, load_settings
settings = load_settings(vault=Path(sys.argv[1]))
with Vault(settings.vault, settings) as vault:
    for turn in range(int(sys.argv[2])):
        found = vault.search("When does the lease end?")
        assert "lease" in found.context, found.context
        vault.ask("When does the lease end?", with_model=False).finish()
"""
WRITE = """
import sys
from pathlib import Path
from noderag_local import Vault, load_settings
from noderag_local.vault.index import LoadedModels
settings = load_settings(vault=Path(sys.argv[1]), automatic_backups=False)
notes, models = Path(sys.argv[3]), LoadedModels(settings)
with Vault(settings.vault, settings) as vault:
    for turn in range(int(sys.argv[2])):
        changed = notes / f"changed{turn % 3}.md"
        if turn % 4 == 3:
            changed.unlink(missing_ok=True)
        else:
            changed.write_text(f"# Visit {turn}\\n\\nMaria Lopes saw the roof on 2024-03-{turn + 1:02}.\\n")
        vault.index([notes], models=models)
"""


def started(code: str, *arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


@pytest.mark.slow
def test_ten_readers_and_a_writer_finish_without_an_error(tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    notes = written_notes(
        tmp_path / "notes", {"lease.md": "# Flat\n\nThe lease ends in May. Tom Reis pays the rent.\n"}
    )
    first = started(WRITE, vault, 1, notes)
    assert (first.communicate()[0], first.returncode) == ("", 0)
    processes = [started(WRITE, vault, RUNS, notes), *(started(READ, vault, SEARCHES) for _ in range(READERS))]
    ended = [(process.communicate()[0], process.returncode) for process in processes]
    assert ended == [("", 0)] * (READERS + 1)
    assert sorted(path.name for path in vault.iterdir()) == [
        "search.arrays",
        "snapshot.arrays",
        "vault.lock",
        "vault.sqlite",
    ]
