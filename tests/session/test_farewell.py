"""The parting words of a flow, as the lines get them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from appliance.flows.registry import read_flow, shipped_flows
from appliance.session.farewell import Farewells, parting_words
from appliance.session.readiness import wanted_of
from appliance.testing.engines import ToneVoice
from appliance.tts.cache import PromptCache
from appliance.tts.voices import Voices


class Told:
    """Stands where the lines are."""

    def __init__(self) -> None:
        self.words: list[bytes] = []

    def part_with(self, words: bytes) -> None:
        self.words.append(words)


def voices(folder: Path) -> Voices:
    return Voices(PromptCache(ToneVoice(), folder))


@pytest.mark.parametrize("name", shipped_flows())
def test_every_shipped_flow_has_some_in_each_language(name: str, tmp_path: Path) -> None:
    flow = read_flow(name)
    for language in flow.languages:
        prompt = flow.parting(language)
        assert prompt is not None
        assert prompt.text


def test_all_its_sentences_are_told_once_and_anew_for_another_flow(tmp_path: Path) -> None:
    flow, spoken, told = read_flow("collections"), voices(tmp_path), Told()
    spoken.prepare(wanted_of([flow], "en"), (), lambda done, total: None)
    lines: Any = told
    farewells = Farewells("en", spoken)
    farewells.tell(flow, lines)
    farewells.tell(flow, lines)
    first = spoken.of(None).find("I'm sorry, I have a technical problem and must end this call.")
    second = spoken.of(None).find("Goodbye.")
    assert first
    assert second
    assert told.words == [first + second]
    farewells.tell(read_flow("collections"), lines)
    assert len(told.words) == 2


def test_words_that_are_not_rendered_are_none(tmp_path: Path) -> None:
    assert parting_words(read_flow("collections"), "en", voices(tmp_path)) == b""
