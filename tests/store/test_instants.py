from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from appliance.store.database import Database
from appliance.store.requests import Requests
from tests.store.asking import ask


def test_the_hour_that_comes_twice_stays_in_order(tmp_path: Path) -> None:
    """At the end of summer time 1:30 comes before 1:10."""
    zone = ZoneInfo("America/New_York")
    summer = datetime(2026, 11, 1, 1, 30, tzinfo=zone, fold=0)
    winter = datetime(2026, 11, 1, 1, 10, tzinfo=zone, fold=1)
    requests = Requests(Database(tmp_path / "x.sqlite"))
    requests.add(ask("second:1:x", at=winter), "callback")
    requests.add(ask("first:1:x", at=summer), "callback")
    found = requests.all()
    assert [each.call for each in found] == ["first", "second"]
    assert [each.at.timestamp() for each in found] == [summer.timestamp(), winter.timestamp()]
