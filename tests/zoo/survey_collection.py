"""Small surveys of every shape, each a file in surveys/: rehearsed, decided and published in this process.

A file holds `about`, the number of `people`, whether they are `alike`, the `draft` beside what `designs.draft` gives,
the hypotheses of a `plan`, the plain questions whose `groups` are published, and the words that its report must `never`
say.
"""

import json
import re
from dataclasses import dataclass
from functools import cached_property
from html import unescape
from pathlib import Path
from typing import Any

from django.test import Client

from accounts.models import Person
from intake.batches import automatic_sealing
from intake.rehearsal import respondent_simulation
from intake.rehearsal.simulated_people import default_population
from mining.parameters import Parameters
from reports.exports.file_format_writers import available_file_formats
from reports.models import Review
from reports.review import public_page_switch, report_state_changes, rule_decisions
from reports.review.report_page_data import report_page
from runs import run_start
from runs.models import Run
from surveys.lifecycle import opening, state_changes
from surveys.models import Survey
from surveys.questionnaire import hypotheses
from tests.golden import designs
from tests.runs import sealed
from tests.surveys.conftest import NOW

FOLDER = Path(__file__).parent / "surveys"
NAMES = sorted(path.stem for path in FOLDER.glob("*.json"))
PARAMETERS = Parameters(min_support=0.02, min_confidence=0.1, max_size=2)
SEED = 1


@dataclass(frozen=True)
class TestSurvey:
    """A file of the collection."""

    __test__ = False

    name: str

    @cached_property
    def file(self) -> dict[str, Any]:
        read: dict[str, Any] = json.loads((FOLDER / f"{self.name}.json").read_text())
        return read

    def rehearse(self, owner: Person, seed: int = SEED) -> Survey:
        """Its rehearsal, closed, with the answers of simulated people."""
        draft = designs.draft([]) | {"rehearsal": True} | self.file["draft"]
        for hypothesis in self.file.get("plan", []):
            draft["plan"] = hypotheses.add_hypothesis(draft.get("plan", {}), hypothesis, "01" * 16)
        survey = Survey.objects.create(owner=owner, draft=draft)
        opening.open_survey_now(survey, owner, NOW)
        survey.refresh_from_db()
        assert survey.design is not None
        population = default_population(survey.design.content, alike=self.file.get("alike", False))
        respondent_simulation.simulate(survey, self.file["people"], population=population, seed=seed)
        state_changes.close_survey(survey, owner, NOW)
        automatic_sealing.on_tick(NOW)
        return survey

    def publish(self, owner: Person, reviewer: Person, seed: int = SEED) -> "PublishedSurvey":
        """All that its report tells anybody; the reviewer accepts every rule that may be decided on."""
        survey = self.rehearse(owner, seed)
        run = sealed.work(run_start.start_mining_run(survey, owner, PARAMETERS, NOW))
        Run.objects.filter(pk=run.pk).update(created=NOW)
        report_state_changes.create_reviews_of_finished_runs(NOW)
        review = Review.objects.get(run=run)
        if (rules := rule_decisions.rules_with_verdicts(run)).exists():
            rule_decisions.decide_rules(review, reviewer, rules, rule_decisions.Verdict.ACCEPT, "", NOW)
        report_state_changes.publish(review, reviewer, self.file["groups"], "", NOW)
        review.refresh_from_db()
        public_page_switch.open_page(review, owner, NOW)
        return PublishedSurvey(self, survey, Review.objects.get(pk=review.pk), owner)


@dataclass(frozen=True)
class PublishedSurvey:
    survey_file: TestSurvey
    survey: Survey
    review: Review
    owner: Person

    def public_page(self, language: str) -> str:
        return self._page(Client(), f"/public/{self.review.public_token}?lang={language}")

    @cached_property
    def report_page(self) -> str:
        return self._page(self.owner_client, self.review.get_absolute_url())

    @cached_property
    def paper(self) -> str:
        return self._page(self.owner_client, f"{self.review.get_absolute_url()}print")

    @cached_property
    def home_page(self) -> str:
        return self._page(self.owner_client, "/app/account/home")

    @cached_property
    def list_of_surveys(self) -> str:
        return self._page(self.owner_client, "/app/surveys/")

    @cached_property
    def owner_client(self) -> Client:
        client = Client()
        client.force_login(self.owner, "django.contrib.auth.backends.ModelBackend")
        return client

    @cached_property
    def files(self) -> dict[str, bytes]:
        """By kind, such as `json`."""
        page = report_page(self.owner, self.review.pk, whole=False)
        return {kind: file(page) for kind, (_ending, _type, file) in available_file_formats(page).items()}

    @cached_property
    def json(self) -> dict[str, Any]:
        read: dict[str, Any] = json.loads(self.files["json"])["report"]
        return read

    def _page(self, client: Client, address: str) -> str:
        answer = client.get(address)
        assert answer.status_code == 200, (address, answer.status_code)
        return answer.content.decode()


def words_of(page: str) -> str:
    """What people read, and what a link's preview shows."""
    previews = " ".join(
        re.findall(
            r'<meta (?:name="description"|property="og:(?:title|description)") content="([^"]*)"', page
        )
    )
    seen = re.sub(r"(?s)<(script|style|svg|noscript)\b.*?</\1>", " ", page)
    text = re.sub(r"<[^>]+>", " ", seen)
    return re.sub(r"[\s\u202f\u00a0]+", " ", unescape(f"{text} {previews}"))
