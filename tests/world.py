"""A small world for tests that walk the whole product: the cast, a survey in every state, a run, reports and work."""

from dataclasses import dataclass

from accounts.models import RESEARCHERS, REVIEWERS, Person
from jobs.models import Lease, Trial, Worker
from releases import survey_tables
from releases.models import Release
from reports.models import Review
from reports.review import public_links as links, publishing
from runs.models import Run
from surveys.lifecycle import opening, review, states as lifecycle
from surveys.models import Collaborator, Survey
from tests.cast import somebody, with_role
from tests.releases import page_uploads
from tests.reports import made
from tests.reports.paged import accept
from tests.runs import sealed
from tests.surveys import drafts
from tests.surveys.conftest import NOW


@dataclass(frozen=True)
class World:
    people: dict[str, Person]
    surveys: dict[str, Survey]
    run: Run
    reports: dict[str, Review]
    trial: Trial
    releases: dict[str, Release]

    def objects(self) -> dict[str, list[str]]:
        """What the administration lists: model -> keys."""
        survey = self.surveys["opened"]
        return {
            "accounts_person": [str(person.pk) for person in self.people.values()],
            "jobs_worker": [str(Worker.objects.get().pk)],
            "jobs_lease": [str(Lease.objects.get().pk)],
            "jobs_trial": [str(self.trial.pk)],
            "surveys_survey": [str(survey.pk) for survey in self.surveys.values()],
            "surveys_design": [str(survey.design_id)],
            "reports_review": [str(report.pk) for report in self.reports.values()],
        }


def build(least: int = 100) -> World:
    """`least` of the surveys in OPENED; two with batches have 20."""
    people = {
        "owner": with_role(RESEARCHERS, "owner", name="Olga Owner"),
        "reviewer": with_role(REVIEWERS, "reviewer", name="Ruth Reviewer"),
        "superuser": somebody("superuser", is_superuser=True, is_staff=True),
        "editor": somebody("editor"),
        "viewer": somebody("viewer"),
    }
    owner, reviewer = people["owner"], people["reviewer"]
    surveys = {
        "draft": Survey.objects.create(owner=owner, draft=drafts.bilingual()),
        "unready": Survey.objects.create(owner=owner, draft=drafts.complete(asker={}, least=3)),
        "weak": Survey.objects.create(owner=owner, draft=drafts.weak()),
        "destroyed": Survey.objects.create(owner=owner, draft=drafts.complete()),
    }
    for name, more in OPENED.items():
        surveys[name] = _opened(owner, least, **more)
    surveys["counted"] = sealed.survey(owner, sealed.small(), [300, 300])
    surveys["reported"], surveys["published"] = made.survey(owner), made.survey(owner)
    run, published = made.run(surveys["reported"]), made.run(surveys["published"])
    for survey in surveys.values():
        Collaborator.objects.create(survey=survey, person=people["editor"], may_edit=True)
        Collaborator.objects.create(survey=survey, person=people["viewer"], may_edit=False)
    lifecycle.close(surveys["closed"], owner, NOW)
    lifecycle.close(surveys["finished"], owner, NOW)
    lifecycle.finish(surveys["finished"], owner, NOW)
    lifecycle.destroy(surveys["destroyed"], owner, NOW)
    weak = surveys["weak"]
    review.ask(weak, owner, "weak", review.current(weak, "weak"), "Few people work there.", NOW)
    allowed = surveys["counted"].design_id or ""
    review.decide(surveys["counted"], reviewer, "records", allowed, allow=True, reason="", now=NOW)
    publishing.add_finished_runs(NOW)
    reports = {"waiting": _report(run), "published": _report(published)}
    accept(reports["published"], reviewer, 1)
    publishing.publish(reports["published"], reviewer, ["age"], "", NOW)
    links.open_page(reports["published"], owner, NOW)
    reports["published"].refresh_from_db(fields=["public_token"])
    Worker.objects.create(name="w1", heard=NOW, warm=True)
    Lease.objects.create(name="tick", holder="w1", until=NOW)
    trial = Trial.objects.create(person=people["superuser"], created=NOW, queued=NOW, steps=3, pause=0)
    return World(people, surveys, run, reports, trial, _releases(owner, surveys["counted"]))


OPENED: dict[str, dict[str, bool]] = {
    "opened": {},
    "invited": {"invited": True},
    "rehearsal": {"rehearsal": True},
    "closed": {},
    "finished": {},
}


def _opened(owner: Person, least: int, *, invited: bool = False, rehearsal: bool = False) -> Survey:
    draft = drafts.complete(rehearsal=rehearsal, least=least)
    survey = Survey.objects.create(owner=owner, draft=draft, invited=invited)
    opening.open_now(survey, owner, NOW)
    return survey


def _releases(owner: Person, survey: Survey) -> dict[str, Release]:
    """Those of uploads have today's date: seven days later nothing would be left of them."""
    of_survey = survey_tables.start_from_survey(survey, owner, with_sensitive=False, now=NOW)
    return {
        "draft": page_uploads.uploaded(owner),
        "checked": page_uploads.made(owner),
        "of_survey": of_survey,
    }


def _report(run: Run) -> Review:
    return Review.objects.with_surveys().get(run=run)
