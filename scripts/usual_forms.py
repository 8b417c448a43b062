#!/usr/bin/env python3
"""Computes the vectors of the examples in `aggregation/usual/forms.toml` anew; run it after a change there.

.venv/bin/python scripts/usual_forms.py
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from noderag_local.aggregation.usual import usual_forms
from noderag_local.models.embedding.question_encoder import QuestionEncoder

if __name__ == "__main__":
    vectors = QuestionEncoder().encode_all([example.text for example in usual_forms.examples()])
    file = Path(usual_forms.__file__).with_name(usual_forms.VECTORS_FILE)
    np.save(file, vectors.astype(np.float16), allow_pickle=False)
    print(f"{file}: {len(vectors)} vectors, {file.stat().st_size:,} bytes")
