"""Which voice speaks, by the configuration alone."""

from pathlib import Path

import pytest

from appliance.config import SpeakingConfig, SpokenModelsConfig, VoiceConfig
from appliance.tts.casting import Cast, cast_voice
from appliance.types import Language

CONFIG = SpeakingConfig(
    models=SpokenModelsConfig(en=Path("any.onnx"), es=Path("todos.onnx")),
    voices={
        "bob": VoiceConfig(en=Path("bob.onnx"), speaker="p226", speed=0.9),
        "low": VoiceConfig(pitch=0.8),
        "third": VoiceConfig(speaker="3"),
    },
)
ANY = Cast("speaking.models.en", Path("any.onnx"), "en")


@pytest.mark.parametrize(
    ("name", "language", "cast"),
    [
        (None, "en", ANY),
        ("carol", "en", ANY),
        (None, "es", Cast("speaking.models.es", Path("todos.onnx"), "es")),
        ("bob", "en", Cast("speaking.voices.bob.en", Path("bob.onnx"), "en", "p226", speed=0.9)),
        # p226 speaks in bob.onnx; nobody knows who that is in another file.
        ("bob", "es", Cast("speaking.models.es", Path("todos.onnx"), "es", speed=0.9)),
        ("low", "en", Cast("speaking.models.en", Path("any.onnx"), "en", pitch=0.8)),
        ("third", "en", Cast("speaking.models.en", Path("any.onnx"), "en", "3")),
    ],
)
def test_cast(name: str | None, language: Language, cast: Cast) -> None:
    assert cast_voice(CONFIG, language, name) == cast


@pytest.mark.parametrize("name", [None, "carol"])
def test_the_default_of_the_box(name: str | None) -> None:
    config = CONFIG.model_copy(update={"default": "bob"})
    assert cast_voice(config, "en", name) == cast_voice(config, "en", "bob")
    assert cast_voice(config, "en", "low") == cast_voice(CONFIG, "en", "low")
