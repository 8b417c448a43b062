#!/usr/bin/env python3
"""Computes the vectors of the examples in `aggregation/usual/forms.toml` anew; run it after a change there.

.venv/bin/python scripts/usual_forms.py

Needs the multilingual model: noderag models get multilingual-e5-small
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from noderag_local.aggregation.usual import examples
from noderag_local.config import load_settings
from noderag_local.models.embedding.embedding_model import EmbeddingModel, builtin_model, embedding_model
from noderag_local.models.embedding.opening import question_encoder
from noderag_local.system.paths import absolute


def main() -> None:
    """Writes the vectors of both models."""
    settings = load_settings()
    other = embedding_model(examples.MULTILINGUAL_NAME, absolute(settings.models_dir))
    for known, model in ((examples.ENGLISH, builtin_model()), (examples.MULTILINGUAL, other)):
        _write(known.file, model)


def _write(name: str, model: EmbeddingModel) -> None:
    vectors = question_encoder(model, load_settings())([example.text for example in examples.examples()])
    file = Path(examples.__file__).with_name(name)
    np.save(file, vectors.astype(np.float16), allow_pickle=False)
    print(f"{file}: {len(vectors)} vectors, {file.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
