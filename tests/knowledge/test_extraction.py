"""What is read out of each format, and why a file is refused."""

import io
import random
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pypdf import PdfReader, PdfWriter

from appliance.knowledge.extraction import ENDINGS, MOST_BYTES, extract
from appliance.knowledge.outline import Document, Section, UnreadableError
from scripts.sample_pdf import BODY, HEADING, STARTING, TITLE, write_pdf

SAMPLES = Path(__file__).parents[2] / "appliance/samples/documents"


def sections(document: Document) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    return [(each.headings, each.sentences) for each in document.sections]


# --- Markdown ---


def test_markdown_sections_have_their_headings() -> None:
    text = """# Pay\n\nWe pay on Friday.\n
## Late\n\nAsk us. We look.\n
### Very\n\nCall.\n
## End\n\nBye."""
    document = extract("pay.md", text.encode())
    assert document.title == "Pay"
    assert sections(document) == [
        ((), ("We pay on Friday.",)),
        (("Late",), ("Ask us.", "We look.")),
        (("Late", "Very"), ("Call.",)),
        (("End",), ("Bye.",)),
    ]


def test_markdown_of_all_kinds() -> None:
    text = """---
title: "Front *matter*"
author: nobody
---
A [link](https://example.com/x) and **bold** `code`
over two lines. ![picture](x.png)

1. First item
2. Second item: done!

> Quoted text.

```
not said
```

| Stage | Days |
|---|---|
| Review | five |

<!-- not said -->
<p>In a tag</p>

***
"""
    document = extract("x.markdown", text.encode())
    assert document.title == "Front *matter*"
    assert sections(document) == [
        (
            (),
            (
                "A link and bold code over two lines.",
                "First item.",
                "Second item: done!",
                "Quoted text.",
                "Stage, Days.",
                "Review, five.",
                "In a tag.",
            ),
        )
    ]


def test_the_file_name_is_the_title_where_there_is_none() -> None:
    assert extract("a/pay-day_rules.md", b"Some text.").title == "Pay day rules"
    assert extract("pay.txt", b"We pay on Friday. We do.\nAlways.").title == "Pay"


def test_a_second_heading_of_level_one_is_a_heading() -> None:
    document = extract("x.md", b"# One\n\nA.\n\n# Two\n\nB.")
    assert sections(document) == [((), ("A.",)), (("Two",), ("B.",))]


# --- plain text ---


def test_plain_text_headings_items_and_lines() -> None:
    text = """References
==========

Who can be one

Name two people
who know you. - not an item
- Family cannot.
- Friends cannot either

1) One

This line without an end has far too many words to be a heading of anything
"""
    document = extract("x.txt", text.encode())
    assert document.title == "References"
    assert sections(document) == [
        (
            ("Who can be one",),
            (
                "Name two people who know you. - not an item.",
                "Family cannot.",
                "Friends cannot either.",
                "One.",
                "This line without an end has far too many words to be a heading of anything.",
            ),
        )
    ]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_encodings_that_say_what_they_are(encoding: str) -> None:
    assert extract("x.txt", "Café costs nothing.".encode(encoding)).sections == (
        Section((), ("Café costs nothing.",)),
    )


# --- HTML ---


def test_html_is_what_a_reader_sees() -> None:
    page = """<!DOCTYPE html><html><head><title>Help &amp; pay</title><style>p{}</style></head>
    <body><nav>Menu</nav><div><h1>Help &amp; pay</h1>Loose text<br>after a break
    <h2>Pay <em>days</em></h2><p>We pay on <b>Fri</b>day.</p><ul><li>One <ul><li>Inner</li></ul>
    </li><li>Two.</li></ul><!-- no --><table><tr><th>A</th><td>B</td></tr></table></div>
    <footer>Foot</footer><script>alert(1)</script></body></html>"""
    document = extract("x.html", page.encode())
    assert document.title == "Help & pay"
    assert sections(document) == [
        ((), ("Loose text.", "after a break.")),
        (("Pay days",), ("We pay on Friday.", "One.", "Inner.", "Two.", "A, B.")),
    ]


def test_only_main_is_read_where_there_is_one() -> None:
    document = extract("x.htm", b"<h1>Site</h1><p>Ad.</p><main><h1>Title</h1><p>Text.</p></main>")
    assert (document.title, sections(document)) == ("Title", [((), ("Text.",))])


# --- PDF ---


def test_pdf_headings_are_lines_in_larger_letters() -> None:
    page = [
        (TITLE, "Starting"),
        (HEADING, "Your first day"),
        (BODY, "Be there early. Ask for the super-"),
        (BODY, "visor of your shift."),
        (HEADING, "A heading that is so long that"),
        (HEADING, "it has two lines"),
        (BODY, "* An item"),
        (BODY, "* Another one"),
    ]
    document = extract("x.pdf", write_pdf([page]))
    assert document.title == "Starting"
    assert sections(document) == [
        (("Your first day",), ("Be there early.", "Ask for the supervisor of your shift.")),
        (("A heading that is so long that it has two lines",), ("An item.", "Another one.")),
    ]


def test_pdf_margins_are_left_out_and_paragraphs_go_on_over_pages() -> None:
    pages = [
        [
            (BODY, "Northfield Talent"),
            (BODY, f"Line {word} of a sentence that goes"),
            (BODY, f"{n}"),
        ]
        for n, word in enumerate(("one", "two", "three"), 1)
    ]
    pages[-1].insert(2, (BODY, "on and ends."))
    pages[0].insert(1, (BODY, "Payments . . . . . . . . . 3"))
    document = extract("x.pdf", write_pdf(pages, "Book"))
    assert document.title == "Book"
    said = " ".join(document.sections[0].sentences)
    assert said == (
        "Line one of a sentence that goes Line two of a sentence that goes Line three of a sentence"
        " that goes on and ends."
    )


def test_pdf_with_a_password_is_refused() -> None:
    writer = PdfWriter(PdfReader(io.BytesIO(write_pdf([[(BODY, "Secret text.")]]))))
    writer.encrypt("open sesame", algorithm="RC4-128")
    locked = io.BytesIO()
    writer.write(locked)
    with pytest.raises(UnreadableError, match="is encrypted: save it without a password"):
        extract("x.pdf", locked.getvalue())


def test_pdf_that_anybody_may_open_is_read() -> None:
    writer = PdfWriter(PdfReader(io.BytesIO(write_pdf([[(BODY, "Open text.")]]))))
    writer.encrypt("", "owner", algorithm="RC4-128")
    shut = io.BytesIO()
    writer.write(shut)
    assert extract("x.pdf", shut.getvalue()).sections[0].sentences == ("Open text.",)


def test_pdf_without_text_is_refused() -> None:
    with pytest.raises(UnreadableError, match="has no text: a scan must be made searchable"):
        extract("x.pdf", write_pdf([[]]))


@pytest.mark.filterwarnings("ignore")  # pypdf warns of what it mends
def test_damaged_pdfs_are_read_or_refused_and_nothing_else() -> None:
    whole = (SAMPLES / "starting-a-job.pdf").read_bytes()
    chance = random.Random(5)
    refused = 0
    for _ in range(150):
        data = bytearray(whole)
        for _ in range(chance.randint(1, 40)):
            data[chance.randrange(len(data))] = chance.randrange(256)
        cut = bytes(data[: chance.randint(1, len(data))]) if chance.random() < 0.5 else bytes(data)
        try:
            extract("x.pdf", cut)
        except UnreadableError:
            refused += 1
    assert refused > 10


# --- refusals ---


_PIECES = st.sampled_from(
    ["# A", "#", "Text.", "- ", "<", "<p>", "</div>", "<!--", "-->", "<![", "]]>", "<table>",
     "<td>", "&#x110000;", "&amp", "```", "> ", "1. ", "title: x", "\n", "\n\n", "|", "|-|",
     "---\n"]
)  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from([".md", ".txt", ".html"]),
    st.one_of(st.lists(_PIECES, max_size=30).map("".join), st.text(max_size=200)),
)
@pytest.mark.filterwarnings("ignore")  # bs4 warns of texts that look like something else
def test_any_text_is_read_or_refused(ending: str, text: str) -> None:
    try:
        document = extract(f"x{ending}", text.encode("utf-8", "replace"))
    except UnreadableError:
        return
    assert document.title
    assert all(each.sentences for each in document.sections)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("x.md", "<!--" * 50_000),
        ("x.md", "<p " * 50_000),
        ("x.md", "> " * 50_000 + "x"),
        ("x.txt", "A. " * 100_000),
        ("x.txt", "Line\n" * 100_000),
        ("x.html", "<span>x</span>" * 20_000),
    ],
)
def test_long_texts_take_no_longer_than_they_are_long(name: str, text: str) -> None:
    """A regular expression that looks back at all of it would hit the time limit of the test."""
    with suppress(UnreadableError):
        extract(name, text.encode())


def test_html_that_is_nested_too_deep_is_refused() -> None:
    with pytest.raises(UnreadableError, match="is broken HTML"):
        extract("x.html", b"<div>" * 100_000 + b"Text.")


@pytest.mark.parametrize(
    ("name", "data", "why"),
    [
        ("x.md", b"", "is empty"),
        ("x.txt", b" \n\n", "is empty"),
        ("x.md", b"# Only a heading\n", "has no text"),
        ("x.html", b"<script>x</script>", "has no text"),
        ("x.txt", b"one\ntwo \xe9\xe8 three", r"is not UTF-8 \(line 2\): save it as UTF-8"),
        ("x.txt", b"zero \0 byte", "it holds zero bytes"),
        ("x.pdf", b"%PDF-1.4 nonsense", "is a broken PDF .*: save it anew"),
        ("x.pdf", b"Just text.", "is a broken PDF"),
        ("x.txt", b"a " * (MOST_BYTES // 2 + 1), "is larger than 20 MB: split it"),
        ("x.txt", b"a " * 1_100_000, "has more than 2,000,000 letters"),
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_files_that_cannot_be_read_say_why(name: str, data: bytes, why: str) -> None:
    with pytest.raises(UnreadableError, match=why):
        extract(name, data)


def test_the_samples_are_of_every_kind() -> None:
    found = {path.suffix for path in SAMPLES.iterdir()}
    assert found == {".md", ".txt", ".html", ".pdf"} <= set(ENDINGS)
    for path in SAMPLES.iterdir():
        assert len(extract(path.name, path.read_bytes()).sections) >= 3


def test_the_sample_pdf_is_what_its_recipe_writes() -> None:
    written = write_pdf([STARTING], "Starting a job")
    assert (SAMPLES / "starting-a-job.pdf").read_bytes() == written
