"""`./run golden` makes the golden files again: it runs this file with GOLDEN=write."""

import os

import pytest

from tests.golden import batches, designs, golden_files, releases, reports
from tests.wake_ups import broker

__all__ = ["broker"]
pytestmark = pytest.mark.proof


def test_the_product_makes_the_golden_files(db: None, broker: None) -> None:
    parts = (designs, batches, reports, releases)
    made = golden_files.joined({name: data for part in parts for name, data in part.files().items()})
    found = [*golden_files.differences(made)]
    if os.environ.get("GOLDEN") == "write":
        golden_files.store(made)
    assert not found, "\n\n".join(found)
