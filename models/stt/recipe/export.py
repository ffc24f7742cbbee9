"""Writes a trained checkpoint as a faster-whisper model folder (CTranslate2, int8).

    python -m models.stt.recipe.export --run DIR --out models/stt/en

The folder loads with ``faster_whisper.WhisperModel(folder)``. Beside the usual files it holds
``ctc.npz``: the phone head, to be applied to what ``model.encode()`` returns.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
import torch
from ctranslate2.specs import common_spec, whisper_spec
from tokenizers import Tokenizer

from . import features
from .network import Size

Weights = dict[str, np.ndarray]


def build_spec(
    weights: Weights, size: Size, tokenizer: Tokenizer, language: str
) -> whisper_spec.WhisperSpec:
    """Fills a CTranslate2 Whisper specification from weights with Hugging Face names."""
    spec = whisper_spec.WhisperSpec(
        size.encoder_layers, size.heads, size.decoder_layers, size.heads
    )
    for conv in ("conv1", "conv2"):
        target = getattr(spec.encoder, conv)
        target.weight = weights[f"encoder.{conv}.weight"]
        target.bias = weights[f"encoder.{conv}.bias"]
    for half, part in (("encoder", spec.encoder), ("decoder", spec.decoder)):
        part.position_encodings.encodings = weights[f"{half}.embed_positions.weight"]
        _set_norm(part.layer_norm, weights, f"{half}.layer_norm")
        for number, layer in enumerate(part.layer):
            _set_layer(layer, weights, f"{half}.layers.{number}", cross=half == "decoder")
    spec.decoder.embeddings.weight = weights["decoder.embed_tokens.weight"]
    spec.decoder.projection.weight = weights["decoder.embed_tokens.weight"]
    ordered = sorted(tokenizer.get_vocab().items(), key=lambda pair: pair[1])
    spec.register_vocabulary([token for token, _ in ordered])
    first = size.decoder_layers // 2
    spec.config.alignment_heads = [
        (layer, head) for layer in range(first, size.decoder_layers) for head in range(size.heads)
    ]
    spec.config.suppress_ids, spec.config.suppress_ids_begin = [], []
    spec.config.lang_ids = [tokenizer.token_to_id(f"<|{language}|>")]
    spec.validate()
    spec.optimize(quantization="int8")
    return spec


def _set_norm(target: Any, weights: Weights, name: str) -> None:
    target.gamma, target.beta = weights[f"{name}.weight"], weights[f"{name}.bias"]


def _set_linear(target: common_spec.LinearSpec, weights: Weights, *names: str) -> None:
    """One linear layer, or several stacked; a missing bias (Whisper's keys have none) is zero."""
    matrices = [weights[f"{name}.weight"] for name in names]
    biases = [
        weights.get(f"{name}.bias", np.zeros(len(matrix), np.float32))
        for name, matrix in zip(names, matrices, strict=True)
    ]
    target.weight, target.bias = np.concatenate(matrices), np.concatenate(biases)


def _set_layer(layer: Any, weights: Weights, name: str, cross: bool) -> None:
    own = f"{name}.self_attn"
    _set_linear(
        layer.self_attention.linear[0], weights, f"{own}.q_proj", f"{own}.k_proj", f"{own}.v_proj"
    )
    _set_linear(layer.self_attention.linear[1], weights, f"{own}.out_proj")
    _set_norm(layer.self_attention.layer_norm, weights, f"{name}.self_attn_layer_norm")
    if cross:
        other = f"{name}.encoder_attn"
        _set_linear(layer.attention.linear[0], weights, f"{other}.q_proj")
        _set_linear(layer.attention.linear[1], weights, f"{other}.k_proj", f"{other}.v_proj")
        _set_linear(layer.attention.linear[2], weights, f"{other}.out_proj")
        _set_norm(layer.attention.layer_norm, weights, f"{name}.encoder_attn_layer_norm")
    _set_linear(layer.ffn.linear_0, weights, f"{name}.fc1")
    _set_linear(layer.ffn.linear_1, weights, f"{name}.fc2")
    _set_norm(layer.ffn.layer_norm, weights, f"{name}.final_layer_norm")


def export(run: Path, out: Path) -> None:
    """Reads ``run/checkpoint.pt`` and writes the model folder ``out``."""
    stored = torch.load(run / "checkpoint.pt")
    weights = {name: value.float().numpy() for name, value in stored["average"].items()}
    tokenizer = Tokenizer.from_str(stored["tokenizer"])
    out.mkdir(parents=True, exist_ok=True)
    build_spec(weights, Size(**stored["size"]), tokenizer, stored.get("language", "en")).save(
        str(out)
    )
    tokenizer.save(str(out / "tokenizer.json"))
    preprocessor = json.dumps(features.PREPROCESSOR, indent=2) + "\n"
    (out / "preprocessor_config.json").write_text(preprocessor)
    np.savez(
        out / "ctc.npz",
        matrix=weights["ctc.weight"],
        bias=weights["ctc.bias"],
        phones=np.array(["", *stored["phones"]]),
    )  # Place 0 is the blank.
    print(
        f"{out}: {stored['steps']} steps, {stored['heard_s'] / 3600:.1f} h heard, "
        f"{stored['elapsed_s'] / 60:.0f} min"
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
