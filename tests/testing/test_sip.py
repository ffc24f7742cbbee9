from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appliance.testing.sip import (
    SipRequest,
    SipResponse,
    SipUri,
    header_parameter,
    parse_message,
    parse_uri,
    serialize_message,
    split_list,
)

PACKETS = Path(__file__).parent / "packets"


def golden(name: str) -> bytes:
    return (PACKETS / f"{name}.bin").read_bytes()


def test_invite() -> None:
    data = golden("sip_invite")
    message = parse_message(data)
    assert isinstance(message, SipRequest)
    assert (message.method, message.uri) == ("INVITE", "sip:appliance@127.0.0.1:5060")
    assert message.cseq == (314159, "INVITE")
    assert message.branch == "z9hG4bK776asdhds"
    assert header_parameter(message.need("from"), "tag") == "1928301774"
    assert message.body == golden("sdp_offer")
    assert serialize_message(message) == data


def test_response_with_compact_headers() -> None:
    message = parse_message(golden("sip_ringing"))
    assert isinstance(message, SipResponse)
    assert (message.code, message.reason) == (180, "Ringing")
    assert message.need("Call-ID") == "a84b4c76e66710"
    assert header_parameter(message.need("To"), "tag") == "314"
    assert parse_message(serialize_message(message)) == parse_message(
        serialize_message(parse_message(serialize_message(message)))
    )


def test_folded_header_is_one_line() -> None:
    data = golden("sip_ringing").replace(b"CSeq: 314159 INVITE", b"CSeq: 314159\r\n  INVITE")
    assert parse_message(data).cseq == (314159, "INVITE")


def test_body_ends_at_content_length() -> None:
    assert parse_message(golden("sip_ringing") + b"left over").body == b""


HEAD = b"OPTIONS sip:a@b SIP/2.0\r\n"
NEEDED = b"Via: SIP/2.0/UDP a;branch=z1\r\nFrom: <sip:a@b>\r\nTo: <sip:a@b>\r\nCall-ID: 1\r\n"


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (golden("sip_invite_invalid"), "CSeq is not a number"),
        (golden("sip_invite_truncated"), "body is truncated: .* of "),
        (golden("sip_ringing_invalid"), "start line is malformed"),
        (golden("sip_ringing_truncated"), "no empty line"),
        (b"\r\n\r\n", "start line is malformed: ''"),
        (b"\xff\xfe SIP/2.0\r\n\r\n", "not UTF-8"),
        (b"GET / HTTP/1.1\r\n\r\n", "start line is malformed"),
        (HEAD + b"no colon\r\n\r\n", "header line is malformed: 'no colon'"),
        (HEAD + b": no name\r\n\r\n", "header line is malformed"),
        (HEAD + NEEDED + b"\r\n", "no CSeq header"),
        (HEAD + NEEDED[NEEDED.index(b"From") :] + b"CSeq: 1 OPTIONS\r\n\r\n", "no Via header"),
        (HEAD + NEEDED + b"CSeq: 1 BYE\r\n\r\n", "CSeq is for BYE, the request is OPTIONS"),
        (HEAD + NEEDED + b"CSeq: 1 OPTIONS\r\nl: -5\r\n\r\n", "Content-Length is not a number"),
    ],
)
def test_malformed_message(data: bytes, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        parse_message(data)


@given(st.binary(max_size=300))
def test_any_bytes_parse_or_raise_value_error(data: bytes) -> None:
    with pytest.raises(ValueError, match="SIP"):
        parse_message(data)


@given(st.integers(0, 600), st.binary(min_size=1, max_size=3))
def test_damaged_invite_parses_or_raises_value_error(at: int, damage: bytes) -> None:
    data = golden("sip_invite")
    try:
        message = parse_message(data[:at] + damage + data[at + len(damage) :])
    except ValueError:
        return
    assert message.cseq[0] >= 0


def test_line_break_in_a_header_is_not_written() -> None:
    with pytest.raises(ValueError, match="line break"):
        serialize_message(SipRequest("BYE", "sip:a@b", (("To", "x\r\nEvil: yes"),)))


@pytest.mark.parametrize(
    ("text", "uri"),
    [
        ("sip:a@192.0.2.1:5070", SipUri("a", "192.0.2.1", 5070)),
        ("sip:192.0.2.1", SipUri("", "192.0.2.1", 5060)),
        ('"A; B" <sip:a@b.example;transport=udp>;tag=1', SipUri("a", "b.example")),
        ("sip:a@b.example;lr", SipUri("a", "b.example")),
    ],
)
def test_uri(text: str, uri: SipUri) -> None:
    assert parse_uri(text) == uri
    assert parse_uri(str(uri)) == uri


@pytest.mark.parametrize("text", ["", "tel:123", "sip:", "sip:a@b:99999", "sip:a@b:x", "<sip:a@>"])
def test_no_uri(text: str) -> None:
    with pytest.raises(ValueError, match="not a SIP URI"):
        parse_uri(text)


def test_list_splits_outside_of_brackets_and_quotes() -> None:
    assert split_list('<sip:a;x=1,2>, "b, c" <sip:b>') == ["<sip:a;x=1,2>", '"b, c" <sip:b>']


def test_parameter_inside_of_the_uri_is_not_the_headers() -> None:
    assert header_parameter("<sip:a@b;tag=inner>", "tag") is None
