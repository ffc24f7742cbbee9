"""The intent model's encoder on ONNX Runtime and on llama.cpp, in one run: speed, size, agreement.

    .venv/bin/python scripts/bench_backends.py [--model FOLDER] [--rounds N] [--threads N]
                                               [--json FILE]

Needs the extra `llama`. The backends take turns text by text, so that other load hits both alike.
`wall` is what a call waits; `cpu` is the calling thread's own time: where the two are far apart,
the machine was busy with something else. For agreement both encode the sentences of tests/nlu.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import yaml

from appliance.knowledge.encoder import SentenceEncoder
from appliance.nlu.llama import LlamaEncoder

ROOT = Path(__file__).parents[1]
LENGTHS = (4, 8, 12, 24)

Encode = Callable[[str], npt.NDArray[np.float32]]


def sentences() -> list[str]:
    """What the tests of the rules know callers to say."""
    said = {
        text
        for language in ("en", "es")
        for entry in yaml.safe_load(
            (ROOT / f"tests/nlu/utterances.{language}.yaml").read_text("utf-8")
        )
        for text in entry["says"]
    }
    return sorted(said)


def of_words(texts: Sequence[str], count: int, wanted: int) -> list[str]:
    """Texts of exactly `count` words, made of the sentences in a row."""
    words = " ".join(texts).split()
    starts = range(0, len(words) - count, max(1, (len(words) - count) // wanted))
    return [" ".join(words[start : start + count]) for start in starts][:wanted]


def speed(backends: Mapping[str, Encode], texts: Sequence[str]) -> dict[str, dict[str, float]]:
    """Milliseconds of one call, p50 and p95, of each backend."""
    wall: dict[str, list[float]] = {name: [] for name in backends}
    cpu: dict[str, list[float]] = {name: [] for name in backends}
    for text in texts:
        for name, encode in backends.items():
            began, worked = time.perf_counter(), time.thread_time()
            encode(text)
            cpu[name].append(time.thread_time() - worked)
            wall[name].append(time.perf_counter() - began)
    return {
        name: {
            f"{kind}_p{share}_ms": round(float(np.percentile(taken[name], share)) * 1000, 2)
            for kind, taken in (("wall", wall), ("cpu", cpu))
            for share in (50, 95)
        }
        for name in backends
    }


def unit(encode: Encode, texts: Sequence[str]) -> npt.NDArray[np.float32]:
    """Vectors [texts, width] of length one."""
    stacked = np.array([encode(text) for text in texts])
    found: npt.NDArray[np.float32] = stacked / np.linalg.norm(stacked, axis=1, keepdims=True)
    return found


def agreement(
    one: npt.NDArray[np.float32], other: npt.NDArray[np.float32]
) -> dict[str, float | int]:
    """How alike two encoders are: cosines, and whether a text's nearest other text is the same."""
    cosines = (one * other).sum(1)
    nearest = []
    for vectors in (one, other):
        likeness = vectors @ vectors.T
        np.fill_diagonal(likeness, -1)
        nearest.append(likeness.argmax(1))
    return {
        "texts": len(one),
        "cosine_min": round(float(cosines.min()), 4),
        "cosine_p1": round(float(np.percentile(cosines, 1)), 4),
        "cosine_p50": round(float(np.percentile(cosines, 50)), 4),
        "same_nearest": round(float((nearest[0] == nearest[1]).mean()), 4),
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--model", type=Path, default=ROOT / "models/encoder")
    parser.add_argument("--rounds", type=int, default=200, help="calls for each length")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    texts = sentences()
    report: dict[str, Any] = {"model": str(given.model), "threads": given.threads}
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder)
        loads = {}
        began = time.perf_counter()
        made = LlamaEncoder(given.model, store, given.threads)
        loads["llama, first start"] = time.perf_counter() - began
        del made
        began = time.perf_counter()
        llama = LlamaEncoder(given.model, store, given.threads)
        loads["llama"] = time.perf_counter() - began
        began = time.perf_counter()
        onnx = SentenceEncoder(given.model, given.threads)
        loads["onnx"] = time.perf_counter() - began
        sizes = {
            "onnx": (given.model / "encoder.onnx").stat().st_size,
            "llama": sum(path.stat().st_size for path in store.iterdir()),
        }
    report["load_ms"] = {name: round(taken * 1000) for name, taken in loads.items()}
    report["mb"] = {name: round(size / 1e6, 1) for name, size in sizes.items()}
    backends: dict[str, Encode] = {"onnx": onnx.encode, "llama": llama.encode}
    report["speed"] = {
        f"{count} words": speed(backends, of_words(texts, count, given.rounds)) for count in LENGTHS
    }
    report["agreement"] = agreement(unit(onnx.encode, texts), unit(llama.encode, texts))
    if given.json:
        given.json.write_text(json.dumps(report, indent=2) + "\n", "utf-8")
    yaml.safe_dump(report, sys.stdout, sort_keys=False, default_flow_style=None, width=110)


if __name__ == "__main__":
    main()
