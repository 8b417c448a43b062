"""A language model of a vault whose answers the test has written."""

from __future__ import annotations

from pathlib import Path

from noderag_local.config import load_settings
from noderag_local.models.language_model import LanguageModel
from noderag_local.models.llm.scripted import ScriptedEngine

NO_MODELS = Path(__file__).parent / "no-models"


class ScriptedModel(LanguageModel):
    """Gives the vault a scripted engine."""

    def __init__(self, engine: ScriptedEngine) -> None:
        super().__init__(load_settings(models_dir=NO_MODELS))
        self.scripted = engine

    def engine(self) -> ScriptedEngine:  # type: ignore[override]
        return self.scripted
