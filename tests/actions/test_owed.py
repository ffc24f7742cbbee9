from functools import partial

import pytest

from appliance.actions.owed import Owed
from appliance.errors import SourceError, StoreError


def test_it_is_written_once_in_order_and_each_call_pays_its_own() -> None:
    owed, written = Owed(), list[str]()
    for call, text in (("c1", "a"), ("c2", "b"), ("c1", "c")):
        owed.owe(call, partial(written.append, text))
    owed.pay("c1")
    owed.pay("c1")
    assert written == ["a", "c"]
    owed.pay("c2")
    assert written == ["a", "c", "b"]


def test_what_is_refused_again_is_still_owed() -> None:
    owed, written, locked = Owed(), list[str](), [True]

    def refused() -> None:
        if locked[0]:
            raise StoreError("store: locked")
        written.append("b")

    owed.owe("c1", partial(written.append, "a"))
    owed.owe("c1", refused)
    owed.owe("c1", partial(written.append, "c"))
    with pytest.raises(StoreError):
        owed.pay("c1")
    assert written == ["a"]
    locked[0] = False
    owed.pay("c1")
    assert written == ["a", "b", "c"]


def test_what_comes_after_the_end_is_written_at_once() -> None:
    owed, written = Owed(), []
    owed.pay("c1")
    owed.owe("c1", lambda: written.append(1))
    assert written == [1]

    def refused() -> None:
        raise SourceError("helpdesk: timed out")

    owed.owe("c1", refused)  # reported, and kept by nobody
    owed.owe("c2", lambda: written.append(2))
    assert written == [1]
