"""What the box's processes write to stderr: JSON for the journal, nothing that a caller said."""

import json
import subprocess
import sys
from typing import Any

import pytest

_BEGIN = """
import asyncio, logging, threading, structlog
from appliance.logs import configure_logging, log_crashes
configure_logging()
log_crashes()
log = structlog.get_logger()
secret = "9" + "0210"
"""


def logged(code: str, returncode: int = 0) -> tuple[list[dict[str, Any]], str]:
    """The lines that a process logs; each must be JSON. The secret must be in none of them."""
    done = subprocess.run(
        [sys.executable, "-c", _BEGIN + code], capture_output=True, text=True, check=False
    )
    assert done.returncode == returncode, done.stderr
    assert "90210" not in done.stderr
    return [json.loads(line) for line in done.stderr.splitlines()], done.stderr


def test_an_event_is_a_line_of_json() -> None:
    lines, _ = logged('log.info("call arrived", call="call-1")')
    assert lines[0]["event"] == "call arrived"
    assert (lines[0]["level"], lines[0]["call"]) == ("info", "call-1")


def test_a_bug_is_told_by_its_kind_and_place_without_its_text() -> None:
    code = """
def digits_come(text):
    int(text + "x")
try:
    digits_come(secret)
except ValueError:
    log.exception("digit failed")
"""
    lines, said = logged(code)
    assert lines[0]["event"] == "digit failed"
    assert lines[0]["exception"].endswith("ValueError")
    assert "in digits_come" in said


def test_causes_and_groups_are_told_too() -> None:
    code = """
async def fails():
    try:
        {}[secret]
    except KeyError as error:
        raise RuntimeError(secret) from error
async def main():
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(fails())
try:
    asyncio.run(main())
except ExceptionGroup:
    log.exception("call failed by a bug")
"""
    lines, _ = logged(code)
    told = lines[0]["exception"]
    assert told.index("ExceptionGroup") < told.index("KeyError") < told.index("RuntimeError")


def test_an_error_of_the_system_keeps_its_text() -> None:
    code = """
try:
    open("/nowhere/x")
except OSError:
    log.exception("x")
"""
    assert logged(code)[0][0]["exception"].endswith("FileNotFoundError: No such file or directory")


@pytest.mark.parametrize(
    "code",
    [
        'logging.getLogger("some.library").warning("bad value %s", secret)',
        'logging.getLogger("some.library").error(f"bad value {secret}")',
        """
try:
    raise ValueError(secret)
except ValueError:
    logging.getLogger("some.library").exception(secret)
""",
    ],
)
def test_of_a_library_only_who_and_where_is_told(code: str) -> None:
    lines, _ = logged(code)
    assert lines[0]["event"] == "a library warns"
    assert lines[0]["library"] == "some.library"
    assert lines[0]["at"].startswith("<string>:")


def test_a_task_that_nobody_awaits_fails_without_its_text() -> None:
    code = """
async def fails():
    raise ValueError(secret)
async def main():
    task = asyncio.create_task(fails(), name="call-1")
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    del task
asyncio.run(main())
"""
    lines, _ = logged(code)
    assert lines[0]["library"] == "asyncio"
    assert "ValueError" in lines[0]["exception"]


def test_a_crash_is_logged_once_and_is_a_crash() -> None:
    lines, _ = logged("raise ValueError(secret)", returncode=1)
    assert [line["event"] for line in lines] == ["ended by a bug"]
    assert lines[0]["exception"].endswith("ValueError")


def test_a_thread_that_crashes_is_logged() -> None:
    code = """
def fails():
    raise ValueError(secret)
thread = threading.Thread(target=fails)
thread.start()
thread.join()
"""
    assert [line["event"] for line in logged(code)[0]] == ["ended by a bug"]
