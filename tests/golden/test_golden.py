"""`./run golden` makes the golden files again: it runs this file with GOLDEN=write."""

import json
import os

import pytest
from jsonschema import Draft202012Validator

from mining.document.report import as_json, from_json
from tests import servers
from tests.golden import batches, designs, golden_files, releases, reports
from tests.wake_ups import broker

__all__ = ["broker"]
pytestmark = pytest.mark.proof
SCHEMA = json.loads((servers.ROOT / "mining/document/candor-report-1.schema.json").read_text())


def test_the_product_makes_the_golden_files(db: None, broker: None) -> None:
    parts = (designs, batches, reports, releases)
    files = {name: data for part in parts for name, data in part.files().items()}
    for publication in (
        json.loads(data) for name, data in files.items() if name.endswith("/publication.json")
    ):
        published = {**publication["content"], "rules": publication["rules"]}
        Draft202012Validator(SCHEMA).validate(published)
        assert json.dumps(as_json(from_json(published))) == json.dumps(published)
    made = golden_files.joined(files)
    found = [*golden_files.differences(made)]
    if os.environ.get("GOLDEN") == "write":
        golden_files.store(made)
    assert not found, "\n\n".join(found)
