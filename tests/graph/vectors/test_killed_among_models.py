"""A process is killed while it makes all vectors anew: the old ones answer, and the next run ends as an unbroken one."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

from helpers.four_bit_model import four_bit_model

from noderag_local.config import load_settings
from noderag_local.models.embedding.embedding_model import embedding_model
from noderag_local.models.embedding.q4_file import convert
from noderag_local.storage.backup.digest import digest
from noderag_local.storage.database.fact_names import EMBEDDED_BY
from noderag_local.storage.database.store import Store
from noderag_local.storage.vectors.vectors import VectorRows
from noderag_local.vault.vault import Vault

E5 = "multilingual-e5-small"
SCRIPT = """
import sys
from pathlib import Path
from noderag_local.config import load_settings
from noderag_local.graph.vectors import sentence_embedding
from noderag_local.vault.vault import Vault
sentence_embedding.BLOCK_CHUNKS = 1
folder = Path(sys.argv[1])
settings = load_settings(models_dir=folder / "models", embedding_model="multilingual-e5-small", threads=1)
def told(progress):
    if progress.stage == "embedding" and progress.done >= 10:
        print("under way", flush=True)
        sys.stdin.read()
Vault(folder / "vault", settings).index([folder / "notes"], progress=told)
"""


def test_a_kill_loses_nothing(tmp_path: Path) -> None:
    notes, models = tmp_path / "notes", tmp_path / "models"
    notes.mkdir()
    for number in range(12):
        (notes / f"{number}.md").write_text(f"Marta baked bread {number}. The oven was warm.\n", encoding="utf-8")
    (tmp_path / "small.bin").write_bytes(four_bit_model().data)
    convert(tmp_path / "small.bin", models / E5)
    Vault(tmp_path / "vault", load_settings(models_dir=models, threads=1)).index([notes])
    with Store.open(tmp_path / "vault", write=False) as store:
        before = digest(store)

    process = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    try:
        assert process.stdout.readline() == "under way\n"
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        if process.stdin:
            process.stdin.close()
    with Store.open(tmp_path / "vault", write=False) as store:
        assert digest(store) == before
        coming = VectorRows(store, coming=True).count()
        assert 0 < coming < 36

    settings = load_settings(models_dir=models, embedding_model=E5, threads=1)
    assert Vault(tmp_path / "vault", settings).stats().coming_model == embedding_model(E5, models).identity
    assert Vault(tmp_path / "vault", settings).search("Who baked bread?").sources
    Vault(tmp_path / "vault", settings).index([notes])
    Vault(tmp_path / "unbroken", settings).index([notes])
    with Store.open(tmp_path / "vault", write=False) as ours, Store.open(tmp_path / "unbroken", write=False) as theirs:
        assert ours.facts[EMBEDDED_BY] == embedding_model(E5, models).identity
        assert digest(ours) == digest(theirs)
