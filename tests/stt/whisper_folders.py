"""Whisper folders of Hugging Face's form for the tests: of shipped weights or random ones."""

from __future__ import annotations

import json
import shutil
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save_file

from appliance.stt.specification import Weights

SHIPPED = Path(__file__).parents[2] / "models/stt/en"
Floats = NDArray[np.float32]

_TYPES = (np.float32, np.int8, np.int16, np.int32, np.float16)
_LAYER = {  # CTranslate2's name -> Hugging Face's, of what is in both halves
    "self_attention/layer_norm/": "self_attn_layer_norm.",
    "self_attention/linear_1/": "self_attn.out_proj.",
    "attention/layer_norm/": "encoder_attn_layer_norm.",
    "attention/linear_0/": "encoder_attn.q_proj.",
    "attention/linear_2/": "encoder_attn.out_proj.",
    "ffn/layer_norm/": "final_layer_norm.",
    "ffn/linear_0/": "fc1.",
    "ffn/linear_1/": "fc2.",
}
_STACKED = {
    "self_attention/linear_0/": ("self_attn.q_proj.", "self_attn.k_proj.", "self_attn.v_proj."),
    "attention/linear_1/": ("encoder_attn.k_proj.", "encoder_attn.v_proj."),
}
_KIND = {"gamma": "weight", "beta": "bias", "weight": "weight", "bias": "bias"}


def read_model_bin(path: Path) -> dict[str, NDArray[np.generic]]:
    """The variables of a CTranslate2 model, as `ctranslate2.specs.model_spec` writes them."""
    with path.open("rb") as file:
        _number(file, "I")
        _text(file)
        _number(file, "I")
        return dict(_variable(file) for _ in range(_number(file, "I")))


def _variable(file: BinaryIO) -> tuple[str, NDArray[np.generic]]:
    name = _text(file)
    shape = [_number(file, "I") for _ in range(_number(file, "B"))]
    kind = _TYPES[_number(file, "B")]
    return name, np.frombuffer(file.read(_number(file, "I")), kind).reshape(shape)


def _number(file: BinaryIO, form: str) -> int:
    return int(struct.unpack(form, file.read(struct.calcsize(form)))[0])


def _text(file: BinaryIO) -> str:
    return file.read(_number(file, "H"))[:-1].decode()


def shipped_weights() -> dict[str, Floats]:
    """The shipped model's weights under Hugging Face's names, as they are after quantization."""
    stored = read_model_bin(SHIPPED / "model.bin")
    values = {
        name: _whole(value, stored.get(f"{name}_scale"))
        for name, value in stored.items()
        if not name.endswith("_scale") and value.ndim
    }
    return {
        f"model.{name}": value.copy()
        for given, each in values.items()
        for name, value in _named(given, each)
    }


def _whole(value: NDArray[np.generic], scale: NDArray[np.generic] | None) -> Floats:
    if scale is None:
        return value.astype(np.float32)
    rows = scale.astype(np.float32).reshape(-1, *[1] * (value.ndim - 1))
    return value.astype(np.float32) / rows


def _named(given: str, value: Floats) -> Iterator[tuple[str, Floats]]:
    """One variable of CTranslate2 as one to three weights of Hugging Face's."""
    half, _, rest = given.partition("/")
    kind = _KIND.get(given.rpartition("/")[2], "weight")
    if rest.startswith("layer_") and not rest.startswith("layer_norm"):
        layer, _, place = rest.removeprefix("layer_").partition("/")
        prefix = f"{half}.layers.{layer}."
        place = place[: place.rindex("/") + 1]
        if place in _STACKED:
            names = _STACKED[place]
            for name, part in zip(names, np.split(value, len(names)), strict=True):
                if name.endswith("k_proj.") and kind == "bias":
                    assert not part.any()  # Whisper's keys have none
                else:
                    yield prefix + name + kind, part
        else:
            yield prefix + _LAYER[place] + kind, value
    elif rest.startswith("position_encodings"):
        yield f"{half}.embed_positions.weight", value
    elif rest.startswith("embeddings"):
        yield f"{half}.embed_tokens.weight", value
    elif not rest.startswith("projection"):
        yield f"{half}.{rest.split('/')[0]}.{kind}", value


def shipped_config() -> dict[str, object]:
    """config.json for the shipped weights."""
    stored = read_model_bin(SHIPPED / "model.bin")
    width, mels, _ = stored["encoder/conv1/weight"].shape
    tokens = len(stored["decoder/embeddings/weight"])
    config: dict[str, object] = {
        "model_type": "whisper", "d_model": width, "num_mel_bins": mels, "vocab_size": tokens,
        "activation_function": "gelu",
        "max_source_positions": len(stored["encoder/position_encodings/encodings"]),
        "max_target_positions": len(stored["decoder/position_encodings/encodings"]),
    }  # fmt: skip
    for half in ("encoder", "decoder"):
        layers = {name.split("/")[1] for name in stored if name.startswith(f"{half}/layer_")}
        config[f"{half}_layers"] = len(layers - {"layer_norm"})
        config[f"{half}_attention_heads"] = int(stored[f"{half}/num_heads"])
        config[f"{half}_ffn_dim"] = len(stored[f"{half}/layer_0/ffn/linear_0/weight"])
    return config


def write_huggingface(folder: Path, weights: Weights, config: dict[str, object]) -> Path:
    """A folder as `save_pretrained` leaves it, with the shipped tokenizer and front end."""
    folder.mkdir(parents=True)
    save_file(dict(weights), folder / "model.safetensors", {"format": "pt"})
    (folder / "config.json").write_text(json.dumps(config))
    for name in ("tokenizer.json", "preprocessor_config.json"):
        shutil.copy(SHIPPED / name, folder)
    return folder


def random_weights(width: int, layers: int) -> tuple[dict[str, Floats], dict[str, object]]:
    """A small network of random weights with its config.json; the shipped tokenizer fits it."""
    rng = np.random.default_rng(3)
    tokens = shipped_config()["vocab_size"]
    assert isinstance(tokens, int)

    def some(*shape: int) -> Floats:
        return (rng.standard_normal(shape) / np.sqrt(shape[-1])).astype(np.float32)

    found = {
        "model.encoder.conv1.weight": some(width, 80, 3), "model.encoder.conv1.bias": some(width),
        "model.encoder.conv2.weight": some(width, width, 3),
        "model.encoder.conv2.bias": some(width),
        "model.encoder.embed_positions.weight": some(1500, width),
        "model.decoder.embed_positions.weight": some(448, width),
        "model.decoder.embed_tokens.weight": some(tokens, width),
        "proj_out.weight": some(tokens, width),
    }  # fmt: skip
    for half in ("encoder", "decoder"):
        norms = [f"model.{half}.layer_norm"]
        for number in range(layers):
            layer = f"model.{half}.layers.{number}"
            attentions = ["self_attn", "encoder_attn"] if half == "decoder" else ["self_attn"]
            for name in attentions:
                norms.append(f"{layer}.{name}_layer_norm")
                for part in ("q_proj", "k_proj", "v_proj", "out_proj"):
                    found[f"{layer}.{name}.{part}.weight"] = some(width, width)
                    if part != "k_proj":
                        found[f"{layer}.{name}.{part}.bias"] = 0.1 * some(width)
            norms.append(f"{layer}.final_layer_norm")
            found[f"{layer}.fc1.weight"] = some(2 * width, width)
            found[f"{layer}.fc1.bias"] = 0.1 * some(2 * width)
            found[f"{layer}.fc2.weight"] = some(width, 2 * width)
            found[f"{layer}.fc2.bias"] = 0.1 * some(width)
        for norm in norms:
            found[f"{norm}.weight"] = 1 + 0.1 * some(width)
            found[f"{norm}.bias"] = 0.1 * some(width)
    config = shipped_config() | {
        "d_model": width, "encoder_layers": layers, "decoder_layers": layers,
        "encoder_attention_heads": 4, "decoder_attention_heads": 4,
        "encoder_ffn_dim": 2 * width, "decoder_ffn_dim": 2 * width,
    }  # fmt: skip
    return found, config
