"""SIP messages (RFC 3261, section 7) as values, parsed and serialized.

Pure: no socket, no transaction, no clock; those are in `endpoint.py`. Made for a test peer:
strict where a message could not be answered, lenient about everything else.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

Headers = tuple[tuple[str, str], ...]

_COMPACT = {
    "i": "Call-ID", "m": "Contact", "e": "Content-Encoding", "l": "Content-Length",
    "c": "Content-Type", "f": "From", "s": "Subject", "k": "Supported", "t": "To", "v": "Via",
    "r": "Refer-To", "b": "Referred-By", "o": "Event", "u": "Allow-Events", "x": "Session-Expires",
}  # fmt: skip
_REQUIRED = ("Via", "From", "To", "Call-ID", "CSeq")
_TOKEN = re.compile(r"[A-Za-z0-9\-.!%*_+`'~]+")
_STATUS_LINE = re.compile(r"SIP/2\.0 ([1-6]\d\d) ?(.*)")
_URI = re.compile(
    r"sips?:(?:(?P<user>[^@;?>\s]+)@)?(?P<host>[A-Za-z0-9.\-]+|\[[0-9A-Fa-f:.]+\])"
    r"(?::(?P<port>\d{1,5}))?(?:;[^?\s]*)?(?:\?\S*)?"
)


class _HeaderAccess:
    """Look-up by name, case-insensitive, over `headers` of a message."""

    headers: Headers

    def get(self, name: str) -> str | None:
        """The first header of that name, if there is one."""
        return next(iter(self.get_all(name)), None)

    def get_all(self, name: str) -> list[str]:
        """All headers of that name, in order."""
        wanted = name.lower()
        return [value for key, value in self.headers if key.lower() == wanted]

    def need(self, name: str) -> str:
        """The first header of that name.

        Raises:
            ValueError: there is none.
        """
        value = self.get(name)
        if value is None:
            raise ValueError(f"SIP message has no {name} header")
        return value

    @property
    def cseq(self) -> tuple[int, str]:
        """Number and method of the CSeq header."""
        number, _, method = self.need("CSeq").partition(" ")
        return int(number), method.strip()

    @property
    def branch(self) -> str:
        """The topmost Via's branch: what tells transactions apart (RFC 3261, 17.1.3)."""
        return header_parameter(self.need("Via"), "branch") or ""


@dataclass(frozen=True)
class SipRequest(_HeaderAccess):
    """A request; Content-Length is written by `serialize_message`."""

    method: str
    uri: str
    headers: Headers
    body: bytes = b""


@dataclass(frozen=True)
class SipResponse(_HeaderAccess):
    """A response; `code` is 100..699."""

    code: int
    reason: str
    headers: Headers
    body: bytes = b""


SipMessage = SipRequest | SipResponse


@dataclass(frozen=True, slots=True)
class SipUri:
    """The parts of a SIP URI that routing needs."""

    user: str
    host: str
    port: int = 5060

    def __str__(self) -> str:
        """The URI without parameters."""
        user = f"{self.user}@" if self.user else ""
        return f"sip:{user}{self.host}:{self.port}"


def parse_message(data: bytes) -> SipMessage:
    """Read one datagram.

    Raises:
        ValueError: the start line, a header, a required header or the body's length is wrong;
            the message says which.
    """
    head, separator, body = data.partition(b"\r\n\r\n")
    if not separator:
        raise ValueError("SIP message has no empty line after its headers")
    try:
        text = head.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError("SIP headers are not UTF-8") from error
    lines = re.sub(r"\r\n[ \t]+", " ", text).split("\r\n")
    headers = tuple(_header(line) for line in lines[1:])
    message = _start(lines[0], headers)
    for name in _REQUIRED:
        message.need(name)
    if not re.fullmatch(r"\d{1,10}[ \t]+\S+", message.need("CSeq")):
        raise ValueError(f"SIP CSeq is not a number and a method: {message.need('CSeq')!r}")
    if isinstance(message, SipRequest) and message.cseq[1] != message.method:
        raise ValueError(f"SIP CSeq is for {message.cseq[1]}, the request is {message.method}")
    return _with_body(message, body)


def serialize_message(message: SipMessage) -> bytes:
    """Write one datagram; Content-Length is set from the body.

    Raises:
        ValueError: a header holds a line break.
    """
    if isinstance(message, SipRequest):
        lines = [f"{message.method} {message.uri} SIP/2.0"]
    else:
        lines = [f"SIP/2.0 {message.code} {message.reason}"]
    lines += [f"{n}: {v}" for n, v in message.headers if n.lower() != "content-length"]
    lines.append(f"Content-Length: {len(message.body)}")
    if any("\r" in line or "\n" in line for line in lines):
        raise ValueError("SIP header holds a line break")
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + message.body


def parse_uri(text: str) -> SipUri:
    """Read `sip:user@host:port;parameters`, or the same within `"name" <...>`.

    Raises:
        ValueError: it is no SIP URI.
    """
    start, end = text.find("<"), text.find(">")
    inner = text[start + 1 : end] if 0 <= start < end else text.partition(";")[0]
    found = _URI.fullmatch(inner.strip())
    if found is None or not 0 < int(found["port"] or 5060) <= 65535:
        raise ValueError(f"not a SIP URI: {text!r}")
    return SipUri(found["user"] or "", found["host"], int(found["port"] or 5060))


def header_parameter(value: str, name: str) -> str | None:
    """A parameter of a header value, outside of any `<...>`; None if it is not there."""
    outside = value.rpartition(">")[2] if ">" in value else value
    found = re.search(rf";\s*{re.escape(name)}\s*=\s*\"?([^;,\"\s]+)", outside, re.IGNORECASE)
    return found[1] if found else None


def split_list(value: str) -> list[str]:
    """Split a header at the commas outside of `<...>` and quotes (Route, Record-Route)."""
    return [part.strip() for part in re.findall(r'(?:"[^"]*"|<[^>]*>|[^,])+', value)]


def _start(line: str, headers: Headers) -> SipMessage:
    """The message without its body."""
    status = _STATUS_LINE.fullmatch(line)
    if status:
        return SipResponse(int(status[1]), status[2], headers)
    parts = line.split(" ")
    if len(parts) != 3 or parts[2] != "SIP/2.0" or not _TOKEN.fullmatch(parts[0]) or not parts[1]:
        raise ValueError(f"SIP start line is malformed: {line[:80]!r}")
    return SipRequest(parts[0], parts[1], headers)


def _header(line: str) -> tuple[str, str]:
    """One header line, with compact names written out."""
    name, colon, value = line.partition(":")
    name = name.strip()
    if not colon or not _TOKEN.fullmatch(name):
        raise ValueError(f"SIP header line is malformed: {line[:80]!r}")
    return _COMPACT.get(name.lower(), name), value.strip()


def _with_body(message: SipMessage, body: bytes) -> SipMessage:
    """The message with its body cut to Content-Length."""
    stated = message.get("Content-Length")
    length = len(body)
    if stated is not None:
        if not re.fullmatch(r"\d{1,9}", stated):
            raise ValueError(f"SIP Content-Length is not a number: {stated!r}")
        length = int(stated)
    if length > len(body):
        raise ValueError(f"SIP body is truncated: {len(body)} of {length} bytes")
    body = body[:length]
    if isinstance(message, SipRequest):
        return SipRequest(message.method, message.uri, message.headers, body)
    return SipResponse(message.code, message.reason, message.headers, body)
