import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from math import prod
from pathlib import Path
from threading import Event, Timer

import numpy as np
import pytest
from django.contrib.auth import authenticate
from django.test import RequestFactory
from django.utils import timezone

from accounts.models import Person
from config.start import demo_content
from config.start.demo_true_answers import employee_population
from intake.pages.true_answer_probabilities import prior_and_posterior_chance
from intake.rehearsal import respondent_simulation, true_counts
from intake.rehearsal.respondent_simulation import simulate
from intake.rehearsal.simulated_people import default_population
from jobs.models import Job, State, Trial
from jobs.progress_messages import Message
from jobs.worker import write_worker_heartbeat
from mining.parameters import Parameters
from mining.queries_and_counters import Numbering
from privacy.designs import Design, parse_design
from privacy.guarantee.presets import DEFAULT
from privacy.simulation.population import Population
from releases.models import Making, Release
from reports.answer_labels import Labels
from reports.models import ModelPublication, Publication, Review
from reports.review import report_state_changes, rule_decisions
from reports.review.question_shares import question_shares
from reports.review.report_page_data import ReportPage
from runs import rehearsal_truth, run_start
from runs.models import ModelJob
from surveys.draft_json import Draft
from surveys.kinds.apply_protection_presets import apply_presets
from surveys.kinds.read_draft import read_questionnaire
from surveys.lifecycle import state_changes as lifecycle
from surveys.lifecycle.design_from_draft import design_json_from_draft
from surveys.models import Survey
from surveys.questionnaire.protection import PRIOR, common_preset, person_protection
from surveys.questionnaire.report_sentence_texts import ANSWER_TEXTS, NUMBER_TEXTS, QUANTITY
from tests import servers
from tests.cast import As
from tests.jobs.conftest import attempt
from tests.reports.conftest import page_text
from tests.surveys.drafts import WORK_HEALTH_HONESTY
from ui.number_format import format_count

pytestmark = [pytest.mark.django_db, pytest.mark.page]
NOW = datetime(2026, 12, 1, tzinfo=UTC)
STEPS = ["A release of Adult", "Another run is reviewed", "The report is published"]


def test_the_demo_has_two_open_rehearsals_and_a_second_start_gives_new_passwords_alone() -> None:
    """One of them is left to answer."""
    first, second = demo_content.create_demo_content(NOW), demo_content.create_demo_content(NOW)
    tours, yours = Survey.objects.order_by("pk")
    for seeded in (first, second):
        assert (seeded.survey, seeded.yours) == (tours, yours)
    for survey in (tours, yours):
        assert (survey.state, survey.is_rehearsal, survey.owner.username) == ("open", True, "demo-researcher")
    assert tours.design
    assert yours.design
    assert (bool(tours.design.content.plan), bool(yours.design.content.plan)) == (True, False)
    assert tours.design.content.questions == yours.design.content.questions
    assert Person.objects.count() == 2
    username, old = first.passwords["researcher"]
    request = RequestFactory().post("/app/account/sign-in")
    assert authenticate(request, username=username, password=old) is None
    assert authenticate(request, username=username, password=second.passwords["researcher"][1]) is not None


@pytest.mark.parametrize("now", [NOW, datetime(2031, 1, 1, tzinfo=UTC), datetime(2150, 2, 28, tzinfo=UTC)])
def test_demo_answers_are_kept_for_years_whenever_it_starts(now: datetime) -> None:
    demo_content.create_demo_content(now)
    for survey in Survey.objects.all():
        assert survey.state == "open"
        assert survey.destroy_on is not None
        assert timedelta(days=3 * 365) < survey.destroy_on - now.date() < timedelta(days=5 * 365)


def test_empty_demo_has_no_survey_and_a_killed_start_is_continued(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_words: object) -> None:
        raise KeyboardInterrupt

    assert demo_content.create_demo_content(NOW, empty=True).survey is None
    assert not Survey.objects.exists()
    with monkeypatch.context() as patched:
        patched.setattr("config.start.demo_content.opening.open_survey_now", interrupt)
        with pytest.raises(KeyboardInterrupt):
            demo_content.create_demo_content(NOW)
    demo_content.create_demo_content(NOW)
    assert [survey.state for survey in Survey.objects.all()] == ["open", "open"]


def test_empty_demo_names_surveys_of_earlier_starts(tmp_path: Path) -> None:
    """`./run demo` first, then the tutorial, which begins with nothing."""

    def printed_welcome() -> str:
        said: list[str] = []
        demo_content.create_demo_content(NOW, empty=True).print_welcome(
            "http://here", tmp_path, 1, said.append
        )
        return "\n".join(said)

    assert "earlier starts" not in printed_welcome()
    demo_content.create_demo_content(NOW)
    assert (
        "it has surveys of earlier starts. To begin an empty one:\n  VAR=/another/folder" in printed_welcome()
    )


def demo_design() -> Design:
    return parse_design(design_json_from_draft(demo_content.demo_questionnaire_draft(NOW.date())))


def test_demo_questionnaire_has_five_kinds_of_questions_and_all_study_parts() -> None:
    design = demo_design()
    kinds = [section.kind for section in design.sections]
    assert kinds == ["plain", "unrelated-question", "number", "place", "crosswise"]
    assert (design.languages, design.open_answers, design.rehearsal) == (("en", "zh-hans"), False, True)
    draft = demo_content.demo_questionnaire_draft(NOW.date())
    assert (design.has_arms, bool(draft["plan"]), len(design.questions)) == (True, True, 13)
    forms = [question.form for question in design.questions]
    assert {"yes-no", "one", "scale"} <= set(forms)
    assert [question.name for question in design.questions if question.of] == ["fair-pay", "clear-rules"]
    assert [one.name for one in design.questions if one.known_parts is not None] == ["attention"]
    assert [section.asked for section in design.sections if section.kind == "unrelated-question"] == [2]


def test_demo_protection_is_the_default_preset() -> None:
    draft = read_questionnaire(demo_content.demo_questionnaire_draft(NOW.date()))
    assert common_preset(draft) == DEFAULT
    assert apply_presets(draft) == draft
    design = demo_design()
    laws = [section.law for section in design.sections if section.law]
    assert len(laws) == 4
    assert DEFAULT.limit.admits(prod((law.gamma for law in laws), start=Fraction(1)))
    # The start page says the figure of the builder, which is the preset's.
    said, builder = prior_and_posterior_chance(design), person_protection(draft, PRIOR)
    assert said
    assert builder
    assert said[1].value == builder.posterior <= 0.5


def test_demo_texts_are_in_both_languages_and_sentences_in_all() -> None:
    sentences: list[dict[str, str]] = []

    def texts(node: object) -> list[dict[str, str]]:
        if isinstance(node, list):
            return [found for child in node for found in texts(child)]
        if not isinstance(node, dict):
            return []
        if node and all(isinstance(value, str) for value in node.values()) and "en" in node:
            return [node]
        sentences.extend(node[key] for key in (*ANSWER_TEXTS, QUANTITY) if key in node)
        asked = [child for key, child in node.items() if key not in (*ANSWER_TEXTS, *NUMBER_TEXTS)]
        return [found for child in asked for found in texts(child)]

    found = texts(json.loads(demo_content.QUESTIONNAIRE.read_text()))
    assert len(found) > 80
    assert all(set(text) == {"en", "zh-hans"} and all(text.values()) for text in found)
    # German has people of its own where they follow from a predicate elsewhere.
    languages = {tuple(text) for text in sentences}
    assert languages == {("en", "zh-hans", "de", "fr", "es", "ar"), ("de",), ("en", "de")}


def test_simulated_people_answer_every_question_and_some_at_random() -> None:
    design = demo_design()
    true = employee_population(design).draw(design, 20_000, np.random.default_rng(1)).truth
    by_name = dict(zip((question.name for question in design.questions), true, strict=True))
    for question, row in zip(design.questions, true, strict=True):
        assert set(row.tolist()) <= set(range(question.true_codes)), question.name
    sick, supplies = by_name["sick"] == 1, by_name["supplies"] == 1
    assert supplies[sick].mean() > supplies[~sick].mean() + 0.2
    # Of the careless 2 % half miss the control item.
    assert 0.985 < by_name["attention"].mean() < 0.995


def perform_job(job: Job) -> None:
    """The worker's part, at once and in this process."""
    attempt(job)
    job.refresh_from_db()
    assert job.state == State.DONE, str(job.problem)


Walk = Callable[..., list[str]]


@pytest.fixture
def take_tour(monkeypatch: pytest.MonkeyPatch) -> Walk:
    """What a tour of few respondents says, to its end or until so many have answered."""
    monkeypatch.setattr(demo_content, "RESPONDENTS", 2_000)
    monkeypatch.setattr(demo_content, "SECONDS_BETWEEN_WORDS", float("inf"))
    monkeypatch.setattr("config.start.demo_content.connection.close", lambda: None)
    monkeypatch.setattr(demo_content.Tour, "_wait", lambda _tour, job: perform_job(job))

    def take(stopped_at: int | None = None) -> list[str]:
        said, stop = list[str](), Event()
        tour = demo_content.Tour(demo_content.create_demo_content(NOW), "http://here", said.append, stop)
        say_answered = tour._say_answered

        def stop_at_answers(answered: int) -> None:
            if answered == stopped_at:
                stop.set()
            say_answered(answered)

        monkeypatch.setattr(tour, "_say_answered", stop_at_answers)
        tour.run()
        return said

    return take


def is_published(said: list[str]) -> bool:
    """Whether the tour ends with the address of the report for everybody, with the accounts below it, and leaves
    another to the reviewer."""
    published, further = Review.objects.order_by("pk")
    (line,) = (line for line in said if "for everybody to read" in line)
    assert said.index(line) >= len(said) - 3
    assert (published.state, further.is_open) == (Review.State.PUBLISHED, True)
    return line.rpartition(" ")[2].strip() == f"http://here/public/{published.public_token}"


def test_small_demo_tour_ends_with_a_report_address(take_tour: Walk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the simulation of errors, which takes most of a run."""
    monkeypatch.setattr(demo_content, "RESPONDENTS", 1_000)
    monkeypatch.setattr(demo_content, "PARAMETERS", replace(demo_content.PARAMETERS, errors=0))
    said = take_tour()
    assert is_published(said)
    assert [step for line in said for step in STEPS if step in line] == STEPS


@pytest.mark.night
def test_demo_tour_ends_with_a_report_address_and_leaves_work_for_the_reviewer(take_tour: Walk) -> None:
    said = take_tour()
    assert is_published(said)
    further = Review.objects.latest("pk")
    undecided = rule_decisions.needs_decision_condition()
    assert rule_decisions.rules_with_verdicts(further.run).filter(undecided).count() == demo_content.LEFT
    assert any(f"http://here{further.reviewer_url}" in line for line in said)
    release = Release.objects.get()
    waits = f"waits for the reviewer: http://here{release.get_absolute_url()}"
    adult = "  A release of Adult, a public table,"
    assert any(f"{adult} is being made, and then {waits}" in line for line in said)
    perform_job(Making.objects.get())
    release.refresh_from_db()
    assert release.state == Release.State.CHECKED
    assert any(f"{adult} {waits}" in line for line in take_tour())
    assert (Review.objects.count(), Release.objects.count(), ModelJob.objects.count()) == (2, 1, 1)


@pytest.mark.night
def test_demo_stopped_during_answers_continues_despite_a_newcomers_actions(take_tour: Walk) -> None:
    """Other people who answer are waited for. Two runs are not taken for the tour's: one that asks for something else,
    and one that asks for the same of fewer."""
    assert take_tour(stopped_at=1_000) == []
    survey = Survey.objects.earliest("pk")
    assert (true_counts.respondent_count(survey), survey.state) == (1_000, "open")
    runs = []
    for wanted in (Parameters(0.1, 0.5), demo_content.PARAMETERS):
        runs.append(run_start.start_mining_run(survey, survey.owner, wanted, NOW))
        perform_job(runs[-1])
    people = respondent_simulation.start_simulation(survey, survey.owner, 50, NOW)
    assert any("for everybody to read" in line for line in take_tour())
    people.refresh_from_db()
    survey.refresh_from_db()
    assert people.state == State.DONE
    assert (true_counts.respondent_count(survey), survey.state) == (2_000, "finished")
    published = Review.objects.get(state=Review.State.PUBLISHED)
    assert published.run not in runs
    assert published.run.records == 2_000
    assert {review.state for review in Review.objects.filter(run__in=runs)} == {"waiting"}


@pytest.mark.night
def test_demo_stopped_after_any_job_continues(take_tour: Walk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each start does one more job."""

    def perform_once(_tour: demo_content.Tour, job: Job) -> None:
        if job.state != State.DONE:
            perform_job(job)
            raise demo_content.TourStopped

    monkeypatch.setattr(demo_content.Tour, "_wait", perform_once)
    said = [take_tour() for _start in range(4)]
    assert [any("for everybody to read" in line for line in start) for start in said] == [False] * 3 + [True]
    assert (Review.objects.count(), Release.objects.count(), ModelJob.objects.count()) == (2, 1, 1)


def test_demo_survey_closed_by_a_newcomer_ends_the_tour_in_words(take_tour: Walk) -> None:
    take_tour(stopped_at=1_000)
    survey = Survey.objects.earliest("pk")
    lifecycle.close_survey(survey, survey.owner, NOW)
    assert take_tour()[-1].startswith(
        "  The tour ends here: Answers can be simulated only in an open rehearsal."
    )


@pytest.mark.night
def test_demo_report_has_every_kind_of_table_and_true_rules(
    take_tour: Walk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the truth that the rehearsal keeps. The same respondents at every run."""
    chance = np.random.default_rng
    monkeypatch.setattr(np.random, "default_rng", lambda seed=None: chance(7 if seed is None else seed))
    monkeypatch.setattr(demo_content, "RESPONDENTS", 20_000)
    take_tour()
    run = Review.objects.get(state=Review.State.PUBLISHED).run
    publication = Publication.objects.get(run=run)
    told = publication.content
    study = told["study"]
    tables = [told[name] for name in ("shares", "groups", "numbers", "places")]
    tables += [study["arms"]["items"], study["controls"]["items"], study["plan"]["hypotheses"]]
    assert all(tables)
    met = {one["name"]: one["met"] for one in study["plan"]["hypotheses"]}
    assert met == {"H1": True, "H2": False, "H3": True}
    assert ModelPublication.objects.filter(model__run=run).count() == 1
    assert len(publication.rules) >= 8
    assert all(rule["association"] for rule in publication.rules)
    true = rehearsal_truth.read_truth(run)
    assert true is not None
    item, labels = Numbering(run.mined_design).item, Labels(run.mined_design)
    open_ones = (section for section in run.mined_design.sections if not section.sensitive)
    plain = {question.name for section in open_ones for question in section.questions}
    for rule in rule_decisions.accepted_rules(run):
        ((a,), (c,)) = ([item(number) for number in side] for side in rule.sides)
        people = true.for_population(disguised_only=True)
        lift = people.share((a, c), given=(a,), shown=True) / people.share((c,), shown=True)
        assert (lift - 1) * rule.association > 0.1, "their lift is clearly on the side that is said"
        names = {labels.name(one).partition("=")[0] for one in (a, c)}
        assert not names <= plain
        assert "attention" not in names


# --- each interval and the truth beside it are of the same people, and the words say of whom --------------

SEEDS = range(1, 6)
Row = tuple[float | None, float | None, float | None]


def report(seed: int, draft: Draft, people: Callable[[Design], Population]) -> ReportPage:
    """The report of another survey that asks this, which 3,000 simulated people answered."""
    owner = Person.objects.create(username=f"researcher-{seed}")
    survey = demo_content.open_demo_survey(owner, draft, NOW)
    assert survey.design
    simulate(survey, 3_000, seed=seed, population=people(survey.design.content))
    run = run_start.start_mining_run(survey, owner, demo_content.PARAMETERS, NOW)
    attempt(run)
    report_state_changes.create_reviews_of_finished_runs(NOW)
    return ReportPage(Review.objects.with_surveys().get(run=run), whole=True)


def work_health_honesty() -> Draft:
    return demo_content.demo_questionnaire_draft(NOW.date(), WORK_HEALTH_HONESTY)


def intervals(page: ReportPage) -> Iterator[Row]:
    """The interval's ends and the truth of every sensitive answer, in its denominators, of each class and itemset."""
    for question in question_shares(page, sensitive=True):
        for share in question.shares:
            yield from ((one.low, one.truth, one.high) for one in share.by_denominator)
    for table in page.content.groups:
        for group in table.rows:
            for cell in group.cells:
                yield cell.low, cell.truth, cell.high
                yield cell.low_shown, cell.truth_shown, cell.high_shown
    for itemset in page.read_itemsets(page.itemsets):
        yield itemset.low, itemset.truth, itemset.high
        yield itemset.low_shown, itemset.truth_shown, itemset.high_shown


@pytest.mark.night
def test_demo_intervals_hold_the_truth_beside_them() -> None:
    inside = [
        low <= truth <= high
        for seed in SEEDS
        for low, truth, high in intervals(
            report(seed, demo_content.demo_questionnaire_draft(NOW.date()), employee_population)
        )
        if low is not None and truth is not None and high is not None
    ]
    assert len(inside) > 2_000
    assert sum(inside) >= 0.93 * len(inside)


@pytest.mark.night
def test_demo_intervals_hold_the_truth_of_their_population() -> None:
    """Those with something to hide choose openness less often: the truth of everybody would be missed."""
    for seed in SEEDS:
        page = report(seed, work_health_honesty(), default_population)
        assert page.about.n_open > 500
        told = [(low, truth, high) for low, truth, high in intervals(page) if None not in (low, truth, high)]
        assert len(told) > 100
        inside = [low <= truth <= high for low, truth, high in told]  # type: ignore[operator]
        assert sum(inside) >= 0.9 * len(inside), seed


@pytest.mark.night
def test_demo_report_sentences_are_of_one_population(reviewer: Person, signed_in_as: As) -> None:
    """A rehearsal uses the answers of those who chose no disguise at any time."""
    page = report(1, work_health_honesty(), default_population)
    about = page.about
    assert not about.disguised_only
    assert 0 < about.n_open < about.records
    text = page_text(signed_in_as(reviewer), page.url("shares"))
    disguised, opened = format_count(about.disguised), format_count(about.n_open)
    assert f"From {disguised} people who chose disguise and {opened} who did not." in text
    assert "estimated apart" in text


class Steps(Event):
    """A stop that never comes; each wait for it lets a trial take a step, to the tenth and last."""

    turns = 0

    def wait(self, timeout: float | None = None) -> bool:
        self.turns += 1
        if self.turns == 21:
            Trial.objects.update(state=State.DONE, finished=NOW)
        words = Message("Step %(step)s of %(steps)s", {"step": self.turns // 8, "steps": 2})
        Trial.objects.update(words=words.as_json())
        return False


def said_while_waiting() -> list[str]:
    """Without the seconds behind each line."""
    seeded = demo_content.create_demo_content(NOW, empty=True)
    trial = Trial.objects.create(person=seeded.people["reviewer"], created=NOW, queued=NOW)
    said: list[str] = []
    demo_content.Tour(seeded, "http://here", said.append, Steps())._wait(trial)
    return [line.removeprefix(f"  … Trial {trial.pk}: ").partition("   (")[0] for line in said]


def test_demo_terminal_reports_progress_often(monkeypatch: pytest.MonkeyPatch) -> None:
    write_worker_heartbeat(timezone.now(), warm=True, slots=1)
    assert said_while_waiting() == ["Step 0 of 2", "Step 1 of 2", "Step 2 of 2"]
    assert demo_content.job_progress_line(Trial(pk=7)) == "… Trial 7: Waiting"
    monkeypatch.setattr(demo_content, "SECONDS_BETWEEN_WORDS", -1)
    monkeypatch.setattr(demo_content, "POLLS_BETWEEN_WORDS", 1)
    write_worker_heartbeat(timezone.now(), warm=False, slots=1)
    compiling = ", while the worker compiles, once after an installation"
    expected = [f"Waiting{compiling}", *[f"Step 0 of 2{compiling}"] * 2]
    assert said_while_waiting()[:3] == expected


FEW = """
import sys
from config.start import server_and_worker
seed = server_and_worker.seed_demo

def of_few(empty):
    from config.start import demo_content
    demo_content.RESPONDENTS = 3_000
    return seed(empty)

server_and_worker.seed_demo = of_few
sys.exit(server_and_worker.main())
"""
STATES = """
from reports.models import Review
print(*Review.objects.order_by("pk").values_list("state", flat=True))
"""


@pytest.mark.night
@pytest.mark.server
def test_real_demo_completes_the_whole_tour(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With fewer respondents; what those of the demo lead to, the test of its report says."""
    began = time.monotonic()
    port = servers.free_port()
    words = [sys.executable, "-c", FEW, "demo", "--host", "127.0.0.1", "--port", str(port)]
    env = servers.environment(VAR=str(tmp_path))
    servers.share_first_start(env)
    with subprocess.Popen(words, cwd=servers.ROOT, env=env, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        said: list[str] = []
        late = Timer(servers.PATIENCE, process.send_signal, [signal.SIGINT])
        late.start()
        for line in process.stdout:
            said.append(line)
            if "The report is published" in line:
                break
        seconds = time.monotonic() - began
        late.cancel()
        process.send_signal(signal.SIGINT)
        assert process.wait(servers.PATIENCE) == 0
    with capsys.disabled():
        print(f"\nthe demo from its start to the published report: {seconds:.0f} s")
    assert "/public/" in said[-1], "".join(said)
    assert [step for line in said for step in STEPS if step in line] == STEPS
    env["SECRET_KEY"] = (tmp_path / "secret-key").read_text()
    published, further = servers.manage(env, "shell", "--verbosity=0", "-c", STATES).split()
    assert published == "published"
    assert further in ("waiting", "in-review")
    assert "Traceback" not in (tmp_path / "log" / "worker.log").read_text()
