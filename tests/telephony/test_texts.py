"""Header texts made safe."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from appliance.config import LineConfig
from appliance.telephony.texts import MAX_TEXT, clean_text, is_sip_uri


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


@pytest.mark.parametrize(
    ("text", "fits"),
    [
        ("sip:person@192.0.2.1", True),
        ("sips:+13105550100@pbx.example:5061;transport=tls", True),
        ("sip:200@[2001:db8::1]:5060", True),
        ("sip:pbx.example", True),
        ("", False),
        ("sip:", False),
        ("person", False),
        ("tel:+13105550100", False),
        ("sip:a b@c", False),
        ("<sip:a@c>", False),
        ("sip:a@c>\r\nX-Evil: 1", False),
        ("sip:a@c\n", False),
        ("sip:a@c?Replaces=x", False),
        ("sip:" + "a" * 300 + "@c", False),
    ],
)
def test_sip_uri(text: str, fits: bool) -> None:
    assert is_sip_uri(text) is fits


@pytest.mark.parametrize(
    "uri",
    ["sip:queue@192.0.2.10", "sip:[2001:db8::1]:5060;transport=udp", "sips:pbx", "sip:queue@my_pbx",
     "sip:q@192.0.2.10?Subject=x", "sip:@", "sip:q@" + "a" * 300, "sip:a>b@c", "sip:a@b\n"],
)  # fmt: skip
def test_what_calls_may_overflow_to_is_what_the_line_can_redirect_to(uri: str) -> None:
    try:
        taken = LineConfig(overflow=uri).overflow == uri
    except ValidationError:
        taken = False
    assert taken is is_sip_uri(uri)
