"""The runner of the language model's tier: stages and steps in order, within a budget, to be stopped at any moment."""

from noderag_local.enrichment.budget import Budget
from noderag_local.enrichment.forecast import Estimate, StageEstimate, estimate
from noderag_local.enrichment.plan import LAYERS, Part, drop_part, named_part, plan
from noderag_local.enrichment.report import EnrichProgress, EnrichReport, StageReport
from noderag_local.enrichment.run import enrich

__all__ = [
    "LAYERS",
    "Budget",
    "EnrichProgress",
    "EnrichReport",
    "Estimate",
    "Part",
    "StageEstimate",
    "StageReport",
    "drop_part",
    "enrich",
    "estimate",
    "named_part",
    "plan",
]
