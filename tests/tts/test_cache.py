import os
import threading
from pathlib import Path

import pytest

from appliance.dialogue.markup import around_slot, plain
from appliance.errors import EngineError
from appliance.testing.engines import ToneVoice
from appliance.tts.cache import Head, PromptCache
from appliance.tts.joins import playable
from appliance.tts.slots import SlotSentence
from appliance.tts.voice import Spoken

TEMPLATE = f"Your balance is {around_slot('balance', '')}."


def sentence(value: str) -> str:
    return f"Your balance is {around_slot('balance', value)}."


SLOTTED = SlotSentence(TEMPLATE, (sentence("nine"), sentence("three")))


def silent(_done: int, _total: int) -> None:
    pass


def test_fixed_text_is_rendered_once_and_kept_on_disk(tmp_path: Path) -> None:
    first, second = ToneVoice(), ToneVoice()
    PromptCache(first, tmp_path).prepare(["Hello.", "Bye.", "Hello."], silent)
    cache = PromptCache(second, tmp_path)
    cache.prepare(["Hello.", "Bye."], silent)
    assert (first.spoken, second.spoken) == (["Hello.", "Bye."], [])
    assert cache.find("Hello.") == ToneVoice().synthesize("Hello.")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root renders for another user")
def test_what_root_renders_belongs_to_whom_the_cache_does(tmp_path: Path) -> None:
    """Else the agent could keep no further prompt of this voice, and prune none."""
    nobody = 65534
    os.chown(tmp_path, nobody, nobody)
    PromptCache(ToneVoice(), tmp_path).prepare(["Hello."], silent)
    made = list(tmp_path.rglob("*"))
    assert len(made) == 2  # the voice's folder, and the prompt
    assert {(each.stat().st_uid, each.stat().st_gid) for each in made} == {(nobody, nobody)}


def test_other_text_is_rendered_and_not_kept(tmp_path: Path) -> None:
    cache = PromptCache(ToneVoice(), tmp_path)
    assert cache.find("You owe 5.") is None
    assert cache.render("You owe 5.").whole
    assert cache.find("You owe 5.") is None
    assert list(tmp_path.rglob("*.spoken")) == []


def test_a_head_is_rendered_once_and_kept_on_disk(tmp_path: Path) -> None:
    first, second = ToneVoice(), ToneVoice()
    PromptCache(first, tmp_path).prepare([SLOTTED], silent)
    cache = PromptCache(second, tmp_path)
    cache.prepare([SLOTTED], silent)
    head = cache.head(sentence("fifty dollars"))
    assert head is not None
    assert "".join(phone.symbol for phone in head.spoken.phones) == "Your balance is "
    assert head.spoken.pcm == ToneVoice().synthesize("Your balance is ")
    assert head.pcm == playable(head.spoken)
    assert second.spoken == []


def test_nothing_of_a_value_is_kept(tmp_path: Path) -> None:
    cache = PromptCache(ToneVoice(), tmp_path)
    cache.prepare([SLOTTED], silent)
    (before,) = [path.read_bytes() for path in tmp_path.rglob("*.spoken")]
    cache.render(sentence("fifty dollars"), cache.head(sentence("fifty dollars")))
    assert [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()] == [before]
    assert b"nine" not in before
    assert cache.find(sentence("fifty dollars")) is None


def test_a_voice_without_timings_has_no_heads_and_is_asked_once(tmp_path: Path) -> None:
    first, second = ToneVoice(timings=False), ToneVoice(timings=False)
    PromptCache(first, tmp_path).prepare([SLOTTED], silent)
    cache = PromptCache(second, tmp_path)
    cache.prepare([SLOTTED], silent)
    assert cache.head(sentence("ten")) is None
    assert len(first.spoken) == 1
    assert second.spoken == []


def test_other_templates_have_no_head(tmp_path: Path) -> None:
    cache = PromptCache(ToneVoice(), tmp_path)
    cache.prepare([SLOTTED], silent)
    assert cache.head(sentence("ten").replace("is", "was")) is None
    assert cache.head("Hello.") is None


def test_progress_is_told(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    PromptCache(ToneVoice(), tmp_path).prepare(["a", "b"], lambda *at: seen.append(at))
    assert seen == [(1, 2), (2, 2)]


@pytest.mark.parametrize("damage", [b"", b"short", b"\0" * 4000])
@pytest.mark.parametrize("wanted", ["Hello.", SLOTTED])
def test_damaged_file_is_rendered_anew(
    tmp_path: Path, damage: bytes, wanted: str | SlotSentence
) -> None:
    PromptCache(ToneVoice(), tmp_path).prepare([wanted], silent)
    (path,) = tmp_path.rglob("*.spoken")
    intact = path.read_bytes()
    path.write_bytes(damage)
    cache = PromptCache(ToneVoice(), tmp_path)
    cache.prepare([wanted], silent)
    assert path.read_bytes() == intact
    assert cache.find("Hello.") or cache.head(sentence("ten"))


def test_a_file_under_the_name_of_another_text_is_not_played(tmp_path: Path) -> None:
    cache = PromptCache(ToneVoice(), tmp_path)
    cache.prepare(["Hello.", "Bye."], silent)
    cache.path("Hello.").write_bytes(cache.path("Bye.").read_bytes())
    again = PromptCache(ToneVoice(), tmp_path)
    again.prepare(["Hello."], silent)
    assert again.find("Hello.") == ToneVoice().synthesize("Hello.")


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


def test_a_folder_that_is_pruned_while_a_prompt_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = PromptCache(ToneVoice(), tmp_path, must_keep=True)
    folder = cache.path("Hello.").parent
    write = Path.write_bytes
    pruned: list[Path] = []

    def write_bytes(path: Path, data: bytes) -> int:
        if not pruned:
            pruned.append(path)
            folder.rmdir()
        return write(path, data)

    monkeypatch.setattr(Path, "write_bytes", write_bytes)
    cache.prepare(["Hello."], silent)
    assert len(pruned) == 1
    assert cache.path("Hello.").exists()


def test_text_that_cannot_be_spoken(tmp_path: Path) -> None:
    with pytest.raises(EngineError):
        PromptCache(ToneVoice(failing=["x"]), tmp_path).prepare(["x"], silent)


def test_what_two_sets_of_flows_do_not_need_is_forgotten(tmp_path: Path) -> None:
    cache = PromptCache(ToneVoice(), tmp_path)
    for wanted in (["One.", SLOTTED], ["Two."], ["Three."]):
        cache.prepare(wanted, silent)
        cache.retire(wanted)
    assert cache.find("One.") is None
    assert cache.head(sentence("ten")) is None
    assert cache.find("Two.")  # calls that began with the flows before go on
    assert cache.find("Three.")


def test_several_threads_may_render_the_same(tmp_path: Path) -> None:
    texts = [f"Number {number}." for number in range(20)]
    caches = [PromptCache(ToneVoice(), tmp_path) for _ in range(4)]
    threads = [threading.Thread(target=cache.prepare, args=(texts, silent)) for cache in caches]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(list(tmp_path.rglob("*"))) == len(texts) + 1
    quiet = ToneVoice()
    PromptCache(quiet, tmp_path).prepare(texts, silent)
    assert quiet.spoken == []


def test_a_slow_voice_is_given_clauses(tmp_path: Path) -> None:
    text = "Thank you for waiting, I have found two of them."
    cache = PromptCache(ToneVoice(), tmp_path)
    assert cache.pieces(text) == [text]
    cache.pace.note(letters=10, work_s=1.0, pcm=bytes(1600))
    assert cache.pieces(text) == ["Thank you for waiting,", "I have found two of them."]
    longer = Head(Spoken(b""), bytes(16000 * 10))  # it plays for ten seconds, and that is enough
    assert cache.pieces(text, longer) == [text]


def test_a_slow_voice_says_all_of_the_head_in_one_piece(tmp_path: Path) -> None:
    fixed = "Thank you for telling me that, your remaining balance is "

    def said(value: str) -> str:
        slot = around_slot("balance", value)
        return f'<prosody rate="slow">{fixed}{slot}, and it is due today.</prosody>'

    cache = PromptCache(ToneVoice(), tmp_path)
    cache.prepare([SlotSentence(said(""), (said("nine, or so"), said("three")))], silent)
    head = cache.head(said("fifty, or so"))
    assert head is not None
    cache.pace.note(letters=1, work_s=10.0, pcm=bytes(16))
    first, second = cache.pieces(said("fifty dollars"), head)
    assert plain(first) == f"{fixed}fifty dollars,"
    assert plain(second) == "and it is due today."
    rest = cache.render(first, head).after(len(head.pcm) // 2)
    assert len(rest) == len(ToneVoice().synthesize("fifty dollars,"))
