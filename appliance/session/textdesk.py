"""The agent that answers text messages, beside the calls.

TextMessages.waiting ── every poll_s ──> one task a conversation ──> TextMessages.answer
       ^                                     │ desk or store down: later, longer and longer
       └─────────────────────────────────────┴─ a bug: handed to people, the others go on
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass

import structlog

from appliance.errors import ApplianceError, SourceError, StoreError
from appliance.session.services import workers
from appliance.session.textmessage import TextMessages

AT_ONCE = 4
"""Conversations that are answered at the same time."""

_LONGEST_PAUSE_S = 60.0
_log = structlog.get_logger()


@dataclass
class _Pause:
    """How long something is left alone after failures in a row."""

    failures: int = 0
    until: float = 0.0

    def failed(self, now: float, first_s: float) -> float:
        """One more; returns the pause in seconds."""
        pause_s = min(first_s * float(1 << min(self.failures, 16)), _LONGEST_PAUSE_S)
        self.failures, self.until = self.failures + 1, now + pause_s
        return pause_s


class TextDesk:
    """Answers until it is cancelled; what is under way then is brought to its end."""

    def __init__(self, messages: TextMessages, poll_s: float) -> None:
        self._messages, self._poll_s = messages, poll_s
        self._pauses: dict[str, _Pause] = {}
        self._busy: set[str] = set()

    async def run(self) -> None:
        """Look for messages and answer them."""
        looking, answering = workers("desk", 1), workers("text", AT_ONCE)
        tasks: set[asyncio.Task[None]] = set()
        try:
            while True:
                for conversation, message in await self._look(looking):
                    self._busy.add(conversation)
                    task = asyncio.create_task(self._guarded(answering, conversation, message))
                    tasks.add(task)
                    task.add_done_callback(tasks.discard)
                await asyncio.sleep(self._poll_s)
        finally:
            answering.shutdown(wait=False, cancel_futures=True)  # what has not begun is not lost
            await asyncio.gather(*tasks, return_exceptions=True)
            for each in (looking, answering):  # calls go on while a helpdesk is waited for
                await asyncio.to_thread(each.shutdown)

    async def _look(self, thread: Executor) -> list[tuple[str, str]]:
        """What can be done now; waits as long as the desk cannot be used."""
        loop, pause = asyncio.get_running_loop(), _Pause()
        while True:
            try:
                found = await loop.run_in_executor(thread, self._messages.waiting)
            except ApplianceError as error:
                pause_s = pause.failed(loop.time(), self._poll_s)
                _log.warning("helpdesk not usable", why=str(error), retry_in_s=pause_s)
            except Exception:  # noqa: BLE001 - boundary: the box and its calls go on
                pause_s = pause.failed(loop.time(), self._poll_s)
                _log.exception("helpdesk not read because of a bug")
            else:
                return [each for each in found if self._is_free(each[0], loop.time())]
            await asyncio.sleep(pause_s)

    def _is_free(self, conversation: str, now: float) -> bool:
        pause = self._pauses.get(conversation)
        return conversation not in self._busy and (pause is None or pause.until <= now)

    async def _guarded(self, threads: Executor, conversation: str, message: str) -> None:
        """The boundary of a conversation: what goes wrong in it touches no other."""
        loop = asyncio.get_running_loop()
        log = _log.bind(conversation=conversation, message=message)

        def work(step: Callable[[str, str], None]) -> asyncio.Future[None]:
            return loop.run_in_executor(threads, step, conversation, message)

        try:
            try:
                await work(self._messages.answer)
            except (StoreError, SourceError):
                raise
            except ApplianceError as error:
                log.error("text message cannot be answered", why=str(error))  # noqa: TRY400
                await work(self._messages.give_up)
            except Exception:
                log.exception("text message failed by a bug")
                await work(self._messages.give_up)
            self._pauses.pop(conversation, None)
        except ApplianceError as error:
            pause = self._pauses.setdefault(conversation, _Pause())
            pause_s = pause.failed(loop.time(), self._poll_s)
            log.warning("text message waits", why=str(error), retry_in_s=pause_s)
        except Exception:
            self._pauses.setdefault(conversation, _Pause()).failed(loop.time(), self._poll_s)
            log.exception("text message not handed over because of a bug")
        finally:
            self._busy.discard(conversation)
