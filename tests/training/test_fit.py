"""Fine-tuning, which needs the extra `intents` (torch, onnx).

Slow: `make test-all` installs the extra, and these fail without it.
"""

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from tokenizers import Tokenizer

from appliance.config import UnderstandingConfig
from appliance.errors import ConfigError
from appliance.knowledge.encoder import SentenceEncoder
from appliance.nlu.loading import open_model
from appliance.nlu.model import Classifier
from appliance.training.evaluation import Evaluation, evaluate
from appliance.training.judging import by_model
from appliance.training.settings import Sample, Settings
from appliance.training.trainer import Parts, Training, train
from tests.training.lines import CHOSEN, chosen

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(600),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),  # torch, of its own exporter
]

BASE = Path(__file__).parents[2] / "models/encoder"
SETTINGS = Settings(epochs=4, batch=16, rate=2e-4)
TEXTS = ["yes", "stop calling me", "could you call me back tomorrow morning please", "?"]


def judged(settings: Settings | None, folder: Path, told: list[str]) -> Evaluation:
    training = Training(Parts.of(chosen("train", 30)), BASE, settings)
    train(training, folder, lambda stage, done, total: told.append(f"{stage} {done}/{total}"))
    model = open_model(UnderstandingConfig(model=folder))
    return evaluate(chosen("heldout", 25), by_model(model))


def test_a_tiny_set_is_learnt(tmp_path: Path) -> None:
    quick, fine = tmp_path / "quick", tmp_path / "fine"
    quick.mkdir()
    fine.mkdir()
    told: list[str] = []
    before, after = judged(None, quick, []), judged(SETTINGS, fine, told)
    assert before.inside == after.inside == 25 * len(CHOSEN)
    assert after.first > before.first - 0.04  # on so little it gains little
    assert after.first > 0.74
    model = open_model(UnderstandingConfig(model=fine))
    assert evaluate(Parts.of(chosen("train", 30)).fit, by_model(model)).first > 0.95
    assert sorted(path.name for path in fine.iterdir()) == [
        "classifier.npz",
        "encoder.onnx",
        "tokenizer.json",
    ]
    assert (fine / "encoder.onnx").stat().st_size < 30e6
    assert Classifier.load(fine).about["settings"]["epochs"] == 4
    assert Classifier.load(fine).encoder != Classifier.load(quick).encoder
    stages = [each.split(",")[0].split(" ")[0] for each in told]
    assert list(dict.fromkeys(stages)) == ["training", "quantizing", "calibrating"]
    losses = [float(each.split("loss ")[1].split()[0]) for each in told if "loss" in each]
    assert losses[-1] < losses[0]


def cosines(
    one: list[npt.NDArray[np.float32]], other: list[npt.NDArray[np.float32]]
) -> list[float]:
    return [
        float(a @ b / np.linalg.norm(a) / np.linalg.norm(b))
        for a, b in zip(one, other, strict=True)
    ]


def test_the_network_is_that_of_the_file_and_comes_back_from_it(tmp_path: Path) -> None:
    from appliance.training.fit import encode  # noqa: PLC0415 (of the extra)
    from appliance.training.network import (  # noqa: PLC0415
        load_network,
        write_onnx,
        write_quantized,
    )

    tokenizer = Tokenizer.from_file(str(BASE / "tokenizer.json"))
    network = load_network(BASE / "encoder.onnx").eval()
    plain = list(encode(network, tokenizer, TEXTS))
    shipped = [SentenceEncoder(BASE).encode(text) for text in TEXTS]
    assert min(cosines(plain, shipped)) > 0.95
    (tmp_path / "tokenizer.json").write_bytes((BASE / "tokenizer.json").read_bytes())
    write_onnx(network, tmp_path / "encoder.onnx")
    again = [SentenceEncoder(tmp_path).encode(text) for text in TEXTS]
    assert np.allclose(again, plain, atol=1e-3)
    write_quantized(network, tmp_path / "encoder.onnx")
    small = [SentenceEncoder(tmp_path).encode(text) for text in TEXTS]
    assert min(cosines(small, plain)) > 0.95


def test_the_same_seed_gives_the_same_model_and_another_one_another() -> None:
    def fitted(seed: int) -> npt.NDArray[np.float32]:
        from appliance.training.fit import fit  # noqa: PLC0415
        from appliance.training.network import load_network  # noqa: PLC0415

        network = load_network(BASE / "encoder.onnx", dropout=0.1)
        samples = [Sample(text, (number % 2,)) for number, text in enumerate(TEXTS * 4)]
        weight, _ = fit(
            network, Tokenizer.from_file(str(BASE / "tokenizer.json")), lambda number: samples, 2,
            Settings(epochs=1, batch=4, seed=seed), lambda done, total, loss: None,
        )  # fmt: skip
        return weight

    assert np.array_equal(fitted(1), fitted(1))
    assert not np.array_equal(fitted(1), fitted(2))


@pytest.mark.parametrize("words", [False, True])
def test_the_table_of_words_learns_where_it_is_told_to(words: bool) -> None:
    from appliance.training.fit import fit  # noqa: PLC0415
    from appliance.training.network import load_network  # noqa: PLC0415

    network = load_network(BASE / "encoder.onnx")
    before = network.words.weight.detach().numpy().copy()
    layer = network.layers[0].query.weight.detach().numpy().copy()
    samples = [Sample(text, (number % 2,)) for number, text in enumerate(TEXTS * 2)]
    fit(
        network, Tokenizer.from_file(str(BASE / "tokenizer.json")), lambda number: samples, 2,
        Settings(epochs=2, batch=4, words=words), lambda done, total, loss: None,
    )  # fmt: skip
    assert np.array_equal(network.words.weight.detach().numpy(), before) is not words
    assert not np.array_equal(network.layers[0].query.weight.detach().numpy(), layer)


def test_a_file_that_is_no_encoder_of_ours(tmp_path: Path) -> None:
    from appliance.training.network import load_network  # noqa: PLC0415

    (tmp_path / "encoder.onnx").write_bytes(b"no model")
    with pytest.raises(ConfigError, match=r"encoder\.onnx: cannot be read as ONNX"):
        load_network(tmp_path / "encoder.onnx")
