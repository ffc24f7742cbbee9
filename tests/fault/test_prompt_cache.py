"""A process that renders prompts is killed: nothing damaged is left, and the next goes on."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from appliance.testing.engines import ToneVoice
from appliance.tts.cache import PromptCache
from appliance.tts.pruning import damaged, prune
from appliance.tts.renderings import read_rendering

_RENDER = """
import sys
from pathlib import Path
from appliance.testing.engines import ToneVoice
from appliance.tts.cache import PromptCache

texts = [f"Sentence number {number} of those that are rendered." for number in range(400)]
cache = PromptCache(ToneVoice(), Path(sys.argv[1]))
cache.prepare(texts, lambda done, total: print(done, flush=True))
"""
_TEXTS = [f"Sentence number {number} of those that are rendered." for number in range(400)]


@pytest.mark.parametrize("at", [1, 7, 40])
def test_killed_while_it_renders(tmp_path: Path, at: int) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", _RENDER, str(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    for line in process.stdout:
        if int(line) == at:
            break
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    process.stdout.close()

    files = sorted(tmp_path.rglob("*.spoken"))
    assert at <= len(files) < len(_TEXTS)
    assert all(read_rendering(path) is not None for path in files)
    assert damaged(tmp_path) == []

    voice = ToneVoice()
    cache = PromptCache(voice, tmp_path)
    cache.prepare(_TEXTS, lambda *_: None)
    assert len(voice.spoken) == len(_TEXTS) - len(files)
    for part in tmp_path.rglob("*.part"):
        os.utime(part, (0, 0))
    prune(tmp_path, [cache.path(text) for text in _TEXTS])
    assert len([path for path in tmp_path.rglob("*") if path.is_file()]) == len(_TEXTS)


def test_killed_between_writing_and_renaming(tmp_path: Path) -> None:
    """The worst moment: a whole part is there, and its name is not."""
    code = _RENDER.replace(
        "cache.prepare",
        "import os\nPath.replace = lambda *_: os.kill(os.getpid(), 9)\ncache.prepare",
    )
    process = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], capture_output=True, check=False
    )
    assert process.returncode == -signal.SIGKILL
    assert len(list(tmp_path.rglob("*.part"))) == 1
    assert list(tmp_path.rglob("*.spoken")) == []
    voice = ToneVoice()
    PromptCache(voice, tmp_path).prepare(_TEXTS[:1], lambda *_: None)
    assert voice.spoken == _TEXTS[:1]
