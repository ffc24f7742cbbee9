"""What the doctor says of the edge's certificate, and that its remedy is one."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

from appliance.checkup.finding import Status
from appliance.checkup.running import check_certificate
from appliance.config import parse_config
from appliance.edge.certificate import make_certificate


def test_a_certificate_that_ends_soon_is_told_and_can_be_replaced_as_told(tmp_path: Path) -> None:
    key, certificate = tmp_path / "tls.key", tmp_path / "edge.crt"
    data = {
        "line": {"port": 5070},
        "edge": {
            "enabled": True,
            "address": "127.0.0.1",
            "peers": ["127.0.0.0/8"],
            "tls": {"key": str(key), "certificate": str(certificate)},
        },
    }
    edge = parse_config(data, tmp_path / "a.toml").edge
    make_certificate(edge, days=20)
    now = datetime.now(UTC)
    (soon,) = check_certificate(certificate, now)
    (ended,) = check_certificate(certificate, now + timedelta(days=21))
    assert [soon.status, ended.status] == [Status.WARN, Status.FAIL]
    for each in (soon, ended):  # the command replaces none
        assert each.remedy.startswith("move it and its key away")
    for path in (key, certificate):
        path.rename(path.with_suffix(".old"))
    make_certificate(edge)
    (after,) = check_certificate(certificate, now)
    assert after.status is Status.OK
