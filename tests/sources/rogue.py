"""An MCP server without the MCP package, which misbehaves as its tools are named.

    python rogue.py [--trick]      on stdin and stdout; starts in some 50 ms
    Answers(…).of(message)         for a test's own HTTP server

It runs by itself, so that what is tested is a process or a socket and no fake.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

TEXT = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
SECONDS = {"type": "object", "properties": {"s": {"type": "number"}, "text": {"type": "string"}}}
ANY = {"type": "object"}
STATUS = {
    "type": "object",
    "properties": {"status": {"enum": ["good"]}, "on": {"type": "string", "format": "date"}},
    "required": ["status"],
    "additionalProperties": False,
}
TOOLS: dict[str, tuple[dict[str, Any], dict[str, Any] | None]] = {
    "echo": (TEXT, TEXT),
    "slow": (SECONDS, TEXT),
    "hang": (ANY, TEXT),
    "die": (ANY, TEXT),
    "die_once": (ANY, TEXT),
    "lie": (ANY, STATUS),
    "lie_softly": (ANY, STATUS),
    "no_date": (ANY, STATUS),
    "garbage": (ANY, TEXT),
    "mojibake": (ANY, TEXT),
    "noise": (ANY, TEXT),
    "noise_only": (ANY, TEXT),
    "huge": (ANY, None),
    "endless": (ANY, None),
    "plain_text": (ANY, None),
    "json_text": (ANY, STATUS),
    "nothing": (ANY, None),
    "nan": (ANY, None),
    "surrogate": (ANY, None),
    "deep": (ANY, None),
    "fails": (ANY, STATUS),
    "refuses": (ANY, TEXT),
    "shapeless": (ANY, TEXT),
    "wrong_id": (ANY, TEXT),
    "twice": (ANY, TEXT),
    "drip": (ANY, TEXT),
    "flood": (ANY, None),
    "count": (ANY, None),
    "environment": (ANY, None),
    "shifting": (ANY, STATUS),
    "bad_schema": (ANY, {"type": "object", "properties": {"text": {"type": "nonsense"}}}),
    "outside": (ANY, {"type": "object", "$ref": "https://example.com/schema.json"}),
}


def listed(name: str) -> dict[str, Any]:
    takes, gives = TOOLS[name]
    if name == "shifting" and Path(os.environ.get("MARK", "/none")).exists():
        gives = ANY
    tool: dict[str, Any] = {"name": name, "description": f"{name} it", "inputSchema": takes}
    return tool | ({} if gives is None else {"outputSchema": gives})


def result(value: Any) -> dict[str, Any]:
    return {"content": [], "structuredContent": value}


def text_of(value: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": value}]}


def gives(name: str, args: dict[str, Any]) -> dict[str, Any] | None:
    """What the well-formed ones answer; None where the transport must misbehave."""
    answers: dict[str, Any] = {
        "echo": result({"text": args.get("text")}),
        "slow": result({"text": args.get("text", "at last")}),
        "die_once": result({"text": "alive"}),
        "drip": result({"text": "drop by drop"}),
        "lie": result({"status": "secret 90210"}),
        "lie_softly": result({"status": "good", "secret 90210": 1}),
        "no_date": result({"status": "good", "on": "soon"}),
        "noise": result({"text": "heard"}),
        "twice": result({"text": "first"}),
        "huge": result({"text": "x" * 600_000}),
        "plain_text": text_of("Maria is fine"),
        "json_text": text_of('{"status": "good"}'),
        "nothing": {"content": []},
        "nan": text_of('{"n": NaN}'),
        "surrogate": text_of('{"text": "\\ud800"}'),
        "deep": text_of("[" * 100_000),
        "fails": {**text_of("no such person: Maria Lopez"), "isError": True},
        "shapeless": {"content": "secret 90210"},
        "outside": result({}),
        "shifting": result({"status": "better"}),
        "environment": result(dict(os.environ)),
    }
    return answers.get(name)


def reply(message: dict[str, Any], tools: list[str]) -> dict[str, Any] | None:
    """The answer to a message, as far as it is a plain one; None for a notification."""
    method, number = message["method"], message.get("id")
    if number is None:
        return None
    head = {"jsonrpc": "2.0", "id": number}
    if method == "initialize":
        version = message["params"]["protocolVersion"]
        about = {"name": "rogue", "version": "1"}
        return head | {"result": {"protocolVersion": version, "capabilities": {"tools": {}},
                                  "serverInfo": about}}  # fmt: skip
    if method == "tools/list":
        return head | {"result": {"tools": [listed(each) for each in tools]}}
    if method == "tools/call":
        given = gives(message["params"]["name"], message["params"].get("arguments") or {})
        if given is not None:
            return head | {"result": given}
    return head | {"error": {"code": -32601, "message": "unknown method: secret 90210"}}


def main() -> None:  # noqa: C901 - one branch for each trick
    tricks = set(sys.argv[1:])
    own = [each[len("--tool=") :] for each in tricks if each.startswith("--tool=")]
    if "--stubborn" in tricks:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if "--silent" in tricks:
        time.sleep(3600)
    if "--child" in tricks and os.fork() == 0:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        time.sleep(3600)
    pids = os.environ.get("PIDS")
    if pids:
        with Path(pids).open("a") as file:
            file.write(f"{os.getpid()}\n")
    if "--chatty" in tricks:
        print("Starting up! {'debug': 1}", flush=True)
        print("x" * 200_000, file=sys.stderr, flush=True)
    calls = 0
    for line in sys.stdin.buffer:
        message = json.loads(line)
        name = message.get("params", {}).get("name", "") if "method" in message else ""
        if "--old" in tricks and message.get("method") == "server/discover":
            continue
        if message.get("method") == "tools/call":
            calls += 1
            _misbehave(name, message, calls)
        if "method" in message and name not in {"hang", "noise_only", "wrong_id", "garbage",
                                                "mojibake", "endless"}:  # fmt: skip
            answer = reply(message, own or list(TOOLS))
            if answer is not None:
                _say(json.dumps(answer).encode())
    if "--stubborn" in tricks:
        time.sleep(3600)


def _misbehave(  # noqa: C901 - one case for each trick
    name: str, message: dict[str, Any], calls: int
) -> None:
    number = message["id"]
    match name:
        case "slow":
            time.sleep(message["params"]["arguments"]["s"])
        case "die":
            os.kill(os.getpid(), signal.SIGKILL)
        case "die_once":
            mark = Path(os.environ["MARK"])
            if not mark.exists():
                mark.touch()
                os.kill(os.getpid(), signal.SIGKILL)
        case "garbage":
            _say(b'{"jsonrpc": "2.0", "id": %d, "result": {secret 90210' % number)
        case "mojibake":
            _say(b'{"jsonrpc": "2.0", "id": %d, "result": {"text": "\xff\xfe"}}' % number)
        case "noise" | "noise_only":
            _say(b"DEBUG: called by Maria Lopez \xff")
        case "wrong_id":
            _say(json.dumps(reply({**message, "id": number + 1000}, [])).encode())
        case "twice":
            late = {"jsonrpc": "2.0", "id": number - 1, "result": result({"text": "late"})}
            _say(json.dumps(late).encode())
        case "drip":
            whole = json.dumps(reply(message, [])).encode()
            for each in whole[:200]:
                sys.stdout.buffer.write(bytes([each]))
                sys.stdout.buffer.flush()
                time.sleep(0.001)
            _say(whole[200:])
        case "endless":
            while True:
                _say(b"x" * 65536, end=b"")
        case "flood":
            while True:
                _say(b"DEBUG: Maria Lopez")
        case "count":
            _say(
                json.dumps(
                    {"jsonrpc": "2.0", "id": number, "result": result({"calls": calls})}
                ).encode()
            )


def _say(line: bytes, end: bytes = b"\n") -> None:
    sys.stdout.buffer.write(line + end)
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
