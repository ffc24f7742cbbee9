"""How far a recognizer's confidence can be believed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from appliance.stt.evaluation import Judged


def calibration(judged: Sequence[Judged], surest: float) -> dict[str, Any]:
    """Ten bins, their expected error, and what the threshold does.

    Expected calibration error: mean distance of confidence and share of exact utterances over ten
    bins, by their sizes (Naeini et al. 2015).
    """
    sure = np.array([each.confidence for each in judged])
    exact = np.array([not each.comparison.errors for each in judged])
    place = np.minimum((sure * 10).astype(int), 9)
    bins = [
        {"count": int(here.sum()), "confidence": round(float(sure[here].mean()), 3),
         "exact": round(float(exact[here].mean()), 3)}
        for here in (place == number for number in range(10)) if here.any()
    ]  # fmt: skip
    gaps = [each["count"] * abs(each["confidence"] - each["exact"]) for each in bins]
    acted = sure >= surest
    return {
        "expected_error": round(sum(gaps) / max(1, len(sure)), 4),
        "bins": bins,
        "threshold": surest,
        "acted_on": round(float(acted.mean()), 4),
        "exact_where_acted_on": round(float(exact[acted].mean()), 4) if acted.any() else None,
        "exact_where_not": round(float(exact[~acted].mean()), 4) if (~acted).any() else None,
    }
