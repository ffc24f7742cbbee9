from pathlib import Path

from appliance.actions.host import ActionHost, Ledger
from appliance.actions.tools import Claim, Result
from appliance.actions.wrapup import CallOver, WrapUps
from appliance.config import Config
from appliance.session.toolbox import tools, wrap_ups
from appliance.store.actions import ActionStore
from appliance.store.database import Database
from appliance.store.papers import CARD, Papers
from appliance.store.requests import Requests
from tests.store.asking import MONDAY, ask


def test_booking_tools_are_real(tmp_path: Path) -> None:
    database = Database(tmp_path / "x.sqlite")
    box = tools(database, Config())
    host = ActionHost(ActionStore(database), box)
    assert host.perform(ask("c1:1:lookup_caller"), Claim()) == Result("unknown")
    assert host.perform(ask("c1:4:book_service"), Claim()).outcome == "booked"
    assert host.perform(ask("c1:5:create_callback_request"), Claim()) == Result("done")
    assert host.perform(ask("c1:6:send_sales_lead_alert"), Claim()) == Result("done")
    assert [each.kind for each in Requests(database).all()] == ["callback", "lead"]
    # Those that must not be lost are kept by the host until they are stored.
    assert {name for name, tool in box.items() if isinstance(tool, Ledger)} == {
        "create_callback_request", "send_sales_lead_alert",
    }  # fmt: skip
    database.close()


def test_booking_card_is_real(tmp_path: Path) -> None:
    database = Database(tmp_path / "x.sqlite")
    over = CallOver(
        call="c1", number="+13105550100", flow="booking", outcome="interrupted",
        ended_by="appliance_crash", started=MONDAY, language="en", turns=3,
    )  # fmt: skip
    tools(database, Config())
    WrapUps(wrap_ups(database, Config())).run(["booking_card"], over)
    assert Papers(database, CARD).find("c1")
    assert len(Requests(database).all()) == 1
    database.close()
