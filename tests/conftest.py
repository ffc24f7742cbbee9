import logging
from collections.abc import Iterator

import pytest
import structlog

from appliance.logs import Libraries


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """Tests marked `anyio` run on asyncio, as the appliance does."""
    return "asyncio"


@pytest.fixture(autouse=True)
def _own_logging() -> Iterator[None]:
    """A command that a test runs sets logging up for its own output, which is closed after it."""
    yield
    structlog.reset_defaults()
    root = logging.getLogger()
    for handler in [each for each in root.handlers if isinstance(each, Libraries)]:
        root.removeHandler(handler)
