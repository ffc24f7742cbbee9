"""The own desk by HTTP: conversations, messages, notes, attributes, snooze; JSON with a token.

    client ── Guard: rate, token, size, one JSON error shape ──> route ──> Conversations (a thread)

docs/desk.md shows every route with curl, `deskopenapi` describes them for programs. Nothing of a
body or a name is logged.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, NoReturn, TypeVar

from pydantic import ValidationError
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from appliance.conversations import Contact
from appliance.session.deskforms import (
    Attribute,
    Form,
    NewConversation,
    NewMessage,
    NewNote,
    Snooze,
    admin_view,
    list_view,
    user_view,
)
from appliance.store.conversation_lists import Wanted
from appliance.store.conversation_rows import Author
from appliance.store.conversations import Conversations

KEY = "Idempotency-Key"
LARGEST_BODY = 64 * 1024
_BODY_S = 10.0
_LONGEST_KEY = 128
_LONGEST_LIST = 200
FormT = TypeVar("FormT", bound=Form)
T = TypeVar("T")


class RefusedError(Exception):
    """A request that is not served: the status, what is wrong with it, and what helps."""

    def __init__(self, status: int, error: str, remedy: str) -> None:
        super().__init__(error)
        self.status, self.error, self.remedy = status, error, remedy


@dataclass(frozen=True)
class DeskRoutes:
    """What the API does; `worker` is where the store is used."""

    conversations: Conversations
    worker: Executor

    def routes(self) -> list[Route]:
        """All of them."""
        one = "/v1/conversations/{conversation}"
        by_path: list[tuple[str, str, Callable[[Request], Awaitable[JSONResponse]]]] = [
            ("/v1/conversations", "POST", self.create),
            ("/v1/conversations", "GET", self.list),
            (one, "GET", self.show),
            (f"{one}/messages", "POST", self.write),
            (f"{one}/notes", "POST", self.note),
            (f"{one}/attributes/{{name}}", "PUT", self.put_attribute),
            (f"{one}/snooze", "PUT", self.snooze),
            (f"{one}/snooze", "DELETE", self.unsnooze),
            (f"{one}/close", "POST", self.close),
            (f"{one}/hand-back", "POST", self.hand_back),
        ]
        return [Route(path, endpoint, methods=[method]) for path, method, endpoint in by_path]

    async def create(self, request: Request) -> JSONResponse:
        """A conversation with its first message."""
        form, key = await _body(request, NewConversation), _key(request)
        contact = Contact(form.email, form.name)
        made = await self._do(self.conversations.open, key, contact, form.subject, form.text)
        return JSONResponse({"conversation": made[0], "message": made[1]}, 201)

    async def list(self, request: Request) -> JSONResponse:
        """Conversations by filters."""
        wanted = _wanted(request.query_params)
        return JSONResponse(list_view(await self._do(self.conversations.all, wanted), wanted.limit))

    async def show(self, request: Request) -> JSONResponse:
        """A conversation with its messages."""
        view = _choice(request.query_params, "view", {"user": user_view, "admin": admin_view})
        thread = await self._do(self.conversations.thread, _id(request))
        return JSONResponse((view or user_view)(thread))

    async def write(self, request: Request) -> JSONResponse:
        """A message of the user's or of a person's."""
        form, key = await _body(request, NewMessage), _key(request)
        author = Author(form.author)
        message = await self._do(self.conversations.write, _id(request), author, key, form.text)
        return JSONResponse({"conversation": _id(request), "message": message}, 201)

    async def note(self, request: Request) -> JSONResponse:
        """An internal note."""
        form, key = await _body(request, NewNote), _key(request)

        def write() -> None:
            self.conversations.note(_id(request), key, form.text, author=Author.ADMIN)

        await self._do(write)
        return JSONResponse({"conversation": _id(request)}, 201)

    async def put_attribute(self, request: Request) -> JSONResponse:
        """A custom attribute."""
        name = request.path_params["name"]
        if not (name.isascii() and name.isidentifier() and len(name) <= 64):
            raise RefusedError(422, "the name of the attribute cannot be used",
                               "letters, digits and _, at most 64, not a digit first")  # fmt: skip
        form = await _body(request, Attribute)
        await self._do(self.conversations.put_attribute, _id(request), name, form.value)
        return await self._admin(request)

    async def snooze(self, request: Request) -> JSONResponse:
        """Hide it for a while."""
        form = await _body(request, Snooze)
        await self._do(self.conversations.snooze, _id(request), form.until)
        return await self._admin(request)

    async def unsnooze(self, request: Request) -> JSONResponse:
        """Show it again."""
        await self._do(self.conversations.snooze, _id(request), None)
        return await self._admin(request)

    async def close(self, request: Request) -> JSONResponse:
        """Nothing more is to be done."""
        await self._do(self.conversations.close, _id(request))
        return await self._admin(request)

    async def hand_back(self, request: Request) -> JSONResponse:
        """The agent answers again."""
        await self._do(self.conversations.hand_back, _id(request))
        return await self._admin(request)

    async def _admin(self, request: Request) -> JSONResponse:
        return JSONResponse(admin_view(await self._do(self.conversations.thread, _id(request))))

    async def _do(self, work: Callable[..., T], *args: Any) -> T:
        return await asyncio.get_running_loop().run_in_executor(self.worker, work, *args)


def _id(request: Request) -> str:
    return str(request.path_params["conversation"])


def _key(request: Request) -> str:
    key = request.headers.get(KEY, "")
    if not (0 < len(key) <= _LONGEST_KEY and key.isascii() and key.isprintable()):
        raise RefusedError(
            400, f"the header {KEY} is missing or cannot be used",
            f"send one of your own for each message, at most {_LONGEST_KEY} characters, and the"
            " same again when you repeat the request",
        )  # fmt: skip
    return f"api:{key}"


async def _body(request: Request, form: type[FormT]) -> FormT:
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise RefusedError(415, "the body is not JSON", "send Content-Type: application/json")
    try:
        return form.model_validate_json(await _bytes(request))
    except ValidationError as error:
        first = error.errors(include_input=False, include_context=False, include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"]) or "body"
        raise RefusedError(
            422, f"{where}: {first['msg']}", "see docs/desk.md, or /v1/openapi.json"
        ) from None  # the cause holds what was sent


async def _bytes(request: Request) -> bytes:
    """The body, as far as it is not too large or too slow."""
    body = bytearray()
    try:
        async with asyncio.timeout(_BODY_S):
            async for chunk in request.stream():
                body += chunk
                if len(body) > LARGEST_BODY:
                    raise RefusedError(413, "the body is too large",
                                       f"send at most {LARGEST_BODY} bytes")  # fmt: skip
    except ClientDisconnect:
        raise RefusedError(400, "the body broke off", "send it again") from None
    except TimeoutError:
        raise RefusedError(408, "the body came too slowly", "send it again") from None
    return bytes(body)


def _wanted(query: Mapping[str, str]) -> Wanted:
    known = {"open", "snoozed", "status", "updated_since", "after", "limit"}
    for name in query:
        if name not in known:
            raise RefusedError(
                422, f"{name[:40]}: no such filter", f"use {', '.join(sorted(known))}"
            )
    truth = {"true": True, "false": False}
    since = query.get("updated_since")
    return Wanted(
        is_open=_choice(query, "open", truth),
        is_snoozed=_choice(query, "snoozed", truth),
        status=query.get("status"),
        updated_since=None if since is None else _moment(since),
        after=_number(query, "after", 0, (0, 10**18)),
        limit=_number(query, "limit", 50, (1, _LONGEST_LIST)),
    )


def _choice(query: Mapping[str, str], name: str, values: Mapping[str, T]) -> T | None:
    given = query.get(name)
    if given is None:
        return None
    if given not in values:
        raise RefusedError(422, f"{name}: cannot be read", f"write {' or '.join(values)}")
    return values[given]


def _number(query: Mapping[str, str], name: str, default: int, bounds: tuple[int, int]) -> int:
    given = query.get(name)
    if given is None:
        return default
    number = int(given) if given.isascii() and given.isdigit() and len(given) <= 19 else -1
    if not bounds[0] <= number <= bounds[1]:
        remedy = f"write a number from {bounds[0]} to {bounds[1]}"
        raise RefusedError(422, f"{name}: cannot be read", remedy)
    return number


def _moment(given: str) -> datetime:
    try:
        moment = datetime.fromisoformat(given)
        return moment.astimezone(UTC) if moment.tzinfo else _no_moment()
    except (ValueError, OverflowError):
        return _no_moment()


def _no_moment() -> NoReturn:
    raise RefusedError(422, "updated_since: cannot be read", "write it as 2026-11-22T15:00:00Z")
