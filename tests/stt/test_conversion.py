"""Hugging Face folders become faster-whisper folders that compute the same, or say why not."""

import json
import shutil
from pathlib import Path

import ctranslate2
import numpy as np
import pytest
from safetensors import TensorSpec, serialize_file
from safetensors.numpy import save_file
from tokenizers import Tokenizer

from appliance.errors import ConfigError
from appliance.stt.conversion import convert, is_huggingface
from tests.stt.whisper_folders import (
    SHIPPED,
    random_weights,
    read_model_bin,
    shipped_config,
    shipped_weights,
    write_huggingface,
)
from tests.stt.whisper_reference import Reference

LAYERS, HEADS = 2, 4
PROMPT = ("<|endoftext|>", "<|startoftranscript|>", "<|en|>", "<|transcribe|>", "<|notimestamps|>")


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The shipped model, as somebody would have published it."""
    folder = tmp_path_factory.mktemp("shipped") / "hf"
    return write_huggingface(folder, shipped_weights(), shipped_config())


@pytest.fixture
def small(tmp_path: Path) -> Path:
    weights, config = random_weights(64, LAYERS)
    return write_huggingface(tmp_path / "hf", weights, config)


def converted(source: Path, target: Path) -> Path:
    target.mkdir()
    convert(source, target)
    return target


def test_the_shipped_weights_there_and_back_are_the_same_model(
    source: Path, tmp_path: Path
) -> None:
    target = converted(source, tmp_path / "ct2")
    for name in ("model.bin", "vocabulary.json", "tokenizer.json"):
        assert (target / name).read_bytes() == (SHIPPED / name).read_bytes(), name
    for name in ("config.json", "preprocessor_config.json"):
        assert json.loads((target / name).read_text()) == json.loads((SHIPPED / name).read_text())


def test_a_network_computes_what_the_paper_says(small: Path, tmp_path: Path) -> None:
    """Random weights; an output layer of its own; float arithmetic on the quantized weights."""
    target = converted(small, tmp_path / "ct2")
    weights, _ = random_weights(64, LAYERS)
    named = {name.removeprefix("model."): value for name, value in weights.items()}
    reference = Reference(_as_quantized(named), HEADS, LAYERS)
    model = ctranslate2.models.Whisper(str(target), compute_type="float32", intra_threads=1)
    mel = np.random.default_rng(1).standard_normal((80, 60)).astype(np.float32)

    wanted = reference.encode(mel)
    hidden = model.encode(ctranslate2.StorageView.from_array(mel[None]))
    np.testing.assert_allclose(np.asarray(hidden)[0], wanted, atol=2e-3)

    end, *prompt = map(Tokenizer.from_file(str(SHIPPED / "tokenizer.json")).token_to_id, PROMPT)
    result = model.generate(hidden, [prompt], beam_size=1, max_length=16, return_scores=True,
                            suppress_blank=False, suppress_tokens=[end])[0]  # fmt: skip
    tokens = result.sequences_ids[0]
    log_probs = reference.log_probs(wanted, [*prompt, *tokens])
    said = log_probs[len(prompt) - 1 : -1][range(len(tokens)), tokens]
    assert len(tokens) >= 3
    allowed = np.delete(log_probs[len(prompt) - 1 : -1], end, axis=1)
    np.testing.assert_allclose(said, allowed.max(1), atol=2e-3)  # greedy took the best each time


def _as_quantized(weights: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Matrices and kernels after int8 and back, a scale for each row, as CTranslate2 does."""

    def rounded(value: np.ndarray) -> np.ndarray:
        rows = value.reshape(len(value), -1)
        scale = 127 / np.abs(rows).max(1, keepdims=True)
        return (np.rint(rows * scale) / scale).astype(np.float32).reshape(value.shape)

    return {
        name: value if value.ndim == 1 or "positions" in name else rounded(value)
        for name, value in weights.items()
    }


def test_half_precision_and_shards(source: Path, tmp_path: Path) -> None:
    """float16 and bfloat16 in two files give the model of whole precision, but for the rounding."""
    whole = read_model_bin(SHIPPED / "model.bin")
    weights = shipped_weights()
    names = sorted(weights)
    shutil.copytree(source, tmp_path / "hf", ignore=lambda *_: ["model.safetensors"])
    halves = [value.astype(np.float16) for value in map(weights.__getitem__, names[::2])]
    save_file(dict(zip(names[::2], halves, strict=True)), tmp_path / "hf" / "a.safetensors")
    cut = {name: (weights[name].view(np.uint32) >> 16).astype(np.uint16) for name in names[1::2]}
    specs = {
        name: TensorSpec(dtype="bfloat16", shape=value.shape, data_ptr=value.ctypes.data,
                         data_len=value.nbytes)
        for name, value in cut.items()
    }  # fmt: skip
    serialize_file(specs, tmp_path / "hf" / "b.safetensors")
    places = {name: f"{'ab'[index % 2]}.safetensors" for index, name in enumerate(names)}
    index = tmp_path / "hf" / "model.safetensors.index.json"
    index.write_text(json.dumps({"weight_map": places}))
    found = read_model_bin(converted(tmp_path / "hf", tmp_path / "ct2") / "model.bin")
    assert found.keys() == whole.keys()
    for name, value in whole.items():
        if value.dtype == np.int8:
            assert np.abs(found[name].astype(int) - value).max() <= 2, name  # of 127


def test_languages_and_rules_come_from_generation_config(small: Path, tmp_path: Path) -> None:
    said = {"lang_to_id": {"<|en|>": 802}, "suppress_tokens": [1, 2], "alignment_heads": [[1, 0]],
            "begin_suppress_tokens": None}  # fmt: skip
    (small / "generation_config.json").write_text(json.dumps(said))
    config = json.loads((converted(small, tmp_path / "ct2") / "config.json").read_text())
    assert config == {"lang_ids": [802], "suppress_ids": [1, 2], "suppress_ids_begin": [],
                      "alignment_heads": [[1, 0]]}  # fmt: skip


def test_tokens_of_time_stamps_that_the_tokenizer_leaves_out(small: Path, tmp_path: Path) -> None:
    """As in official folders: the table has 1,501 rows more than the tokenizer has tokens."""
    weights, _ = random_weights(64, LAYERS)
    count = len(weights["model.decoder.embed_tokens.weight"])
    for name in ("model.decoder.embed_tokens.weight", "proj_out.weight"):
        weights[name] = np.concatenate([weights[name], np.ones((1501, 64), np.float32)])
    save_file(weights, small / "model.safetensors")
    change(small, "config.json", vocab_size=count + 1501)
    target = converted(small, tmp_path / "ct2")
    tokens = json.loads((target / "vocabulary.json").read_text())
    assert len(tokens) == count + 1501
    assert tokens[count - 1 :][:3] == ["<|notimestamps|>", "<|0.00|>", "<|0.02|>"]
    assert tokens[-1] == "<|30.00|>"


def test_a_folder_without_a_front_end_has_whispers_own(small: Path, tmp_path: Path) -> None:
    (small / "preprocessor_config.json").unlink()
    target = converted(small, tmp_path / "ct2")
    said = json.loads((target / "preprocessor_config.json").read_text())
    assert (said["sampling_rate"], said["n_fft"], said["feature_size"]) == (16000, 400, 80)


def change(folder: Path, name: str, **said: object) -> None:
    path = folder / name
    path.write_text(json.dumps(json.loads(path.read_text()) | said))


def truncate(folder: Path) -> None:
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-1000])


def drop(folder: Path, weight: str) -> None:
    weights, _ = random_weights(64, LAYERS)
    save_file({k: v for k, v in weights.items() if k != weight}, folder / "model.safetensors")


def spoil(folder: Path) -> None:
    weights, _ = random_weights(64, LAYERS)
    weights["model.encoder.layer_norm.bias"][3] = np.nan
    save_file(weights, folder / "model.safetensors")


def pickle_instead(folder: Path) -> None:
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")


def token_renamed(folder: Path) -> None:
    path = folder / "tokenizer.json"
    path.write_text(path.read_text().replace("<|notimestamps|>", "<|other|>"))


@pytest.mark.parametrize(
    ("harm", "said"),
    [
        (truncate, r"model\.safetensors: truncated or damaged"),
        (lambda folder: change(folder, "config.json", model_type="wav2vec2"),
         r"hf: a model of the type 'wav2vec2'; only 'whisper'"),
        (lambda folder: change(folder, "config.json", activation_function="relu"),
         r"not Whisper's network: activation_function 'relu'"),
        (lambda folder: change(folder, "config.json", d_model=None), r"config\.json: int\(\) arg"),
        (lambda folder: change(folder, "config.json", encoder_layers=10**9),
         r"config\.json: encoder_layers: 1000000000 is not from 1 to 64"),
        (lambda folder: change(folder, "config.json", decoder_attention_heads=0),
         r"config\.json: decoder_attention_heads: 0 is not from 1 to 64"),
        (lambda folder: change(folder, "config.json", d_model=32),
         r"weight encoder\.conv1\.weight has the shape \(64, 80, 3\) instead of \(32, 80, 3\)"),
        (lambda folder: change(folder, "config.json", vocab_size=700),
         r"tokens up to number \d+ do not fit a model of 700"),
        (lambda folder: drop(folder, "model.decoder.layers.1.fc1.bias"),
         r"hf: the weight decoder\.layers\.1\.fc1\.bias is missing"),
        (spoil, r"encoder\.layer_norm\.bias holds values that are no numbers"),
        (pickle_instead, r"pytorch_model\.bin is pickled and may hold a program"),
        (lambda folder: (folder / "model.safetensors").unlink(), r"give a folder with the weights"),
        (lambda folder: (folder / "tokenizer.json").unlink(), r"no tokenizer\.json; save the fast"),
        (lambda folder: (folder / "tokenizer.json").write_text("{}"), r"json: not a tokenizer"),
        (token_renamed, r"not a Whisper tokenizer: lacks <\|notimestamps\|>"),
        (lambda folder: (folder / "config.json").write_text("[]"), r"json: not a JSON object"),
        (lambda folder: (folder / "config.json").unlink(), r"config\.json: cannot be read: No"),
    ],
)  # fmt: skip
def test_what_cannot_be_converted_says_why(small: Path, tmp_path: Path, harm, said: str) -> None:
    harm(small)
    (tmp_path / "ct2").mkdir()
    with pytest.raises(ConfigError, match=said):
        convert(small, tmp_path / "ct2")


def test_what_is_of_hugging_faces_form(small: Path) -> None:
    assert is_huggingface(small)
    assert not is_huggingface(SHIPPED)
    assert not is_huggingface(small.parent)
