"""The key of the masks: random, kept, and not for others to read."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from typer.testing import CliRunner

from appliance.cli import edge as edge_command
from appliance.edge import render
from appliance.edge.masking import make_mask_key, mask_key
from appliance.errors import ConfigError
from tests.edge.test_edge_render import config_of


def test_the_key_is_random_and_stays(tmp_path: Path) -> None:
    place = tmp_path / "edge" / "mask-key"
    known, is_secret = mask_key(place)
    assert not is_secret
    make_mask_key(place)
    first = mask_key(place)
    assert first[1]
    assert first[0] != known
    assert stat.S_IMODE(place.stat().st_mode) == 0o600
    make_mask_key(place)
    assert mask_key(place) == first
    place.unlink()
    make_mask_key(place)
    assert mask_key(place)[0] != first[0]


def test_a_service_reads_its_copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", str(tmp_path))
    make_mask_key(tmp_path / "edge_mask-key")
    assert mask_key(tmp_path / "edge" / "mask-key")[1]


@pytest.mark.parametrize("content", [b"", b"\xff", b'a"; b', b"0" * 31])
def test_what_is_no_key_is_refused(tmp_path: Path, content: bytes) -> None:
    place = tmp_path / "mask-key"
    place.write_bytes(content)
    with pytest.raises(ConfigError, match="appliance apply"):
        mask_key(place)


def test_the_edge_masks_by_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "mask-key"
    make_mask_key(place)
    monkeypatch.setattr(render, "mask_key", lambda: mask_key(place))
    rendered = render.render_sip(config_of(tmp_path), tmp_path)
    assert f'"mask_key", "{place.read_text().strip()}"' in rendered["kamailio.cfg"]


@pytest.mark.parametrize("there", [False, True])
def test_a_check_warns_of_a_key_that_everybody_can_work_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, there: bool
) -> None:
    place = tmp_path / "mask-key"
    if there:
        make_mask_key(place)
    monkeypatch.setattr(edge_command, "mask_key", lambda: mask_key(place))
    config_of(tmp_path)
    done = CliRunner().invoke(
        edge_command.edge_app, ["check", "--config", str(tmp_path / "appliance.toml")]
    )
    assert done.exit_code == 0, done.output
    assert ("warning: no " in done.output) is not there
