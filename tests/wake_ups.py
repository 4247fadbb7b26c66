"""Wake-up messages, for apps whose tests enqueue jobs: their conftest imports `broker`."""

from pathlib import Path

import pytest
from kombu import pools

from config.celery import app


@pytest.fixture(autouse=True)
def broker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of the test's own."""
    folder = tmp_path / "broker"
    monkeypatch.setitem(app.conf.broker_transport_options, "data_folder_in", str(folder))
    pools.reset()
    monkeypatch.setattr(app.amqp, "_producer_pool", None)
    return folder


def messages(broker: Path) -> int:
    """How many lie in the queue."""
    return len(list(broker.glob("*.msg")))
