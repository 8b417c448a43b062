"""LightRAG with keywords from the language model."""

from __future__ import annotations

from noderag_local.papers.lightrag.light_keywords import keywords_by_model
from noderag_local.papers.lightrag.lightrag import LightGlobal, LightHybrid, LightLocal, LightMix


class _KeywordsByModel:
    """The part of the four methods that asks the language model for the keywords."""

    asks_model = True
    keywords_of = staticmethod(keywords_by_model)


class LightLocalLlm(_KeywordsByModel, LightLocal):
    """Search by names that the model finds."""

    name = "light-local-llm"


class LightGlobalLlm(_KeywordsByModel, LightGlobal):
    """Search by themes that the model finds."""

    name = "light-global-llm"


class LightHybridLlm(_KeywordsByModel, LightHybrid):
    """Both searches with keywords from the model."""

    name = "light-hybrid-llm"


class LightMixLlm(_KeywordsByModel, LightMix):
    """Both searches with keywords from the model, and the nearest chunks."""

    name = "light-mix-llm"
