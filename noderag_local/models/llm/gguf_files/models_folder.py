"""Lists what lies in the models folder."""

from __future__ import annotations

from pathlib import Path

from noderag_local.domain.errors import ModelError


def files_in(models_dir: Path) -> list[Path]:
    """Returns the paths in the models folder by name; none if there is no such folder.

    Raises:
        ModelError: the system cannot look into the folder.
    """
    try:
        return sorted(models_dir.iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise ModelError(
            f"The models folder {models_dir} cannot be read: {error.strerror or error}. Fix its permissions or connect its drive, "
            "or name another folder in the setting models_dir."
        ) from error
