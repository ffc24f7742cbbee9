"""What benchmarks report: percentiles, and the machine that they were measured on."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np


def summarize(values: Sequence[float]) -> dict[str, float | int | None]:
    """Count and percentiles p50, p95, p99 (linear interpolation); None where there is nothing."""
    if not values:
        return {"n": 0, "p50": None, "p95": None, "p99": None}
    p50, p95, p99 = np.percentile(np.array(values), (50, 95, 99))
    return {
        "n": len(values), "p50": round(float(p50), 1), "p95": round(float(p95), 1),
        "p99": round(float(p99), 1),
    }  # fmt: skip


def machine() -> dict[str, Any]:
    """What was measured on; the load average tells whether it had other work."""
    model = platform.processor()
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            model = line.partition(":")[2].strip()
            break
    return {"cpu": model, "cores": os.cpu_count(), "load_1min": round(os.getloadavg()[0], 2)}
