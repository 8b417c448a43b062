"""How far encrypting is, Ctrl-C in the middle of it, and what is said then."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
import typer

from noderag_local.config import Settings
from noderag_local.domain.progress import Progress
from noderag_local.interfaces.cli.failures import STOPPED
from noderag_local.interfaces.cli.safety.encryption_commands import shown, tell
from noderag_local.storage.encryption.vault_conversion import Converted
from noderag_local.vault.vault import Vault

STOPPED_ONE = Converted(1, (Path("/vault/backups/torn"),), True)
ENDED = Converted(2, (Path("/vault/backups/torn"),), False)


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    return Vault(tmp_path, Settings())


def test_in_a_pipe_it_says_one_line_when_it_is_over(capsys: pytest.CaptureFixture[str]) -> None:
    def convert(*, progress: Callable[[Progress], None], cancelled: Callable[[], bool]) -> Converted:
        for done in range(66):
            progress(Progress("encrypting", done, 65, "MB"))
        assert not cancelled()
        return ENDED

    assert shown(convert) == ENDED
    told = capsys.readouterr()
    assert told.out == ""
    (line,) = told.err.splitlines()
    assert line.startswith("encrypting: 65 MB in ")


def test_ctrl_c_asks_it_to_stop(capsys: pytest.CaptureFixture[str]) -> None:
    def convert(*, progress: Callable[[Progress], None], cancelled: Callable[[], bool]) -> Converted:
        signal.raise_signal(signal.SIGINT)
        assert cancelled()
        return STOPPED_ONE

    assert shown(convert) == STOPPED_ONE
    assert "can still be opened" in capsys.readouterr().err


def test_what_was_stopped_says_how_to_go_on(vault: Vault, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(typer.Exit) as ended:
        tell(vault, STOPPED_ONE, "The vault is encrypted.", False)
    told = capsys.readouterr().out
    assert ended.value.exit_code == STOPPED
    assert "noderag encrypt" in told and "noderag decrypt" in told and "The vault is encrypted." not in told


def test_what_is_over_names_what_could_not_be_converted(vault: Vault, capsys: pytest.CaptureFixture[str]) -> None:
    tell(vault, ENDED, "The vault is encrypted.", False)
    told = capsys.readouterr().out
    assert "The vault is encrypted." in told and "/vault/backups/torn" in told


def test_a_program_is_told_the_same(vault: Vault, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(typer.Exit):
        tell(vault, STOPPED_ONE, "The vault is encrypted.", True)
    assert json.loads(capsys.readouterr().out) == {
        "vault": str(vault.folder),
        "encrypted": False,
        "backups": 1,
        "left": ["/vault/backups/torn"],
        "stopped": True,
    }
