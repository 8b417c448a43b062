"""All finite float16 numbers are the same as float32."""

from __future__ import annotations

import numpy as np

from noderag_local.storage.vectors.wide_rows import wide_rows


def test_all_numbers_are_the_same() -> None:
    numbers = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    finite = numbers[np.isfinite(numbers)]
    made = wide_rows(finite)
    assert made.dtype == np.float32
    assert made.tobytes() == finite.astype(np.float32).tobytes()


def test_any_shape_is_taken() -> None:
    rows = np.arange(12, dtype=np.float16).reshape(3, 4)
    assert wide_rows(rows[:, ::2]).tolist() == [[0, 2], [4, 6], [8, 10]]
    assert wide_rows(rows[:0]).shape == (0, 4)
