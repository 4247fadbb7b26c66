"""Small surveys of every shape, each a file in surveys/: answered, decided and published in this process.

A file holds `about`, the number of `people`, the `draft` beside what `designs.draft` gives, the plain questions whose
`groups` are published, and the words that its report must `never` say. What it may hold besides: the hypotheses of a
`plan`, `models`, `margins`, an `estimator`; that the people are `alike`, or their `shares` for each question; that the
survey `is_real`, `invited`, `finished` (or its `first` wave), or asked in two `waves`; whether the
`is_first_report_published`; by whom it was `reviewed_by`. Of `same_draft_as` another file it takes the draft.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from html import unescape
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from django.test import Client, override_settings

from accounts.models import Person
from intake.batches import automatic_sealing
from intake.invitations.texts import InvitingWords, proposed_email
from intake.invitations.tokens import create_tokens
from intake.rehearsal import respondent_simulation
from intake.rehearsal.simulated_people import default_population
from mining.parameters import Parameters
from privacy.designs import Design
from privacy.records import Record
from privacy.simulation.disguise import disguise
from privacy.simulation.population import Independent, Population
from reports.exports.file_format_writers import available_file_formats
from reports.models import Review
from reports.review import public_page_switch, regression_decisions, report_state_changes, rule_decisions
from reports.review.report_page_data import ReportPage
from reports.texts.design_sentences import PUBLIC, SIGNED_IN, DesignSentence, read_design_sentences
from runs import margin_weights, regression_job, run_start
from runs.models import Run
from surveys.lifecycle import opening, state_changes, survey_creation
from surveys.models import NamedReviewer, Survey
from surveys.phrases.languages import SHIPPED
from surveys.questionnaire import hypotheses
from tests.cast import unsaved_person
from tests.golden import designs
from tests.intake import asked
from tests.jobs.conftest import attempt
from tests.reports.conftest import desk_page, reader
from tests.runs import sealed
from tests.surveys.conftest import NOW

FOLDER = Path(__file__).parent / "surveys"
NAMES = sorted(path.stem for path in FOLDER.glob("*.json"))
SEED = 1
PAGES = ("", "print", "study", "places", "groups", "itemsets", "rules", "models", "files")
"""The pages of a report for people who are signed in; not every report has each."""
CHINESE = {"Accept-Language": "zh-hans"}
SENTENCES = (*read_design_sentences(PUBLIC), *read_design_sentences(SIGNED_IN))


@dataclass(frozen=True)
class TestSurvey:
    """A file of the collection."""

    __test__ = False

    name: str

    @cached_property
    def file(self) -> dict[str, Any]:
        read: dict[str, Any] = json.loads((FOLDER / f"{self.name}.json").read_text())
        if same := read.get("same_draft_as"):
            read["draft"] = TestSurvey(same).file["draft"] | read.get("draft", {})
        return read

    def ask(self, owner: Person, seed: int = SEED) -> Survey:
        """The survey, closed, with the answers of simulated people."""
        draft = designs.draft([]) | {"rehearsal": not self.file.get("is_real")} | self.file["draft"]
        survey = Survey(owner=owner, draft=draft, invited=self.file.get("invited", False))
        return self._answer(survey if self.file.get("waves") else self._with_plan(survey), seed)

    def _with_plan(self, survey: Survey) -> Survey:
        for hypothesis in self.file.get("plan", []):
            plan = hypotheses.add_hypothesis(survey.draft.get("plan", {}), hypothesis, "01" * 16)
            survey.draft = {**survey.draft, "plan": plan}
        return survey

    def publish(self, owner: Person, reviewer: Person, seed: int = SEED) -> "PublishedSurvey":
        """All that its report tells anybody; the reviewer accepts every rule that may be decided on."""
        survey = self.ask(owner, seed)
        if self.file.get("waves") == 2:
            if self.file.get("is_first_report_published", True):
                self._publish(survey, reviewer)
            wave = survey_creation.duplicate_survey(survey, owner, NOW, as_new_wave=True)
            survey = self._answer(self._with_plan(wave), seed)
        return self._publish(survey, reviewer)

    def population(self, design: Design) -> Population:
        if shares := self.file.get("shares"):
            answers = tuple(tuple(shares[one.name]) for one in design.questions)
            return Population(Independent(answers), open_share=0.25 if design.offers_choice else 0.0)
        return default_population(design, alike=self.file.get("alike", False))

    def _answer(self, survey: Survey, seed: int) -> Survey:
        survey.save()
        opening.open_survey_now(survey, survey.owner, NOW)
        survey.refresh_from_db()
        assert survey.design is not None
        design, people = survey.design.content, self.file["people"]
        if design.rehearsal:
            population = None if design.lasting_sections else self.population(design)
            respondent_simulation.simulate(survey, people, population=population, seed=seed)
        else:
            self._send_records(survey, design, np.random.default_rng(seed))
        state_changes.close_survey(survey, survey.owner, NOW)
        automatic_sealing.on_tick(NOW)
        if self.file.get("finished") in (True, "" if design.follows else "first"):
            state_changes.finish_survey(survey, survey.owner, NOW)
        return survey

    def _send_records(self, survey: Survey, design: Design, rng: np.random.Generator) -> None:
        """Sends what the devices of simulated people send; each spends a token where people are invited."""
        n = self.file["people"]
        group, true = self.population(design).draw(design, n, rng)
        codes = np.array(disguise(design, group, true, rng)).T
        tokens = create_tokens(survey, n) if survey.invited else [None] * n
        asked.take_in(
            survey,
            (
                asked.send_as_page(Record(design.fingerprint, int(own), answers), token=token)
                for own, row, token in zip(group, codes, tokens, strict=True)
                if (answers := "".join(f"{c:0{q.width}}" for c, q in zip(row, design.questions, strict=True)))
            ),
        )

    def _publish(self, survey: Survey, reviewer: Person) -> "PublishedSurvey":
        owner, reviewed_by = survey.owner, self.file.get("reviewed_by")
        margins = self.file.get("margins") and margin_weights.store_margins(
            survey, owner, "Census", BytesIO(self.file["margins"].encode()), "margins.csv", NOW
        )
        wanted = Parameters(0.02, 0.1, estimator=self.file.get("estimator", "stratified"), max_size=2)
        run = sealed.work(run_start.start_mining_run(survey, owner, wanted, NOW, margins))
        Run.objects.filter(pk=run.pk).update(created=NOW)
        for specification in self.file.get("models", ()):
            attempt(regression_job.start_model_job(run, owner, specification, NOW))
        report_state_changes.create_reviews_of_finished_runs(NOW)
        review = Review.objects.get(run=run)
        undecided = PublishedSurvey(self, survey, review, reviewer, {})
        before = dict(undecided.pages_before_decisions()) | dict(undecided.texts_for_respondents())
        if reviewed_by == "named":
            reviewer = unsaved_person(f"named {survey.pk}")
            NamedReviewer.objects.create(survey=survey, person=reviewer, address=reviewer.email, when=NOW)
        with override_settings(
            ONE_PERSON_DOES_BOTH=reviewed_by == "owner", OWNERS_NAME_REVIEWERS=reviewed_by == "named"
        ):
            self._decide(review, owner if reviewed_by == "owner" else reviewer)
        review = Review.objects.with_surveys().get(pk=review.pk)
        public_page_switch.open_page(review, owner, NOW)
        return PublishedSurvey(self, survey, Review.objects.get(pk=review.pk), reviewer, before)

    def _decide(self, review: Review, reviewer: Person) -> None:
        """Accepts every rule and every model, and publishes the report."""
        accept = rule_decisions.Verdict.ACCEPT
        if (rules := rule_decisions.rules_with_verdicts(review.run)).exists():
            rule_decisions.decide_rules(review, reviewer, rules, accept, "", NOW)
        for model in regression_decisions.readable_models(review, whole=True):
            regression_decisions.decide_model(review, reviewer, model, accept, "", NOW)
        report_state_changes.publish(review, reviewer, self.file["groups"], "", NOW)


@dataclass(frozen=True)
class PublishedSurvey:
    """A survey whose report is published; `before`: pages and letters of before it was."""

    survey_file: TestSurvey
    survey: Survey
    review: Review
    reviewer: Person
    before: Mapping[str, str]

    def public_page(self, language: str) -> str:
        return self._page(Client(), f"/public/{self.review.public_token}?lang={language}")

    @cached_property
    def pages(self) -> dict[str, str]:
        """The pages of the report for its owner, by the end of their address."""
        numbers = (
            f"numbers?question={place}" for place, _number in enumerate(self.json.get("numbers", ()), 1)
        )
        answers = {name: self.owner_client.get(reader(name, self.review)) for name in (*PAGES, *numbers)}
        assert {answer.status_code for answer in answers.values()} <= {200, 404}
        return {name: answer.text for name, answer in answers.items() if answer.status_code == 200}

    def pages_before_decisions(self) -> Iterator[tuple[str, str]]:
        """Yields what its reviewer reads and, in a rehearsal, the people who work on it."""
        yield "desk", self._page(client_of(self.reviewer), desk_page("report", self.review))
        if self.survey.is_rehearsal:
            yield "undecided", self._page(self.owner_client, self.review.get_absolute_url())

    def texts_for_respondents(self) -> Iterator[tuple[str, str]]:
        """Yields what respondents are sent or find on a wall, in each language that Candor has."""
        draft = {**self.survey.questionnaire, "languages": list(SHIPPED)}
        survey = Survey(owner=self.survey.owner, draft=draft, invited=self.survey.invited)
        for is_reminder in (False, True):
            email = proposed_email(survey, reminder=is_reminder)
            texts = zip(SHIPPED, email.message.split("\n\n— — —\n\n"), strict=True)
            for language, message in texts:
                yield (
                    f"{'reminder' if is_reminder else 'invitation'} {language}",
                    f"{email.subject} {message}",
                )
        for language in SHIPPED:
            words = InvitingWords(survey, language)
            hello = words.speaker.say_phrase("poster_hello", asker=words.asker)
            scan = words.speaker.say_phrase("poster_scan")
            yield f"poster {language}", f"{words.title} {hello} {words.why} {words.disguised} {scan}"

    @cached_property
    def texts(self) -> dict[str, str]:
        """All that is told in English, by its place."""
        pages = {"public page": self.public_page("en"), "home page": self.home_page}
        pages |= {f"page {name}": page for name, page in self.pages.items()}
        metadata = {
            name: member for name, member in self.whole_json.items() if name not in ("design", "report")
        }
        return {
            **{place: words_of(page) for place, page in pages.items()},
            "metadata of files": words_of(json.dumps(metadata, ensure_ascii=False)),
        }

    @cached_property
    def chinese_texts(self) -> dict[str, str]:
        """The public page and the pages of the report, in Chinese."""
        pages = {
            name: self.owner_client.get(reader(name, self.review), headers=CHINESE).text
            for name in ("", "study")
        }
        return {
            name: words_of(page) for name, page in {"public": self.public_page("zh-hans"), **pages}.items()
        }

    @cached_property
    def report_page(self) -> str:
        return self.pages[""]

    @cached_property
    def paper(self) -> str:
        return self.pages["print"]

    @cached_property
    def home_page(self) -> str:
        return self._page(self.owner_client, "/app/account/home")

    @cached_property
    def list_of_surveys(self) -> str:
        return self._page(self.owner_client, "/app/surveys/")

    @cached_property
    def owner_client(self) -> Client:
        return client_of(self.survey.owner)

    @cached_property
    def report(self) -> ReportPage:
        """Read as its readers do."""
        return ReportPage(Review.objects.with_surveys().get(pk=self.review.pk), whole=False)

    @cached_property
    def files(self) -> dict[str, bytes]:
        """By kind, such as `json`."""
        return {
            kind: file(self.report)
            for kind, (_end, _type, file) in available_file_formats(self.report).items()
        }

    @cached_property
    def whole_json(self) -> dict[str, Any]:
        read: dict[str, Any] = json.loads(self.files["json"])
        return read

    @property
    def json(self) -> dict[str, Any]:
        report: dict[str, Any] = self.whole_json["report"]
        return report

    def true_sentences(self) -> tuple[list[DesignSentence], list[DesignSentence]]:
        """The sentences about a design whose conditions hold, and the others with other words than these."""
        true = [one for one in SENTENCES if one.holds(self.report)]
        words = {one.text for one in true}
        return true, [one for one in SENTENCES if one.text not in words]

    @property
    def listed_answers(self) -> list[str]:
        """The answers that have a row among the shares; control items and what devices drew are no results."""
        labels, listed = self.report.labels, []
        for place, question in enumerate(labels.design.questions):
            if question.known_parts is None and not question.share_parts:
                listed += [labels.name((place, code)) for code in question.listed_codes]
        return [item for item in listed if any(one["items"] == [item] for one in self.json["shares"])]

    def _page(self, client: Client, address: str) -> str:
        answer = client.get(address)
        assert answer.status_code == 200, (address, answer.status_code)
        return answer.text


def client_of(person: Person) -> Client:
    client = Client()
    client.force_login(person, "django.contrib.auth.backends.ModelBackend")
    return client


def words_of(page: str) -> str:
    """What people read, and what a link's preview shows."""
    previews = " ".join(
        re.findall(
            r'<meta (?:name="description"|property="og:(?:title|description)") content="([^"]*)"', page
        )
    )
    seen = re.sub(r"(?s)<(script|style|svg|noscript)\b.*?</\1>", " ", page)
    text = re.sub(r"<[^>]+>", " ", seen)
    return re.sub(
        r"[\s\u202f\u00a0]+", " ", re.sub(r"[\u2060\u2066-\u2069]", "", unescape(f"{text} {previews}"))
    )
