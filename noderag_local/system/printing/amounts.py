"""Numbers as people read them."""

from __future__ import annotations


def counted(number: int, unit: str) -> str:
    """Returns a count with its unit: `1 document`, `1,204 documents`.

    Args:
        number: the count.
        unit: in the plural, which ends in s.
    """
    return f"{number:,} {unit.removesuffix('s') if number == 1 else unit}".strip()


def rate(per_second: float) -> str:
    """Returns a rate with as many digits as are meaningful."""
    return f"{per_second:,.0f}" if per_second >= 10 else f"{per_second:.1f}"


def duration(seconds: float) -> str:
    """Returns a duration: `0.4 s`, `12 s`, `3 min 05 s`, `2 h 10 min`."""
    if seconds < 1:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02} min"


def size(size_bytes: int) -> str:
    """Returns a size: `412 B`, `18 KB`, `3.4 MB`, `117 MB`, `1.1 GB`; a KB is 1,000 bytes, as disks are sold."""
    amount, unit = float(size_bytes), "B"
    for larger in ("KB", "MB", "GB"):
        if amount < 999.5:
            break
        amount, unit = amount / 1000, larger
    digits = 1 if unit in ("MB", "GB") and amount < 9.95 else 0
    return f"{amount:,.{digits}f} {unit}"
