"""Questions to your own notes, answered on your own machine, with citations.

This is what another program may import; everything else may change. A name is loaded when it is first used, so that
importing the package costs nothing. Begin with `load_settings` and `Vault`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from noderag_local.config import Settings, load_settings
    from noderag_local.domain.documents import Skipped
    from noderag_local.domain.errors import (
        ClusterError,
        DocumentError,
        DownloadError,
        LayerMissing,
        ModelDamaged,
        ModelError,
        ModelMissing,
        NoderagError,
        NotFound,
        OfflineViolation,
        QuotesForgotten,
        ReaderEnded,
        ReaderTooSlow,
        SettingsError,
        SourceError,
        StoreError,
        VaultChanged,
        VaultDamaged,
        VaultLocked,
        VaultMissing,
        VaultReplaced,
        VaultSealed,
        VaultTooOld,
    )
    from noderag_local.domain.graph import EdgeType, Layer, Neighbour, NodeType
    from noderag_local.domain.holdings import Shown, Stats
    from noderag_local.domain.passages import Citation, Ranked, Retrieval, Scope, Source
    from noderag_local.domain.progress import Finding, IndexReport, OtherLanguages, Progress, StageTime
    from noderag_local.domain.stream import Stream
    from noderag_local.generation.answering import Answer
    from noderag_local.generation.follow_up import Exchange
    from noderag_local.models.language_model import LanguageModel
    from noderag_local.pipeline.budget import Budget
    from noderag_local.pipeline.enrichment_report import EnrichProgress, EnrichReport
    from noderag_local.pipeline.forecast import Estimate
    from noderag_local.pipeline.indexing import ForgetReport
    from noderag_local.retrieval.matches import Match
    from noderag_local.vault.ask import AskProgress
    from noderag_local.vault.vault import Vault

__all__ = [
    "Answer",
    "AskProgress",
    "Budget",
    "Citation",
    "ClusterError",
    "DocumentError",
    "DownloadError",
    "EdgeType",
    "EnrichProgress",
    "EnrichReport",
    "Estimate",
    "Exchange",
    "Finding",
    "ForgetReport",
    "IndexReport",
    "LanguageModel",
    "Layer",
    "LayerMissing",
    "Match",
    "ModelDamaged",
    "ModelError",
    "ModelMissing",
    "Neighbour",
    "NodeType",
    "NoderagError",
    "NotFound",
    "OfflineViolation",
    "OtherLanguages",
    "Progress",
    "QuotesForgotten",
    "Ranked",
    "ReaderEnded",
    "ReaderTooSlow",
    "Retrieval",
    "Scope",
    "Settings",
    "SettingsError",
    "Shown",
    "Skipped",
    "Source",
    "SourceError",
    "StageTime",
    "Stats",
    "StoreError",
    "Stream",
    "Vault",
    "VaultChanged",
    "VaultDamaged",
    "VaultLocked",
    "VaultMissing",
    "VaultReplaced",
    "VaultSealed",
    "VaultTooOld",
    "load_settings",
]
__version__ = "0.1.0"

_MODULES = {
    "config": ["Settings", "load_settings"],
    "domain.documents": ["Skipped"],
    "domain.errors": [
        "ClusterError",
        "DocumentError",
        "DownloadError",
        "LayerMissing",
        "ModelDamaged",
        "ModelError",
        "ModelMissing",
        "NoderagError",
        "NotFound",
        "OfflineViolation",
        "QuotesForgotten",
        "ReaderEnded",
        "ReaderTooSlow",
        "SettingsError",
        "SourceError",
        "StoreError",
        "VaultChanged",
        "VaultDamaged",
        "VaultLocked",
        "VaultMissing",
        "VaultReplaced",
        "VaultSealed",
        "VaultTooOld",
    ],
    "domain.graph": ["EdgeType", "Layer", "Neighbour", "NodeType"],
    "domain.holdings": ["Shown", "Stats"],
    "domain.passages": ["Citation", "Ranked", "Retrieval", "Scope", "Source"],
    "domain.progress": ["Finding", "IndexReport", "OtherLanguages", "Progress", "StageTime"],
    "domain.stream": ["Stream"],
    "generation.answering": ["Answer"],
    "generation.follow_up": ["Exchange"],
    "models.language_model": ["LanguageModel"],
    "pipeline.budget": ["Budget"],
    "pipeline.enrichment_report": ["EnrichProgress", "EnrichReport"],
    "pipeline.forecast": ["Estimate"],
    "pipeline.indexing": ["ForgetReport"],
    "retrieval.matches": ["Match"],
    "vault.ask": ["AskProgress"],
    "vault.vault": ["Vault"],
}
"""Module → the names that it gives; type checkers read the same from the imports above."""

_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> object:
    """Imports the module of a public name when the name is first asked for (PEP 562)."""
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)


def __dir__() -> list[str]:
    """Names that the package has, those that are not loaded yet included."""
    return sorted({*globals(), *__all__})
