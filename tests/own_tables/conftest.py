"""People, and uploads that are read in this process; wake-up messages go to a folder of the test's."""

import json
from typing import Any

import pytest

from importing import isolated_reader, isolated_table_reader
from own_tables import reading_process
from privacy.records import binary_tables_to_csv
from tests.cast import cast, client, db, judging, owner, reading, reviewer, signed_in_as, stranger
from tests.jobs.conftest import broker

__all__ = ["broker", "cast", "client", "db", "judging", "owner", "reading"]
__all__ += ["reviewer", "signed_in_as", "stranger"]


@pytest.fixture(autouse=True)
def read_here(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """All but the tests of the process itself read an upload without one."""
    if request.node.get_closest_marker("server"):
        return

    def answer(data: bytes, _lock: object, _entry: object, configuration: dict[str, Any]) -> Any:
        path = binary_tables_to_csv.load_libraries_and_copy(data)
        said, codes = isolated_table_reader.read_or_faults(
            data, configuration, reading_process.read_table, path
        )
        return json.loads(json.dumps(said)), codes

    monkeypatch.setattr(isolated_reader, "_run_child_process", answer)
