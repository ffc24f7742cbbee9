"""The shipped recognizers are whole: sealed, loadable, silent in noise, each of its language."""

from pathlib import Path
from typing import get_args

import pytest

from appliance.stt.catalogue import MODELS, is_model, read_model
from appliance.stt.inspection import inspect
from appliance.types import Language

ROOT = Path(__file__).resolve().parents[2]
SHIPPED = sorted(folder for folder in (ROOT / MODELS).iterdir() if is_model(folder))


def test_there_is_one_for_each_language() -> None:
    assert {folder.name for folder in SHIPPED} == set(get_args(Language))


@pytest.mark.parametrize("folder", SHIPPED, ids=lambda folder: folder.name)
def test_it_is_as_it_was_sealed(folder: Path) -> None:
    """Whoever changes a file writes the sums anew: appliance models check NAME --write-sums."""
    model = read_model(folder)
    assert model.sums.intact, model.sums
    assert model.sums.unlisted == ()
    assert model.languages == (folder.name,)
    assert model.phone_head


@pytest.mark.parametrize("folder", SHIPPED, ids=lambda folder: folder.name)
def test_it_loads_and_keeps_silent_in_noise(folder: Path) -> None:
    found = inspect(folder)
    assert (found.faults, found.notes) == ((), ())
