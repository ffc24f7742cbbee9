"""The intent model's runtime: the classifier's file, the arithmetic after the encoder."""

import json
import math
import shutil
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from appliance.config import UnderstandingConfig
from appliance.errors import ConfigError
from appliance.nlu.hybrid import RulesAndModel
from appliance.nlu.loading import encoder_digest, open_model, open_understander
from appliance.nlu.model import CLASSIFIER, Classifier, IntentModel, energy, in_context
from appliance.nlu.rules import RuleUnderstander

BASE = Path(__file__).parents[2] / "models/encoder"
EYE = np.eye(3, dtype=np.float32)
ZEROS = np.zeros(3, np.float32)


class Fixed:
    """An encoder whose vectors are told: for each text its scores."""

    def __init__(self, **scores: tuple[float, float, float]) -> None:
        self._scores, self.asked = scores, ""

    def encode(self, text: str) -> npt.NDArray[np.float32]:
        self.asked = text
        return np.array(self._scores.get(text, (0, 0, 0)), np.float32)


def classifier(**changes: object) -> Classifier:
    settings = {"labels": ("busy", "thanks", "content"), "weight": EYE, "bias": ZEROS, **changes}
    return Classifier(**settings)  # type: ignore[arg-type]


def test_a_classifier_is_read_as_it_was_written(tmp_path: Path) -> None:
    written = classifier(
        weight=EYE * 0.3, bias=ZEROS + 2, temperature=1.7, threshold=-3.25, encoder="ab12",
        about={"trained": "2026-11-22", "año": ["ñ", 1, None]},
    )  # fmt: skip
    written.save(tmp_path)
    read = Classifier.load(tmp_path)
    assert np.array_equal(read.weight, written.weight)
    assert np.array_equal(read.bias, written.bias)
    for name in ("labels", "temperature", "threshold", "encoder", "about"):
        assert getattr(read, name) == getattr(written, name)
    assert read.weight.dtype == np.float32


def test_without_a_threshold_nothing_is_out_of_scope(tmp_path: Path) -> None:
    classifier().save(tmp_path)
    assert Classifier.load(tmp_path).threshold == -math.inf
    assert not IntentModel(Fixed(), Classifier.load(tmp_path)).read("").out_of_scope


def stored(folder: Path, **changes: object) -> None:
    """A file with other parts than it should have; None leaves a part out."""
    settings = {"labels": ["busy", "thanks", "content"], "temperature": 1.0, "threshold": 0.0}
    parts = {"weight": EYE, "bias": ZEROS, "settings": settings, **changes}
    if not isinstance(parts["settings"], np.ndarray | None):
        parts["settings"] = np.frombuffer(json.dumps(parts["settings"]).encode(), np.uint8)
    kept = {name: each for name, each in parts.items() if each is not None}
    np.savez(folder / CLASSIFIER, **kept)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "changes",
    [
        {"weight": None},
        {"bias": None},
        {"settings": None},
        {"settings": []},
        {"settings": 5},
        {"settings": {"temperature": 1.0}},
        {"settings": {"labels": ["a", "b", "c"], "colour": "red"}},
        {"settings": np.frombuffer(b"\xff{", np.uint8)},
        {"settings": {"labels": ["a", "b"]}},
        {"settings": {"labels": ["a", "b", "c", "d"]}},
        {"weight": np.float32(1)},
        {"weight": ZEROS},
        {"weight": EYE[:2]},
        {"bias": ZEROS[:2]},
        {"bias": EYE},
        {"weight": np.array([object()] * 3)},
        {"weight": EYE.astype("<U3")},
        {"weight": EYE * np.nan},
        {"bias": ZEROS + np.inf},
        {"settings": {"labels": ["a", "b", "c"], "temperature": 0.0}},
        {"settings": {"labels": ["a", "b", "c"], "temperature": "hot"}},
        {"settings": {"labels": ["a", "b", "c"], "threshold": None}},
    ],
    ids=str,
)
def test_a_classifier_that_is_none_is_refused(tmp_path: Path, changes: dict[str, object]) -> None:
    stored(tmp_path)
    assert Classifier.load(tmp_path).labels == ("busy", "thanks", "content")
    stored(tmp_path, **changes)
    with pytest.raises(ConfigError, match=r"classifier\.npz: "):
        Classifier.load(tmp_path)


def test_a_file_that_is_missing_or_a_folder(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"classifier\.npz: not a classifier .*No such file"):
        Classifier.load(tmp_path)
    (tmp_path / CLASSIFIER).mkdir()
    with pytest.raises(ConfigError, match=r"classifier\.npz: not a classifier"):
        Classifier.load(tmp_path)


def test_a_file_that_was_cut_off_is_refused(tmp_path: Path) -> None:
    classifier().save(tmp_path)
    path = tmp_path / CLASSIFIER
    whole = path.read_bytes()
    for length in range(0, len(whole), 7):
        path.write_bytes(whole[:length])
        with pytest.raises(ConfigError, match=r"classifier\.npz"):
            Classifier.load(tmp_path)


def test_a_file_with_a_wrong_byte_is_refused_or_read(tmp_path: Path) -> None:
    """Never another error than ours: what is in the zip is protected by its checksums."""
    classifier().save(tmp_path)
    path = tmp_path / CLASSIFIER
    whole, refused = path.read_bytes(), 0
    for place in range(0, len(whole), 3):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0x55]) + whole[place + 1 :])
        try:
            assert len(Classifier.load(tmp_path).labels) == 3
        except ConfigError:
            refused += 1
    assert refused > len(whole) / 3 / 2


def test_energy_is_high_where_any_intent_fits() -> None:
    scores = np.array([[0, 0], [5, 0], [5, 5], [-9, -9]], np.float32)
    assert energy(scores) == pytest.approx(np.log(np.exp(scores).sum(1)))
    assert energy(scores[0]) == pytest.approx(math.log(2))
    assert energy(np.array([1000.0, 999.0], np.float32)) == pytest.approx(1000.3133)
    assert energy(np.array([-1000.0, -1000.0], np.float32)) == pytest.approx(-999.3069)


def test_confidences_are_each_by_itself_and_flattened_by_temperature() -> None:
    found = classifier(temperature=2.0).confidences(np.array([2, 0, -1e6], np.float32))
    assert found == pytest.approx([1 / (1 + math.exp(-1)), 0.5, 0], abs=1e-6)


def test_the_words_are_read_in_the_light_of_what_was_asked() -> None:
    assert in_context("yes", None) == "yes"
    assert in_context("yes", "yes_no") == "yes no : yes"
    assert in_context("", "zip") == "zip : "
    encoder = Fixed()
    IntentModel(encoder, classifier()).read("no", "yes_no")
    assert encoder.asked == "yes no : no"


def test_intents_are_ranked_and_unlikely_ones_left_out() -> None:
    model = IntentModel(Fixed(both=(1, 3, -4)), classifier())
    found = model.read("both")
    assert [(each.name, each.confidence) for each in found.intents] == [
        ("busy", 0.731),  # both are said: thanks come after what they are beside
        ("thanks", 0.953),
    ]
    found = IntentModel(Fixed(one=(1.5, 0.2, -4)), classifier(bias=ZEROS - 1)).read("one")
    assert [each.name for each in found.intents] == ["busy", "thanks"]
    assert found.intents[0].confidence > 0.7  # in scope, and nothing else is likely


def test_the_likeliest_is_told_though_it_is_unlikely() -> None:
    found = IntentModel(Fixed(low=(-8, -9, -10)), classifier(threshold=0.0)).read("low")
    assert [each.name for each in found.intents] == ["busy"]
    assert found.intents[0].confidence < 0.01
    assert found.out_of_scope


def test_the_verdict_is_by_energy() -> None:
    model = IntentModel(Fixed(low=(-2, -3, -2), high=(2, 0, 0)), classifier(threshold=0.0))
    assert model.read("low").out_of_scope
    assert not model.read("high").out_of_scope


def test_a_classifier_of_another_width_is_refused() -> None:
    wide = np.zeros((3, 384), np.float32)
    with pytest.raises(ConfigError, match="reads vectors of 384, the encoder gives 3"):
        IntentModel(Fixed(), classifier(weight=wide))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("encoder.onnx", "tokenizer.json"):
        shutil.copy(BASE / name, tmp_path)
    weight = np.zeros((1, 384), np.float32)
    digest = encoder_digest(tmp_path)
    Classifier(("kennel_question",), weight, ZEROS[:1] + 3, encoder=digest).save(tmp_path)
    return tmp_path


def test_a_model_is_opened_with_its_encoder(folder: Path) -> None:
    found = open_understander(UnderstandingConfig(model=folder))
    assert isinstance(found, RulesAndModel)
    assert found.intents == RuleUnderstander().intents | {"kennel_question"}
    assert [each.name for each in found.understand("is there room for my dog").intents] == [
        "kennel_question"
    ]


def test_rules_alone_need_no_model(tmp_path: Path) -> None:
    config = UnderstandingConfig(model=tmp_path / "nowhere", backend="rules")
    assert isinstance(open_understander(config), RuleUnderstander)


@pytest.mark.parametrize("name", ["encoder.onnx", "tokenizer.json"])
def test_an_encoder_of_another_model_is_refused(folder: Path, name: str) -> None:
    with (folder / name).open("ab") as file:
        file.write(b"\n")
    with pytest.raises(ConfigError, match=r"understanding\.model: .*is of another encoder"):
        open_model(UnderstandingConfig(model=folder))
    (folder / name).unlink()
    with pytest.raises(ConfigError, match=rf"understanding\.model: .*{name}: No such file"):
        open_model(UnderstandingConfig(model=folder))


def test_an_encoder_that_is_none_is_refused(folder: Path) -> None:
    (folder / "encoder.onnx").write_bytes(b"no model")
    Classifier(("a",), np.zeros((1, 384), np.float32), ZEROS[:1]).save(folder)
    with pytest.raises(ConfigError, match=r"understanding\.model: .* cannot be loaded"):
        open_model(UnderstandingConfig(model=folder))
