"""What the scan takes, what it leaves out, and that it counts the rest."""

from __future__ import annotations

import os
import socket
import unicodedata
from pathlib import Path

import pytest

from noderag_local.domain.errors import SourceError
from noderag_local.ingest.scan.scan import Scan, scan

LIMIT = 1000


def write(path: Path, text: str = "text") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def names(found: Scan) -> list[str]:
    return [os.path.basename(file.path) for file in found.files]


def reasons(found: Scan) -> dict[str, str]:
    return {os.path.basename(skipped.path): skipped.reason for skipped in found.skipped}


def test_takes_text_documents_of_all_folders_in_order(tmp_path: Path) -> None:
    for name in ("b.md", "a/c.TXT", "a/b.markdown", "a/d.jsonl", "e.text", "image.bmp"):
        write(tmp_path / name)
    found = scan([tmp_path], LIMIT)
    assert [os.path.relpath(file.path, tmp_path) for file in found.files] == [
        "a/b.markdown",
        "a/c.TXT",
        "a/d.jsonl",
        "b.md",
        "e.text",
    ]
    assert reasons(found) == {"image.bmp": "not a text document"}
    assert found.files[0].size_bytes == 4


def test_hidden_and_version_control_are_left_out_and_counted(tmp_path: Path) -> None:
    for name in (".git/a.md", ".obsidian/b.md", ".c.md", "CVS/d.md", "e.md"):
        write(tmp_path / name)
    found = scan([tmp_path], LIMIT)
    assert names(found) == ["e.md"]
    assert reasons(found) == {
        ".git": "version control",
        "CVS": "version control",
        ".obsidian": "hidden",
        ".c.md": "hidden",
    }


def test_a_hidden_path_given_by_name_is_taken(tmp_path: Path) -> None:
    assert names(scan([write(tmp_path / ".c.md"), write(tmp_path / ".d/e.md").parent], LIMIT)) == [".c.md", "e.md"]


def test_the_deepest_gitignore_that_speaks_decides(tmp_path: Path) -> None:
    write(tmp_path / ".gitignore", "*.txt\nbuild/\n[invalid\n")
    write(tmp_path / "sub/.gitignore", "!kept.txt\n/only_here.md\n")
    for name in ("a.txt", "sub/kept.txt", "sub/b.txt", "build/c.md", "sub/only_here.md", "sub/deep/only_here.md"):
        write(tmp_path / name)
    found = scan([tmp_path], LIMIT)
    assert [os.path.relpath(file.path, tmp_path) for file in found.files] == ["sub/deep/only_here.md", "sub/kept.txt"]
    assert sum(skipped.reason == "named in .gitignore" for skipped in found.skipped) == 4


def test_gitignore_over_the_named_folder_holds_inside_a_repository(tmp_path: Path) -> None:
    write(tmp_path / ".git/HEAD")
    write(tmp_path / ".gitignore", "drafts.md\n")
    write(tmp_path / "notes/drafts.md")
    write(tmp_path / "notes/a.md")
    assert names(scan([tmp_path / "notes"], LIMIT)) == ["a.md"]


def test_large_files_are_left_out_with_the_limit_named(tmp_path: Path) -> None:
    write(tmp_path / "large.md", "x" * (LIMIT + 1))
    write(tmp_path / "fits.md", "x" * LIMIT)
    found = scan([tmp_path], LIMIT)
    assert names(found) == ["fits.md"]
    assert "max_file_mb" in found.skipped[0].detail


def test_link_loops_end_and_are_counted(tmp_path: Path) -> None:
    write(tmp_path / "a/b.md")
    (tmp_path / "a/up").symlink_to(tmp_path)
    (tmp_path / "a/self").symlink_to(tmp_path / "a")
    (tmp_path / "a/dead.md").symlink_to(tmp_path / "nothing.md")
    (tmp_path / "a/ring.md").symlink_to(tmp_path / "a/ring.md")
    found = scan([tmp_path], LIMIT)
    assert names(found) == ["b.md"]
    assert reasons(found)["up"] == "folder already walked (link)"
    assert reasons(found)["dead.md"] == "link to nothing"
    assert reasons(found)["ring.md"] == "link to nothing"
    assert not any(skipped.is_error for skipped in found.skipped)


def test_a_folder_that_links_lead_to_is_walked_once(tmp_path: Path) -> None:
    write(tmp_path / "there/a.md")
    (tmp_path / "one").symlink_to(tmp_path / "there")
    (tmp_path / "two").symlink_to(tmp_path / "there")
    found = scan([tmp_path], LIMIT)
    assert names(found) == ["a.md"]
    assert len(found.skipped) == 2


def test_links_out_of_the_folder_are_left_out_unless_their_target_is_named_too(tmp_path: Path) -> None:
    write(tmp_path / "outside/a.md")
    file = write(tmp_path / "secret.md")
    (tmp_path / "inside").mkdir()
    (tmp_path / "inside/folder").symlink_to(tmp_path / "outside")
    (tmp_path / "inside/file.md").symlink_to(file)
    found = scan([tmp_path / "inside"], LIMIT)
    assert found.files == ()
    assert reasons(found) == {"folder": "link out of the folder", "file.md": "link out of the folder"}
    assert names(scan([tmp_path / "inside", tmp_path / "outside"], LIMIT)) == ["a.md"]


@pytest.mark.parametrize("link", ["a link", "z link"])
def test_what_lies_in_a_folder_goes_by_that_and_not_by_a_link_to_it(tmp_path: Path, link: str) -> None:
    write(tmp_path / "notes/real/note.md")
    (tmp_path / "notes" / link).symlink_to(tmp_path / "notes/real")
    (tmp_path / "notes/a note.md").symlink_to(tmp_path / "notes/real/note.md")
    found = scan([tmp_path / "notes"], LIMIT)
    assert [file.path for file in found.files] == [str(tmp_path / "notes/real/note.md")]
    assert reasons(found) == {link: "folder already walked (link)"}


def test_a_link_into_another_named_folder_is_not_what_that_folder_goes_by(tmp_path: Path) -> None:
    write(tmp_path / "stick/note.md")
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes/link").symlink_to(tmp_path / "stick")
    for roots in ([tmp_path / "notes", tmp_path / "stick"], [tmp_path / "stick", tmp_path / "notes"]):
        assert [file.path for file in scan(roots, LIMIT).files] == [str(tmp_path / "stick/note.md")]


@pytest.mark.parametrize("link", ["a link", "z link"])
def test_the_order_in_which_a_folder_and_a_link_to_it_are_named_does_not_matter(tmp_path: Path, link: str) -> None:
    write(tmp_path / "notes/note.md")
    (tmp_path / link).symlink_to(tmp_path / "notes")
    for roots in ([tmp_path / "notes", tmp_path / link], [tmp_path / link, tmp_path / "notes"]):
        assert [file.path for file in scan(roots, LIMIT).files] == [str(tmp_path / "notes/note.md")]


def test_lock_files_of_office_programs_are_left_out(tmp_path: Path) -> None:
    write(tmp_path / "~$report.docx")
    assert reasons(scan([tmp_path], LIMIT)) == {"~$report.docx": "lock file of an office program"}


def test_a_link_that_the_user_names_is_followed(tmp_path: Path) -> None:
    write(tmp_path / "outside/a.md")
    (tmp_path / "notes").symlink_to(tmp_path / "outside")
    assert names(scan([tmp_path / "notes"], LIMIT)) == ["a.md"]


def test_installed_packages_are_left_out(tmp_path: Path) -> None:
    write(tmp_path / "project/node_modules/left-pad/readme.md")
    write(tmp_path / "project/readme.md")
    found = scan([tmp_path], LIMIT)
    assert names(found) == ["readme.md"]
    assert reasons(found) == {"node_modules": "installed packages"}


def test_a_file_reached_twice_is_one_file_in_any_order(tmp_path: Path) -> None:
    file = write(tmp_path / "b.md")
    os.link(file, tmp_path / "a.md")
    assert names(scan([tmp_path, file], LIMIT)) == ["a.md"]
    assert scan([file, tmp_path], LIMIT).files == scan([tmp_path, file], LIMIT).files


def test_pipes_and_sockets_are_never_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket.md")
        found = scan([tmp_path], LIMIT)
    assert reasons(found) == {"pipe.md": "not a regular file", "socket.md": "not a regular file"}


def test_a_path_that_does_not_exist_is_named(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"nowhere\.md does not exist"):
        scan([tmp_path / "nowhere.md"], LIMIT)


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_an_unreadable_folder_is_an_error_and_the_rest_is_taken(tmp_path: Path) -> None:
    locked = write(tmp_path / "locked/a.md").parent
    write(tmp_path / "b.md")
    locked.chmod(0)
    try:
        found = scan([tmp_path], LIMIT)
    finally:
        locked.chmod(0o700)
    assert names(found) == ["b.md"]
    assert found.skipped[0].is_error


def test_a_folder_called_gitignore_is_passed_over(tmp_path: Path) -> None:
    write(tmp_path / ".gitignore/a.md")
    write(tmp_path / "b.md")
    assert names(scan([tmp_path], LIMIT)) == ["b.md"]


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_names_stay_as_the_file_system_spells_them(tmp_path: Path, form: str) -> None:
    name = unicodedata.normalize(form, "Müller.md")
    write(tmp_path / name)
    assert names(scan([tmp_path], LIMIT)) == [name]
