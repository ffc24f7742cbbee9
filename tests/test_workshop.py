"""Where models are made: beside the target, alone, and swept."""

from pathlib import Path

import pytest

from appliance.errors import ConfigError
from appliance.workshop import workshop


def test_where_nothing_can_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with (
        pytest.raises(ConfigError, match=r"file: cannot be written: (Not a directory|File exists)"),
        workshop(tmp_path / "file" / "intent"),
    ):
        pytest.fail("there is no such workshop")


def test_a_workshop_is_beside_the_target_and_gone_afterwards(tmp_path: Path) -> None:
    target = tmp_path / "models" / "intent"
    with workshop(target) as folder:
        assert folder.parent == target.parent
        assert not list(folder.iterdir())
        (folder / "model.bin").write_text("new")
    assert not list(target.parent.iterdir())
    with pytest.raises(KeyboardInterrupt), workshop(target):
        raise KeyboardInterrupt
    assert not list(target.parent.iterdir())


def test_a_disk_that_is_full_while_a_model_is_made(tmp_path: Path) -> None:
    with (
        pytest.raises(ConfigError, match="cannot be made: No space left on device"),
        workshop(tmp_path / "intent"),
    ):
        raise OSError(28, "No space left on device")
    assert list(tmp_path.iterdir()) == []


def test_two_programs_do_not_meet(tmp_path: Path) -> None:
    target = tmp_path / "intent"
    with workshop(target), pytest.raises(ConfigError, match="another model"), workshop(target):
        pass


def test_what_a_killed_program_left_is_swept(tmp_path: Path) -> None:
    left = tmp_path / ".intent.killed"
    left.mkdir()
    (left / "encoder.onnx").write_text("half")
    with workshop(tmp_path / "intent") as folder:
        assert not left.exists()
        assert folder.is_dir()
    assert list(tmp_path.iterdir()) == []
