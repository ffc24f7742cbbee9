import inspect
import ssl

import httpx2
import mcp
import pytest
from mcp import MCPError
from pydantic import BaseModel, ValidationError

from appliance.sources.faults import Cause, NotReachedError, cause_of


def raised(error: Exception, cause: BaseException | None = None) -> Exception:
    """As it comes out of a task group, behind what it came from."""
    error.__cause__ = cause
    return ExceptionGroup("tasks", [ExceptionGroup("tasks", [error])])


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (ConnectionRefusedError(111, "x"), "connection refused"),
        (OSError(113, "No route to host"), "No route to host"),
        (TimeoutError(110, "Connection timed out"), "Connection timed out"),
        (ssl.SSLCertVerificationError("x"), "its certificate is refused"),
        (ssl.SSLError(1, "x"), "TLS failed"),
        (MCPError(-32022, "secret"), "it refused the connection (MCP error -32022)"),
        (NotReachedError("gone", "find it"), "gone"),
        (KeyError("secret"), "it does not speak MCP (KeyError)"),
    ],
)
def test_the_cause_is_found_in_groups_and_behind_other_errors(error: Exception, why: str) -> None:
    if isinstance(error, ssl.SSLCertVerificationError):
        error.verify_message = "x"
    for each in (error, raised(error), raised(httpx2.ConnectError("secret"), error)):
        found = cause_of(each)
        if isinstance(error, KeyError) and each is not error:
            continue  # there the other error is the better known one
        assert found.why.startswith(why)
        assert "secret" not in str(found)


def test_everything_that_the_http_client_raises_is_known() -> None:
    kinds = [
        each for _, each in inspect.getmembers(httpx2, inspect.isclass)
        if issubclass(each, httpx2.TransportError)
    ]  # fmt: skip
    assert len(kinds) > 10
    for kind in kinds:
        assert "does not speak MCP" not in cause_of(kind("secret")).why
        assert "secret" not in str(cause_of(kind("secret")))


def test_all_of_the_package_s_errors_are_of_one_family_or_named() -> None:
    kinds = {
        name for name, each in inspect.getmembers(mcp, inspect.isclass)
        if issubclass(each, Exception) and not issubclass(each, MCPError)
    }  # fmt: skip
    assert kinds == {"InputRequiredRoundsExceededError", "InvalidUriTemplate",
                     "MCPDeprecationWarning"}, "new ones: see faults.cause_of"  # fmt: skip


def test_what_is_not_mcp_is_named_by_its_place() -> None:
    class Listing(BaseModel):
        tools: list[int]

    with pytest.raises(ValidationError) as error:
        Listing.model_validate({"tools": [1, "secret"]})
    assert cause_of(error.value).why == "what it answers is not MCP: tools.1"


def test_cause_and_remedy_make_one_line() -> None:
    assert str(Cause("gone", "find it")) == "gone; find it"
    assert str(Cause("gone", "")) == "gone"
