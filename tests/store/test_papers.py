from datetime import timedelta
from pathlib import Path

from appliance.store.database import Database
from appliance.store.papers import CARD, Papers
from tests.store.asking import MONDAY


def test_last_card_of_a_call_counts_and_the_latest_come_first(tmp_path: Path) -> None:
    cards = Papers(Database(tmp_path / "x.sqlite"), CARD)
    for hours, call in enumerate(("a", "b", "c")):
        cards.put(call, MONDAY + timedelta(hours=hours), {"headline": f"first {call}"})
    cards.put("a", MONDAY, {"headline": "again"})
    assert cards.find("a") == {"headline": "again"}
    assert cards.find("x") is None
    assert [call for call, _, _ in cards.latest(2)] == ["c", "b"]
