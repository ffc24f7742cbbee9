"""A sample MCP server: the job applications and payments of five invented people.

    python -m appliance.samples.people                  speaks MCP on stdin and stdout
    python -m appliance.samples.people --http 8300      on http://127.0.0.1:8300/mcp

The status flow is tried out and tested with it; what an operator connects in its place offers the
same tools (docs/sources.md). The data is in people.yaml beside this file. Its dates count from
today, so it never gets old.
"""

from __future__ import annotations

import argparse
import hmac
import sys
from collections.abc import Sequence
from datetime import datetime
from functools import partial
from pathlib import Path

import uvicorn
from mcp.server import MCPServer
from mcp.types import ToolAnnotations
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from appliance.samples.records import (
    ApplicationDetail,
    Applications,
    Job,
    Match,
    Payments,
    Person,
    Records,
    read_data,
)

DATA = Path(__file__).with_name("people.yaml")
_READS = ToolAnnotations(read_only_hint=True)


def make_server(path: Path = DATA) -> MCPServer:
    """The server with its tools; the dates of the data count from the day of each call."""
    data = read_data(path)
    server = MCPServer("people", instructions="Job applications and payments of invented people.")
    tool = partial(server.tool, annotations=_READS)

    def records() -> Records:
        return Records(data, datetime.now().astimezone().replace(microsecond=0))

    @tool()
    def find_person(phone: str | None = None, email: str | None = None) -> Person:
        """Who has this telephone number or e-mail address."""
        return records().find(phone, email)

    @tool()
    def verify_person(person_id: str, zip: str) -> Match:  # noqa: A002 - the argument's name
        """Whether this is the ZIP code of a person's address."""
        return Match(match=records().has_zip(person_id, zip))

    @tool()
    def list_applications(person_id: str) -> Applications:
        """A person's job applications, the newest first."""
        return records().applications(person_id)

    @tool()
    def get_application(person_id: str, application_id: str) -> ApplicationDetail:
        """One application: its status, the next step, an interview."""
        return records().application(person_id, application_id)

    @tool()
    def list_payments(person_id: str) -> Payments:
        """Payments to a person, the newest first."""
        return records().payments(person_id)

    @tool()
    def get_job(job_title: str) -> Job:
        """Whether a job is open, until when, and its pay by the hour in US dollars."""
        return records().job(job_title)

    return server


class Guard:
    """Lets nobody in who does not send the token."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app, self._header = app, f"Bearer {token}".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer it with 401."""
        if scope["type"] == "http":
            given = dict(scope["headers"]).get(b"authorization", b"")
            if not hmac.compare_digest(given, self._header):
                await PlainTextResponse("no", 401)(scope, receive, send)
                return
        await self._app(scope, receive, send)


def main(argv: Sequence[str] | None = None) -> None:
    """Serve until stdin ends, or for ever."""
    parser = argparse.ArgumentParser(
        prog="python -m appliance.samples.people",
        description="A sample MCP server: job applications and payments of invented people.",
        epilog="Example: python -m appliance.samples.people --http 8300 --token-file token",
    )
    parser.add_argument("--http", type=int, metavar="PORT",
                        help="serve http://127.0.0.1:PORT/mcp, not stdin and stdout")  # fmt: skip
    parser.add_argument("--token-file", type=Path, help="file with the bearer token it asks for")
    parser.add_argument("--data", type=Path, default=DATA, help="the people (YAML)")
    given = parser.parse_args(argv)
    server = make_server(given.data)
    if given.http is None:
        if given.token_file is not None:
            parser.error("--token-file belongs to --http")
        server.run("stdio")
        return
    app = server.streamable_http_app()
    if given.token_file is not None:
        app.user_middleware.append(Middleware(Guard, token=given.token_file.read_text().strip()))
    print(f"http://127.0.0.1:{given.http}/mcp", file=sys.stderr)  # noqa: T201 - a program of its own
    uvicorn.run(app, host="127.0.0.1", port=given.http, log_level="warning")


if __name__ == "__main__":
    main()
