"""Turns an instant that another program noted into the day on the clock of this machine.

Programs note instants in UTC. What somebody wrote or saved at half past eleven in the evening belongs to the day of that evening,
so all exports tell days by the time zone of the machine, as for the dates of files.
"""

from __future__ import annotations

from datetime import UTC, datetime


def local_day(seconds: float) -> str:
    """Returns the day of an instant, such as "2024-05-03"; "" if no calendar has it.

    Args:
        seconds: seconds since the beginning of 1970, UTC.
    """
    try:
        return datetime.fromtimestamp(seconds).date().isoformat()
    except (ValueError, OverflowError, OSError):
        return ""


def local_day_of(moment: str, form: str) -> str:
    """Returns the day of an instant that is written in UTC; "" if it is not written in this form.

    Args:
        moment: the instant, such as "2024-05-03 21:30:00".
        form: how it is written, in the codes of `strptime`.
    """
    try:
        return local_day(datetime.strptime(moment, form).replace(tzinfo=UTC).timestamp())
    except ValueError:
        return ""
