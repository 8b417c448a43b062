"""Formats means and differences with their intervals."""

from __future__ import annotations

from noderag_local.evaluation.bootstrap import Interval


def shown_interval(interval: Interval) -> str:
    """Formats a mean and its interval."""
    return f"{interval.mean:.1f} ({interval.low:.0f}–{interval.high:.0f})"


def shown_difference(interval: Interval) -> str:
    """Formats a mean difference and its interval, with a star when zero lies outside."""
    return f"{interval.mean:+.1f} ({interval.low:+.0f} to {interval.high:+.0f})" + "*" * interval.excludes_zero
