"""How commands fail: one block on stderr, or one document on stdout, and an exit code to rely on."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from noderag_local.domain.errors import NoderagError, OfflineViolation, VaultLocked
from noderag_local.interfaces.cli.run_command import run

WRONG = [
    ["frobnicate"],
    ["search"],
    ["search", "x", "--budgte", "5"],
    ["search", "x", "--budget", "many"],
    ["search", "x", "--budget", "0"],
    ["search", "x", "--budget", "-5"],
    ["search", "x", "--limit", "0"],
    ["search", ""],
    ["ask", " \t\u200b"],
    ["ask", "x", "--budget", "0"],
    ["chat", "--budget", "0"],
    ["eval", "qa.json"],
]


@pytest.mark.parametrize("arguments", WRONG, ids=" ".join)
def test_wrong_usage_is_exit_code_2_and_says_how_it_is_used(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(arguments) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith("Error: ")
    assert "--help" in told.err


@pytest.mark.parametrize("arguments", WRONG, ids=" ".join)
def test_programs_get_a_document_instead(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*arguments, "--json"]) == 2
    told = capsys.readouterr()
    error = json.loads(told.out)["error"]
    assert error["type"]
    assert error["message"]
    assert told.err == ""


def test_no_command_at_all_shows_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([]) == 2
    assert "noderag index ~/notes" in capsys.readouterr().err


def test_a_setting_that_nobody_knows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "settings.toml"
    file.write_text("colour = 'blue'\n", encoding="utf-8")
    monkeypatch.setenv("NODERAG_SETTINGS", str(file))
    assert run(["stats"]) == 2
    told = capsys.readouterr().err
    assert "colour" in told
    assert str(file) in told
    assert run(["stats", "--json"]) == 2
    assert json.loads(capsys.readouterr().out)["error"]["type"] == "SettingsError"


def test_a_message_cannot_steer_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    run(["search", "x", "--\x1b]0;owned\x07"])
    assert "\x1b" not in capsys.readouterr().err


def test_every_error_has_an_exit_code_that_is_not_one_of_the_shells() -> None:
    kinds = [NoderagError, *NoderagError.__subclasses__()]
    assert all(0 < kind.exit_code < 64 for kind in kinds)
    assert (VaultLocked.exit_code, OfflineViolation.exit_code) == (5, 9)


def in_a_process(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs `noderag` with a command `crash` that does what `code` says."""
    script = f"""
import sys
from noderag_local.system import offline
offline.install()
from noderag_local.interfaces.cli.command_app import app
@app.command()
def crash(as_json: bool = __import__("typer").Option(False, "--json")):
    {code}
from noderag_local.interfaces.cli.run_command import run
sys.exit(run(sys.argv[1:]))
"""
    return subprocess.run(
        [sys.executable, "-c", script, *arguments], capture_output=True, text=True, check=False, timeout=60
    )


class TestABug:
    def test_it_is_told_without_a_traceback(self) -> None:
        done = in_a_process("raise ValueError('odd')", "crash")
        assert done.returncode == 70
        assert "ValueError: odd" in done.stderr
        assert "noderag --debug" in done.stderr
        assert "Traceback" not in done.stderr

    def test_debug_shows_where(self) -> None:
        done = in_a_process("raise ValueError('odd')", "--debug", "crash")
        assert done.returncode == 70
        assert "Traceback" in done.stderr

    def test_as_a_document(self) -> None:
        done = in_a_process("raise ValueError('odd')", "crash", "--json")
        assert done.returncode == 70
        assert json.loads(done.stdout)["error"]["type"] == "ValueError"


class TestAConnection:
    TRY = "import socket, contextlib\n    with contextlib.suppress(Exception): socket.create_connection(('192.0.2.1', 80))"

    def test_one_that_a_library_hides_still_fails_the_command(self) -> None:
        done = in_a_process(self.TRY + "\n    print('all is well')", "crash")
        assert done.returncode == 9
        assert "192.0.2.1" in done.stderr

    def test_the_document_is_the_error_alone(self) -> None:
        code = (
            self.TRY
            + "\n    from noderag_local.interfaces.cli.json_output import print_document\n    print_document({'fine': 1})"
        )
        done = in_a_process(code, "crash", "--json")
        assert done.returncode == 9
        assert json.loads(done.stdout)["error"]["type"] == "OfflineViolation"


@pytest.mark.parametrize("command", ["--help", "methods", "methods --json", "help commands", "frobnicate 2>&1"])
def test_a_reader_that_leaves_early_ends_the_command_without_a_word(command: str) -> None:
    # `exec` closes the reading end before the command can write to it.
    script = f"set -o pipefail; {sys.executable} -m noderag_local {command} | exec true"
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (141, "")


def test_work_that_a_reader_cuts_short_does_not_count_as_done(tmp_path: Path) -> None:
    (tmp_path / "note.md").write_text("A note about the boiler.", encoding="utf-8")
    words = f"index {tmp_path} --vault {tmp_path / 'vault'} 2>&1"
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {sys.executable} -m noderag_local {words} | exec true"],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (141, "")


def test_ctrl_c_is_exit_code_130() -> None:
    done = in_a_process("raise KeyboardInterrupt", "crash")
    assert done.returncode == 130
    assert done.stderr == "Stopped.\n"


def test_ctrl_c_while_the_program_is_still_being_loaded_is_quiet() -> None:
    code = """
import sys
class CtrlC:
    def find_spec(self, name, path, target=None):
        if name.endswith("run_command"):
            raise KeyboardInterrupt
sys.meta_path.insert(0, CtrlC())
from noderag_local.__main__ import main
main()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")
