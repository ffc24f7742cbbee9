from html.parser import HTMLParser
from pathlib import Path

import pytest

from appliance.testing.timeline import Bar, Mark, Timeline, draw_timeline, write_timeline

VOID = {"meta", "link", "br", "rect", "line", "path", "circle", "hr", "polygon", "use"}


class Reader(HTMLParser):
    """Collects tags and text, and fails on tags that do not match."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.links: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.links += [value or "" for name, value in attrs if name in ("src", "href")]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.fixture
def timeline() -> Timeline:
    return Timeline(
        "A call",
        20_000.0,
        (
            Bar("appliance", 500, 4000, "greeting"),
            Bar("caller", 4600, 5200, "“yes <b>& no</b>”"),
            Bar("appliance", 5700, 9000, "ask_zip"),
        ),
        (Mark(5700, 23.0, "recognition 12.0 ms"),),
        (("outcome", "ptp_set"),),
    )


def read(page: str) -> Reader:
    reader = Reader()
    reader.feed(page)
    assert reader.open == []
    return reader


def test_page_is_well_formed_and_stands_alone(timeline: Timeline) -> None:
    reader = read(draw_timeline(timeline))
    assert reader.tags[0] == "html"
    assert {"svg", "title", "desc", "table"} <= set(reader.tags)
    assert "script" not in reader.tags
    assert [link for link in reader.links if not link.startswith("#")] == []


def test_words_are_escaped(timeline: Timeline) -> None:
    page = draw_timeline(timeline)
    assert "<b>&" not in page
    assert "yes <b>& no</b>" in read(page).text


def test_facts_gap_and_decision_are_told(timeline: Timeline) -> None:
    text = read(draw_timeline(timeline)).text
    for expected in ("ptp_set", "500", "23", "ask_zip"):
        assert expected in text


def test_long_call_gets_more_rows(timeline: Timeline) -> None:
    longer = Timeline("x", 100_000.0, timeline.bars, ())
    assert len(draw_timeline(longer)) > len(
        draw_timeline(Timeline("x", 14_000.0, timeline.bars, ()))
    )


def test_empty_call_can_be_drawn(tmp_path: Path) -> None:
    write_timeline(tmp_path / "t.html", Timeline("x", 0.0, (), ()))
    read((tmp_path / "t.html").read_text())
