"""Pages of studies, models and margins in the bracketed language, for `tests.config.test_every_word`."""

from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from intake.rehearsal import simulating
from jobs import attempt
from mining.parameters import Parameters
from people import roles
from people.models import REVIEWERS, Person
from reports import deciding, publishing
from reports.models import Review
from runs import starting
from runs.models import ModelJob, Run
from surveys import hypotheses, opening, review
from surveys.models import Survey
from tests.config.walk import NOW, PASSWORD, Walk

HYPOTHESES: list[dict[str, Any]] = [
    {"kind": "share", "item": "4=yes", "than": "0.1000"},
    {"kind": "arms", "item": "4=yes"},
    {"kind": "version", "item": "4=yes", "by": "2"},
    {"kind": "association", "antecedent": ["1=2"], "consequent": ["4=yes"]},
    {"kind": "coefficient", "item": "4=yes", "model": "logit", "covariates": ["1", "arm"], "of": "1=2"},
]
SALT = "01" * 16


def sections(language: str) -> list[dict[str, Any]]:
    """A plain question, drawn versions, a control item, a disguised question and a crosswise one."""
    said = {language: "1?"}
    choices = [{"name": name, "label": {language: name}} for name in ("1", "2")]
    yes_no = {"form": "yes-no", "text": said, "choices": ["no", "yes"]}
    plain = {"name": "1", "form": "one", "text": said, "choices": choices}
    drawn = {"name": "2", "form": "drawn", "text": said, "choices": choices, "shares": ["0.5000", "0.5000"]}
    secret = {"secret": {language: "2?"}, "share": "0.2466", "source": "3"}
    return [
        {"kind": "plain", "questions": [plain, drawn, {"name": "3", "known": "0.0000", **yes_no}]},
        {"kind": "unrelated-question", "keep": "0.5000", "questions": [{"name": "4", **yes_no}]},
        {"kind": "crosswise", "questions": [{"name": "5", "text": said, "choices": ["no", "yes"], **secret}]},
    ]


def drafted(walk: Walk, language: str = "en", **more: Any) -> Survey:
    survey = walk.as_staff().survey(
        language=language, sections=sections(language), direct="0.5000", open_answers=False, **more
    )
    for each in HYPOTHESES:
        survey.draft = hypotheses.with_hypothesis(survey.draft, each, SALT)
    survey.save()
    return survey


def opened(walk: Walk, language: str = "en", **more: Any) -> Survey:
    """A direct arm opens after a reviewer's approval."""
    survey = drafted(walk, language, **more)
    reviewer = Person.objects.create_user("010", "10@1.23", PASSWORD, name="0 1 0")
    roles.give(reviewer, REVIEWERS, by=None)
    review.ask(survey, walk.staff, "weak", review.current(survey, "weak"), "1", NOW)
    fingerprint = review.current(survey, "weak")
    review.decide(survey, reviewer, "weak", fingerprint, allow=True, reason="1", now=NOW)
    opening.open_now(survey, walk.staff, NOW)
    return survey


def builder(walk: Walk) -> list[Any]:
    """The tab of a study, and what it says to forms that do not fit."""
    survey = drafted(walk)
    empty = walk.survey()
    kinds = [f"hypothesis-{each['kind']}" for each in HYPOTHESES]
    sent = [{"part": "direct", "direct": "95"}, {"part": "0"}, *({"part": kind} for kind in kinds)]
    edited = [{"part": "hypothesis-edit", "name": f"H{number + 1}"} for number in range(len(HYPOTHESES) + 1)]
    return [
        walk.get("surveys:study", survey.pk),
        *(walk.get("surveys:study", survey.pk, hypothesis=each["kind"]) for each in HYPOTHESES),
        walk.get("surveys:study", survey.pk, edit="H5"),
        walk.get("surveys:study", empty.pk),
        *(walk.post("surveys:study-save", survey.pk, **each) for each in (*sent, *edited)),
    ]


def read_hypotheses(walk: Walk) -> list[Any]:
    draft, survey = drafted(walk), opened(walk)
    return [walk.get("surveys:hypotheses", each.pk) for each in (draft, survey)]


def run(walk: Walk) -> Run:
    survey = opened(walk, language="xx", rehearsal=True)
    simulating.simulate(survey, 400, seed=1)
    made = starting.start(survey, walk.staff, Parameters(min_support=0.01, min_confidence=0.01), NOW)
    attempt.attempt(made.label, str(made.pk), token="1", worker="1")
    made.refresh_from_db()
    return made


def report(walk: Walk, state: str = "waiting") -> Review:
    of_run = run(walk)
    publishing.add_finished_runs(NOW)
    found = Review.objects.get(run=of_run)
    if state == "published":
        reviewer = Person.objects.get(username="010")
        rules = deciding.with_verdicts(of_run)
        deciding.decide(found, reviewer, rules, deciding.Verdict.ACCEPT, "1", NOW)
        publishing.publish(found, reviewer, [], "http://1", NOW)
    return found


def specified(walk: Walk) -> ModelJob:
    """A model by the only plain question, done."""
    made = walk.run()
    chosen = {"item": "2=2", "formula": "linear", "covariate_1": "categories"}
    walk.post("models:of_run", made.pk, **chosen)
    return ModelJob.objects.get(run=made)


def done(job: ModelJob) -> ModelJob:
    attempt.attempt(job.label, str(job.pk), token="1", worker="1")
    job.refresh_from_db()
    return job


def models(walk: Walk) -> list[Any]:
    job = specified(walk)
    return [
        walk.get("models:of_run", job.run_id),
        walk.post("models:of_run", job.run_id),
        walk.post("models:of_run", job.run_id, item="2=2", formula="logit", covariate_1="number"),
    ]


def model(walk: Walk, route: str) -> list[Any]:
    job = specified(walk)
    waiting = walk.get(route, job.run_id, job.number)
    return [waiting, walk.get(route, done(job).run_id, job.number)]


def report_models(walk: Walk) -> list[Any]:
    job = done(specified(walk))
    publishing.add_finished_runs(NOW)
    found = Review.objects.get(run=job.run)
    return [walk.get("reports:models", found.pk)]


def margins(walk: Walk) -> list[Any]:
    survey = walk.run().survey
    address = reverse("mining:margins", args=[survey.pk])
    files = [b"1,share\n1,0.5\n2,0.5\n", b"1,share\n1,0.5\n", b"9,share\n1,1\n"]
    return [
        walk.get("mining:margins", survey.pk),
        *(
            walk.client.post(address, {"name": "1", "file": SimpleUploadedFile("1.2", content)}, follow=True)
            for content in files
        ),
    ]


def form(walk: Walk) -> list[Any]:
    """The page without JavaScript, of a survey that has one and of others."""
    crosswise: dict[str, Any] = {"sections": [sections("xx")[2]], "open_answers": False}
    survey = walk.as_staff().survey("open", language="xx", **crosswise)
    return [
        walk.get("intake:form", survey.slug),
        walk.post("intake:form", survey.slug),
        walk.get("intake:form", walk.survey("open", language="xx").slug),
    ]
