from pathlib import Path

import pytest

from appliance.errors import EngineError
from appliance.testing.engines import ToneVoice
from appliance.tts.cache import PromptCache


def silent(_done: int, _total: int) -> None:
    pass


def test_fixed_text_is_rendered_once_and_kept_on_disk(tmp_path: Path) -> None:
    first, second = ToneVoice(), ToneVoice()
    PromptCache(first, tmp_path).prepare(["Hello.", "Bye.", "Hello."], silent)
    cache = PromptCache(second, tmp_path)
    cache.prepare(["Hello.", "Bye."], silent)
    assert (first.spoken, second.spoken) == (["Hello.", "Bye."], [])
    assert cache.find("Hello.") == ToneVoice().synthesize("Hello.")


def test_other_text_is_rendered_and_not_kept(tmp_path: Path) -> None:
    cache = PromptCache(ToneVoice(), tmp_path)
    assert cache.find("You owe 5.") is None
    assert cache.render("You owe 5.").whole
    assert cache.find("You owe 5.") is None
    assert list(tmp_path.rglob("*.spoken")) == []


def test_progress_is_told(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    PromptCache(ToneVoice(), tmp_path).prepare(["a", "b"], lambda *at: seen.append(at))
    assert seen == [(1, 2), (2, 2)]


@pytest.mark.parametrize("damage", [b"", b"short", b"\0" * 4000])
def test_damaged_file_is_rendered_anew(tmp_path: Path, damage: bytes) -> None:
    PromptCache(ToneVoice(), tmp_path).prepare(["Hello."], silent)
    (path,) = tmp_path.rglob("*.spoken")
    path.write_bytes(damage)
    cache = PromptCache(ToneVoice(), tmp_path)
    cache.prepare(["Hello."], silent)
    assert cache.find("Hello.") == ToneVoice().synthesize("Hello.")


def test_another_voice_shares_nothing(tmp_path: Path) -> None:
    class Other(ToneVoice):
        @property
        def identity(self) -> str:
            return "another"

    PromptCache(ToneVoice(), tmp_path).prepare(["Hello."], silent)
    other = Other()
    PromptCache(other, tmp_path).prepare(["Hello."], silent)
    assert other.spoken == ["Hello."]


def test_full_disk_does_not_keep_the_box_from_speaking(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_space(_path: Path, _data: bytes) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", no_space)
    cache = PromptCache(ToneVoice(), tmp_path)
    cache.prepare(["Hello."], silent)
    assert cache.find("Hello.") == ToneVoice().synthesize("Hello.")
    assert list(tmp_path.rglob("*.spoken")) == []


def test_text_that_cannot_be_spoken(tmp_path: Path) -> None:
    with pytest.raises(EngineError):
        PromptCache(ToneVoice(failing=["x"]), tmp_path).prepare(["x"], silent)
