"""The desktop's own program for a file."""

from __future__ import annotations


def desktop_command(path: str, platform: str) -> list[str]:
    """The arguments that open a file as a double click does, as a vector: no shell reads them.

    Args:
        path: absolute, so that it cannot be taken for an option.
        platform: as `sys.platform` has it.
    """
    if platform == "darwin":
        return ["open", path]
    return ["explorer", path] if platform == "win32" else ["xdg-open", path]
