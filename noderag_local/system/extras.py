"""Tells how to add an extra, a group of packages for one feature, to the present installation."""

from __future__ import annotations

import json
import shlex
import sys
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from urllib.parse import unquote, urlsplit

DISTRIBUTION = "noderag-local"
WHEEL_ANYWHERE = "PATH_OF_THE_WHEEL"


def installing(extra: str) -> str:
    """Returns the shell command that adds an extra to the environment of this process.

    The command names the checkout or the wheel that noderag was installed from, never the name of the distribution: pip would
    look that up on a package index, where anybody may have published a package of this name.
    """
    try:
        installed = distribution(DISTRIBUTION)
    except PackageNotFoundError:
        return _by_pip(f"{WHEEL_ANYWHERE}[{extra}]")
    path, is_editable = _source(installed)
    editable = ("-e",) * is_editable
    if (installed.read_text("INSTALLER") or "").strip() == "uv":
        return shlex.join(["uv", "pip", "install", "--python", sys.executable, *editable, f"{path}[{extra}]"])
    return _by_pip(*editable, f"{path}[{extra}]")


def _by_pip(*arguments: str) -> str:
    # -P: a pip.py in the folder that one stands in is not run.
    return shlex.join([sys.executable, "-P", "-m", "pip", "install", *arguments])


def _source(installed: Distribution) -> tuple[str, bool]:
    """Returns the folder or wheel that a package was installed from, and whether it runs from that folder (PEP 610)."""
    record = json.loads(installed.read_text("direct_url.json") or "{}")
    address = urlsplit(record.get("url", ""))
    if address.scheme != "file":
        return WHEEL_ANYWHERE, False
    path = unquote(address.path)
    # On Windows, a drive comes after a slash: file:///C:/wheels/….
    return path.removeprefix("/") if sys.platform == "win32" else path, bool(record.get("dir_info", {}).get("editable"))
