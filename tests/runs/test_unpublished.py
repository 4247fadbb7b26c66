"""What a run counted is a reviewer's to see: nobody else learns a number, however many runs they start."""

import re
from collections.abc import Iterator, Mapping

import pytest
from django.test import Client

from accounts.models import Person
from jobs import job_state_changes
from jobs.job_status import job_status_for_person
from jobs.progress_messages import Message
from mining.itemsets.frequent import Level
from mining.parameters import Parameters
from runs import run_job, run_start
from runs.models import Run
from runs.pages.run_page import RunPage
from runs.result_reading_permissions import round_to_digit_or_zero, round_up_to_listed_threshold
from surveys.models import Survey
from tests.cast import As
from tests.runs.conftest import Ran
from tests.runs.test_views import page
from tests.surveys.conftest import NOW


@pytest.mark.page
def test_only_a_reviewer_reads_how_many_there_are(
    survey: Survey, owner: Person, reviewer: Person, signed_in_as: As, ran: Ran, judging: Client
) -> None:
    run = ran(min_support=0.05, absences=True)
    assert run.itemset_count is not None
    assert run.itemset_count > 20
    of_run = f"/app/runs/{run.pk}/"
    for address in (of_run, f"/app/surveys/{survey.pk}/runs", f"{of_run}compare?other={run.pk}"):
        mine, theirs = (page(signed_in_as(person), address) for person in (owner, reviewer))
        assert f">{run.itemset_count}<" in theirs
        assert f">{run.itemset_count}<" not in mine
    assert "Level by level" in page(judging, f"/app/runs/{run.pk}/")
    # Where some are open it says only to a reviewer how many records it counted.
    assert run.survey.has_rounded_counts
    assert RunPage(run, reviewer).used_records == run.used_records
    assert RunPage(run, owner).used_records is None
    assert "Records" not in dict(RunPage(run, owner).parameter_labels)


NO_REVIEWERS = ("owner", "editor", "viewer", "superuser")
BISECTING: tuple[Mapping[str, object], ...] = (
    *({"min_support": support} for support in (0.001, 0.25, 0.4, 0.45, 0.5, 0.508, 0.5085, 0.55, 0.7, 0.99)),
    {"min_support": 0.4, "absences": True},
    {"min_support": 0.4, "max_size": 1},
    {"min_support": 0.4, "min_confidence": 0.9},
    {"min_support": 0.4, "errors": 0.0},
    {"min_support": 0.4, "exact": True},
    {"min_support": 0.4, "estimator": "pooled"},
)


@pytest.mark.night
@pytest.mark.page
def test_no_choice_of_runs_brackets_a_support(
    survey: Survey, signed_in_as: As, ran: Ran, request: pytest.FixtureRequest
) -> None:
    """Whatever the runs were asked and found, their pages say the same but for what they were asked."""
    runs = [ran(**{"max_size": 3, **asked}) for asked in BISECTING]
    # They did find different things: some so many itemsets, some others, and some none.
    assert len({run.itemset_count for run in runs}) > 5
    assert {run.itemset_count == 0 for run in runs} == {True, False}
    plain = ran(min_support=0.3, max_size=3)
    some = runs[::4]
    assert {run.itemset_count == 0 for run in some} == {True, False}
    for role in NO_REVIEWERS:
        person = request.getfixturevalue(role)
        client = signed_in_as(person)
        for address in ("", "outcome", f"compare?other={plain.pk}"):
            read = runs if role == "owner" else some
            said = {what_it_says(page(client, f"/app/runs/{run.pk}/{address}"), run, person) for run in read}
            assert len(said) == 1, (role, said)
        listed = page(client, f"/app/surveys/{survey.pk}/runs")
        said = {what_it_says(row_of(run, listed), run, person) for run in runs}
        assert len(said) == 1, (role, said)


def row_of(run: Run, listed: str) -> str:
    """In a list of runs."""
    (row,) = (row.partition("</tr>")[0] for row in listed.split("<tr>") if f"/app/runs/{run.pk}/" in row)
    return row


def what_it_says(text: str, run: Run, person: Person) -> str:
    """The words of a page without what the run was asked, its number, its times and the other runs there are."""
    shown = RunPage(run, person)
    start = text.find("<main")
    words = text[start : text.find("</main>")] if start >= 0 else text
    for label in (
        re.escape(str(label)) for label, _value in [*shown.parameter_labels, ("Version", run.version)]
    ):
        words = re.sub(rf"<dt>{label}</dt>\s*<dd>.*?</dd>", "", words)
        words = re.sub(rf'<tr><th scope="row">{label}</th>.*?</tr>', "", words)
    words = words.replace(shown.thresholds_text, "").replace(run.version, "")
    words = re.sub(r"<option.*?</option>|<time.*?</time>|Finished after [^<.]*\.", "", words, flags=re.DOTALL)
    words = re.sub(r"<[^>]*>", " ", words)
    return " ".join(re.sub(rf"Run {run.number}\b", "Run", words).split())


@pytest.mark.page
def test_runs_that_were_asked_otherwise_are_called_the_same_only_to_a_reviewer(
    survey: Survey, owner: Person, reviewer: Person, signed_in_as: As, ran: Ran
) -> None:
    one, other = ran(min_support=0.98), ran(min_support=0.99)
    assert one.digest == other.digest
    for person, told in ((reviewer, True), (owner, False)):
        client = signed_in_as(person)
        assert ("The same to the last digit" in page(client, f"/app/runs/{one.pk}/")) == told
        compared = page(client, f"/app/runs/{one.pk}/compare?other={other.pk}")
        assert ("the same to the last digit" in compared) == told


def test_progress_says_which_size_is_counted_and_not_how_many() -> None:
    told: list[str] = []

    def progress(fraction: float | None, text: str = "", **values: str | int | float) -> None:
        told.append(text % values)

    tell = run_job.RunProgress(progress, 3).report_level
    tell(Level(2, 1234))
    tell(Level(2, 1234, 345, 67))
    assert told == ["Itemsets of 2 are counted", "Itemsets of 2: counted"]


def progress_of(client: Client, run: Run, person: Person) -> set[str]:
    """What everything that shows the progress of a run says of it; with the mark by which a page asks for news."""
    progress = f"/app/jobs/runs.run/{run.pk}/progress"
    asking = client.get(progress, headers={"HX-Request": "true"}).content.decode()
    texts = [asking, page(client, progress), page(client, f"/app/runs/{run.pk}/")]
    row = row_of(run, page(client, f"/app/surveys/{run.survey_id}/runs"))
    marks = [mark for text in texts for mark in re.findall(r"seen=\w+|frame=\w+|value=\"\d+\"", text)]
    said = {*marks, what_it_says(asking, run, person), what_it_says(row, run, person)}
    if person.is_superuser:
        latest = page(client, "/app/jobs/").split("<tr>")
        said |= {what_it_says(row, run, person) for row in latest if f"runs.run/{run.pk}/" in row}
    return said


def as_it_counts(run: Run) -> Iterator[None]:
    """A run in one piece, at each step of which it tells something."""
    job_state_changes.claim(run.pk, token="c", worker="w", now=NOW)
    run.refresh_from_db()

    def progress(fraction: float | None, text: str = "", **values: str | int | float) -> None:
        assert job_state_changes.write_progress(run, fraction, Message(text, values), NOW)

    yield
    tell = run_job.RunProgress(progress, 3).report_level
    for level in (Level(1, 12), Level(1, 12, 5, 4), Level(2, 10), Level(2, 10, 1, 1)):
        tell(level)
        yield


@pytest.mark.page
@pytest.mark.at_push(2)
@pytest.mark.parametrize("role", NO_REVIEWERS)
def test_a_run_on_its_way_does_not_say_which_size_is_counted(
    survey: Survey, owner: Person, role: str, signed_in_as: As, request: pytest.FixtureRequest
) -> None:
    run = run_start.start_mining_run(survey, owner, Parameters(min_support=0.1, min_confidence=0.3), NOW)
    person = request.getfixturevalue(role)
    client = signed_in_as(person)
    said = [progress_of(client, run, person) for step, _said in enumerate(as_it_counts(run)) if step % 2 == 0]
    assert all(one == said[0] for one in said), said
    assert "The records are being counted" in " ".join(said[0])
    # Nor does what it said last outlive it.
    job_state_changes.end_cancelled(run, NOW)
    run.refresh_from_db()
    assert run.words
    status = job_status_for_person(run, person)
    assert (status.words, status.fraction) == ("", None)


@pytest.mark.page
def test_a_reviewer_follows_it(survey: Survey, owner: Person, reviewer: Person, judging: Client) -> None:
    run = run_start.start_mining_run(survey, owner, Parameters(min_support=0.1, min_confidence=0.3), NOW)
    said = [" ".join(progress_of(judging, run, reviewer)) for _step in as_it_counts(run)]
    sizes: list[list[str]] = [[], *([["Itemsets of 1"]] * 2), *([["Itemsets of 2"]] * 2)]
    assert [re.findall(r"Itemsets of \d", one) for one in said] == sizes


def test_roughly_leaves_one_digit_and_a_threshold_is_told_as_the_next_of_a_short_list() -> None:
    numbers = [0, 1, 7, 9, 10, 14, 43, 45, 99, 1234, 1500]
    assert list(map(round_to_digit_or_zero, numbers)) == [0, 0, 0, 0, 10, 10, 40, 50, 100, 1000, 2000]
    thresholds = [0.001, 0.01, 0.0101, 0.31, 0.51, None]
    assert list(map(round_up_to_listed_threshold, thresholds)) == [0.01, 0.01, 0.02, 0.5, None, None]
