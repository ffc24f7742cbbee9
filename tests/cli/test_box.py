"""The commands on the database of a box, each as an operator types it."""

import json
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import structlog
from typer.testing import CliRunner, Result

from appliance.actions.booking_card import BookingCard
from appliance.actions.wrapup import CallOver
from appliance.cli.main import app
from appliance.store.calendar import Calendar
from appliance.store.calendar_bookings import Bookings
from appliance.store.customers import Customer, Customers
from appliance.store.database import Database
from appliance.store.outbox import Outbox, Standing
from appliance.store.papers import CARD, Papers
from appliance.store.requests import Requests
from appliance.testing.clock import VirtualClock
from tests.actions.servers import serving, web
from tests.store.asking import MONDAY, ask

Type = Callable[..., str]


@pytest.fixture(autouse=True)
def _logging_as_before() -> Iterator[None]:
    yield
    structlog.reset_defaults()


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    (tmp_path / "appliance.toml").write_text('[record]\nstore = "x.sqlite"\n')
    database = Database(tmp_path / "x.sqlite")
    Calendar(database)
    yield database
    database.close()


@pytest.fixture
def run(tmp_path: Path, database: Database) -> Callable[[str], Result]:
    def _run(command: str) -> Result:
        words = [*shlex.split(command), "--config", str(tmp_path / "appliance.toml")]
        return CliRunner().invoke(app, words)

    return _run


@pytest.fixture
def typed(run: Callable[[str], Result]) -> Type:
    """What a command prints; it must succeed."""

    def _typed(command: str, code: int = 0) -> str:
        done = run(command)
        assert done.exit_code == code, (done.output, done.exception)
        return done.output

    return _typed


@pytest.mark.parametrize(
    "command",
    ["calendar show", "calendar set", "calendar close-day", "calendar bookings",
     "calendar cancel", "customers list", "customers import", "requests list", "requests close",
     "outbox list", "outbox show", "outbox deliver", "calls list", "calls card"],
)  # fmt: skip
def test_help_has_an_example(command: str) -> None:
    done = CliRunner().invoke(app, [*command.split(), "--help"], env={"COLUMNS": "200"})
    assert done.exit_code == 0
    assert f"Example: appliance {command}" in done.output


def test_calendar(typed: Type, database: Database) -> None:
    assert "mon  08:00-12:00  120 min  2" in typed("calendar show")
    shown = typed(
        "calendar set --days sat,sun --hours 9:00-11:00 --minutes 60 --capacity 1"
        " --lead-minutes 0 --horizon-days 30"
    )
    assert "sun  09:00-11:00  60 min   1" in shown
    assert "at least 0 minutes and at most 30 days" in shown
    assert "sun" not in typed("calendar set --days sun --hours closed")
    assert len(Calendar(database).hours()) == 11


def test_day_is_closed_and_opened(typed: Type, database: Database) -> None:
    Bookings(database).book(ask(when="2026-11-24 08:00"), lambda: True)
    said = typed("calendar close-day 2026-11-24 --reason 'day off'")
    assert "2026-11-24 is closed: day off" in said
    assert "1 bookings are there already" in said
    assert "c1:4:book_service" in said
    assert "is open again" in typed("calendar close-day 2026-11-24 --open")


def test_bookings_are_listed_and_cancelled(typed: Type, database: Database) -> None:
    Bookings(database).book(ask(), lambda: True)
    shown = typed("calendar bookings --since 2026-11-23 --days 1")
    assert "Mon 2026-11-23 10:00-12:00" in shown
    assert "12 Oak Street 90210" in shown
    assert "cancelled" in typed("calendar cancel c1:4:book_service")
    assert "No bookings." in typed("calendar bookings --since 2026-11-23")


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("calendar set", "give --hours"),
        ("calendar set --capacity 3 --lead-minutes 5", "belong to --hours"),
        ("calendar set --hours 9-12", "'9-12': write 8:00-12:00, or closed"),
        ("calendar set --hours 9:00-25:00", "hour must be in 0..23"),
        ("calendar set --hours 12:00-9:00", "end before they begin"),
        ("calendar set --hours 8:00-12:00,11:00-13:00", "run into each other"),
        ("calendar set --hours 8:00-12:00 --minutes 5", "15 to 720 minutes"),
        ("calendar set --hours 8:00-9:00", "shorter than a window of 120 minutes"),
        ("calendar set --hours 8:00-12:00 --capacity 0", "1 to 100 bookings"),
        ("calendar set --days monday --hours closed", "'monday': write mon, tue"),
        ("calendar set --days fri-mon --hours closed", "ends before it begins"),
        ("calendar set --lead-minutes 99999", "0 to 10080"),
        ("calendar set --horizon-days 0", "1 to 365"),
        ("calendar close-day tomorrow", "'tomorrow' is no day"),
        ("calendar close-day 2026-11-24 --open", "is not closed"),
        ("calendar cancel nothing", "no booking nothing"),
        ("requests close nothing", "no open request nothing"),
        ("outbox show nothing", "no notification nothing"),
        ("calls card nothing", "call nothing has no card"),
    ],
)
def test_mistakes_are_named(run: Callable[[str], Result], command: str, said: str) -> None:
    done = run(command)
    assert done.exit_code == 1
    assert said in str(done.exception)
    assert type(done.exception).__name__ == "ConfigError"


def test_customers_are_imported_and_listed(typed: Type, tmp_path: Path, database: Database) -> None:
    path = tmp_path / "customers.csv"
    path.write_bytes(
        b"\xef\xbb\xbfname,number,zip,address\r\n"
        b'"Lopez, Maria",+1 310 555 0100,90210-1234,12 Oak Street\r\nJoe,2,,\r\n'
    )
    assert "2 customers read" in typed(f"customers import {path}")
    found = Customers(database).find("13105550100")
    assert found == Customer("13105550100", "Lopez, Maria", "12 Oak Street", "90210")
    path = tmp_path / "customers.yaml"
    path.write_text('"+13105550100": {address: 7 Elm Road}\n')
    assert "1 customers read" in typed(f"customers import {path}")
    assert "Lopez, Maria  7 Elm Road  90210" in typed("customers list")


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.csv", "number,name,adress\n1,A,B\n", r"a\.csv:2: 'adress' is not one of number"),
        ("a.csv", "number,zip\n1,2134\n", r"a\.csv:2: zip: must have five digits"),
        ("a.csv", "number,name\nanonymous,A\n", r"a\.csv:2: 'anonymous' is no telephone number"),
        ("a.csv", "number,name\n1,A,extra\n", r"a\.csv:2: 'more' is not one of"),
        ("a.csv", 'number,name\n1,"A\n', r"a\.csv:\d: "),
        ("a.yaml", "- a\n", "must map each number"),
        ("a.yaml", "1: [", "not YAML"),
        ("a.yaml", "'1': {zip: 90210}\n", "1: zip: must be text: put it in quotes"),
        ("a.txt", "", r"give a \.csv or a \.yaml file"),
    ],
)
def test_bad_customers_file(
    run: Callable[[str], Result], tmp_path: Path, name: str, text: str, said: str
) -> None:
    (tmp_path / name).write_text(text)
    done = run(f"customers import {tmp_path / name}")
    assert done.exception is not None
    with pytest.raises(type(done.exception), match=said):
        raise done.exception
    assert type(done.exception).__name__ == "ConfigError"


def test_requests_are_listed_and_closed(typed: Type, database: Database) -> None:
    requests = Requests(database)
    requests.add(ask("c1:7:x", callback_type="billing", reason="a bill"), "callback")
    requests.add(ask("c2:7:y", reason="new furnace"), "lead")
    shown = typed("requests list")
    assert "a bill / the furnace is out" in shown
    assert "lead" in shown
    typed("requests close c1:7:x")
    assert "c1:7:x" not in typed("requests list")
    assert "done 2026" in typed("requests list --all")


def test_outbox_without_a_channel(typed: Type, database: Database) -> None:
    Requests(database).add(ask("c1:7:x", callback_type="billing"), "callback")
    assert "Please call back: billing" in typed("outbox list")
    assert "The outbox is empty." in typed("outbox list --standing waiting")
    shown = typed("outbox show callback:c1:7:x")
    assert "Name: Maria Lopez" in shown
    assert "1 notifications are kept" in typed("outbox deliver")


def test_what_was_kept_is_delivered_once_there_is_a_channel(
    typed: Type, tmp_path: Path, database: Database
) -> None:
    now = MONDAY.replace(year=2025)
    Requests(database).add(ask("c1:7:x", at=now), "callback")
    (tmp_path / "secret").write_text("secret")
    with serving(web, "busy", "ok") as server:
        with (tmp_path / "appliance.toml").open("a") as file:
            file.write(
                f'[notify]\n[notify.webhook]\nurl = "http://127.0.0.1:{server.port}"\n'
                f'secret_file = "secret"\n'
            )
        assert "0 delivered, 0 not" in typed("outbox deliver")
        assert "0 delivered, 1 not" in typed("outbox deliver --again", code=1)
        assert "HTTP 500" in typed("outbox list")
        assert "1 delivered, 0 not" in typed("outbox deliver --again")
    assert len(server.posts) == 2
    assert len(Outbox(database).all(Standing.DELIVERED)) == 1


def test_cards(typed: Type, database: Database) -> None:
    cards = Papers(database, CARD)
    wrap_up = BookingCard(Bookings(database), Requests(database), cards, VirtualClock(MONDAY))
    wrap_up(
        CallOver(
            call="c1", number="+1310", flow="booking", outcome="callback", ended_by="peer",
            started=MONDAY, language="en", turns=3, facts={"problem": "no heat [again]"},
        )
    )  # fmt: skip
    assert "Call back: service (heating)  33 %   c1" in typed("calls list")
    shown = typed("calls card c1")
    assert "It is about: no heat [again]." in shown
    assert "known: 33 % (problem ✓, name -" in shown
    assert json.loads(typed("calls card c1 --json"))["callback"] == "inferred"
