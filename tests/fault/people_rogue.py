"""The sample people as a program that misbehaves as a file says; the file may change at any time.

    people_rogue.py company.json tricks.json [tool …]     MCP on stdin and stdout; starts in 50 ms

company.json  by tool: its schemas, its answers by their arguments, and the one for all others
tricks.json   by tool, or `start`: what it does in place of its answer
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

HUGE = "x" * 600_000


def main() -> None:
    company = json.loads(Path(sys.argv[1]).read_text())
    tricks = Path(sys.argv[2])
    tools = sys.argv[3:] or list(company)
    with tricks.with_suffix(".pids").open("a") as file:
        file.write(f"{os.getpid()}\n")
    match json.loads(tricks.read_text()).get("start"):
        case "die":
            sys.exit(1)
        case "silent":
            time.sleep(3600)
    for line in sys.stdin.buffer:
        message = json.loads(line)
        if "id" not in message or "method" not in message:
            continue
        head = {"jsonrpc": "2.0", "id": message["id"]}
        match message["method"]:
            case "initialize":
                about = {"name": "people", "version": "1"}
                version = message["params"]["protocolVersion"]
                result = {"protocolVersion": version, "capabilities": {"tools": {}},
                          "serverInfo": about}  # fmt: skip
                say(head | {"result": result})
            case "tools/list":
                say(head | {"result": {"tools": [listed(each, company[each]) for each in tools]}})
            case "tools/call":
                name, args = message["params"]["name"], message["params"].get("arguments") or {}
                trick = json.loads(tricks.read_text()).get(name, "ok")
                call(head, company[name], args, trick)
            case _:
                say(head | {"error": {"code": -32601, "message": "unknown"}})


def listed(name: str, tool: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, "inputSchema": tool["takes"], "outputSchema": tool["gives"]}


def call(head: dict[str, Any], tool: dict[str, Any], args: dict[str, Any], trick: Any) -> None:
    """Answer, or play the trick: a name, `{"data": …}`, or `{"late": seconds}`."""
    known = tool["answers"].get(json.dumps(args, sort_keys=True), tool["else"])
    if isinstance(trick, dict) and "late" in trick:
        time.sleep(trick["late"])
    elif isinstance(trick, dict):
        known = trick["data"]
    match trick:
        case "die":
            os.kill(os.getpid(), signal.SIGKILL)
        case "hang":
            return
        case "garbage":
            sys.stdout.buffer.write(b'{"jsonrpc": "2.0", "result": {Maria Lopez 90210\n')
            sys.stdout.buffer.flush()
            return
        case "huge":
            known = {"text": HUGE}
        case "lie":
            known = {"Maria Lopez": "90210"}
        case "refuse":
            say(head | {"error": {"code": -32000, "message": "Maria Lopez 90210"}})
            return
    if trick == "error" or known is None:
        said = [{"type": "text", "text": "no such person: Maria Lopez 90210"}]
        say(head | {"result": {"content": said, "isError": True}})
    else:
        say(head | {"result": {"content": [], "structuredContent": known}})


def say(message: dict[str, Any]) -> None:
    sys.stdout.buffer.write(json.dumps(message).encode() + b"\n")
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
