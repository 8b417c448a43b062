"""LightRAG with keywords by the language model, as its paper has it.

Paper        Guo et al. 2024, section 3.2 and appendix 7.3.3: one call names the low- and the high-level keywords of the
             question. The rest is search/light.py, with its deviations but the first.
Needs        what search/light.py needs; a language model at each question.
Deviations   Two lines instead of JSON, which small models break. Where a level is left empty, the question is searched for.
"""

from __future__ import annotations

from noderag_local.papers.lightrag.light_keywords import keywords_by_model
from noderag_local.papers.lightrag.lightrag import LightGlobal, LightHybrid, LightLocal, LightMix


class _KeywordsByModel:
    """What sets these apart from those of search/light.py."""

    asks_model = True
    keywords_of = staticmethod(keywords_by_model)


class LightLocalLlm(_KeywordsByModel, LightLocal):
    """See the head of this module."""

    name = "light-local-llm"


class LightGlobalLlm(_KeywordsByModel, LightGlobal):
    """See the head of this module."""

    name = "light-global-llm"


class LightHybridLlm(_KeywordsByModel, LightHybrid):
    """See the head of this module."""

    name = "light-hybrid-llm"


class LightMixLlm(_KeywordsByModel, LightMix):
    """See the head of this module."""

    name = "light-mix-llm"
