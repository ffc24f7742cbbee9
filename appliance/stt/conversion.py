"""A Hugging Face Whisper folder as a faster-whisper folder, without torch or transformers.

    config.json, generation_config.json ─> Shape, Rules ─┐
    tokenizer.json ─────────────────────> tokens ────────┼─> build_spec ─> model.bin, config.json,
    model.safetensors (or its shards) ──> weights ───────┘                vocabulary.json

The weights are quantized to int8 on the way. Pickled weights (`pytorch_model.bin`, `*.pt`) are
refused: to read them is to run whatever program they hold.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError, deserialize, safe_open
from tokenizers import Tokenizer

from appliance.errors import ConfigError
from appliance.stt.specification import Array, Rules, Shape, build_spec

WEIGHTS = "model.safetensors"
_INDEX = "model.safetensors.index.json"
_PREFIX = "model."  # before every name but that of the output layer
_NEEDED = ("<|endoftext|>", "<|startoftranscript|>", "<|notimestamps|>")
_LANGUAGE_TOKEN = re.compile(r"<\|[a-z]{2,3}\|>")
_TIME_STAMP_S = 0.02
# Official ones have 32 layers, 1280 wide, 20 heads, 128 mels and 51,866 tokens at most.
_MOST = {
    "d_model": 4096, "num_mel_bins": 512, "encoder_layers": 64, "encoder_attention_heads": 64,
    "decoder_layers": 64, "decoder_attention_heads": 64, "vocab_size": 1_000_000,
    "max_source_positions": 10_000, "max_target_positions": 10_000,
}  # fmt: skip
# What every Whisper was trained on, where the folder has no preprocessor_config.json.
_PREPROCESSOR = {
    "chunk_length": 30,
    "feature_extractor_type": "WhisperFeatureExtractor",
    "hop_length": 160,
    "n_fft": 400,
    "sampling_rate": 16000,
}


def is_huggingface(folder: Path) -> bool:
    """Whether a folder holds a model of Hugging Face's form: config.json names its `model_type`."""
    path = folder / "config.json"
    return path.is_file() and "model_type" in _read_json(path)


def convert(source: Path, target: Path) -> None:
    """Write the faster-whisper files of a Hugging Face Whisper folder into an empty folder.

    Takes about four times the memory of float16 weights: they are quantized in float32.

    Raises:
        ConfigError: the source is no Whisper, is incomplete or damaged; names what is wrong.
        OSError: the target cannot be written.
    """
    config = _read_json(source / "config.json")
    shape = _shape(config, source)
    tokens = _tokens(source, shape.tokens)
    rules = _rules(source, config, tokens)
    try:
        spec = build_spec(_read_weights(source), shape, tokens, rules)
    except ConfigError as error:
        raise ConfigError(f"{source}: {error}") from error
    spec.save(str(target))
    shutil.copyfile(source / "tokenizer.json", target / "tokenizer.json")
    _write_preprocessor(source, target, shape.mels)


def _shape(config: Mapping[str, Any], source: Path) -> Shape:
    """The network that config.json describes.

    Raises:
        ConfigError: it is no Whisper, or one that the appliance cannot run.
    """
    kind = config.get("model_type")
    if kind != "whisper":
        raise ConfigError(
            f"{source}: a model of the type {kind!r}; only 'whisper' can be converted"
        )
    activation = config.get("activation_function", "gelu")
    if activation != "gelu" or config.get("scale_embedding"):
        raise ConfigError(
            f"{source}: not Whisper's network: activation_function {activation!r}, "
            f"scale_embedding {config.get('scale_embedding', False)}"
        )
    try:
        return Shape(
            width=_count(config, "d_model"),
            mels=_count(config, "num_mel_bins"),
            encoder_layers=_count(config, "encoder_layers"),
            encoder_heads=_count(config, "encoder_attention_heads"),
            decoder_layers=_count(config, "decoder_layers"),
            decoder_heads=_count(config, "decoder_attention_heads"),
            tokens=_count(config, "vocab_size"),
            encoder_positions=_count(config, "max_source_positions", 1500),
            decoder_positions=_count(config, "max_target_positions", 448),
            encoder_inner=config.get("encoder_ffn_dim"),
            decoder_inner=config.get("decoder_ffn_dim"),
        )
    except KeyError as error:
        raise ConfigError(f"{source / 'config.json'}: lacks {error}") from error
    except (TypeError, ValueError) as error:
        raise ConfigError(f"{source / 'config.json'}: {error}") from error


def _count(config: Mapping[str, Any], key: str, usual: int | None = None) -> int:
    """A size of the network, within what is allotted before the weights are looked at.

    Raises:
        KeyError, TypeError, ValueError: it is missing, or no such size.
    """
    found = int(config[key] if usual is None else config.get(key, usual))
    if not 1 <= found <= _MOST[key]:
        raise ValueError(f"{key}: {found} is not from 1 to {_MOST[key]}")
    return found


def _tokens(source: Path, count: int) -> list[str]:
    """The tokens in order; official folders leave out those of the time stamps.

    Raises:
        ConfigError: there is no tokenizer, or it does not fit the model.
    """
    path = source / "tokenizer.json"
    if not path.is_file():
        raise ConfigError(
            f"{source}: no tokenizer.json; save the fast tokenizer beside the weights "
            "(transformers: WhisperTokenizerFast.from_pretrained(…).save_pretrained(…))"
        )
    try:
        vocabulary = Tokenizer.from_file(str(path)).get_vocab()
    except Exception as error:
        raise ConfigError(f"{path}: not a tokenizer: {error}") from error
    tokens = sorted(vocabulary, key=lambda token: vocabulary[token])
    missing = [token for token in _NEEDED if token not in vocabulary]
    if missing:
        raise ConfigError(f"{path}: not a Whisper tokenizer: lacks {' '.join(missing)}")
    if len(tokens) > count or vocabulary[tokens[-1]] != len(tokens) - 1:
        raise ConfigError(
            f"{path}: {len(tokens)} tokens up to number {vocabulary[tokens[-1]]} "
            f"do not fit a model of {count}"
        )
    stamps = (f"<|{place * _TIME_STAMP_S:.2f}|>" for place in range(count - len(tokens)))
    return [*tokens, *stamps]


def _rules(source: Path, config: Mapping[str, Any], tokens: list[str]) -> Rules:
    """generation_config.json, or what older folders have in config.json."""
    path = source / "generation_config.json"
    said = _read_json(path) if path.is_file() else config
    heads = said.get("alignment_heads")
    named = [place for place, token in enumerate(tokens) if _LANGUAGE_TOKEN.fullmatch(token)]
    try:
        languages = said.get("lang_to_id", {}).values() or named
        return Rules(
            language_ids=tuple(sorted(int(each) for each in languages)),
            suppressed=_ids(said.get("suppress_tokens")),
            suppressed_first=_ids(said.get("begin_suppress_tokens")),
            alignment_heads=tuple((int(layer), int(head)) for layer, head in heads)
            if heads
            else None,
        )
    except (TypeError, ValueError, AttributeError) as error:
        raise ConfigError(f"{path}: {error}") from error


def _ids(said: list[int] | None) -> tuple[int, ...]:
    return tuple(int(each) for each in said or ())


def _read_weights(source: Path) -> dict[str, Array]:
    """All weights by their names without the prefix.

    Raises:
        ConfigError: there are none, or they are damaged.
    """
    weights: dict[str, Array] = {}
    for path in _weight_files(source):
        with _reading(path):
            for name, value in _tensors(path):
                weights[name.removeprefix(_PREFIX)] = value
    return weights


def _weight_files(source: Path) -> list[Path]:
    if (source / WEIGHTS).is_file():
        return [source / WEIGHTS]
    if not (source / _INDEX).is_file():
        pickled = [*source.glob("*.bin"), *source.glob("*.pt")]
        why = (
            f"{pickled[0].name} is pickled and may hold a program, so it is not read; save the "
            "model as safetensors where it was trained (save_pretrained)"
            if pickled
            else "give a folder with the weights as safetensors"
        )
        raise ConfigError(f"{source}: no {WEIGHTS}: {why}")
    places = _read_json(source / _INDEX).get("weight_map")
    if not isinstance(places, dict):
        raise ConfigError(f"{source / _INDEX}: lacks weight_map")
    return [source / Path(str(name)).name for name in sorted(set(places.values()))]


def _tensors(path: Path) -> Iterator[tuple[str, Array]]:
    """Names and values; bfloat16, which numpy lacks, becomes float32."""
    with safe_open(path, framework="np") as stored:
        names = list(stored.keys())
        if not any(stored.get_slice(name).get_dtype() == "BF16" for name in names):
            for name in names:
                yield name, stored.get_tensor(name)
            return
    for name, raw in deserialize(path.read_bytes()):  # type: ignore[no-untyped-call]
        if raw["dtype"] == "BF16":  # the upper half of a float32
            bits = np.frombuffer(raw["data"], "<u2").astype(np.uint32) << 16
            yield name, bits.view(np.float32).reshape(raw["shape"])
        else:
            kind = {"F32": "<f4", "F16": "<f2"}.get(raw["dtype"])
            if kind is None:
                raise ConfigError(f"{path}: {name} is of the type {raw['dtype']}")
            yield name, np.frombuffer(raw["data"], kind).reshape(raw["shape"])


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    """Safetensors raises SafetensorError; a file that is gone is an OSError."""
    try:
        yield
    except SafetensorError as error:
        raise ConfigError(f"{path}: truncated or damaged: {error}") from error
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror or error}") from error


def _write_preprocessor(source: Path, target: Path, mels: int) -> None:
    name = "preprocessor_config.json"
    said = _read_json(source / name) if (source / name).is_file() else _PREPROCESSOR
    kept = {key: said[key] for key in _PREPROCESSOR if key in said} | {"feature_size": mels}
    (target / name).write_text(json.dumps(kept, indent=2, sort_keys=True) + "\n", "utf-8")


def _read_json(path: Path) -> dict[str, Any]:
    """Raises ConfigError where there is no JSON object in the file."""
    try:
        found = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise ConfigError(f"{path}: not JSON: {error}") from error
    if not isinstance(found, dict):
        raise ConfigError(f"{path}: not a JSON object")
    return found
