"""What several vaults of one process load once."""

from __future__ import annotations

from noderag_local.config import load_settings
from noderag_local.models.embedding.embedding_model import builtin_model
from noderag_local.vault.index import LoadedModels


def test_vaults_of_one_process_share_the_embedding_model() -> None:
    """Each of its own would stay in memory for good, as the collector of garbage does not look at a loaded model again."""
    settings = load_settings()
    assert LoadedModels(settings).embedder(builtin_model()) is LoadedModels(settings).embedder(builtin_model())
