"""`appliance intents` as an operator uses it: a box with a small model, and examples of a flow."""

import json
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from appliance.nlu.model import Classifier
from tests.cli import in_process
from tests.cli.in_process import Done

ROOT = Path(__file__).parents[2]
BASE = ROOT / "models/encoder"

TRAIN = {
    "busy": [
        "[sorry] I am driving right now", "I'm in a meeting", "this is a bad time",
        "I can't talk I am at work", "(my|the) kids are screaming I can't talk",
        "we are having dinner", "I am on the other line", "I'm busy cooking",
        "not now I am in the shower", "I am at the doctor's office",
        "you caught me in the middle of something", "I'm just walking into class",
    ],
    "callback_request": [
        "call me tomorrow", "ring me (again|back) after six", "can you call back next week",
        "try me later this afternoon", "call again on Monday", "phone me in an hour",
        "could you call me at five", "please call back in the evening",
        "reach me some other day", "call later when my husband is home",
        "get back to me on Friday", "call me once I am off work",
    ],
    "stop_request": [
        "stop calling me", "never call (here|this number) again", "take me off your list",
        "remove my number", "do not contact me any more", "quit phoning my house",
        "lose my number", "delete me from your system", "no more calls please",
        "cease and desist", "I want these calls to end for good", "don't ring me ever again",
    ],
    "goodbye": [
        "bye", "goodbye then", "have a nice day", "talk to you later bye", "so long",
        "I am hanging up now", "see you", "take care goodbye", "bye bye now", "good night",
        "that's all bye", "alright have a good one",
    ],
    "out_of_scope": [
        "what a lovely garden", "the game was on last night", "play some music",
        "it is raining cats and dogs", "turn on the kitchen light", "my sister has a red car",
        "how tall is that mountain", "they serve good soup there", "set an alarm for seven",
        "who won the election", "the train was late", "I like green apples",
    ],
}  # fmt: skip
HELDOUT = {
    "busy": ["I'm behind the wheel at the moment", "I have no time I am working",
             "I am in a conference", "this isn't a good moment", "we're eating right now",
             "my hands are full at the minute"],
    "callback_request": ["could you phone again tomorrow", "call me on Tuesday morning",
                         "try again after lunch", "ring back when I am home",
                         "please call me next month", "give me a call at noon"],
    "stop_request": ["you must not call me again", "strike me from the list please",
                     "stop ringing this phone", "I never want to hear from you again",
                     "get my number out of your computer", "do not ever call here"],
    "goodbye": ["okay bye then", "have a great evening", "well goodbye now", "I'll hang up here",
                "alright bye have fun", "good bye for today"],
    "out_of_scope": ["the soup was too salty", "switch off the radio", "how old is the moon",
                     "my cat sleeps all day", "they painted the fence", "it snowed in March"],
}  # fmt: skip
KENNEL = {
    "kennel_question": [
        "is there room for my dog", "do you have a kennel free", "can I board my cat with you",
        "how big are the cages", "will my puppy be walked", "is the dog run outside",
        "may I bring his own blanket", "do you take (old|sick) dogs", "who feeds the animals",
        "can you keep two hounds together", "is a vet at the kennel", "does my terrier get a cage",
    ]
}  # fmt: skip
KENNEL_HELDOUT = {
    "kennel_question": ["could my dogs share a kennel", "do you have space for a beagle",
                        "how often is my puppy fed", "can I leave my cat at your place",
                        "are the dogs walked every day"],
}  # fmt: skip


def appliance(*args: str | Path, cwd: Path) -> Done:
    """A command of `appliance intents`."""
    return in_process.appliance("intents", *args, cwd=cwd, columns=160)


def written(path: Path, examples: dict[str, list[str]]) -> Path:
    """The folder of a file of examples."""
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = [{"intent": name, "says": says} for name, says in examples.items()]
    path.write_text(yaml.safe_dump(rows), "utf-8")
    return path.parent


def held(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the appliance runs: models/intent with its data and no model yet."""
    box = tmp_path_factory.mktemp("box")
    written(box / "models/intent/data/train/en_base.yaml", TRAIN)
    written(box / "models/intent/data/heldout/en.yaml", HELDOUT)
    written(box / "kennel/train/en_kennel.yaml", KENNEL)
    written(box / "kennel/heldout/en.yaml", KENNEL_HELDOUT)
    return box


@pytest.fixture(scope="module")
def trained(box: Path) -> Done:
    return appliance(
        "train", "kennel/train", "--heldout", "kennel/heldout", "--quick", "--base", BASE,
        "--json", "figures.json", cwd=box,
    )  # fmt: skip


def test_a_model_is_trained_judged_and_installed(box: Path, trained: Done) -> None:
    assert trained.returncode == 0, trained.stderr
    assert f"Installed in {Path('models/intent')}." in trained.stdout
    assert "Guarded intents: " in trained.stdout
    assert "6 intents, temperature" not in trained.stdout  # out of scope is none
    assert "5 intents, temperature" in trained.stdout
    assert set(held(box / "models/intent")) == {"classifier.npz", "encoder.onnx", "tokenizer.json"}
    figures = json.loads((box / "figures.json").read_text())["all"]
    assert figures["examples"] == sum(map(len, (*HELDOUT.values(), *KENNEL_HELDOUT.values())))
    assert figures["accuracy"] > 0.7
    assert figures["by_intent"]["kennel_question"]["examples"] == 5
    assert not list((box / "models").glob(".*"))


@pytest.mark.usefixtures("trained")
def test_an_utterance_is_tried(box: Path) -> None:
    done = appliance("try", "can my dogs stay in one kennel", cwd=box)
    assert done.returncode == 0, done.stderr
    (row,) = [line for line in done.stdout.splitlines() if line.startswith("kennel_question")]
    assert len(row.split()) == 3  # no rule knows it
    assert " ms" in done.stdout
    done = appliance("try", "stop calling me on the fifteenth", "--slot", "date", "--json", cwd=box)
    told = json.loads(done.stdout)
    assert told["intents"][0]["name"] == "stop_request"
    assert told["rules"]["stop_request"] > 0.8
    assert told["model"]["stop_request"] > 0.1
    assert told["slots"]
    assert told["out_of_scope"] is False
    assert told["ms"] > 0


@pytest.mark.usefixtures("trained")
def test_the_installed_model_is_judged(box: Path) -> None:
    done = appliance("eval", "--heldout", "kennel/heldout", "--json", "judged.json", cwd=box)
    assert done.returncode == 0, done.stderr
    for name in ("rules, all: ", "model, all: ", "together, all: ", "Guarded intents: "):
        assert name in done.stdout
    told = json.loads((box / "judged.json").read_text())
    assert told["together"]["all"]["examples"] == 35
    assert told["together"]["all"]["guarded_recall"] >= told["rules"]["all"]["guarded_recall"]
    assert told["rules"]["all"]["by_intent"]["kennel_question"]["right"] == 0
    assert told["model"]["all"]["by_intent"]["kennel_question"]["right"] >= 3
    assert told["together"]["all"] == json.loads((box / "figures.json").read_text())["all"]
    assert 20 < told["size_mb"] < 30


@pytest.mark.usefixtures("trained")
def test_a_worse_model_is_refused_and_the_old_one_stays(box: Path, tmp_path: Path) -> None:
    """Requests to stop are taken for small talk; the model that is there heard them all."""
    shutil.copytree(box / "models", tmp_path / "models")
    folder = tmp_path / "models/intent"
    replace(Classifier.load(folder), temperature=0.3, threshold=-100.0).save(folder)
    mistaken = dict(TRAIN, out_of_scope=TRAIN["out_of_scope"] + TRAIN["stop_request"])
    del mistaken["stop_request"]
    written(folder / "data/train/en_base.yaml", mistaken)
    before = held(tmp_path / "models/intent")
    done = appliance("train", "--quick", cwd=tmp_path)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "Not installed: worse than models/intent" in done.stderr
    assert "  stop_request: missed " in done.stderr
    assert "Installed" not in done.stdout
    assert "Traceback" not in done.stderr
    assert held(tmp_path / "models/intent") == before
    assert [path.name for path in (tmp_path / "models").iterdir()] == ["intent"]


@pytest.mark.usefixtures("trained")
def test_the_old_model_is_kept_and_a_cut_short_installation_is_mended(
    box: Path, tmp_path: Path
) -> None:
    shutil.copytree(box / "models", tmp_path / "models")
    model, kept = tmp_path / "models/intent", tmp_path / "models/intent.before"
    before = held(model)
    done = appliance("train", "--quick", "--threads", "2", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "; the old one is in models/intent.before" in done.stdout
    assert held(kept) == before
    with (model / "tokenizer.json").open("ab") as file:  # of another encoder, as after a kill
        file.write(b"\n")
    done = appliance("try", "hello", cwd=tmp_path)
    assert done.returncode == 2
    assert "an installation was cut short: train again, or put back" in done.stderr
    done = appliance("train", "--quick", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert held(kept) == before
    assert appliance("try", "hello", cwd=tmp_path).returncode == 0


def test_clean_examples(box: Path) -> None:
    done = appliance("check", "kennel/train", "--heldout", "kennel/heldout", cwd=box)
    assert done.returncode == 0, done.stdout
    assert done.stdout == "72 lines (77 readings), 35 held out, 0 flaws\n"


def test_flaws_are_shown_and_refuse_training(box: Path, tmp_path: Path) -> None:
    folder = written(
        tmp_path / "flawed/en_kennel.yaml",
        {"kennel_question": ["stop calling me", "Good bye for today!", "what about my dog"]},
    )
    done = appliance("check", folder, cwd=box)
    assert done.returncode == 1
    line = f"{folder}/en_kennel.yaml:"
    assert f"✗ {line}3: 'stop calling me' is also at models/intent/data/train/en_base.yaml" in (
        done.stdout
    )
    assert ", there it is stop_request" in done.stdout
    assert f"'good bye for today' is in the training too, at {line}4" in done.stdout
    assert "35 held out" not in done.stdout
    assert "2 flaws" in done.stdout
    had = held(box / "models/intent")
    done = appliance("train", folder, "--quick", "--base", BASE, cwd=box)
    assert done.returncode == 2
    assert "there it is stop_request" in done.stderr
    assert "appliance intents check shows all" in done.stderr
    assert held(box / "models/intent") == had


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("check", "nowhere"), "nowhere: no examples (files like en_status.yaml)"),
        (("train", "nowhere", "--quick"), "nowhere: no examples"),
        (("check", "--heldout", "nowhere"), "nowhere: no examples"),
        (("eval", "--data", "nowhere"), "nowhere: no set of examples"),
        (("eval", "--model", "nowhere"), "classifier.npz: not a classifier"),
        (("try", "hello", "--slot", "zipp"), "--slot: zipp: there are zip, "),
        (("try", "hello", "--language", "fr"), "--language: fr: there are en, es"),
        (("train", "--quick", "--base", "nowhere"), "encoder.onnx is missing: the base must be"),
        (("train", "--quick", "--json", "no/where.json"), "where.json: cannot be written"),
        (("train", "few", "--quick", "--base", BASE), "kennel_question: 3 examples; at least 5"),
        (("train", "misspelt", "--quick"), "en_dog.yaml:2: 0.slot: Input should be "),
        (("train", "typo", "--quick"), "stop_requst is nearly stop_request: is it misspelt?"),
        (("check", "brackets"), "en_dog.yaml:1: '(a|b c': brackets that do not match"),
        (("check", "fr"), "fr_dog.yaml: the name must begin with a language, en or es"),
        (("try", "hello", "--config", "nowhere.toml"), "nowhere.toml: cannot be read"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told(tmp_path: Path, args: tuple[str | Path, ...], said: str) -> None:
    for name in ("train", "heldout"):
        source = TRAIN if name == "train" else HELDOUT
        written(tmp_path / f"models/intent/data/{name}/en.yaml", source)
    written(tmp_path / "few/en_dog.yaml", {"kennel_question": KENNEL["kennel_question"][:3]})
    written(tmp_path / "typo/en_dog.yaml", {"stop_requst": KENNEL["kennel_question"]})
    for name, file, text in (
        ("misspelt", "en_dog.yaml", "- intent: busy\n  slot: zipp\n  says: [a dog]\n"),
        ("brackets", "en_dog.yaml", "- {intent: busy, says: [(a|b c]}\n"),
        ("fr", "fr_dog.yaml", "- {intent: busy, says: [un chien]}\n"),
    ):
        (tmp_path / name).mkdir()
        (tmp_path / name / file).write_text(text)
    done = appliance(*args, cwd=tmp_path)
    assert done.returncode == 2, done.stdout
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert not list(tmp_path.glob("models/intent/*.*"))


def test_the_trainer_on_a_public_set(tmp_path: Path) -> None:
    """Four of its categories; no test part is given."""
    rows = ["text,category"]
    for name in ("busy", "callback_request", "stop_request", "goodbye"):
        rows += [f"{each.replace('(', '').replace(')', '').replace('|', ' ')},{name}"
                 for each in (*TRAIN[name], *HELDOUT[name])]  # fmt: skip
    (tmp_path / "set").mkdir()
    (tmp_path / "set/mini_train.csv").write_text("\n".join(rows) + "\n")
    done = appliance(
        "eval", "--data", "set", "--quick", "--base", BASE, "--json", "out.json", cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert "No test part was given" in done.stdout
    (told,) = json.loads((tmp_path / "out.json").read_text())
    assert told["set"] == "mini"
    assert told["train"] + told["examples"] == 72
    assert told["accuracy"] >= 0.5
    assert 20 < told["size_mb"] < 30
    assert told["read_12_words_p95_ms"] >= told["read_12_words_p50_ms"] > 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.json", "set"]


def test_the_command_as_a_process(box: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "appliance", "intents", "check"],
        cwd=box, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith(" 30 held out, 0 flaws\n")


@pytest.mark.parametrize("command", ["train", "eval", "try", "check"])
def test_help_has_an_example(command: str) -> None:
    done = appliance(command, "--help", cwd=ROOT)
    assert done.returncode == 0
    assert f"Example: appliance intents {command} " in done.stdout
