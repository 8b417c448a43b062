#!/usr/bin/env python3
"""Records what a model writes about the excerpt of MuSiQue, for the tests that need an enriched vault.

    .venv/bin/python scripts/record.py MODEL.gguf

Writes tests/data/suite/musique/answers.jsonl: {"prompt", "input_hash", "output"} of every call of an enrichment. To be run again when a
prompt of the language model's stages changes, or how chunks are cut; takes five minutes on two cores with a model of 1.5B.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

from noderag_local.config import load_settings
from noderag_local.pipeline.budget import Budget
from noderag_local.storage.database.store import Store
from noderag_local.vault.vault import Vault

FOLDER = Path(__file__).resolve().parent.parent / "tests" / "data" / "suite" / "musique"


def main(model: Path) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        with Vault(Path(scratch), load_settings(models_dir=model.parent, model=model.stem)) as vault:
            vault.index([FOLDER / "corpus.jsonl"])
            vault.enrichment.run(Budget(), progress=lambda progress: print(progress.line(), flush=True))
        with Store.open(Path(scratch), write=False) as store:
            rows = store.rows("SELECT prompt, input_hash, output FROM llm_cache ORDER BY prompt, input_hash")
    lines = [
        json.dumps(dict(zip(("prompt", "input_hash", "output"), row, strict=True)), ensure_ascii=False) for row in rows
    ]
    (FOLDER / "answers.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]).resolve())
