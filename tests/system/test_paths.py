from __future__ import annotations

import pytest

from noderag_local.system.paths import lies_in, nearest, outermost


@pytest.mark.parametrize(
    ("path", "folder", "lies"),
    [
        ("/notes/a.md", "/notes", True),
        ("/notes/deep/a.md", "/notes", True),
        ("/notes", "/notes", True),
        ("/notes", "/", True),
        ("/notes two/a.md", "/notes", False),
        ("/notes", "/notes/a.md", False),
    ],
)
def test_a_path_lies_in_a_folder_by_whole_names(path: str, folder: str, lies: bool) -> None:
    assert lies_in(path, folder) is lies


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/notes/deep/a.md", "/notes/deep"),
        ("/notes/deep", "/notes/deep"),
        ("/notes/a.md", "/notes"),
        ("/notes two/a.md", ""),
        ("/", ""),
    ],
)
def test_the_nearest_folder_is_the_longest_that_holds_a_path(path: str, expected: str) -> None:
    assert nearest(path, {"/notes", "/notes/deep"}) == expected
    assert nearest(path, {"/", "/notes", "/notes/deep"}) == (expected or "/")


@pytest.mark.parametrize(
    ("paths", "expected"),
    [
        (["/notes", "/notes/deep/inbox.md", "/mail"], {"/notes", "/mail"}),
        (["/notes", "/notes two/a.md"], {"/notes", "/notes two/a.md"}),
        (["/", "/notes"], {"/"}),
        (["/notes", "/notes"], {"/notes"}),
        ([], set()),
    ],
)
def test_what_lies_in_another_path_is_not_outermost(paths: list[str], expected: set[str]) -> None:
    assert outermost(paths) == expected
