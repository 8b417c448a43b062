"""Finds, in the text of a program, every call that makes a file or a folder by itself instead of by `disk.private_files`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

WRITING = {"write_text", "write_bytes", "mkdir", "makedirs", "mkfifo", "mknod", "copytree", "copyfile", "copy", "copy2"}
COPIES = {"copytree", "copyfile", "copy", "copy2"}
"""Names that dictionaries and arrays have, too: looked at where they are called on `shutil`."""
MAKES = frozenset("wax")


def made_by_itself(source: str) -> Iterator[tuple[int, str]]:
    """(line, call) of each."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and _makes(node):
            yield node.lineno, ast.unparse(node)


def _makes(call: ast.Call) -> bool:
    name, owner = _named(call.func)
    if name == "open":
        return _opens_to_make(call, owner)
    if name == "touch":
        # `Store.touch` notes that rows have changed.
        return not owner.endswith("store")
    return name in WRITING and (name not in COPIES or owner == "shutil")


def _named(function: ast.expr) -> tuple[str, str]:
    """A function's name, and what it is called on."""
    if isinstance(function, ast.Attribute):
        return function.attr, ast.unparse(function.value)
    return (function.id if isinstance(function, ast.Name) else ""), ""


def _opens_to_make(call: ast.Call, owner: str) -> bool:
    if owner == "os":
        # Only a call that may make the file says with which mode.
        return len(call.args) > 2 or any(given.arg == "mode" for given in call.keywords)
    # open(path, mode) and io.open; path.open(mode).
    at = 1 if owner in ("", "io", "codecs", "gzip", "bz2", "lzma") else 0
    given = [argument.value for argument in call.keywords if argument.arg == "mode"]
    mode = given[0] if given else call.args[at] if len(call.args) > at else None
    return bool(MAKES & set(str(mode.value))) if isinstance(mode, ast.Constant) else mode is not None and at == 1
