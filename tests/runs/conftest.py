"""The cast, around a survey with two sealed batches of 300; wake-up messages go to a folder of the test's."""

from collections.abc import Callable
from pathlib import Path

import pytest

from accounts.models import Person
from mining.parameters import Parameters
from runs.models import Run
from surveys.models import Survey
from tests.cast import (
    cast,
    client,
    db,
    editor,
    judging,
    owner,
    reading,
    reviewer,
    signed_in_as,
    stranger,
    superuser,
    viewer,
)
from tests.jobs.conftest import broker
from tests.runs import sealed
from tests.runs.sealed import Folder, group_tests_once

__all__ = ["broker", "cast", "client", "db", "editor", "group_tests_once", "judging", "owner", "reading"]
__all__ += ["reviewer", "signed_in_as", "stranger", "superuser", "viewer"]

Ran = Callable[..., Run]


@pytest.fixture
def survey(owner: Person) -> Survey:
    return sealed.survey(owner, sealed.small_design(), [300, 300])


@pytest.fixture
def ran(survey: Survey, owner: Person) -> Ran:
    """A run that a worker has done, over all that is sealed."""

    def run(of: Survey | None = None, **more: object) -> Run:
        wanted = Parameters(**{"min_support": 0.1, "min_confidence": 0.3, "max_size": 2, **more})  # type: ignore[arg-type]
        return sealed.mine_sealed(of or survey, owner, wanted)

    return run


@pytest.fixture
def folder(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Folder:
    monkeypatch.chdir(tmp_path)
    return Folder(tmp_path, capsys)
