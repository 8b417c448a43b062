"""Records the progress of an enrichment and the report at its end."""

from __future__ import annotations

from dataclasses import dataclass

from noderag_local.domain.graph import EdgeType, NodeType


@dataclass(frozen=True, slots=True)
class EnrichProgress:
    """Progress of a stage or step."""

    stage: str
    done: int
    total: int
    """Total number of items; 0 if not known yet."""
    tokens_per_second: float | None = None
    """Tokens read and written a second over the last minute; None if not known yet, and for steps."""
    seconds_left: float | None = None
    """Estimated seconds until this stage is finished or its time is used up."""
    rejected_share: float | None = None
    """Share of statements that were rejected; None before the model wrote anything."""

    def line(self) -> str:
        """Returns the progress as one line: `decompose 412 of 1,890 (22 %) · 84 tokens/s · about 38 min left · 3 % rejected`."""
        parts = [f"{self.stage} {self.done:,}"]
        if self.total:
            parts = [f"{self.stage} {self.done:,} of {self.total:,} ({100 * self.done // self.total} %)"]
        if self.tokens_per_second is not None:
            parts.append(f"{self.tokens_per_second:,.0f} tokens/s")
        if self.seconds_left is not None:
            parts.append(f"{roughly(self.seconds_left)} left")
        if self.rejected_share is not None:
            parts.append(f"{100 * self.rejected_share:.0f} % rejected")
        return " · ".join(parts)


@dataclass(frozen=True, slots=True)
class StageReport:
    """State of a stage and its cost in this run."""

    name: str
    done: int
    """Items done in all runs."""
    left: int
    """Items that are still to be done or to be done again."""
    failed: int
    """Items for which the model gave no usable answer, in all runs."""
    accepted: int
    """Number of accepted statements of all items."""
    rejected: int
    """Number of rejected statements: not supported by the text, malformed or repeated."""
    calls: int
    """Number of requests that the model answered in this run."""
    cached: int
    """Number of requests in this run whose answers came from the cache."""
    read_tokens: int
    """Tokens read in this run; instructions that requests share are counted once."""
    written_tokens: int
    seconds: float
    """Of this run."""

    @property
    def rejected_share(self) -> float | None:
        """Share of all statements that were rejected; None if there are none."""
        statements = self.accepted + self.rejected
        return self.rejected / statements if statements else None

    @property
    def tokens_per_second(self) -> float | None:
        """Tokens read and written a second in this run; None if there were none."""
        tokens = self.read_tokens + self.written_tokens
        return tokens / self.seconds if tokens and self.seconds > 0 else None


@dataclass(frozen=True, slots=True)
class EnrichReport:
    """Report of one enrichment."""

    stages: tuple[StageReport, ...]
    steps: tuple[tuple[str, float], ...]
    """(name, seconds) of the steps that ran."""
    nodes: tuple[tuple[NodeType, int], ...]
    edges: tuple[tuple[EdgeType, int], ...]
    stopped: bool
    """Whether the user stopped it; what was done by then is kept."""
    error: str
    """Reason why the model failed; "" if it did not."""
    elapsed_seconds: float

    @property
    def is_complete(self) -> bool:
        """Whether all items are done."""
        return not any(stage.left for stage in self.stages)


def roughly(seconds: float) -> str:
    """Returns a duration in words: `under a minute`, `about 38 min`, `about 3 h 20 min`."""
    minutes = round(seconds / 60)
    if minutes < 1:
        return "under a minute"
    if minutes < 60:
        return f"about {minutes} min"
    # Rounded to five minutes, which is precise enough for hours.
    minutes = 5 * round(minutes / 5)
    return f"about {minutes // 60} h" + (f" {minutes % 60} min" if minutes % 60 else "")
