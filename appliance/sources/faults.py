"""What can go wrong with a server, in words that name the cause and hold no data of the caller's.

    Fault       a call failed; says whether another try may help
    Cause       why a server is not reached, and what the operator can do about it

Everything that the MCP package, httpx2, TLS and the system raise becomes one of the two. Their own
messages are not passed on: they quote arguments and results.
"""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from typing import NamedTuple

import httpx2
from mcp import MCPError
from pydantic import ValidationError

from appliance.errors import SourceError

MESSAGE_BYTES = 512 * 1024
"""The longest message that is read; what a caller is told fits in a thousandth of it."""


class Fault(SourceError):  # noqa: N818 - what went wrong, as a finding says it
    """A call of a tool failed.

    Attributes:
        again: whether another try may help; the breaker counts these.
    """

    def __init__(self, text: str, *, again: bool = False) -> None:
        super().__init__(text)
        self.again = again


class Cause(NamedTuple):
    """Why a server is not reached."""

    why: str
    remedy: str

    def __str__(self) -> str:
        """Both, in one line."""
        return f"{self.why}; {self.remedy}" if self.remedy else self.why


class NotReachedError(SourceError):
    """A server cannot be started or connected to, or the connection ended."""

    def __init__(self, why: str, remedy: str = "") -> None:
        super().__init__(why)
        self.cause = Cause(why, remedy)


def cause_of(error: BaseException) -> Cause:
    """Why a connection failed; groups of errors and what they came from are searched."""
    found = [known for each in _parts(error) if (known := _known(each)) is not None]
    if found:
        return found[0]
    kinds = sorted({type(each).__name__ for each in _parts(error)} - {"ExceptionGroup"})
    return Cause(f"it does not speak MCP ({', '.join(kinds)})", "see that it is an MCP server")


def _known(error: BaseException) -> Cause | None:
    cause: Cause | None = None
    match error:
        case NotReachedError():
            cause = error.cause
        case ssl.SSLCertVerificationError():
            cause = Cause(
                f"its certificate is refused: {getattr(error, 'verify_message', '')}",
                "give the certificate of its authority as ca_file, and its name in the url",
            )
        case ssl.SSLError():
            cause = Cause(
                f"TLS failed: {getattr(error, 'reason', None) or 'closed'}",
                "is the url's https right?",
            )
        case ConnectionRefusedError():
            cause = Cause("connection refused", "is it running, and are host and port right?")
        case OSError(strerror=str(strerror)) if strerror:
            cause = Cause(strerror, "are host and port right?")
        case httpx2.TimeoutException():
            cause = Cause("timed out", "is it overloaded, or start_s too short?")
        case httpx2.TransportError():
            cause = Cause(f"the connection failed ({type(error).__name__})", "see its own log")
        case MCPError():
            cause = Cause(f"it refused the connection (MCP error {error.code})", "see its own log")
        case ValidationError():
            place = ".".join(map(str, error.errors(include_input=False)[0]["loc"]))
            cause = Cause(f"what it answers is not MCP: {place}", "see that it is an MCP server")
    return cause


def _parts(error: BaseException) -> Iterator[BaseException]:
    """The innermost first: what an error came from says more than what it became."""
    if isinstance(error, BaseExceptionGroup):
        for each in error.exceptions:
            yield from _parts(each)
    seen = error.__cause__ or error.__context__
    if seen is not None:
        yield from _parts(seen)
    yield error
