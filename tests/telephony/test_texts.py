"""Header texts made safe."""

from __future__ import annotations

import pytest
from appliance.telephony.texts import MAX_TEXT, clean_text
from hypothesis import given
from hypothesis import strategies as st


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        ('"Ana" <sip:ana@x>', '"Ana" <sip:ana@x>'),
        ("Jürgen", "Jürgen"),
        ("a\udcffb", "a\ufffdb"),
        ("a\r\nX: y", "a\ufffd\ufffdX: y"),
        ("\x1b[31m", "\ufffd[31m"),
        ("x" * 2000, "x" * MAX_TEXT),
    ],
)
def test_clean_text(raw: str, clean: str) -> None:
    assert clean_text(raw) == clean


@given(st.binary(max_size=600))
def test_any_header_bytes_become_plain_text(raw: bytes) -> None:
    text = clean_text(raw.decode("utf-8", "surrogateescape"))
    assert len(text) <= MAX_TEXT
    assert text.isprintable()
    text.encode("utf-8")
