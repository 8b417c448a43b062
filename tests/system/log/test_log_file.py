"""The file of the log: private, of limited size, and never another file."""

from __future__ import annotations

import logging
import os
import stat
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from noderag_local.domain.errors import SettingsError
from noderag_local.system.log.log_file import FIRST_LINE, MAX_BYTES, LogFile, files_of, is_log
from noderag_local.system.log.running import start_log, stop_log

LOGGER = logging.getLogger("noderag_local.tests")


@pytest.fixture(autouse=True)
def loosest_umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    stop_log()
    os.umask(before)


def write(lines: int) -> None:
    for number in range(lines):
        LOGGER.info("line %d %s", number, "x" * 100)


def test_its_size_is_limited_and_all_of_its_files_are_private(tmp_path: Path) -> None:
    path = tmp_path / "new" / "noderag.log"
    start_log(path, names=True)
    write(30_000)
    stop_log()
    there = sorted(path.parent.iterdir())
    assert there == sorted(files_of(path))
    for file in there:
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert file.stat().st_size <= MAX_BYTES + 200
        assert is_log(file)
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert "line 29999 " in path.read_text()


def test_it_goes_on_behind_what_an_earlier_command_wrote(tmp_path: Path) -> None:
    for _ in range(2):
        start_log(tmp_path / "a.log", names=False)
        write(1)
        stop_log()
    text = (tmp_path / "a.log").read_text()
    assert (text.count("line 0"), text.count(FIRST_LINE)) == (2, 1)


def test_one_that_others_could_read_is_closed_to_them(tmp_path: Path) -> None:
    (tmp_path / "a.log").touch(mode=0o666)
    start_log(tmp_path / "a.log", names=False)
    assert stat.S_IMODE((tmp_path / "a.log").stat().st_mode) == 0o600


def test_a_file_that_is_no_log_is_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "diary.md").write_text("Dear diary")
    (tmp_path / "a.log.2").write_text("another program's")
    for name in ("diary.md", "a.log"):
        with pytest.raises(SettingsError, match="no log of noderag"):
            start_log(tmp_path / name, names=False)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.log.2", "diary.md"]


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for path in (tmp_path / "file" / "a.log", tmp_path):
        with pytest.raises(SettingsError, match="cannot be written"):
            start_log(path, names=False)


def test_a_disk_that_fails_stops_no_work(tmp_path: Path) -> None:
    if not os.path.exists("/dev/full"):
        pytest.skip("this system has no /dev/full")
    start_log(Path("/dev/full"), names=False)
    write(1)
    assert isinstance(stop_log(), OSError)


def test_two_processes_that_write_the_same_log_follow_each_other(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    one, other = LogFile(path), LogFile(path)
    record = logging.LogRecord("noderag_local", logging.INFO, "", 1, "hello", (), None)
    other.emit(record)
    one.doRollover()
    other.emit(record)
    one.emit(record)
    one.close()
    other.close()
    assert path.read_text().count("hello") == 2
    assert path.with_name("a.log.1").read_text().count("hello") == 1


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_thread_that_fails_is_noted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def fail() -> None:
        raise ValueError("zebrafinch")

    start_log(tmp_path / "a.log", names=False)
    thread = threading.Thread(target=fail)
    thread.start()
    thread.join()
    stop_log()
    text = (tmp_path / "a.log").read_text()
    assert "a thread failed\n    ValueError\n" in text
    assert "zebrafinch" not in text
    assert "zebrafinch" in capsys.readouterr().err


def test_without_a_log_an_error_that_is_noted_appears_nowhere(capfd: pytest.CaptureFixture[str]) -> None:
    LOGGER.error("something")
    assert capfd.readouterr() == ("", "")
