"""The encoder on llama.cpp against the one on ONNX Runtime, and the making of its file.

What needs the extra `llama` is marked slow: `make test-all` installs it, and fails without it.
"""

import math
import resource
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
import yaml
from tokenizers import Tokenizer

from appliance.config import UnderstandingConfig
from appliance.errors import ConfigError, EngineError
from appliance.knowledge.encoder import SentenceEncoder
from appliance.nlu import llama
from appliance.nlu.gguf import cached_gguf, write_gguf
from appliance.nlu.llama import LlamaEncoder
from appliance.nlu.loading import open_model
from appliance.training.examples import read_examples

pytestmark = pytest.mark.timeout(300)

Vectors = npt.NDArray[np.float32]

ROOT = Path(__file__).parents[2]
ENCODERS = sorted(path.parent for path in ROOT.glob("models/*/encoder.onnx"))
FOLDER = ROOT / "models/encoder"
SOURCE = FOLDER / "encoder.onnx"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("gguf")


@pytest.fixture(scope="module")
def encoder(store: Path) -> LlamaEncoder:
    return LlamaEncoder(FOLDER, store)


def sentences() -> list[str]:
    """Every sixth of what the tests of the rules know callers to say: some 400."""
    said = {
        text
        for language in ("en", "es")
        for entry in yaml.safe_load(
            (ROOT / f"tests/nlu/utterances.{language}.yaml").read_text("utf-8")
        )
        for text in entry["says"]
    }
    return sorted(said)[::6]


def unit(vectors: list[npt.NDArray[np.float32]]) -> Vectors:
    stacked = np.array(vectors, np.float32)
    found: Vectors = stacked / np.linalg.norm(stacked, axis=1, keepdims=True)
    return found


def nearest(vectors: Vectors) -> npt.NDArray[np.int64]:
    likeness = vectors @ vectors.T
    np.fill_diagonal(likeness, -1)
    return likeness.argmax(1)


def in_float(folder: Path) -> Callable[[str], npt.NDArray[np.float32]]:
    """The network written out in float32 with the same weights: what both backends approximate."""
    from appliance.nlu.weights import read_weights  # noqa: PLC0415 (needs onnx)

    weights = read_weights(folder / "encoder.onnx")
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    layers = sum(name.endswith(".query.bias") for name in weights)

    def normal(x: Vectors, name: str) -> Vectors:
        x = x - x.mean(-1, keepdims=True)
        x = x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-12)
        return x * weights[f"{name}.weight"] + weights[f"{name}.bias"]

    def linear(x: Vectors, name: str) -> Vectors:
        return x @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]

    def encode(text: str) -> Vectors:
        ids = tokenizer.encode(text).ids
        count, width = len(ids), weights["positions"].shape[1]
        x = normal(weights["words.weight"][ids] + weights["positions"][:count], "norm")
        for name in (f"layers.{n}" for n in range(layers)):
            query, key, value = (
                linear(x, f"{name}.{part}").reshape(count, width // 32, 32).transpose(1, 0, 2)
                for part in ("query", "key", "value")
            )
            heed = np.exp(query @ key.transpose(0, 2, 1) / math.sqrt(32))
            heard = (heed / heed.sum(-1, keepdims=True)) @ value
            heard = heard.transpose(1, 0, 2).reshape(count, width)
            x = normal(x + linear(heard, f"{name}.out"), f"{name}.out_norm")
            inner = linear(x, f"{name}.widen")
            gate = np.vectorize(math.erf, otypes=[np.float32])(inner / math.sqrt(2))
            x = normal(x + linear(inner * (1 + gate) / 2, f"{name}.narrow"), f"{name}.norm")
        mean: Vectors = x.mean(0)
        return mean

    return encode


@pytest.mark.slow
@pytest.mark.parametrize("folder", ENCODERS, ids=lambda path: path.name)
def test_it_computes_what_the_network_is(folder: Path, store: Path) -> None:
    """Q8_0 costs next to nothing against float32 (measured: 0.9982 at the worst hundredth)."""
    texts = sentences()
    encode = in_float(folder)
    plain = [encode(text) for text in texts]
    here = LlamaEncoder(folder, store)
    found = [here.encode(text) for text in texts]
    lengths = [
        float(np.linalg.norm(a) / np.linalg.norm(b)) for a, b in zip(found, plain, strict=True)
    ]
    assert lengths == pytest.approx([1] * len(texts), abs=0.02)  # not brought to length one
    a, b = unit(found), unit(plain)
    assert np.percentile((a * b).sum(1), 1) > 0.997
    assert (nearest(a) == nearest(b)).mean() > 0.96


@pytest.mark.slow
@pytest.mark.parametrize("folder", ENCODERS, ids=lambda path: path.name)
def test_both_backends_agree(folder: Path, store: Path) -> None:
    """Closer than this they cannot be: ONNX Runtime rounds what flows between layers to 8 bits.

    (Measured, it against float32: 0.977 at the worst hundredth.)
    """
    texts = sentences()
    assert len(texts) >= 300
    one, other = SentenceEncoder(folder), LlamaEncoder(folder, store)
    a = unit([one.encode(text) for text in texts])
    b = unit([other.encode(text) for text in texts])
    assert np.percentile((a * b).sum(1), 1) > 0.96
    assert ((b @ a.T).argmax(1) == np.arange(len(texts))).mean() > 0.98
    assert one.width == other.width
    assert one.identity != other.identity  # vectors of one are not to be compared with the other's


@pytest.mark.slow
def test_the_shipped_model_reads_the_same_on_both(store: Path) -> None:
    """Sentences that nobody trained on, each in its context.

    (Measured with a model like the shipped one: the first intent is the same for 97.5%, the verdict
    for 99.5%, and each backend is right where the other is not about as often.)
    """
    said = read_examples(ROOT / "models/intent/data/heldout")[::5]
    here = UnderstandingConfig(model=ROOT / "models/intent", cache=store)
    one, other = (
        open_model(here.model_copy(update={"backend": backend})) for backend in ("onnx", "llama")
    )
    same_first = same_verdict = right_one = right_other = 0
    for each in said:
        a, b = (model.read(each.text, each.slot) for model in (one, other))
        first_a, first_b = (next(iter(read.intents), None) for read in (a, b))
        name_a, name_b = (first and first.name for first in (first_a, first_b))
        same_first += name_a == name_b
        same_verdict += a.out_of_scope == b.out_of_scope
        right_one += name_a in each.intents
        right_other += name_b in each.intents
    assert len(said) > 500
    assert same_first / len(said) > 0.96
    assert same_verdict / len(said) > 0.985
    assert abs(right_one - right_other) / len(said) < 0.01


@pytest.mark.slow
def test_edges_of_texts(encoder: LlamaEncoder) -> None:
    assert np.array_equal(encoder.encode("pay " * 300), encoder.encode("pay " * 3000))
    for text in ("", " ", "?", "naïve café – 日本 🙂", "\x00", "[SEP] [CLS]"):
        vector = encoder.encode(text)
        assert vector.shape == (encoder.width,) == (384,)
        assert vector.dtype == np.float32
        assert np.isfinite(vector).all()


@pytest.mark.slow
def test_texts_that_are_no_text_are_refused(encoder: LlamaEncoder) -> None:
    before = encoder.encode("yes")
    with pytest.raises(EngineError):
        encoder.encode(None)  # type: ignore[arg-type]
    with pytest.raises(EngineError):
        encoder.encode("a lone surrogate \ud800")
    assert np.array_equal(encoder.encode("yes"), before)


@pytest.mark.slow
def test_threads_do_not_mix_their_texts(encoder: LlamaEncoder) -> None:
    texts = ["One.", "A much longer text about payments. " * 9, "", "?", "the fifteenth, all of it"]
    alone = [encoder.encode(text) for text in texts]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(encoder.encode, texts * 40))
    for number, vector in enumerate(together):
        assert np.array_equal(vector, alone[number % len(texts)])


@pytest.mark.slow
def test_the_file_is_made_once_and_always_the_same(tmp_path: Path) -> None:
    first = cached_gguf(SOURCE, tmp_path / "new/folder")
    made = first.stat()
    assert cached_gguf(SOURCE, tmp_path / "new/folder") == first
    assert (first.stat().st_mtime_ns, first.stat().st_ino) == (made.st_mtime_ns, made.st_ino)
    write_gguf(SOURCE, tmp_path / "again.gguf")
    assert (tmp_path / "again.gguf").read_bytes() == first.read_bytes()
    assert made.st_size < 30e6


@pytest.mark.slow
def test_two_starts_at_once_make_one_file(tmp_path: Path) -> None:
    with ThreadPoolExecutor(3) as pool:
        found = list(pool.map(lambda _: cached_gguf(SOURCE, tmp_path), range(3)))
    assert len(set(found)) == 1
    assert list(tmp_path.iterdir()) == found[:1]
    LlamaEncoder(FOLDER, tmp_path).encode("whole")


def convert_with(most: int, *, killed: bool, store: Path) -> subprocess.CompletedProcess[str]:
    """A conversion in a process that may write `most` bytes to a file: then it dies, or fails."""
    code = (
        "import signal, sys; from pathlib import Path; "
        "from appliance.nlu.gguf import cached_gguf; "
        f"signal.signal(signal.SIGXFSZ, signal.{'SIG_DFL' if killed else 'SIG_IGN'}); "
        "cached_gguf(Path(sys.argv[1]), Path(sys.argv[2]))"
    )
    return subprocess.run(
        [sys.executable, "-c", code, str(SOURCE), str(store)],
        cwd=ROOT, text=True, capture_output=True, check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most)),
    )  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("most", [0, 100, 10_000_000])
def test_a_killed_conversion_leaves_no_half_file(tmp_path: Path, most: int) -> None:
    assert convert_with(most, killed=True, store=tmp_path).returncode == -signal.SIGXFSZ
    assert not list(tmp_path.glob("*.gguf"))
    LlamaEncoder(FOLDER, tmp_path).encode("whole")
    assert [path.suffix for path in tmp_path.iterdir()] == [".gguf"]


@pytest.mark.slow
@pytest.mark.parametrize("most", [0, 100, 10_000_000])
def test_a_full_disk_is_told_and_leaves_nothing(tmp_path: Path, most: int) -> None:
    done = convert_with(most, killed=False, store=tmp_path)
    assert "understanding.cache: " in done.stderr
    assert "cannot hold the intent model's GGUF" in done.stderr
    assert "File too large" in done.stderr or "requested and" in done.stderr  # Python's, numpy's
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
@pytest.mark.parametrize(
    "broken",
    [
        lambda whole: b"",
        lambda whole: b"GGUF",
        lambda whole: b"no model at all" * 100,
        lambda whole: whole[:3000],
        lambda whole: whole[:-1],
        lambda whole: whole[: len(whole) // 2],
        lambda whole: whole.replace(b"blk.3.attn_q.weight", b"blk.3.attn_x.weight"),
        lambda whole: whole.replace(b"bert.block_count", b"bert.black_count"),
    ],
    ids=["empty", "magic", "other", "header", "byte", "half", "tensor", "key"],
)
def test_a_broken_file_is_named_with_the_remedy(
    store: Path, tmp_path: Path, broken: Callable[[bytes], bytes], capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / cached_gguf(SOURCE, store).name
    path.write_bytes(broken(cached_gguf(SOURCE, store).read_bytes()))
    with pytest.raises(ConfigError, match=rf"{path.name} cannot be loaded \(.+\): remove it"):
        LlamaEncoder(FOLDER, tmp_path)
    assert capfd.readouterr().err == ""
    path.unlink()
    LlamaEncoder(FOLDER, tmp_path).encode("made again")


@pytest.mark.slow
def test_it_says_nothing_of_its_own(store: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from appliance.nlu.llama import LlamaEncoder; "
        "LlamaEncoder(Path(sys.argv[1]), Path(sys.argv[2])).encode('quiet')"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(FOLDER), str(store)],
        cwd=ROOT, text=True, capture_output=True, check=True,
    )  # fmt: skip
    assert (done.stdout, done.stderr) == ("", "")


@pytest.mark.slow
def test_nothing_is_kept_of_an_encoder_that_is_gone(store: Path) -> None:
    def held_kib() -> int:
        status = Path("/proc/self/status").read_text("ascii")
        return int(status.split("VmRSS:")[1].split()[0])

    def open_files() -> int:
        return sum(1 for _ in Path("/proc/self/fd").iterdir())

    LlamaEncoder(FOLDER, store)
    before, files = held_kib(), open_files()
    for _ in range(10):
        LlamaEncoder(FOLDER, store)
    assert held_kib() - before < 2 * 24_000  # one encoder is 24 MB
    assert open_files() == files


@pytest.mark.slow
def test_parts_of_two_models_are_refused(tmp_path: Path, store: Path) -> None:
    shutil.copy(SOURCE, tmp_path)
    text = (FOLDER / "tokenizer.json").read_text("utf-8")
    assert '"zone":' in text
    more = ",".join(f'"piece{n}":{n}' for n in range(27908, 27920))
    (tmp_path / "tokenizer.json").write_text(text.replace('"zone":', more + ',"zone":', 1), "utf-8")
    with pytest.raises(ConfigError, match=r"27920 pieces of words, the encoder 27908"):
        LlamaEncoder(tmp_path, store)


@pytest.mark.slow
def test_folders_that_are_no_model(tmp_path: Path, store: Path) -> None:
    with pytest.raises(ConfigError, match=r"understanding\.model: .*tokenizer\.json"):
        LlamaEncoder(tmp_path, store)
    shutil.copy(FOLDER / "tokenizer.json", tmp_path)
    with pytest.raises(ConfigError, match=r"understanding\.model: .*encoder\.onnx: No such file"):
        LlamaEncoder(tmp_path, store)
    (tmp_path / "encoder.onnx").write_bytes(b"no model")
    with pytest.raises(ConfigError, match=r"encoder\.onnx: cannot be read as ONNX"):
        LlamaEncoder(tmp_path, store)
    assert not list(store.glob("*.part"))
    with pytest.raises(ConfigError, match=r"understanding\.cache: .* cannot hold"):
        LlamaEncoder(FOLDER, tmp_path / "tokenizer.json")


def test_without_the_library_the_remedy_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "llama_cpp", None)  # as if it were not installed
    llama._library.cache_clear()
    with pytest.raises(ConfigError, match=r"pip install 'voice-appliance\[llama\]'.* cmake"):
        LlamaEncoder(FOLDER, tmp_path)
    llama._library.cache_clear()


@pytest.mark.parametrize("name", ["gguf", "onnx"])
def test_without_a_library_to_make_the_file_the_remedy_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.delitem(sys.modules, "appliance.nlu.weights", raising=False)
    with pytest.raises(
        ConfigError, match=r"understanding\.backend: .*pip install 'voice-appliance"
    ):
        cached_gguf(SOURCE, tmp_path)
    assert not list(tmp_path.iterdir())
