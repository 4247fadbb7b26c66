"""What a run counted is a reviewer's to see: nobody else learns a number, however many runs they start."""

import re
from collections.abc import Mapping

import pytest

from mining.itemsets.frequent import Level
from mining.models import Run
from mining.runs import performing
from mining.runs.showing import Shown
from people.models import Person
from surveys.models import Survey
from tests.cast import As
from tests.mining.runs.conftest import Ran
from tests.mining.runs.test_views import page


def test_only_a_reviewer_reads_how_many_there_are(
    survey: Survey, owner: Person, reviewer: Person, signed_in_as: As, ran: Ran
) -> None:
    run = ran(min_support=0.05, absences=True)
    assert run.itemset_count is not None
    assert run.itemset_count > 20
    for address in (
        f"/runs/{run.pk}/",
        f"/surveys/{survey.pk}/runs",
        f"/runs/{run.pk}/compare?other={run.pk}",
    ):
        mine, theirs = (page(signed_in_as(person), address) for person in (owner, reviewer))
        assert f">{run.itemset_count}<" in theirs
        assert f">{run.itemset_count}<" not in mine
    assert "Level by level" in page(signed_in_as(reviewer), f"/runs/{run.pk}/")


BISECTING: tuple[Mapping[str, object], ...] = (
    *({"min_support": support} for support in (0.001, 0.25, 0.4, 0.45, 0.5, 0.508, 0.5085, 0.55, 0.7, 0.99)),
    {"min_support": 0.4, "absences": True},
    {"min_support": 0.4, "max_size": 1},
    {"min_support": 0.4, "min_confidence": 0.9},
    {"min_support": 0.4, "errors": 0.0},
    {"min_support": 0.4, "exact": True},
    {"min_support": 0.4, "estimator": "pooled"},
    {"min_support": 0.4, "engine": "mlxtend"},
)


@pytest.mark.slow
@pytest.mark.parametrize("role", ["owner", "editor", "viewer", "superuser"])
def test_no_choice_of_runs_brackets_a_support(
    survey: Survey, role: str, signed_in_as: As, ran: Ran, request: pytest.FixtureRequest
) -> None:
    """Whatever the runs were asked and found, their pages say the same but for what they were asked."""
    runs = [ran(**asked) for asked in BISECTING]
    # They did find different things: some so many itemsets, some others, and some none.
    assert len({run.itemset_count for run in runs}) > 5
    assert {run.itemset_count == 0 for run in runs} == {True, False}
    person = request.getfixturevalue(role)
    client = signed_in_as(person)
    plain = ran(min_support=0.3)
    for address in ("/runs/{}/", "/runs/{}/outcome", "/runs/{}/compare?other=" + str(plain.pk)):
        said = {what_it_says(page(client, address.format(run.pk)), run, person) for run in runs}
        assert len(said) == 1, said
    rows = page(client, f"/surveys/{survey.pk}/runs").split("<tr>")
    listed = [next(row.partition("</tr>")[0] for row in rows if f"/runs/{run.pk}/" in row) for run in runs]
    assert len({what_it_says(row, run, person) for row, run in zip(listed, runs, strict=True)}) == 1


def what_it_says(text: str, run: Run, person: Person) -> str:
    """The words of a page without what the run was asked, its number, its times and the other runs there are."""
    shown = Shown(run, person)
    start = text.find("<main")
    words = text[start : text.find("</main>")] if start >= 0 else text
    for label, _value in shown.settings:
        words = re.sub(rf"<dt>{label}</dt>\s*<dd>.*?</dd>", "", words)
        words = re.sub(rf'<tr><th scope="row">{label}</th>.*?</tr>', "", words)
    words = words.replace(shown.thresholds, "").replace(run.version, "")
    words = re.sub(r"<option.*?</option>|<time.*?</time>|Finished after \d+ s", "", words, flags=re.DOTALL)
    words = re.sub(r"<[^>]*>", " ", words)
    return " ".join(re.sub(rf"Run {run.pk}\b", "Run", words).split())


def test_runs_that_were_asked_otherwise_are_called_the_same_only_to_a_reviewer(
    survey: Survey, owner: Person, reviewer: Person, signed_in_as: As, ran: Ran
) -> None:
    one, other = ran(min_support=0.98), ran(min_support=0.99)
    assert one.digest == other.digest
    for person, told in ((reviewer, True), (owner, False)):
        client = signed_in_as(person)
        assert ("The same to the last digit" in page(client, f"/runs/{one.pk}/")) == told
        compared = page(client, f"/runs/{one.pk}/compare?other={other.pk}")
        assert ("the same to the last digit" in compared) == told


def test_progress_says_which_size_is_counted_and_not_how_many() -> None:
    told: list[str] = []

    def progress(fraction: float | None, text: str = "", **values: str | int | float) -> None:
        told.append(text % values)

    tell = performing.telling(progress, 3)  # type: ignore[arg-type]
    tell(Level(2, 1234))
    tell(Level(2, 1234, 345, 67))
    assert told == ["Itemsets of 2 are counted", "Itemsets of 2: counted"]
