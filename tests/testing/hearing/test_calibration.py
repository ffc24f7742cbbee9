from __future__ import annotations

import pytest

from appliance.testing.hearing.calibration import calibration
from tests.testing.hearing.test_meaning import judged


def test_calibration() -> None:
    right, wrong = judged("yes", "yes"), judged("yes", "no")  # confidence 1.0 each
    row = calibration([right, wrong], surest=0.25)
    assert row["expected_error"] == pytest.approx(0.5)
    assert row["exact_where_acted_on"] == 0.5
    assert row["exact_where_not"] is None
