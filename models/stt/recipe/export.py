"""Writes a trained checkpoint as a faster-whisper model folder (CTranslate2, int8).

    python -m models.stt.recipe.export --run DIR --out models/stt/en

The folder loads with ``faster_whisper.WhisperModel(folder)``. Beside the usual files it holds
``ctc.npz``: the phone head, to be applied to what ``model.encode()`` returns, and
``SHA256SUMS``; whoever writes another file into the folder writes the sums anew.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer

from appliance.checksums import write_checksums
from appliance.stt.specification import Rules, Shape, build_spec

from . import features
from .network import MAX_SOURCE, MAX_TARGET, MELS, Size


def export(run: Path, out: Path) -> None:
    """Reads ``run/checkpoint.pt`` and writes the model folder ``out``."""
    stored = torch.load(run / "checkpoint.pt")
    weights = {name: value.float().numpy() for name, value in stored["average"].items()}
    tokenizer = Tokenizer.from_str(stored["tokenizer"])
    ordered = sorted(tokenizer.get_vocab().items(), key=lambda pair: pair[1])
    rules = Rules((tokenizer.token_to_id(f"<|{stored.get('language', 'en')}|>"),))
    shape = _shape(Size(**stored["size"]))
    spec = build_spec(weights, shape, [token for token, _ in ordered], rules)
    out.mkdir(parents=True, exist_ok=True)
    spec.save(str(out))
    tokenizer.save(str(out / "tokenizer.json"))
    preprocessor = json.dumps(features.PREPROCESSOR, indent=2) + "\n"
    (out / "preprocessor_config.json").write_text(preprocessor)
    np.savez(
        out / "ctc.npz",
        matrix=weights["ctc.weight"],
        bias=weights["ctc.bias"],
        phones=np.array(["", *stored["phones"]]),
    )  # Place 0 is the blank.
    write_checksums(out)
    print(
        f"{out}: {stored['steps']} steps, {stored['heard_s'] / 3600:.1f} h heard, "
        f"{stored['elapsed_s'] / 60:.0f} min"
    )


def _shape(size: Size) -> Shape:
    return Shape(
        width=size.width,
        mels=MELS,
        encoder_layers=size.encoder_layers,
        encoder_heads=size.heads,
        decoder_layers=size.decoder_layers,
        decoder_heads=size.heads,
        tokens=size.tokens,
        encoder_positions=MAX_SOURCE,
        decoder_positions=MAX_TARGET,
    )


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--run", type=Path, required=True, help="folder of the checkpoint")
    parser.add_argument("--out", type=Path, required=True, help="model folder to write")
    args = parser.parse_args()
    export(args.run, args.out)


if __name__ == "__main__":
    main()
