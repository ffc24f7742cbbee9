"""The trainer in its quick mode: the shipped encoder as it is, and a classifier of a few lines."""

import shutil
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from appliance.config import UnderstandingConfig
from appliance.errors import ConfigError
from appliance.nlu.loading import encoder_digest, open_model
from appliance.nlu.model import Classifier, IntentModel
from appliance.training.evaluation import evaluate
from appliance.training.examples import Example
from appliance.training.judging import by_model
from appliance.training.renewal import renew
from appliance.training.settings import Settings
from appliance.training.trainer import Parts, Training, train
from tests.training.lines import CHOSEN, chosen

ROOT = Path(__file__).parents[2]
BASE = ROOT / "models/encoder"
TOLD: list[tuple[str, int, int]] = []


def tell(*told: object) -> None:
    """Nobody listens."""


@pytest.fixture(scope="module")
def examples() -> list[Example]:
    return chosen("train", 30)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, examples: list[Example]) -> Path:
    output = tmp_path_factory.mktemp("model")

    def listen(stage: str, done: int, total: int) -> None:
        TOLD.append((stage, done, total))

    train(Training(Parts.of(examples), BASE, None, about={"trained": "today"}), output, listen)
    return output


@pytest.fixture(scope="module")
def model(folder: Path) -> IntentModel:
    return open_model(UnderstandingConfig(model=folder))


def test_it_learns_what_it_is_shown(model: IntentModel) -> None:
    """By the encoder as it is; one of five is chance."""
    found = evaluate(chosen("heldout", 16), by_model(model))
    assert found.inside == 5 * 16
    assert found.first > 0.65
    assert found.accepted > 0.6
    assert found.outside is not None  # how many: too few to calibrate with


def test_its_folder_is_a_whole_model(folder: Path, examples: list[Example]) -> None:
    assert sorted(path.name for path in folder.iterdir()) == [
        "classifier.npz",
        "encoder.onnx",
        "tokenizer.json",
    ]
    classifier = Classifier.load(folder)
    assert classifier.labels == tuple(sorted(CHOSEN))
    assert classifier.encoder == encoder_digest(folder) == encoder_digest(BASE)
    assert classifier.about["trained"] == "today"
    assert classifier.about["settings"] == "classifier only"
    fitted = Parts.of(examples).fit
    assert classifier.about["examples"] == len(fitted) == classifier.about["lines"]
    assert np.isfinite(classifier.threshold)


def test_progress_is_told(folder: Path) -> None:
    stages = list(dict.fromkeys(stage for stage, _, _ in TOLD))
    assert stages == ["encoding", "fitting", "calibrating"]
    for stage in stages:
        done = [(done, total) for each, done, total in TOLD if each == stage]
        assert done[-1][0] == done[-1][1]
        assert sorted(done) == done


def test_training_twice_gives_the_same(
    folder: Path, examples: list[Example], tmp_path: Path
) -> None:
    again = train(Training(Parts.of(examples), BASE, None), tmp_path, tell)
    first = Classifier.load(folder)
    assert np.array_equal(again.weight, first.weight)
    assert np.array_equal(again.bias, first.bias)
    assert (again.temperature, again.threshold) == (first.temperature, first.threshold)


def lines(count: int, *intents: str, file: str = "en.yaml") -> list[Example]:
    return [
        Example(f"{'-'.join(intents)} {n}", intents, None, "en", f"{file}:{intents}{n}")
        for n in range(count)
    ]


def test_no_line_is_both_fitted_to_and_calibrated_on() -> None:
    many = lines(500, "busy") + lines(500, "thanks") + lines(200)
    many += [replace(each, text=f"well {each.text}") for each in many]
    parts = Parts.of(many)
    assert not {e.line for e in parts.fit} & {e.line for e in parts.calibration}
    assert len(parts.fit) + len(parts.calibration) == len(many)
    assert 0.04 < len(parts.calibration) / len(many) < 0.08
    assert parts == Parts.of(many)


def test_the_split_does_not_hang_on_where_the_folder_is() -> None:
    here, there = lines(300, "busy", file="a/en.yaml"), lines(300, "busy", file="/srv/b/en.yaml")
    kept = [{each.text for each in Parts.of(part).calibration} for part in (here, there)]
    assert kept[0] == kept[1] != set()


def test_a_part_for_calibration_is_taken_as_it_is() -> None:
    fit, val = lines(10, "busy"), lines(3, "busy", file="val.yaml")
    assert Parts.of(fit, val) == Parts(tuple(fit), tuple(val))


def test_an_intent_of_one_line_is_learnt_whatever_line_that_is() -> None:
    for n in range(60):  # some of these lines would be kept back
        own = [Example(f"{k}", ("kennel",), None, "en", f"en_kennel.yaml:{n}") for k in range(6)]
        parts = Parts.of([*lines(200, "busy"), *own])
        assert "kennel" in parts.labels
        assert parts.calibration


@pytest.mark.parametrize(
    ("examples", "said"),
    [
        (lines(100, "busy"), "examples of at least two intents are needed"),
        (lines(100), "examples of at least two intents are needed"),
        (lines(100, "busy") + lines(4, "kennel"), "kennel: 4 examples; at least 5 are needed"),
        (lines(100, "busy", "kennel") + lines(3, "thanks"), "thanks: 3 examples"),
    ],
)
def test_too_few_examples(tmp_path: Path, examples: list[Example], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        train(Training(Parts.of(examples), BASE, None), tmp_path, tell)
    assert not list(tmp_path.iterdir())


def test_nothing_to_calibrate_with(tmp_path: Path) -> None:
    parts = Parts(tuple(lines(9, "busy") + lines(9, "thanks")), ())
    with pytest.raises(ConfigError, match="too few examples to keep some back for calibration"):
        train(Training(parts, BASE, None), tmp_path, tell)


def test_a_base_that_is_none(tmp_path: Path) -> None:
    parts = Parts.of(lines(99, "busy") + lines(99, "thanks"))
    with pytest.raises(ConfigError, match=r"encoder\.onnx is missing: the base must be a model's"):
        train(Training(parts, tmp_path / "nowhere", None), tmp_path, tell)
    (tmp_path / "encoder.onnx").write_bytes(b"no model")
    (tmp_path / "tokenizer.json").write_bytes(b"{}")
    output = tmp_path / "output"
    output.mkdir()
    with pytest.raises(ConfigError, match=r"the base: .* cannot be loaded"):
        train(Training(parts, tmp_path, None), output, tell)


def test_without_torch_the_remedy_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    for name in ("fit", "network", "scaling"):
        monkeypatch.delitem(sys.modules, f"appliance.training.{name}", raising=False)
    parts = Parts.of(lines(99, "busy") + lines(99, "thanks"))
    with pytest.raises(
        ConfigError, match=r"\(torch\): pip install 'voice-appliance\[intents\]', or .*--quick"
    ):
        train(Training(parts, BASE, Settings()), tmp_path, tell)


def test_a_worse_model_is_not_installed(tmp_path: Path) -> None:
    """One that takes whoever says goodbye for somebody who is busy."""
    judges, examples = chosen("heldout", 8), chosen("train", 16)
    target = tmp_path / "intent"
    first = renew(Training(Parts.of(examples), BASE, None), target, judges, tell)
    assert first.verdict.accepted
    assert (first.kept, first.compared) == (None, None)
    before = {path.name: path.read_bytes() for path in target.iterdir()}
    turned = {"goodbye": ("busy",), "callback_request": ("goodbye",)}
    spoilt = [replace(each, intents=turned.get("".join(each.intents), each.intents))
              for each in examples]  # fmt: skip
    second = renew(Training(Parts.of(spoilt), BASE, None), target, judges, tell)
    assert not second.verdict.accepted
    assert any(
        each.startswith(("goodbye: missed", "false alarms")) for each in second.verdict.worse
    )
    assert second.compared == target
    assert {path.name: path.read_bytes() for path in target.iterdir()} == before
    assert [path.name for path in tmp_path.iterdir()] == ["intent"]
    # cut short: the classifier is of another encoder. Training again is the remedy that is told
    (target / "tokenizer.json").write_bytes(before["tokenizer.json"] + b"\n")
    (tmp_path / "intent.before").mkdir()
    for name, content in before.items():
        (tmp_path / "intent.before" / name).write_bytes(content)
    third = renew(Training(Parts.of(examples), BASE, None), target, judges, tell)
    assert third.verdict.accepted
    assert third.compared == tmp_path / "intent.before"
    assert open_model(UnderstandingConfig(model=target)).read("I am driving").intents
    kept = {path.name: path.read_bytes() for path in (tmp_path / "intent.before").iterdir()}
    assert kept == before


def test_a_model_that_goes_on_from_another_is_no_surer_than_that(
    folder: Path, examples: list[Example], tmp_path: Path
) -> None:
    """Its encoder may have seen what calibrates now."""
    base = tmp_path / "base"
    shutil.copytree(folder, base)
    replace(Classifier.load(base), temperature=3.5).save(base)
    (tmp_path / "new").mkdir()
    new = train(Training(Parts.of(examples), base, None), tmp_path / "new", lambda *_: None)
    assert new.temperature == 3.5
