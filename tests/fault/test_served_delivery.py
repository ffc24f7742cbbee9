"""`appliance serve` delivers what an earlier run has left, and ends though a webhook hangs."""

import time
from pathlib import Path

import pytest

from appliance.cli.chat import example_accounts
from appliance.store.database import Database
from appliance.store.outbox import Outbox, Standing
from appliance.store.requests import Requests
from appliance.testing.served import Served, write_trial_config
from tests.actions.servers import mail, serving, web
from tests.store.asking import PERSONAL, ask


@pytest.mark.slow
def test_what_an_earlier_run_left_is_delivered(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("0123456789abcdef")
    with serving(mail) as mails, serving(web, "hang") as hooks:
        trial = write_trial_config(tmp_path / "box", example_accounts("collections"), {
            "notify.email": {"host": "127.0.0.1", "port": mails.port, "tls": "none",
                             "sender": "box@example.com", "to": ["a@example.com"]},
            "notify.webhook": {"url": f"http://127.0.0.1:{hooks.port}/",
                               "secret_file": str(tmp_path / "secret")},
            "notify": {"deadline_s": 60.0},
        })  # fmt: skip
        database = Database(trial.store)
        requests = Requests(database, ("email", "webhook"))
        requests.add(ask("c1:7:x", at=ask().at.replace(year=2025)), "callback")
        with Served(trial.config) as served:
            deadline = time.monotonic() + 30
            while not (mails.mails and hooks.connections):
                assert time.monotonic() < deadline
                time.sleep(0.05)
            began = time.monotonic()
            assert served.stop() == 0
            assert time.monotonic() - began < 8  # though the webhook has a minute
    standings = {each.channel: each.standing for each in Outbox(database).all()}
    assert standings == {"email": Standing.DELIVERED, "webhook": Standing.WAITING}
    said = str(served.log)
    assert "notification delivered" in said
    for personal in (*PERSONAL.values(), "3105550100"):
        assert personal not in said
    database.close()
