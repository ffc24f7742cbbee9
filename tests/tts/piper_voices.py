"""Voices with the interface of the official ones, for tests: a hum instead of speech, a few kB.

No official voice can be had here without the internet. These have their inputs and outputs, their
rate of 22,050 Hz, their map of phones (piper's own default), several speakers; not their network.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from piper.phoneme_ids import DEFAULT_PHONEME_ID_MAP

from appliance.tts.settings import settings_of

RATE_HZ = 22050
_SAMPLES_AN_ID = 1024  # 46 ms: there are about two ids a phone, one of them is padding


def write_voice(
    path: Path,
    speakers: int = 1,
    locale: str = "en_US",
    loudness: float = 0.3,
    samples_an_id: int = _SAMPLES_AN_ID,
) -> Path:
    """A voice that hums 46 ms for every id, at 150 Hz and 60 Hz more for every speaker."""
    path.parent.mkdir(parents=True, exist_ok=True)
    inputs = [
        helper.make_tensor_value_info("input", TensorProto.INT64, [1, "ids"]),
        helper.make_tensor_value_info("input_lengths", TensorProto.INT64, [1]),
        helper.make_tensor_value_info("scales", TensorProto.FLOAT, [3]),
    ]
    if speakers > 1:
        inputs.append(helper.make_tensor_value_info("sid", TensorProto.INT64, [1]))
    output = helper.make_tensor_value_info("output", TensorProto.FLOAT, [1, 1, "time"])
    speaker = "sid" if speakers > 1 else "nobody"
    constants = [
        each
        for each in _constants(loudness, samples_an_id)
        if each.name != "nobody" or speakers == 1
    ]
    graph = helper.make_graph(_hum(speaker), "hum", inputs, [output], constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 15)], ir_version=8)
    onnx.checker.check_model(model)
    path.write_bytes(model.SerializeToString())
    settings = {
        "audio": {"sample_rate": RATE_HZ, "quality": "medium"},
        "espeak": {"voice": {"en_US": "en-us", "es_MX": "es-419"}.get(locale, locale[:2])},
        "language": {"code": locale, "family": locale[:2]},
        "inference": {"noise_scale": 0.667, "length_scale": 1, "noise_w": 0.8},
        "num_symbols": 256,
        "num_speakers": speakers,
        "speaker_id_map": {f"p{n}": n for n in range(speakers)} if speakers > 1 else {},
        "phoneme_id_map": DEFAULT_PHONEME_ID_MAP,
    }
    settings_of(path).write_text(json.dumps(settings), "utf-8")
    return path


def _hum(speaker: str) -> list[onnx.NodeProto]:
    node = helper.make_node
    return [
        node("Shape", ["input"], ["shape"]),
        node("Gather", ["shape", "last"], ["ids"]),
        node("Cast", ["ids"], ["ids_float"], to=TensorProto.FLOAT),
        node("Gather", ["scales", "last"], ["length_scale"]),
        node("Mul", ["ids_float", "length_scale"], ["units"]),
        node("Mul", ["units", "samples_an_id"], ["samples"]),
        node("Range", ["zero", "samples", "one"], ["time"]),
        node("Cast", [speaker], ["speaker_float"], to=TensorProto.FLOAT),
        node("Mul", ["speaker_float", "step"], ["above"]),
        node("Add", ["above", "lowest"], ["speed"]),
        node("Mul", ["time", "speed"], ["phase"]),
        node("Sin", ["phase"], ["hum"]),
        node("Mul", ["hum", "loudness"], ["sound"]),
        node("Reshape", ["sound", "as_audio"], ["output"]),
    ]


def _constants(loudness: float, samples_an_id: int) -> list[onnx.TensorProto]:
    turn = 2 * np.pi / RATE_HZ
    floats = {"samples_an_id": samples_an_id, "zero": 0, "one": 1, "loudness": loudness}
    rows = {"lowest": 150 * turn, "step": 60 * turn}
    whole = {"last": np.int64(1), "nobody": np.int64([0]), "as_audio": np.int64([1, 1, -1])}
    return [
        *(numpy_helper.from_array(np.float32(each), name) for name, each in floats.items()),
        *(numpy_helper.from_array(np.float32([each]), name) for name, each in rows.items()),
        *(numpy_helper.from_array(np.asarray(each), name) for name, each in whole.items()),
    ]
