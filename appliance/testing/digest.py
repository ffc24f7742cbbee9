"""Digest authentication (RFC 8760, 7616) for a test peer: an answer to a PBX's 401 or 407.

    WWW-Authenticate / Proxy-Authenticate -> Challenge -> Authorization / Proxy-Authorization

Pure: no message is sent here. Algorithms MD5 and SHA-256; `qop` auth, or none (RFC 2069).
"""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Callable
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, Field

from appliance.testing.sip import SipRequest, SipResponse

_HASHES: dict[str, Callable[[bytes], hashlib._Hash]] = {
    "MD5": lambda data: hashlib.md5(data, usedforsecurity=False),
    "SHA-256": hashlib.sha256,
}
_ANSWERED_BY = {
    401: ("WWW-Authenticate", "Authorization"),
    407: ("Proxy-Authenticate", "Proxy-Authorization"),
}
_PARAMETER = re.compile(r'(\w[\w-]*)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))')


class Credentials(BaseModel):
    """An account at a PBX; the password never shows in a repr."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    user: str
    password: str = Field(repr=False)


@dataclass(frozen=True, slots=True)
class Challenge:
    """What a server asks; `qop` is "auth" or empty, `algorithm` MD5 or SHA-256."""

    realm: str
    nonce: str
    algorithm: str = "MD5"
    qop: str = ""
    opaque: str | None = None


def parse_challenge(value: str) -> Challenge:
    """Read one WWW-Authenticate or Proxy-Authenticate value.

    Raises:
        ValueError: no Digest, or none that can be answered; the message says why.
    """
    scheme, _, rest = value.strip().partition(" ")
    if scheme.lower() != "digest":
        raise ValueError(f"authentication by {scheme} is not supported, only Digest")
    found = {name.lower(): quoted or bare for name, quoted, bare in _PARAMETER.findall(rest)}
    if not {"realm", "nonce"} <= found.keys():
        raise ValueError("a Digest challenge needs realm and nonce")
    algorithm = found.get("algorithm", "MD5").upper()
    if algorithm not in _HASHES:
        raise ValueError(f"Digest algorithm {algorithm} is not supported")
    offered = [each.strip() for each in found.get("qop", "").split(",") if each.strip()]
    if offered and "auth" not in offered:
        raise ValueError(f"Digest qop {found['qop']} is not supported")
    return Challenge(
        found["realm"], found["nonce"], algorithm, "auth" if offered else "", found.get("opaque")
    )  # fmt: skip


def authorize(
    challenge: Challenge, credentials: Credentials, method: str, uri: str, cnonce: str = ""
) -> str:
    """The value of Authorization or Proxy-Authorization; `cnonce` is drawn where empty."""
    drawn = cnonce or secrets.token_hex(8)
    first = _hash(challenge, f"{credentials.user}:{challenge.realm}:{credentials.password}")
    second = _hash(challenge, f"{method}:{uri}")
    count = "00000001"
    middle = f"{challenge.nonce}:{count}:{drawn}:auth" if challenge.qop else challenge.nonce
    fields = [
        f'username="{credentials.user}"', f'realm="{challenge.realm}"',
        f'nonce="{challenge.nonce}"', f'uri="{uri}"',
        f'response="{_hash(challenge, f"{first}:{middle}:{second}")}"',
        f"algorithm={challenge.algorithm}",
    ]  # fmt: skip
    if challenge.qop:
        fields += ["qop=auth", f"nc={count}", f'cnonce="{drawn}"']
    if challenge.opaque is not None:
        fields.append(f'opaque="{challenge.opaque}"')
    return f"Digest {', '.join(fields)}"


def answer_challenge(
    request: SipRequest, response: SipResponse, credentials: Credentials
) -> tuple[str, str]:
    """The header (name, value) that answers a 401 or 407 to this request.

    Raises:
        ValueError: the response holds no challenge that can be answered.
    """
    asks, answers = _ANSWERED_BY[response.code]
    problems = []
    for value in response.get_all(asks):
        try:
            challenge = parse_challenge(value)
        except ValueError as error:
            problems.append(str(error))
        else:
            return answers, authorize(challenge, credentials, request.method, request.uri)
    raise ValueError("; ".join(problems) or f"{response.code} without {asks}")


def _hash(challenge: Challenge, text: str) -> str:
    return _HASHES[challenge.algorithm](text.encode()).hexdigest()
