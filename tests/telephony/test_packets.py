"""The packets between line and agent: golden bytes, malformed twins, round trips."""

from __future__ import annotations

import json
import string
from dataclasses import fields
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appliance.telephony.messages import (
    VERSION,
    Alive,
    Answer,
    Audio,
    CallArrived,
    CallDown,
    CallUp,
    Dial,
    Digit,
    Drain,
    Elsewhere,
    Failed,
    Flush,
    HangUp,
    Held,
    Hello,
    Message,
    Part,
    PartingWords,
    Play,
    Pulse,
    Redirect,
    Refused,
    Registration,
    Reject,
    Resumed,
    SendDigits,
    Shutdown,
    Transfer,
    TransferResult,
)
from appliance.telephony.packets import MAX_PACKET_BYTES, parse_message, serialize_message

PCM = bytes(range(160)) * 2

GOLDEN: list[tuple[Message, bytes]] = [
    (
        Hello(1, 2, 4711, True, False),
        b'\x03\x01\0\0\0\0{"version":1,"index":2,"pid":4711,"realtime":true,"fast_frames":false}',
    ),
    (Failed("port 5060 in use"), b'\x03\x02\0\0\0\0{"reason":"port 5060 in use"}'),
    (
        CallArrived(7, "192.0.2.1", "sip:a@b", "sip:c@d", "id@x"),
        (
            b'\x03\x03\0\0\0\x07{"peer":"192.0.2.1","from_uri":"sip:a@b","to_uri":"sip:c@d",'
            b'"sip_call_id":"id@x"}'
        ),
    ),
    (CallUp(7, "PCMU"), b'\x03\x04\0\0\0\x07{"codec":"PCMU"}'),
    (
        Audio(0x01020304, 0x1122334455667788, 9, PCM),
        b"\x03\x05\x01\x02\x03\x04\x11\x22\x33\x44\x55\x66\x77\x88\0\0\0\x09\x01" + PCM,
    ),
    (Digit(7, "#", "rfc4733"), b'\x03\x06\0\0\0\x07{"digit":"#","method":"rfc4733"}'),
    (Held(7), b"\x03\x07\0\0\0\x07"),
    (Resumed(7), b"\x03\x08\0\0\0\x07"),
    (TransferResult(7, 200, "OK"), b'\x03\x09\0\0\0\x07{"code":200,"reason":"OK"}'),
    (
        CallDown(7, 200, "über", "peer"),
        b'\x03\x0a\0\0\0\x07{"code":200,"reason":"\\u00fcber","by":"peer"}',
    ),
    (
        Registration(401, "Unauthorized", 0),
        b'\x03\x0b\0\0\0\0{"code":401,"reason":"Unauthorized","expires_s":0}',
    ),
    (
        Alive(3, 4, 5, 6, 7),
        (
            b'\x03\x0c\0\0\0\0{"dropped_frames":3,"dropped_requests":4,"cpu_ms":5,'
            b'"refused_full":6,"refused_closed":7}'
        ),
    ),
    (Answer(7), b"\x03\x40\0\0\0\x07"),
    (Reject(7, 486), b'\x03\x41\0\0\0\x07{"code":486}'),
    (Play(7, PCM), b"\x03\x42\0\0\0\x07" + PCM),
    (Flush(7), b"\x03\x43\0\0\0\x07"),
    (HangUp(7), b"\x03\x44\0\0\0\x07"),
    (Transfer(7, "sip:x@y"), b'\x03\x45\0\0\0\x07{"target":"sip:x@y"}'),
    (SendDigits(7, "12#"), b'\x03\x46\0\0\0\x07{"digits":"12#"}'),
    (Dial(0x80000000, "sip:x@y"), b'\x03\x47\x80\0\0\0{"uri":"sip:x@y"}'),
    (Shutdown(), b"\x03\x48\0\0\0\0"),
    (Redirect(7, "sip:x@y"), b'\x03\x49\0\0\0\x07{"target":"sip:x@y"}'),
    (Elsewhere(""), b'\x03\x4a\0\0\0\0{"target":""}'),
    (Part(7), b"\x03\x4b\0\0\0\x07"),
    (PartingWords(True, PCM), b"\x03\x4c\0\0\0\0\x01" + PCM),
    (Pulse(), b"\x03\x4d\0\0\0\0"),
    (Refused("no"), b'\x03\x4e\0\0\0\0{"reason":"no"}'),
    (Drain("sip:x@y"), b'\x03\x4f\0\0\0\0{"target":"sip:x@y"}'),
]

MALFORMED: list[tuple[str, bytes, str]] = [
    ("empty", b"", "shorter than its header"),
    ("cut_header", b"\x03\x05\0\0\0", "shorter than its header"),
    ("too_long", b"\x03\x02\0\0\0\0" + b" " * MAX_PACKET_BYTES, "longer than"),
    ("other_version", b"\x01\x07\0\0\0\x07", "version 1 is not 3: mixed releases"),
    ("unknown_kind", b"\x03\x7f\0\0\0\x07", "kind 127 is unknown"),
    ("audio_of_ours_short", b"\x03\x05\0\0\0\x07" + b"\0" * 652, "audio payload of 652 bytes"),
    ("audio_short", b"\x03\x05\0\0\0\x07" + b"\0" * 332, "audio payload of 332 bytes"),
    ("audio_long", b"\x03\x05\0\0\0\x07" + b"\0" * 334, "audio payload of 334 bytes"),
    ("play_empty", b"\x03\x42\0\0\0\x07", "frame of 0 bytes"),
    ("play_short", b"\x03\x42\0\0\0\x07" + b"\0" * 319, "frame of 319 bytes"),
    ("parting_empty", b"\x03\x4c\0\0\0\0", "parting words of 0 bytes"),
    ("parting_of_a_call", b"\x03\x4c\0\0\0\x07\x01", "parting words of 1 bytes for call 7"),
    ("parting_cut", b"\x03\x4c\0\0\0\0\x01" + b"\0" * 319, "piece of 319 bytes"),
    ("parting_long", b"\x03\x4c\0\0\0\0\x01" + b"\0" * 8320, "longer than"),
    ("not_json", b"\x03\x04\0\0\0\x07{codec", "not JSON"),
    ("not_ascii", b'\x03\x04\0\0\0\x07{"codec":"\xc3\xbc"}', "not JSON"),
    ("deep_json", b"\x03\x04\0\0\0\x07" + b"[" * 8000, "not JSON"),
    ("not_object", b'\x03\x04\0\0\0\x07["PCMU"]', "not an object"),
    ("empty_object", b"\x03\x07\0\0\0\x07{}", "not an object"),
    ("field_missing", b'\x03\x0a\0\0\0\x07{"code":200,"reason":""}', "CallDown has fields"),
    ("field_unknown", b'\x03\x04\0\0\0\x07{"codec":"PCMU","x":1}', "CallUp has fields"),
    ("payload_where_none", b'\x03\x07\0\0\0\x07{"x":1}', "Held has fields"),
    ("bool_for_number", b'\x03\x41\0\0\0\x07{"code":true}', "Reject.code is not"),
    ("number_for_text", b'\x03\x04\0\0\0\x07{"codec":8}', "CallUp.codec is not"),
    (
        "outside_choice",
        b'\x03\x0a\0\0\0\x07{"code":200,"reason":"","by":"nobody"}',
        "CallDown.by is not",
    ),
    (
        "choice_unhashable",
        b'\x03\x0a\0\0\0\x07{"code":200,"reason":"","by":[]}',
        "CallDown.by is not",
    ),
    ("surrogate", b'\x03\x04\0\0\0\x07{"codec":"\\ud800"}', "unpaired surrogate"),
    ("call_where_none", b"\x03\x48\0\0\0\x07", "Shutdown belongs to no call"),
]

UNFIT: list[tuple[Message, str]] = [
    (Play(7, b"\0" * 322), "frame of 322 bytes"),
    (Audio(7, 0, 0, b""), "frame of 0 bytes"),
    (Audio(7, 0, 0, PCM, b"\0"), "frame of 1 bytes"),
    (PartingWords(True, b"\0" * 8320), "piece of 8320 bytes"),
    (Answer(-1), "not an unsigned 32 bit number"),
    (Answer(1 << 32), "not an unsigned 32 bit number"),
    (CallUp(7, "\udcff"), "unpaired surrogate"),
    (Transfer(7, "x" * MAX_PACKET_BYTES), "longer than"),
]


@pytest.mark.parametrize(("message", "packet"), GOLDEN, ids=lambda x: type(x).__name__)
def test_golden(message: Message, packet: bytes) -> None:
    assert serialize_message(message) == packet
    assert parse_message(packet) == message


def test_audio_with_what_we_said() -> None:
    ours = bytes(reversed(PCM))
    message = Audio(7, 0x1122334455667788, 9, PCM, ours)
    packet = b"\x03\x05\0\0\0\x07\x11\x22\x33\x44\x55\x66\x77\x88\0\0\0\x09\x01" + PCM + ours
    assert serialize_message(message) == packet
    assert parse_message(packet) == message


def test_audio_of_a_caller_of_whom_nothing_comes() -> None:
    message = Audio(7, 1, 9, bytes(320), received=False)
    packet = b"\x03\x05\0\0\0\x07\0\0\0\0\0\0\0\1\0\0\0\x09\0" + bytes(320)
    assert serialize_message(message) == packet
    assert parse_message(packet) == message


def test_golden_covers_every_message() -> None:
    assert [type(message) for message, _ in GOLDEN] == list(get_args(Message))


def test_kinds_are_unique() -> None:
    assert len({cls.KIND for cls in get_args(Message)}) == len(get_args(Message))


@pytest.mark.parametrize(
    ("packet", "said"), [m[1:] for m in MALFORMED], ids=[m[0] for m in MALFORMED]
)
def test_malformed(packet: bytes, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        parse_message(packet)


@pytest.mark.parametrize(("message", "said"), UNFIT, ids=range(len(UNFIT)))
def test_unfit_is_not_sent(message: Message, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        serialize_message(message)


def _messages() -> st.SearchStrategy[Message]:
    by_name: dict[str, st.SearchStrategy[Any]] = {
        "call": st.integers(0, 0xFFFFFFFF),
        "at_ns": st.integers(0, 2**64 - 1),
        "played": st.integers(0, 0xFFFFFFFF),
        "pcm": st.binary(min_size=320, max_size=320),
        "ours": st.just(b"") | st.binary(min_size=320, max_size=320),
        "realtime": st.booleans(),
        "last": st.booleans(),
        "received": st.booleans(),
        "fast_frames": st.booleans(),
        "method": st.sampled_from(["rfc4733", "info"]),
        "by": st.sampled_from(["peer", "agent", "line"]),
    }
    numbers = {"version", "index", "pid", "code", "expires_s"}
    numbers |= {"dropped_frames", "dropped_requests", "cpu_ms", "refused_full", "refused_closed"}
    text = st.text(max_size=80)
    return st.one_of(
        *(
            st.builds(
                cls,
                **{
                    f.name: by_name.get(f.name, st.integers() if f.name in numbers else text)
                    for f in fields(cls)
                },
            )
            for cls in get_args(Message)
        )
    )


@given(_messages())
def test_round_trip(message: Message) -> None:
    assert parse_message(serialize_message(message)) == message


@given(st.binary(max_size=400))
def test_any_bytes_parse_or_are_refused(packet: bytes) -> None:
    try:
        message = parse_message(packet)
    except ValueError:
        return
    assert parse_message(serialize_message(message)) == message


@given(
    st.sampled_from([cls.KIND for cls in get_args(Message)]),
    st.dictionaries(
        st.sampled_from(["code", "reason", "by", "codec", "call"]),
        st.none() | st.integers() | st.text(string.printable, max_size=5) | st.lists(st.none()),
    ),
)
def test_any_json_parses_or_is_refused(kind: int, body: dict[str, object]) -> None:
    packet = bytes([VERSION, kind, 0, 0, 0, 0]) + json.dumps(body).encode()
    try:
        message = parse_message(packet)
    except ValueError:
        return
    assert kind == message.KIND
