"""A package of noderag's name that does little, so that installing it takes seconds."""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path
from zipfile import ZipFile

from noderag_local import __version__


def write_stub_wheel(folder: Path, code: str) -> None:
    """Writes a wheel into a folder.

    Args:
        code: of a module with a function `main`, which the command `noderag` runs.
    """
    info = f"noderag_local-{__version__}.dist-info"
    content = {
        "noderag_stub.py": code,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: noderag-local\nVersion: {__version__}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/entry_points.txt": "[console_scripts]\nnoderag = noderag_stub:main\n",
    }
    record = "".join(
        f"{name},sha256={base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b'=').decode()},{len(text)}\n"
        for name, text in content.items()
    )
    with ZipFile(folder / f"noderag_local-{__version__}-py3-none-any.whl", "w") as wheel:
        for name, text in {**content, f"{info}/RECORD": f"{record}{info}/RECORD,,\n"}.items():
            wheel.writestr(name, text)
