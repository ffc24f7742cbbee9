"""Session descriptions (RFC 8866) as far as one audio stream needs them (RFC 3264).

Other media and unknown attributes are read over: the peers of the tests offer audio only.
"""

from __future__ import annotations

from dataclasses import dataclass

DIRECTIONS = ("sendrecv", "sendonly", "recvonly", "inactive")
_STATIC = {0: ("PCMU", 8000), 3: ("GSM", 8000), 8: ("PCMA", 8000), 9: ("G722", 8000)}
"""Payload types that need no rtpmap (RFC 3551, table 4)."""


@dataclass(frozen=True, slots=True)
class PayloadFormat:
    """One payload type of an audio stream; `rate_hz` is the RTP clock's rate."""

    payload_type: int
    name: str
    rate_hz: int = 8000


@dataclass(frozen=True, slots=True)
class AudioDescription:
    """Where and how one side wants audio. `version` grows with each change (RFC 3264, 8)."""

    address: str
    port: int
    formats: tuple[PayloadFormat, ...]
    direction: str = "sendrecv"
    session_id: int = 1
    version: int = 1

    def payload_type(self, name: str) -> int | None:
        """The payload type of a format by its name, case-insensitive; None if not listed."""
        wanted = name.upper()
        found = (form.payload_type for form in self.formats if form.name.upper() == wanted)
        return next(found, None)

    @property
    def on_hold(self) -> bool:
        """Whether this side wants no audio: by direction, or the old way by 0.0.0.0."""
        return self.direction in {"sendonly", "inactive"} or self.address == "0.0.0.0"  # noqa: S104


def serialize_description(description: AudioDescription) -> bytes:
    """Write a description with one audio stream of 20 ms packets.

    Raises:
        ValueError: the direction is unknown.
    """
    if description.direction not in DIRECTIONS:
        raise ValueError(f"SDP direction {description.direction!r} is not one of {DIRECTIONS}")
    types = " ".join(str(form.payload_type) for form in description.formats)
    lines = [
        "v=0",
        f"o=- {description.session_id} {description.version} IN IP4 {description.address}",
        "s=call",
        f"c=IN IP4 {description.address}",
        "t=0 0",
        f"m=audio {description.port} RTP/AVP {types}",
    ]
    for form in description.formats:
        lines.append(f"a=rtpmap:{form.payload_type} {form.name}/{form.rate_hz}")
        if form.name == "telephone-event":
            lines.append(f"a=fmtp:{form.payload_type} 0-15")
    lines += ["a=ptime:20", f"a={description.direction}"]
    return "".join(f"{line}\r\n" for line in lines).encode()


def parse_description(body: bytes) -> AudioDescription:
    """Read the first audio stream of a description.

    Raises:
        ValueError: it is not SDP, or has no usable audio stream; the message says which line.
    """
    try:
        lines = body.decode("utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise ValueError("SDP is not UTF-8") from error
    if not lines or lines[0] != "v=0":
        raise ValueError("SDP does not begin with v=0")
    pairs = []
    for number, line in enumerate(lines, 1):
        if not line:
            continue
        if len(line) < 2 or line[1] != "=":
            raise ValueError(f"SDP line {number} is not type=value: {line!r}")
        pairs.append((line[0], line[2:].strip()))
    session, audio = _sections(pairs)
    address = _last(audio, "c") or _last(session, "c")
    if address is None:
        raise ValueError("SDP has no c= line for its audio")
    session_id, version = _origin(session)
    port, formats = _formats(audio)
    return AudioDescription(
        address=_connection(address),
        port=port,
        formats=formats,
        direction=_direction(audio) or _direction(session) or "sendrecv",
        session_id=session_id,
        version=version,
    )


_Pairs = list[tuple[str, str]]


def _sections(pairs: _Pairs) -> tuple[_Pairs, _Pairs]:
    """The session's lines, and the first audio stream's lines beginning with its m= line."""
    starts = [index for index, (kind, _) in enumerate(pairs) if kind == "m"]
    for start, end in zip(starts, [*starts[1:], len(pairs)], strict=False):
        if pairs[start][1].startswith("audio "):
            return pairs[: starts[0]], pairs[start:end]
    raise ValueError("SDP has no audio stream")


def _last(pairs: _Pairs, kind: str) -> str | None:
    """The value of the last line of a kind."""
    return next((value for name, value in reversed(pairs) if name == kind), None)


def _connection(value: str) -> str:
    """The address of a c= line."""
    parts = value.split()
    if len(parts) != 3 or parts[:2] != ["IN", "IP4"]:
        raise ValueError(f"SDP connection is not IN IP4: {value!r}")
    return parts[2]


def _origin(session: _Pairs) -> tuple[int, int]:
    """Session id and version of the o= line."""
    parts = (_last(session, "o") or "").split()
    if len(parts) != 6 or not (parts[1].isdecimal() and parts[2].isdecimal()):
        raise ValueError("SDP has no o= line with numeric session id and version")
    return int(parts[1]), int(parts[2])


def _direction(pairs: _Pairs) -> str | None:
    """The direction attribute, if there is one."""
    return next((value for kind, value in pairs if kind == "a" and value in DIRECTIONS), None)


def _formats(audio: _Pairs) -> tuple[int, tuple[PayloadFormat, ...]]:
    """Port and formats of the audio stream."""
    parts = audio[0][1].split()
    if len(parts) < 4 or not all(part.isdecimal() for part in parts[3:]):
        raise ValueError(f"SDP media line is malformed: {audio[0][1]!r}")
    port = parts[1].split("/")[0]
    if not port.isdecimal() or int(port) > 65535:
        raise ValueError(f"SDP media port is not 0..65535: {parts[1]!r}")
    named = dict(_rtpmap(value) for kind, value in audio if kind == "a" and value[:7] == "rtpmap:")
    formats = []
    for part in parts[3:]:
        number = int(part)
        name, rate_hz = named.get(number) or _STATIC.get(number, ("unknown", 8000))
        formats.append(PayloadFormat(number, name, rate_hz))
    return int(port), tuple(formats)


def _rtpmap(value: str) -> tuple[int, tuple[str, int]]:
    """`rtpmap:101 telephone-event/8000` as (101, (name, rate))."""
    number, _, encoding = value[7:].strip().partition(" ")
    name, _, rate = encoding.partition("/")
    rate = rate.split("/")[0]
    if not (number.isdecimal() and name and rate.isdecimal()):
        raise ValueError(f"SDP rtpmap is malformed: {value!r}")
    return int(number), (name, int(rate))
