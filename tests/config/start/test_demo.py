import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Event, Timer

import numpy as np
import pytest
from django.contrib.auth import authenticate
from django.test import RequestFactory

from config.start import demo
from intake.pages.chances import everything_together
from intake.rehearsal import starting as rehearsing
from intake.rehearsal.models import Simulation
from jobs.message import Message
from jobs.models import Job, State, Trial
from mining.counts import Numbering
from mining.parameters import Parameters
from people.models import Person
from privacy.designs import UnrelatedQuestionSection, parse
from privacy.guarantee.amplification import Guarantee
from privacy.guarantee.presets import DEFAULT
from privacy.kinds.number.classes.section import ClassesSection
from reports import deciding
from reports.models import Review
from reports.naming import Naming
from runs import rehearsal_truth, starting
from surveys.kinds.presets import followed
from surveys.kinds.reading import read_questionnaire
from surveys.lifecycle import states as lifecycle
from surveys.models import Survey
from surveys.questionnaire.presets import preset_of
from surveys.questionnaire.protection import PRIOR, person_protection
from tests import servers
from tests.jobs.attempts import attempt

pytestmark = pytest.mark.page
NOW = datetime(2026, 12, 1, tzinfo=UTC)


@pytest.mark.django_db
def test_the_demo_has_an_open_rehearsal_that_simulated_respondents_are_to_answer() -> None:
    seeded = demo.seed(NOW)
    survey = Survey.objects.get()
    assert seeded.survey == survey
    assert (survey.state, survey.is_rehearsal, survey.owner.username) == ("open", True, "demo-researcher")
    assert Simulation.objects.get().n == 5_000


@pytest.mark.parametrize("now", [NOW, datetime(2031, 1, 1, tzinfo=UTC), datetime(2150, 2, 28, tzinfo=UTC)])
@pytest.mark.django_db
def test_whenever_the_demo_starts_its_answers_are_kept_for_years(now: datetime) -> None:
    survey = demo.seed(now).survey
    assert survey is not None
    assert survey.state == "open"
    assert survey.destroy_on is not None
    assert timedelta(days=3 * 365) < survey.destroy_on - now.date() < timedelta(days=5 * 365)


@pytest.mark.django_db
def test_a_second_start_gives_new_passwords_and_no_second_survey() -> None:
    first, second = demo.seed(NOW), demo.seed(NOW)
    assert first.survey == second.survey
    assert (Survey.objects.count(), Simulation.objects.count(), Person.objects.count()) == (1, 1, 2)
    username, old = first.passwords["researcher"]
    request = RequestFactory().post("/account/sign-in")
    assert authenticate(request, username=username, password=old) is None
    assert authenticate(request, username=username, password=second.passwords["researcher"][1]) is not None


@pytest.mark.django_db
def test_an_empty_demo_has_people_and_nothing_else() -> None:
    assert demo.seed(NOW, empty=True).survey is None
    assert not Survey.objects.exists()


def test_the_questionnaire_is_what_it_should_be() -> None:
    design = parse(demo.QUESTIONNAIRE.read_text())
    hidden = [section for section in design.sections if isinstance(section, UnrelatedQuestionSection)]
    assert (design.languages, design.open_answers, design.rehearsal) == (("en", "zh-hans"), True, True)
    assert len(design.sections[0].questions) == 3
    assert [(len(section.questions), section.asked) for section in hidden] == [(11, 2)]
    assert [question.codes for question in hidden[0].questions] == [2] * 10 + [4]


def test_the_protection_is_that_of_the_usual_preset() -> None:
    """With three sections of gamma 5, as the demo once had them, a suspicion of 5 % could become one of 87 %."""
    draft = read_questionnaire(demo.questionnaire(NOW.date()))
    assert preset_of(draft) == DEFAULT
    assert followed(draft) == draft
    laws = [section.law for section in parse(demo.QUESTIONNAIRE.read_text()).sections if section.law]
    assert DEFAULT.limit.admits(Guarantee(tuple(laws)).gamma)
    # The start page says the figure of the builder.
    said, builder = (
        everything_together(parse(demo.QUESTIONNAIRE.read_text())),
        person_protection(draft, PRIOR),
    )
    assert said
    assert builder
    assert said[1].value == builder.posterior == 0.5


def test_the_number_is_asked_by_classes_with_the_usual_protection_and_its_average() -> None:
    draft = read_questionnaire(demo.questionnaire(NOW.date(), demo.NUMBER))
    assert followed(draft) == draft
    design = parse(demo.NUMBER.read_text())
    section = design.sections[1]
    assert isinstance(section, ClassesSection)
    assert section.questions[0].has_mean
    assert 18 < section.law.gamma <= 19


@pytest.mark.parametrize(("path", "texts_at_least"), [(demo.QUESTIONNAIRE, 40), (demo.NUMBER, 9)])
def test_every_text_of_it_stands_in_both_languages(path: Path, texts_at_least: int) -> None:
    def texts(node: object) -> list[dict[str, str]]:
        if isinstance(node, list):
            return [found for child in node for found in texts(child)]
        if not isinstance(node, dict):
            return []
        if node and all(isinstance(value, str) for value in node.values()) and "en" in node:
            return [node]
        return [found for child in node.values() for found in texts(child)]

    found = texts(json.loads(path.read_text()))
    assert len(found) > texts_at_least
    assert all(set(text) == {"en", "zh-hans"} and all(text.values()) for text in found)


def perform(job: Job) -> None:
    """The worker's part, at once and in this process."""
    attempt(job)
    job.refresh_from_db()
    assert job.state == State.DONE, str(job.problem)


Walk = Callable[..., list[str]]


@pytest.fixture
def walk(monkeypatch: pytest.MonkeyPatch) -> Walk:
    """What a tour of few respondents says, to its end or until a job comes that it is stopped at."""
    monkeypatch.setattr(demo, "FIRST", 300)
    monkeypatch.setattr(demo, "RESPONDENTS", 600)
    monkeypatch.setattr("config.start.demo.connection.close", lambda: None)

    def take(stopped_at: Callable[[Job], bool] = lambda job: False) -> list[str]:
        said: list[str] = []

        def wait(tour: demo.Tour, job: Job) -> None:
            if stopped_at(job):
                raise demo.TourStopped
            perform(job)

        monkeypatch.setattr(demo.Tour, "_wait", wait)
        demo.Tour(demo.seed(NOW), "http://here", said.append, Event()).walk()
        return said

    return take


def the_second_half(job: Job) -> bool:
    return isinstance(job, Simulation) and job.until == 600


@pytest.mark.django_db
def test_the_tour_ends_with_one_report_published_and_one_for_the_reviewer(
    walk: Walk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(demo, "FIRST", 1_000)
    monkeypatch.setattr(demo, "RESPONDENTS", 2_000)
    said = walk()
    first, second, number = Review.objects.order_by("pk")
    assert (second.state, number.state) == (Review.State.PUBLISHED, Review.State.PUBLISHED)
    assert first.state in (Review.State.WAITING, Review.State.IN_REVIEW)
    assert deciding.tally(first.run)["undecided"] > 0
    assert f"http://here/reports/{first.run_id}/" in said[-2]
    # The report of the number has its shares beside the truth, and the average.
    [found] = number.run.findings["numbers"]
    assert said[-1].endswith(number.get_absolute_url())
    mean = found["everybody"]["mean"]
    assert 0 < mean["low"] < mean["high"] < 15_000
    walk()
    assert Review.objects.count() == 3


@pytest.mark.django_db
def test_a_demo_that_was_stopped_while_the_second_half_answered_goes_on(walk: Walk) -> None:
    assert len(walk(stopped_at=the_second_half)) == 1
    assert Simulation.objects.order_by("pk").last().state == State.QUEUED  # type: ignore[union-attr]
    assert "Published for the researcher" in walk()[1]
    first, second, _number = Review.objects.order_by("pk")
    assert (first.is_open, second.state) == (True, Review.State.PUBLISHED)
    assert [rehearsing.answered(survey) for survey in Survey.objects.order_by("pk")] == [600, 300]


@pytest.mark.django_db
def test_what_somebody_else_lets_answer_meanwhile_is_waited_for(walk: Walk) -> None:
    walk(stopped_at=the_second_half)
    Simulation.objects.filter(until=600).delete()
    survey = Survey.objects.get()
    rehearsing.start(survey, survey.owner, 50, NOW)
    walk()
    assert list(Simulation.objects.order_by("pk").values_list("n", flat=True)) == [300, 50, 250, 300]


@pytest.mark.django_db
def test_the_runs_of_a_newcomer_are_not_taken_for_the_tours(walk: Walk) -> None:
    """One that asks for something else, and one that asks for the same of fewer."""
    walk(stopped_at=the_second_half)
    survey = Survey.objects.get()
    theirs = []
    for wanted in (Parameters(0.1, 0.5), demo.WANTED):
        theirs.append(starting.start(survey, survey.owner, wanted, NOW))
        perform(theirs[-1])
    walk()
    published = Review.objects.filter(state=Review.State.PUBLISHED).order_by("pk")[0]
    assert published.run not in theirs
    assert published.run.records > 400
    assert {review.state for review in Review.objects.filter(run__in=theirs)} == {"waiting"}


@pytest.mark.django_db
def test_a_survey_that_a_newcomer_has_closed_ends_the_tour_in_words(walk: Walk) -> None:
    walk(stopped_at=the_second_half)
    Simulation.objects.filter(until=600).delete()
    survey = Survey.objects.get()
    lifecycle.close(survey, survey.owner, NOW)
    assert walk()[-1].startswith("  The tour ends here: Answers can be simulated only in an open rehearsal.")


@pytest.mark.django_db
def test_the_first_ten_rules_of_the_demo_are_true(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the truth that the rehearsal keeps, in which a rule that the questionnaire implies has a lift of 1.

    The same respondents at every run: among others a borderline rule may come in front.
    """
    chance = np.random.default_rng
    monkeypatch.setattr(np.random, "default_rng", lambda seed=None: chance(7 if seed is None else seed))
    monkeypatch.setattr("config.start.demo.connection.close", lambda: None)
    monkeypatch.setattr(demo.Tour, "_wait", lambda _tour, job: perform(job))
    said: list[str] = []
    demo.Tour(demo.seed(NOW), "http://here", said.append, Event()).walk()
    assert "Reviewed in part" in said[-2], said
    run = Review.objects.filter(state=Review.State.PUBLISHED).order_by("pk")[0].run
    assert run.records > demo.FIRST
    true = rehearsal_truth.true_shares(run)
    assert true is not None
    item, naming = Numbering(run.content).item, Naming(run.content)
    listed = run.rules.order_by("place")[:10]
    assert len(listed) == 10
    for rule in listed:
        ((a,), (c,)) = ([item(number) for number in side] for side in rule.sides)
        people = true.of(
            disguised_only=naming.is_disguised_only([naming.name(a), naming.name(c)], run.n_open or 0)
        )
        confidence = people.share((a, c), given=(a,), shown=True)
        others = [(a[0], code) for code in range(len(run.content.questions[a[0]].choices))]
        shares = [people.share((other, c), shown=True) for other in others]
        assert rule.association
        assert (confidence - sum(shares)) * rule.association > 0, "their lift is on the side that is said"
        assert confidence >= demo.WANTED.min_confidence
        assert people.share((a, c)) >= demo.WANTED.min_support


class Steps(Event):
    """A stop that never comes; each wait for it lets a trial take a step, to the tenth and last."""

    turns = 0

    def wait(self, timeout: float | None = None) -> bool:
        self.turns += 1
        if self.turns == 21:
            Trial.objects.update(state=State.DONE, finished=NOW)
        words = Message("Step %(step)s of %(steps)s", {"step": self.turns // 8, "steps": 2})
        Trial.objects.update(words=words.stored())
        return False


@pytest.mark.django_db
def test_the_terminal_says_every_few_seconds_how_far_it_is_and_nothing_twice() -> None:
    seeded = demo.seed(NOW, empty=True)
    trial = Trial.objects.create(person=seeded.people["reviewer"], created=NOW, queued=NOW)
    said: list[str] = []
    demo.Tour(seeded, "http://here", said.append, Steps())._wait(trial)
    name = f"  … Trial {trial.pk}"
    assert said == [f"{name}: Step 0 of 2", f"{name}: Step 1 of 2", f"{name}: Step 2 of 2"]
    assert demo.progress(Trial(pk=7)) == "  … Trial 7: Waiting"


FEW = """
import sys
from config.start import supervisor
seed = supervisor.seed

def of_few(empty):
    from config.start import demo
    demo.FIRST, demo.RESPONDENTS = 1_000, 2_000
    return seed(empty)

supervisor.seed = of_few
sys.exit(supervisor.main())
"""
STATES = """
from reports.models import Review
print(*Review.objects.order_by("pk").values_list("state", flat=True))
"""


@pytest.mark.server
def test_the_real_demo_walks_the_whole_road(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With fewer respondents; what those of the demo lead to, the test of its first ten rules says."""
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
            if "Reviewed in part" in line:
                break
        seconds = time.monotonic() - began
        late.cancel()
        process.send_signal(signal.SIGINT)
        assert process.wait(servers.PATIENCE) == 0
    with capsys.disabled():
        print(f"\nthe demo from its start to the published report: {seconds:.0f} s")
    assert "Reviewed in part" in said[-1], "".join(said)
    steps = ["a first report waits", "Published for the researcher", "Reviewed in part"]
    assert [step for line in said for step in steps if step in line] == steps
    env["SECRET_KEY"] = (tmp_path / "secret-key").read_text()
    first, second = servers.manage(env, "shell", "--verbosity=0", "-c", STATES).split()
    assert first in ("waiting", "in-review")
    assert second == "published"
    assert "Traceback" not in (tmp_path / "log" / "worker.log").read_text()
