"""The fixed cast around one survey, 30 people of every age and town; wake-up messages go to a folder of the test's."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from accounts.models import Person
from importing import isolated_reader, isolated_table_reader
from privacy.anonymity.tables.specification import Specification
from privacy.records import binary_tables_to_csv
from releases import table_reader_main
from releases.models import Release
from surveys.models import Survey
from tests.cast import (
    cast,
    client,
    db,
    editor,
    judging,
    owner,
    partial,
    reading,
    reviewer,
    signed_in_as,
    stranger,
    superuser,
    viewer,
)
from tests.jobs.conftest import broker
from tests.releases import made, surveyed

__all__ = ["broker", "cast", "client", "db", "editor", "judging", "owner", "partial", "reading"]
__all__ += ["read_here", "reviewer", "signed_in_as", "stranger", "superuser", "viewer"]


@pytest.fixture
def read_here(monkeypatch: pytest.MonkeyPatch) -> None:
    def answer(data: bytes, _place: object, _entry: object, configuration: dict[str, Any]) -> Any:
        path = binary_tables_to_csv.load_libraries_and_copy(data)
        said, text = isolated_table_reader.read_or_faults(
            data, configuration, table_reader_main.profile_table, path
        )
        return json.loads(json.dumps(said)), text

    monkeypatch.setattr(isolated_reader, "_run_child_process", answer)


@pytest.fixture(autouse=True)
def asked(request: pytest.FixtureRequest) -> Iterator[list[Specification]]:
    """What pycanon was asked of: every file that is published, but by quick tests, which publish none."""
    if not request.node.get_closest_marker("page"):
        yield []
        return
    from tests.privacy.anonymity import brute  # late for cost

    with brute.asked_of_every_file() as found:
        yield found


@pytest.fixture
def survey(owner: Person) -> Survey:
    return surveyed.survey(owner, surveyed.everybody(40))


@pytest.fixture
def upload(owner: Person) -> Release:
    """A draft of an upload of the owner."""
    return made.uploaded(owner)
