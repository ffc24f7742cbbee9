"""Teaches the English encoder Spanish: the weights that `appliance intents train` begins with.

1. Spanish words become tokens, each beginning as the mean of its English gloss (glossary.es.tsv).
2. The encoder learns to give a Spanish sentence the vector that the English encoder, unchanged,
   gives its translation; the pairs are our examples and any English text, by apertium.

    python -m models.intent.recipe.prepare --output var/intent-base [--english FILE ...]
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import time
from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import nn

from appliance.training.examples import one_reading, read_examples
from appliance.training.fit import encode
from appliance.training.network import Encoder, load_network, widen_vocabulary, write_onnx
from models.intent.recipe.glossary import GLOSSARY, translated

ENGLISH = Path("models/encoder")
HERE = Path(__file__).parent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--english", type=Path, nargs="*", default=[], help="a sentence a line")
    parser.add_argument("--examples", type=Path, default=HERE.parent / "data" / "train")
    parser.add_argument("--epochs", type=int, default=3)
    given = parser.parse_args()
    given.output.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(1)
    torch.set_num_threads(1)
    network = load_network(ENGLISH / "encoder.onnx")
    add_spanish(network, given.output / "tokenizer.json")
    tokenizer = Tokenizer.from_file(str(given.output / "tokenizer.json"))
    pairs = parallel(given.examples, given.english)
    print(f"{len(pairs)} pairs", flush=True)
    teacher = load_network(ENGLISH / "encoder.onnx")
    english = Tokenizer.from_file(str(ENGLISH / "tokenizer.json"))
    targets = encode(teacher, english, [pair[1] for pair in pairs])
    align(network, tokenizer, [pair[0] for pair in pairs], targets, given.epochs)
    write_onnx(network, given.output / "encoder.onnx")
    shutil.copy(ENGLISH.parent / "encoder" / "LICENSE", given.output / "LICENSE")


def add_spanish(network: Encoder, target: Path) -> None:
    """Tokens and rows for the words of the glossary that are none yet."""
    stored = json.loads((ENGLISH / "tokenizer.json").read_text("utf-8"))
    english = Tokenizer.from_file(str(ENGLISH / "tokenizer.json"))
    table = network.words.weight.detach().numpy()
    rows: list[np.ndarray] = []
    words = stored["model"]["vocab"]
    for line in GLOSSARY.read_text("utf-8").splitlines():
        word, _, gloss = line.partition("\t")
        if word not in words:
            words[word] = len(words)
            rows.append(table[english.encode(gloss, add_special_tokens=False).ids].mean(0))
    widen_vocabulary(network, rows)
    target.write_text(json.dumps(stored, ensure_ascii=False, separators=(",", ":")), "utf-8")
    print(f"{len(rows)} Spanish words, {len(words)} tokens")


def parallel(examples: Path, english: list[Path]) -> list[tuple[str, str]]:
    """(A text to encode, the English text whose vector it shall have); English also for itself."""
    ours = [each.text for each in one_reading(read_examples(examples, "en"))]
    spanish = [each.text for each in one_reading(read_examples(examples, "es"))]
    for path in english:
        ours += path.read_text("utf-8").splitlines()
    pairs = [(es, en) for en, es in translated(ours, "eng-spa")]
    pairs += translated(spanish, "spa-eng")
    pairs += [(each, each) for each in random.Random(1).sample(ours, len(ours) // 3)]
    return [(a, b) for a, b in pairs if a.strip() and b.strip()]


def align(
    network: Encoder, tokenizer: Tokenizer, texts: list[str], targets: np.ndarray, epochs: int
) -> None:
    """Least squares between the vectors, on all weights."""
    order = random.Random(1)
    encoded = [each.ids for each in tokenizer.encode_batch(texts)]
    size = 64
    total = epochs * (len(texts) // size)
    groups = [
        {"params": [network.words.weight], "lr": 1e-3, "weight_decay": 0.0},
        {"params": [p for n, p in network.named_parameters() if n != "words.weight"], "lr": 1e-4},
    ]
    optimizer = torch.optim.AdamW(groups, betas=(0.9, 0.98))
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, [1e-3, 1e-4], total_steps=total + epochs, pct_start=0.06
    )
    network.train()
    begun, done, recent = time.monotonic(), 0, 0.0
    for _ in range(epochs):
        turns = sorted(range(len(texts)), key=lambda n: len(encoded[n]) + order.uniform(0, 3))
        batches = [turns[at : at + size] for at in range(0, len(turns) - size + 1, size)]
        order.shuffle(batches)
        for batch in batches:
            longest = max(len(encoded[each]) for each in batch)
            ids = torch.tensor([encoded[n] + [0] * (longest - len(encoded[n])) for n in batch])
            mask = (
                torch.arange(longest)[None]
                < torch.tensor([len(encoded[n]) for n in batch])[:, None]
            ).long()
            with torch.autocast("cpu", dtype=torch.bfloat16):
                found = network(ids, mask)
            wanted = torch.from_numpy(targets[batch])
            loss = nn.functional.mse_loss(found.float(), wanted, reduction="sum") / len(batch)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            done += 1
            recent += (loss.item() - recent) * max(0.02, 1 / done)
            if done % 50 == 0 or done == total:
                print(
                    f"{done}/{total} loss {recent:.3f} {time.monotonic() - begun:.0f} s", flush=True
                )
    network.eval()


if __name__ == "__main__":
    main()
