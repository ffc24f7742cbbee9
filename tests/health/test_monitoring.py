"""The alert rules and the dashboard that ship: they hold, and they speak of metrics that exist."""

import asyncio
import json
import re
import shutil
import subprocess
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import yaml

from appliance.health.calls import STAGES
from appliance.health.exposition import exposition
from appliance.health.health import Health

ROOT = Path(__file__).resolve().parents[2]
MONITORING = ROOT / "monitoring"
PAGE = (ROOT / "docs" / "monitoring.md").read_text("utf-8")
RULES = yaml.safe_load((MONITORING / "appliance.rules.yml").read_text("utf-8"))
ALERTS = [rule for group in RULES["groups"] for rule in group["rules"]]
DASHBOARD: dict[str, Any] = json.loads((MONITORING / "dashboard.json").read_text("utf-8"))
_METRIC = re.compile(r"\bappliance_[a-z_]+")
_LABELLED = re.compile(r"\b(appliance_[a-z_]+)\{([^}]*)\}")
_BY = re.compile(r"\bby \(([a-z_, ]+)\)")


def promtool(*arguments: str) -> None:
    tool = shutil.which("promtool")
    assert tool, "promtool is missing: apt-get install prometheus"
    done = subprocess.run([tool, *arguments], cwd=MONITORING, check=False, text=True,
                          capture_output=True)  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


def series() -> dict[str, set[str]]:
    """Every name that a scrape may hold, with its labels."""
    health = Health()
    tally = health.calls.tally()
    tally("call", 0.0, {"flow": "f"})
    for field, _, _ in STAGES.values():
        tally("turn", 0.0, {"decision_ms": 1.0, field: 1.0})
    tally("action", 0.0, {"name": "n", "outcome": "done"})
    tally("end", 1.0, {"outcome": "o", "by": "peer"})
    box = health.box
    for gauge in (box.load, box.disk_free, box.disk_size, box.outbox):
        gauge.labels("x")
    box.model.labels("recognizer", "en", "en")
    found: dict[str, set[str]] = {}
    text = asyncio.run(exposition(health.registry)).decode()
    for line in text.splitlines():
        if not line.startswith("#"):
            name, _, rest = line.partition("{")
            labels = set(re.findall(r'([a-z_]+)="', rest)) if rest else set()
            found.setdefault(name.split()[0], set()).update(labels)
    return found


SERIES = series()
FROM_PROMETHEUS = {"instance", "job", "alertname", "alertstate"}


def expressions() -> list[str]:
    """Every query of the rules and of the dashboard."""
    targets = [each for panel in DASHBOARD["panels"] for each in panel.get("targets", ())]
    return [rule["expr"] for rule in ALERTS] + [each["expr"] for each in targets]


def test_rules_are_rules_and_fire_when_they_should() -> None:
    promtool("check", "rules", "appliance.rules.yml")
    promtool("test", "rules", "appliance.rules.test.yml")
    promtool("check", "config", "prometheus.yml")


@pytest.mark.parametrize("expression", expressions())
def test_every_metric_of_rules_and_dashboard_exists_with_its_labels(expression: str) -> None:
    names = _METRIC.findall(expression)
    assert names or "up{" in expression
    assert set(names) <= SERIES.keys()
    for name, given in _LABELLED.findall(expression):
        used = set(re.findall(r"([a-z_]+)\s*[=!]~?", given)) - FROM_PROMETHEUS
        assert used <= SERIES[name], expression
    grouped = {each.strip() for by in _BY.findall(expression) for each in by.split(",")}
    assert grouped - FROM_PROMETHEUS <= set().union(*(SERIES[name] for name in names), set())


def test_every_panel_has_a_query_and_its_own_place() -> None:
    panels = [panel for panel in DASHBOARD["panels"] if panel["type"] != "row"]
    assert len({panel["id"] for panel in DASHBOARD["panels"]}) == len(DASHBOARD["panels"])
    taken: set[tuple[int, int]] = set()
    for panel in panels:
        assert panel["targets"], panel["title"]
        at = panel["gridPos"]
        cells = set(product(range(at["x"], at["x"] + at["w"]), range(at["y"], at["y"] + at["h"])))
        assert not cells & taken, panel["title"]
        assert at["x"] + at["w"] <= 24
        taken |= cells


def test_queries_of_the_dashboard_are_promql(tmp_path: Path) -> None:
    """Grafana's variables apart, Prometheus parses every one of them."""
    plain = [
        each.replace("$__rate_interval", "5m").replace("$instance", ".*") for each in expressions()
    ]
    rules = [{"record": f"query:{number}", "expr": each} for number, each in enumerate(plain)]
    path = tmp_path / "queries.yml"
    path.write_text(yaml.safe_dump({"groups": [{"name": "all", "rules": rules}]}))
    promtool("check", "rules", "--lint=none", str(path))


def test_every_alert_is_tried_explained_and_says_what_to_do() -> None:
    tried = (MONITORING / "appliance.rules.test.yml").read_text("utf-8")
    for rule in ALERTS:
        name = rule["alert"]
        assert f'alertname="{name}"' in tried, name
        assert f"`{name}`" in PAGE, name
        assert rule["labels"]["severity"] in ("page", "ticket"), name
        assert rule["annotations"].keys() == {"summary", "remedy"}, name


def test_every_metric_is_explained() -> None:
    health = Health()
    families = [family.name for family in health.registry.collect()]
    assert len(families) > 40
    for name in families:
        known = name.removeprefix("appliance_")
        assert known.startswith("process_") or f"`{known}`" in PAGE, name
