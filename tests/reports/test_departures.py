"""Published tables among what left of a survey, and releases that keep a table from being published."""

import numpy as np
import pytest

from intake.recordfiles.canonical import packed
from people.models import Person
from reports import departures as tables, publishing
from reports.models import Publication, Review
from runs.models import Run
from surveys import departures
from surveys.departures import Departure
from surveys.models import Survey
from surveys.refused import Refused
from tests.releases import surveyed
from tests.surveys.conftest import NOW

pytestmark = pytest.mark.page


def test_a_publication_leaves_with_each_question_that_divides_it(published: Review, survey: Survey) -> None:
    found = [one for one in departures.departures(survey) if one.key.startswith("report")]
    assert [(one.what, one.exact, one.through, one.by_record) for one in found] == [
        ("a published table by age", ("age",), published.run.through, False)
    ]


def test_numbers_in_classes_divide_a_publication_too() -> None:
    content: dict[str, object] = {
        "groups": [],
        "numbers": [{"groups": [{"question": "town"}]}, {"groups": []}],
    }
    assert divided(content) == {"town"}


def divided(content: dict[str, object]) -> set[str]:
    return tables.divided_by(Publication(content=content))


@pytest.fixture
def crossed(owner: Person, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Thirty of every age, of whom a release that left tells the town; five of the young live in Aa."""
    rows = surveyed.people((0, 0, 5), (0, 1, 25), (1, 0, 30), (2, 0, 30))
    survey = surveyed.survey(owner, rows)
    # The canonical order is that of age, then town.
    classes = packed(np.array([0] * 5 + [1] * 25 + [0] * 60))
    release = Departure("release 1", "Release 1", NOW, 1, classes=classes)
    monkeypatch.setattr(departures, "_registered", {"releases": lambda of: [release]})
    return Run(survey=survey, through=1, design=survey.design_id or "", created=NOW)


def test_a_table_by_a_question_is_refused_where_it_shows_fewer_than_ten_beside_a_release(
    crossed: Run,
) -> None:
    with pytest.raises(Refused, match="a table by age would show groups of fewer than 10 people"):
        tables.check_releases(crossed, ["age"])


def test_without_the_question_or_by_another_it_may_be_published(crossed: Run) -> None:
    tables.check_releases(crossed, [])
    tables.check_releases(crossed, ["theft"])


def test_publishing_asks_it(review: Review, reviewer: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(run: Run, groups_of: list[str]) -> None:
        assert (run, groups_of) == (review.run, ["age"])
        raise Refused("They cross.")

    monkeypatch.setattr(publishing, "check_releases", refuse)
    with pytest.raises(Refused, match="They cross"):
        publishing.publish(review, reviewer, ["age"], "", NOW)
    assert not Publication.objects.exists()
