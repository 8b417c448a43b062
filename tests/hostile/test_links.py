"""Between the scan and the reading, files and folders are replaced by links and by what blocks: nothing else is read."""

from __future__ import annotations

import os
import shutil
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from noderag_local.domain.documents import Skipped, SourceFile
from noderag_local.ingest.chunks.parsed_document import Draft
from noderag_local.ingest.scan.opened_file import NotAtRest, opened
from noderag_local.ingest.scan.scan import scan
from noderag_local.ingest.sync.read_files import NOT_AT_REST, Wanted, read_drafts

SECRET = "Vera keeps the money in the clock."
MOST_BYTES = 1 << 20
DEADLINE_SECONDS = 60

Swap = Callable[[Path, Path], None]


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """A folder with a note two folders down."""
    folder = tmp_path / "notes"
    (folder / "a" / "b").mkdir(parents=True)
    (folder / "a" / "b" / "note.md").write_text("Bob went home.", encoding="utf-8")
    return folder


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    """A folder that nobody named, with a file at the same places."""
    folder = tmp_path / "elsewhere"
    for place in (folder, folder / "b", folder / "a" / "b"):
        place.mkdir(parents=True, exist_ok=True)
        (place / "note.md").write_text(SECRET, encoding="utf-8")
    return folder


def file_by_link(notes: Path, elsewhere: Path) -> None:
    """To a file."""
    path = notes / "a" / "b" / "note.md"
    path.unlink()
    path.symlink_to(elsewhere / "note.md")


def folder_by_link(notes: Path, elsewhere: Path) -> None:
    shutil.rmtree(notes / "a" / "b")
    (notes / "a" / "b").symlink_to(elsewhere / "b")


def folder_above_by_link(notes: Path, elsewhere: Path) -> None:
    shutil.rmtree(notes / "a")
    (notes / "a").symlink_to(elsewhere / "a")


def root_by_link(notes: Path, elsewhere: Path) -> None:
    shutil.rmtree(notes)
    notes.symlink_to(elsewhere)


def folder_by_relative_link(notes: Path, elsewhere: Path) -> None:
    shutil.rmtree(notes / "a" / "b")
    (notes / "a" / "b").symlink_to("../../elsewhere/b")


def texts(file: SourceFile) -> list[str]:
    return [found.text for found in read_drafts(Wanted(file)) if isinstance(found, Draft)]


def said(file: SourceFile) -> list[str]:
    return [found.reason for found in read_drafts(Wanted(file)) if isinstance(found, Skipped)]


@pytest.mark.parametrize(
    "swap", [file_by_link, folder_by_link, folder_above_by_link, root_by_link, folder_by_relative_link]
)
def test_a_link_that_comes_after_the_scan_is_not_followed(swap: Swap, notes: Path, elsewhere: Path) -> None:
    (file,) = scan([notes], MOST_BYTES).files
    swap(notes, elsewhere)
    assert texts(file) == []
    assert said(file) == [NOT_AT_REST]


@pytest.mark.parametrize(
    "swap", [file_by_link, folder_by_link, folder_above_by_link, root_by_link, folder_by_relative_link]
)
def test_so_it_is_where_the_user_named_a_link(swap: Swap, notes: Path, elsewhere: Path, tmp_path: Path) -> None:
    (tmp_path / "named").symlink_to(notes)
    (file,) = scan([tmp_path / "named"], MOST_BYTES).files
    swap(notes, elsewhere)
    assert (texts(file), said(file)) == ([], [NOT_AT_REST])


def test_a_named_link_that_is_turned_elsewhere_is_not_followed(notes: Path, elsewhere: Path, tmp_path: Path) -> None:
    named = tmp_path / "named"
    named.symlink_to(notes)
    (file,) = scan([named], MOST_BYTES).files
    named.unlink()
    named.symlink_to(elsewhere)
    assert SECRET not in texts(file)


def test_links_that_the_scan_followed_are_followed(notes: Path, tmp_path: Path) -> None:
    (notes / "by-file.md").symlink_to(notes / "a" / "b" / "note.md")
    (notes / "by-folder").symlink_to("a")
    (tmp_path / "named").symlink_to(notes)
    (tmp_path / "above").symlink_to(tmp_path)
    for root in (notes, tmp_path / "named", tmp_path / "above" / "named", notes / "by-file.md", notes / "by-folder"):
        (file,) = scan([root], MOST_BYTES).files
        assert file.path.startswith(str(root))
        assert texts(file) == ["Bob went home."]


def test_while_links_and_files_change_places_only_what_was_named_is_read(notes: Path, elsewhere: Path) -> None:
    path, aside = notes / "a" / "b" / "note.md", notes.parent / "aside.md"
    content = path.read_text(encoding="utf-8")
    ended = threading.Event()

    def swapping() -> None:
        while not ended.is_set():
            aside.unlink(missing_ok=True)
            aside.symlink_to(elsewhere / "note.md")
            os.replace(aside, path)
            aside.write_text(content, encoding="utf-8")
            os.replace(aside, path)

    swapper = threading.Thread(target=swapping)
    swapper.start()
    try:
        read, ends = [], time.monotonic() + 3
        while not read or time.monotonic() < ends:
            for file in scan([notes], MOST_BYTES).files:
                try:
                    with opened(file.path, file.real_path) as source:
                        read.append(source.file.read().decode())
                except (NotAtRest, FileNotFoundError):
                    continue
    finally:
        ended.set()
        swapper.join()
    assert read
    assert SECRET not in read


def pipe(path: Path) -> None:
    os.mkfifo(path)


def socket_of_a_program(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listening:
        os.chdir(path.parent)  # the address may have 107 bytes
        listening.bind(path.name)


def folder_in_its_place(path: Path) -> None:
    path.mkdir()


def device(path: Path) -> None:
    try:
        os.mknod(path, 0o20666, os.makedev(1, 5))  # /dev/zero, which never ends
    except PermissionError:
        pytest.skip("devices are root's to make")


@pytest.mark.parametrize("put", [pipe, socket_of_a_program, folder_in_its_place, device])
def test_what_is_no_file_is_neither_waited_for_nor_read(
    put: Callable[[Path], None], notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(notes)
    (file,) = scan([notes], MOST_BYTES).files
    Path(file.path).unlink()
    put(Path(file.path))
    read: list[list[str]] = []
    reader = threading.Thread(target=lambda: read.append(said(file)), daemon=True)
    reader.start()
    reader.join(DEADLINE_SECONDS)
    assert read == [[NOT_AT_REST]]


def test_what_vanished_is_told_as_such(notes: Path) -> None:
    (file,) = scan([notes], MOST_BYTES).files
    shutil.rmtree(notes / "a")
    assert said(file) == ["vanished"]


@pytest.mark.skipif(os.geteuid() != 0, reason="takes another user's rights")
def test_a_folder_that_may_be_passed_through_but_not_listed_is_passed_through(notes: Path) -> None:
    (file,) = scan([notes], MOST_BYTES).files
    (notes / "a").chmod(0o711)
    for folder in (notes.parent, *notes.parent.parents):
        if folder.stat().st_uid == 0 and folder != Path("/") and folder.name != "tmp":
            folder.chmod(0o755)
    child = os.fork()
    if child == 0:
        os.setgid(65534)
        os.setuid(65534)
        with opened(file.path, file.real_path) as source:
            os._exit(0 if source.file.read() == b"Bob went home." else 1)
    assert os.waitpid(child, 0)[1] == 0
