"""Tells whether the marks in a column of numbers set thousands apart: "1,250" is more than a thousand, or little more than one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from statistics import median

from noderag_local.aggregation.money import decimal_of

MARKS = frozenset(".,")
"""Marks that set either thousands or decimals apart."""
_THREE_DIGITS = re.compile(r"-?[1-9]\d{0,2}([.,]\d{3})+")
_NEAR, _FAR = 10, 100
"""How many times greater than the numbers without a mark those with one may be for thousands, and must be for decimals."""


def thousands_marks(numbers: Sequence[str]) -> frozenset[str] | None:
    """Returns those of `MARKS` that set thousands apart in the numbers of a column that is not about money.

    A number with decimals tells their mark. Without one the size of the others tells: beside 850, "1,250" is more than a thousand,
    and beside 10, "42.195" is not.

    Args:
        numbers: the numbers as they are written.

    Returns:
        None where they do not tell.
    """
    marked = [number for number in numbers if MARKS & set(number)]
    if not marked:
        return frozenset()
    if decimal := {max(MARKS, key=one.rfind) for one in marked if not _THREE_DIGITS.fullmatch(one)}:
        return MARKS - decimal
    if len(MARKS & set("".join(marked))) > 1:
        return None
    if any(sum(map(number.count, MARKS)) > 1 for number in marked):
        return MARKS
    return _by_size(marked, [number for number in numbers if not MARKS & set(number)])


def _by_size(marked: Sequence[str], plain: Sequence[str]) -> frozenset[str] | None:
    sizes = [abs(value) for number in plain if (value := decimal_of(number))]
    if not sizes:
        return None
    # All marks are taken for those of thousands here.
    middle = median(abs(value) for number in marked if (value := decimal_of(number)))
    if middle <= _NEAR * median(sizes):
        return MARKS
    return frozenset() if middle >= _FAR * median(sizes) else None
