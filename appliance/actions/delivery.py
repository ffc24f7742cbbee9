"""Takes notifications out of the outbox and through a channel, until each has arrived.

    Outbox.lease ──> Channel.deliver ──┬─ arrived ──> delivered
                                       ├─ failed ───> put off: 10 s, 20 s, 40 s … an hour
                                       └─ too old, and tried often ──> given up (can be revived)

One delivery for each channel, so a slow webhook keeps no e-mail waiting; and none of this on the
thread that calls use. At least once: see `store.outbox`.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, Generic, Protocol, TypeVar

import structlog

from appliance.actions.notices import Notice
from appliance.actions.wire import Cutoff
from appliance.clock import Clock
from appliance.config import NotifyConfig
from appliance.errors import PeerError, StoreError

_LEAST_ATTEMPTS = 5
"""Before a notice is given up: one that is old by a clock that was set forward has had none yet."""
_LEASE_MARGIN_S = 30.0  # beyond the deadline: name look-up, and marking what has arrived
_log = structlog.get_logger()


class Parcel(Protocol):
    """A notice that is on its way: `store.outbox.Parcel`."""

    @property
    def notice(self) -> Notice:
        """What is told."""
        ...

    @property
    def attempts(self) -> int:
        """How many there were, this one included."""
        ...


ParcelT = TypeVar("ParcelT", bound=Parcel)


class Mailbox(Protocol[ParcelT]):
    """`store.outbox.Outbox`; every method may raise StoreError."""

    def lease(
        self, channel: str, now: datetime, seconds: float, longest_s: float
    ) -> ParcelT | None:
        """The next one that is due; none is ever put off for longer than that."""
        ...

    def delivered(self, parcel: ParcelT, now: datetime) -> None:
        """It has arrived."""
        ...

    def put_off(self, parcel: ParcelT, until: datetime, why: str) -> None:
        """It has not."""
        ...

    def given_up(self, parcel: ParcelT, now: datetime, why: str) -> None:
        """It never will."""
        ...


class Channel(Protocol):
    """A way to the operator."""

    @property
    def name(self) -> str:
        """As the outbox calls it."""
        ...

    def deliver(self, notice: Notice, cutoff: Cutoff) -> None:
        """Deliver one notice, by the cutoff. Raises PeerError: it may not have arrived."""
        ...


class Delivery(Generic[ParcelT]):
    """One channel's deliveries; used from one thread, but for `stop`."""

    def __init__(
        self, outbox: Mailbox[ParcelT], channel: Channel, config: NotifyConfig, clock: Clock
    ) -> None:
        self._outbox = outbox
        self._channel, self._config, self._clock = channel, config, clock
        self._arrived: set[str] = set()
        self._cutoff: Cutoff | None = None
        self._stopped = False
        self.name = channel.name

    def deliver_next(self) -> bool:
        """Deliver the next notice that is due; False if there is none.

        Raises:
            StoreError: the outbox cannot be read or written; what has arrived is remembered.
        """
        if self._stopped:
            return False
        lease_s = self._config.deadline_s + _LEASE_MARGIN_S
        longest_s = self._config.retry_max_s
        parcel = self._outbox.lease(self.name, self._clock.now(), lease_s, longest_s)
        if parcel is None:
            return False
        key = parcel.notice.key
        if key not in self._arrived:  # it has, and only could not be marked
            try:
                self._deliver(parcel.notice)
            except PeerError as error:
                if self._stopped:  # not the server's fault: it counts for nothing
                    self._outbox.put_off(parcel, self._clock.now(), "broken off")
                    return False
                self._put_off(parcel, str(error))
                return True
            self._arrived.add(key)
        self._outbox.delivered(parcel, self._clock.now())
        self._arrived.discard(key)
        _log.info("notification delivered", key=key, channel=self.name, attempts=parcel.attempts)
        return True

    def stop(self) -> None:
        """Begin no other, and break off the one that is under way. From any thread."""
        self._stopped = True
        cutoff = self._cutoff
        if cutoff is not None:
            cutoff.cut()

    def _deliver(self, notice: Notice) -> None:
        with Cutoff(self._config.deadline_s) as cutoff:
            self._cutoff = cutoff
            if self._stopped:  # just before it was there to be cut
                cutoff.cut()
            try:
                self._channel.deliver(notice, cutoff)
            finally:
                self._cutoff = None

    def _put_off(self, parcel: ParcelT, why: str) -> None:
        now, notice = self._clock.now(), parcel.notice
        is_old = now - notice.at >= timedelta(hours=self._config.give_up_h)
        if is_old and parcel.attempts >= _LEAST_ATTEMPTS:
            self._outbox.given_up(parcel, now, why)
            _log.error("notification given up", key=notice.key, channel=self.name, why=why)
            return
        delay_s = retry_after_s(self._config, parcel.attempts)
        self._outbox.put_off(parcel, now + timedelta(seconds=delay_s), why)
        _log.warning("notification not delivered", key=notice.key, channel=self.name, why=why,
                     retry_in_s=delay_s)  # fmt: skip


def retry_after_s(config: NotifyConfig, attempts: int) -> int:
    """How long to wait after so many attempts (1 or more): doubling, up to a limit."""
    return min(config.retry_s << min(attempts - 1, 30), config.retry_max_s)


def attempt(delivery: Delivery[Any]) -> bool:
    """The boundary of a delivery: whatever goes wrong in it, the others go on.

    Returns:
        Whether there may be more to deliver at once.
    """
    log = _log.bind(channel=delivery.name)
    try:
        return delivery.deliver_next()
    except StoreError as error:
        log.warning("outbox not usable; will retry", why=str(error))
    except Exception:
        log.exception("delivery failed by a bug")
    return False
