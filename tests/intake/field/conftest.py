import itertools

import pytest

from intake.field_devices.requests import PACE
from surveys.models import Survey
from tests.intake.field import simulated

ASKS = simulated.design()


@pytest.fixture
def opened() -> Survey:
    return simulated.survey(ASKS)


@pytest.fixture(autouse=True)
def _each_lot_is_due(monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = itertools.count(1)
    monkeypatch.setattr(PACE, "_last", 0.0)
    monkeypatch.setattr(PACE, "_clock", lambda: float(next(seconds)) * 10)
