"""Somebody who visits pages in the bracketed language, and what they find there."""

import json
from datetime import UTC, datetime
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from importing import own
from intake.rehearsal import simulating
from jobs import attempt
from jobs.models import Trial
from mining.parameters import Parameters
from people import roles
from people.models import REVIEWERS, Person
from releases import comparing, deciding as deciding_on_releases, making, specifying, survey_tables, uploading
from releases.models import Release
from reports import deciding, publishing
from reports.models import Review
from runs import starting
from runs.models import Run
from surveys import lifecycle, opening, review
from surveys.builder.parts import base_of
from surveys.builder.phrase_words import PhrasePart
from surveys.builder.saving import normalized_draft
from surveys.models import Survey
from tests.releases.pages import perform
from tests.reports import made_places

STATES: tuple[str, ...] = ("draft", "open", "closed", "archived")

ASKED = {"form": "one", "text": {"en": "1?"}, "choices": [{"name": "1", "label": {"en": "1"}}, "2"]}
RULED = [
    {"kind": "plain", "questions": [{"name": "1", **ASKED}, {"name": "2", "show_if": {"1": ["1"]}, **ASKED}]},
    {
        "kind": "unrelated-question",
        "keep": "0.9000",
        "questions": [{"name": str(n), **ASKED} for n in range(3, 13)],
    },
    {"kind": "number", "name": "13"},
]


def draft(language: str = "en", **other: Any) -> dict[str, Any]:
    """A complete questionnaire without a letter in it; its names are never shown as words."""
    said = {key: {language: "1"} for key in ("title", "asker", "why", "intro", "consent", "thanks")}
    choices = [{"name": "1", "label": {language: "1"}}, {"name": "2", "label": {language: "2"}}]
    asked = {"form": "one", "text": {language: "1?"}, "choices": choices}
    sections = [
        {"kind": "plain", "questions": [{"name": "1", "role": "quasi", **asked}]},
        {"kind": "unrelated-question", "keep": "0.5000", "questions": [{"name": "2", **asked}]},
    ]
    numbers = {"minutes": 4, "least": 100, "expected": 1000, "retention": "2099-12-31", "open_answers": True}
    whole = {"format": "candor-design/1", "languages": [language], "contact": "1@2.3", "sections": sections}
    return {**said, **numbers, **whole, "rehearsal": False, **other}


def numbers(language: str) -> list[dict[str, Any]]:
    """Sections of a plain question and of numbers by both laws."""
    said = {"text": {language: "1?"}, "unit": {language: "1"}}
    choices = [{"name": "1", "label": {language: "1"}}, {"name": "2", "label": {language: "2"}}]
    plain = {"name": "1", "form": "one", "text": {language: "1?"}, "choices": choices}
    shares = {"name": "2", "law": "thresholds", "thresholds": [0, 10, 20], "mean": True, **said}
    shape = {"name": "3", "law": "window", "values": 23, "window": 3, "uniform": "0.2000", **said}
    return [
        {"kind": "plain", "questions": [plain]},
        {"kind": "number", "keep": "0.8000", "questions": [shares]},
        {"kind": "number", "questions": [shape]},
    ]


def places(language: str) -> list[dict[str, Any]]:
    """Sections of a plain question and of a place; `tests.reports.made_places` has a run of such a survey."""
    choices = [{"name": "1", "label": {language: "1"}}, {"name": "2", "label": {language: "2"}}]
    plain = {"name": "1", "form": "one", "text": {language: "1?"}, "choices": choices}
    cells = [
        {"name": str(number), "label": {language: str(number)}, "at": [number % 3, number // 3]}
        for number in range(1, 10)
    ]
    regions = [
        {"name": "10", "label": {language: "10"}, "cells": ["1", "2", "3"]},
        {"name": "11", "label": {language: "11"}, "cells": ["4", "5"]},
    ]
    place = {"name": "2", "text": {language: "1?"}, "cells": cells, "regions": regions}
    return [
        {"kind": "plain", "questions": [plain]},
        {"kind": "place", "questions": [{**place, "near": 2, "odds": "8.00"}]},
    ]


def drafted_places(language: str) -> list[dict[str, Any]]:
    """Sections of places: with two levels, with odds beyond the usual limit, and without a region yet."""
    cells = [{"name": f"{n}0", "at": [n % 4, n // 4]} for n in range(12)]
    whole = {"text": {language: "1?"}, "cells": cells}
    first = {
        "name": "01",
        "label": {language: "1"},
        "cells": ["00", "10", "20", "30"],
        "near": 4,
        "odds": "4.19",
    }
    second = {"name": "02", "label": {language: "2"}, "cells": ["40", "50"]}
    regions = [first, second]
    return [
        {
            "kind": "place",
            "questions": [{"name": "1", **whole, "regions": regions, "near": 2, "odds": "7.38"}],
        },
        {
            "kind": "place",
            "questions": [{"name": "2", **whole, "regions": regions[1:], "near": 2, "odds": "200"}],
        },
        {"kind": "place", "questions": [{"name": "3", **whole, "regions": []}]},
    ]


NOW = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)
PASSWORD = "0123-4567-8901"


class Walk:
    """Visits pages as somebody; the cast's names hold no letters, so every letter on a page is a word of ours."""

    def __init__(self) -> None:
        self.staff = Person.objects.create_superuser("007", "7@1.23", PASSWORD, name="0 0 7")
        self.client = Client(HTTP_ACCEPT_LANGUAGE="xx")

    def as_staff(self) -> "Walk":
        self.client.force_login(self.staff)
        return self

    def get(self, route: str, /, *args: object, **query: str) -> Any:
        return self.client.get(reverse(route, args=args), query)

    def post(self, route: str, /, *args: object, **data: str) -> Any:
        return self.client.post(reverse(route, args=args), data, follow=True)

    def survey(self, state: str = "draft", owner: Person | None = None, **other: Any) -> Survey:
        """A survey in this state, the staff's own unless it is somebody else's."""
        person = owner or self.staff
        made = Survey.objects.create(owner=person, draft=draft(**other))
        if state != "draft":
            opening.open_now(made, person, NOW)
        if state in ("closed", "archived"):
            lifecycle.close(made, person, NOW)
        if state == "archived":
            lifecycle.archive(made, person, NOW)
        return made

    def listed(self) -> Any:
        for state in STATES:
            self.survey(state)
        return self.get("surveys:index")

    def everywhere(self, route: str, *states: str, **data: str) -> list[Any]:
        """The route's page for a survey in each state, and what it says to a form with these values."""
        self.as_staff()
        surveys = [self.survey(state) for state in states]
        shown = [self.get(route, survey.pk) for survey in surveys]
        return shown + [self.post(route, survey.pk, **data) for survey in surveys]

    def edited(self, *words: dict[str, str]) -> list[Any]:
        """The builder with everything open, and what it says to buttons pressed with these values."""
        pk = self.as_staff().survey(languages=["en", "fr"], least=5, sections=RULED).pk
        everything = {"open": ["=start", "1", "2", "3"], "in": "en"}
        shown = [
            self.client.get(reverse("surveys:edit", args=[pk]), {**everything, "in": code})
            for code in ("en", "fr")
        ]
        return shown + [self.post("surveys:edit-act", pk, **each) for each in words]

    def edited_numbers(self) -> list[Any]:
        """The builder with numbers open, and what it shows for values that are tried."""
        pk = self.as_staff().survey(sections=numbers("en")).pk
        tried = [self.post("surveys:edit-number", pk, part=part, **{"in": "en"}) for part in ("2", "3")]
        return [*tried, self.client.get(reverse("surveys:edit", args=[pk]), {"open": ["2", "3"], "in": "en"})]

    def edited_places(self) -> list[Any]:
        """The builder with places open, their protection, and what it says to other cells."""
        pk = self.as_staff().survey(sections=drafted_places("en"), expected=100).pk
        everything = {"open": ["1", "2", "3"], "in": "en"}
        address = reverse("importing:edit-cells", args=[pk], query={"key": "1"})
        sent = [{"source": "grid"}, {"source": "names", "names": "1\n1"}, {"source": "file"}]
        grid = {"source": "grid", "columns": "65", "rows": "64"}
        return [
            self.client.get(reverse("surveys:edit", args=[pk]), everything),
            self.get("surveys:protection", pk),
            self.client.get(address),
            *(self.client.post(address, each) for each in [*sent, grid]),
        ]

    def phrases_translated(self) -> list[Any]:
        """The fixed sentences, after a translation that is refused, one that is saved and one that comes too late."""
        survey = self.as_staff().survey(languages=["en", "pt"])
        part = {"part": "leave", "in": "pt", "original": "xx"}
        base = base_of(PhrasePart("leave", "pt"), normalized_draft(survey))
        sent = [{"base": base, "words": "{1}"}, {"base": base, "words": "1"}, {"base": base, "words": "2"}]
        return [self.post("surveys:translations-phrase", survey.pk, **part, **each) for each in sent]

    def reviewed(self, matter: str, **data: str) -> list[Any]:
        """A stranger's survey that asks the staff for their yes."""
        owner = Person.objects.create_user("008", "8@1.23", PASSWORD, name="0 0 8")
        asking = self.survey("open", owner) if matter == "records" else self.survey(owner=owner, least=50)
        roles.give(self.staff, REVIEWERS, by=None)
        self.client.force_login(owner)
        asked = [self.get("surveys:ask", asking.pk), self.post("surveys:ask", asking.pk, note="1")]
        self.as_staff()
        answers = [self.get("surveys:queue"), self.get("surveys:review", asking.pk)]
        return [*asked, *answers, self.post("surveys:review", asking.pk, **data)]

    def invited(self, route: str, **data: str) -> list[Any]:
        """The route of an open survey that asks for invitations, and what it says to a form with these values."""
        made = Survey.objects.create(owner=self.as_staff().staff, draft=draft(language="xx"), invited=True)
        opening.open_now(made, self.staff, NOW)
        return [self.get(route, made.pk), self.post(route, made.pk, **data)]

    def allowed(self) -> list[Any]:
        """Record files that a stranger has allowed."""
        reviewer = Person.objects.create_user("008", "8@1.23", PASSWORD, name="0 0 8")
        roles.give(reviewer, REVIEWERS, by=None)
        made = self.as_staff().survey("open")
        fingerprint = made.design_id or ""
        review.decide(made, reviewer, "records", fingerprint, allow=True, reason="1", now=NOW)
        route = "recordfiles:records"
        return [
            self.get(route, made.pk),
            self.post(route, made.pk, kind="0"),
            self.post(route, made.pk, kind="csv"),
        ]

    def uploaded(self) -> Any:
        """A file in which much is wrong."""
        wrong = b'{"format": "candor-design/1", "sections": [{"kind": "1"}]}'
        return self.client.post(reverse("importing:import"), {"file": SimpleUploadedFile("1.2", wrong)})

    def read_through(self) -> Any:
        """A file whose read-through waits to be accepted."""
        whole = SimpleUploadedFile("1.2", own.written(draft("xx")))
        return self.as_staff().client.post(reverse("importing:import"), {"file": whole})

    def accepted(self) -> Any:
        return self.post("importing:import-accept", ticket=self.read_through().context["ticket"])

    def rehearsed(self, respondents: int = 400, **other: Any) -> Survey:
        """A rehearsal that simulated respondents have answered."""
        made = self.as_staff().survey("open", language="xx", rehearsal=True, **other)
        simulating.simulate(made, respondents, seed=1)
        return made

    def run(self, state: str = "done", **other: Any) -> Run:
        """A run over the rehearsal's answers; done unless it still waits."""
        wanted = Parameters(min_support=0.01, min_confidence=0.01)
        made = starting.start(self.rehearsed(**other), self.staff, wanted, NOW)
        if state == "done":
            attempt.attempt(made.label, str(made.pk), token="1", worker="1")
        made.refresh_from_db()
        return made

    def report(self, state: str = "waiting", **other: Any) -> Review:
        """Of a survey that the staff own; a stranger has published it where that is asked for."""
        run = self.run(**other)
        publishing.add_finished_runs(NOW)
        review = Review.objects.get(run=run)
        if state == "published":
            reviewer = Person.objects.create_user("008", "8@1.23", PASSWORD, name="0 0 8")
            roles.give(reviewer, REVIEWERS, by=None)
            rules = deciding.with_verdicts(run)
            deciding.decide(review, reviewer, rules, deciding.Verdict.ACCEPT, "1", NOW)
            publishing.publish(review, reviewer, ["1"], "http://1", NOW)
        return review

    def placed(self, state: str = "waiting") -> Review:
        """The report of a survey that asks a place, of a run made by hand."""
        survey = self.as_staff().survey("open", sections=places("en"))
        made_places.run(survey, made_places.finding() | {"question": "2"})
        publishing.add_finished_runs(NOW)
        review = Review.objects.get(run__survey=survey)
        if state == "published":
            reviewer = Person.objects.create_user("009", "9@1.23", PASSWORD, name="0 0 9")
            roles.give(reviewer, REVIEWERS, by=None)
            publishing.publish(review, reviewer, ["1"], "http://1", NOW)
        return review

    def published_index(self) -> Any:
        self.report("published")
        return self.get("reports:index")

    def trials(self) -> list[int]:
        """A trial in each state."""
        running = {"heartbeat": NOW, "claim": "1", "started": NOW, "fraction": 0.5, "attempts": 2}
        finished = {"finished": NOW}
        states: dict[str, dict[str, Any]] = {
            "queued": {},
            "running": running,
            "done": finished,
            "failed": finished,
            "cancelled": finished,
        }
        rows = [Trial(person=self.staff, state=s, created=NOW, **more) for s, more in states.items()]
        return [row.pk for row in Trial.objects.bulk_create(rows)]

    def table(self, owner: Person | None = None, **said: Any) -> Release:
        """A draft release of an uploaded table of digits."""
        rows = "".join(f"{at % 7},{at % 2},{at % 3},{at % 5}\n" for at in range(60))
        person = owner or self.as_staff().staff
        made = uploading.store_upload(person, "1.2", f"1,2,3,4\n{rows}".encode(), timezone.now())
        quasi = [
            {"name": "1", "kind": "number"},
            {"name": "2", "kind": "ordered", "order": ["0", "1"]},
            {"name": "3", "kind": "category", "hierarchy": {"7": ["0", "1"], "8": ["2"]}},
        ]
        whole = {
            "format": "candor-release/1",
            "quasi_identifiers": quasi,
            "sensitive": ["4"],
            "k": 5,
            "seconds": 0,
        }
        specifying.save_specification(made, person, json.dumps(whole | said), timezone.now())
        return made

    def released(self, state: str, owner: Person | None = None) -> Release:
        """A release in this state, which a stranger decided on unless the stranger owns it."""
        made = self.table(owner)
        other = self.reviewer() if owner is None else self.staff
        if state == "draft":
            return made
        making_of = making.start(made, made.source.owner, timezone.now())
        if state == "running":
            return made
        perform(making_of)
        if state in ("approved", "withdrawn"):
            made.refresh_from_db()
            deciding_on_releases.approve(made, other, "1", timezone.now())
        if state == "withdrawn":
            deciding_on_releases.withdraw(made, other, "1", timezone.now())
        if state == "refused":
            made.refresh_from_db()
            deciding_on_releases.refuse(made, other, "1", timezone.now())
        return made

    def reviewer(self) -> Person:
        known = Person.objects.filter(username="006").first()
        person = known or Person.objects.create_user("006", "6@1.23", PASSWORD, name="0 0 6")
        roles.give(person, REVIEWERS, by=None)
        return person

    def to_review(self, state: str = "checked") -> Release:
        """A stranger's release that the staff review."""
        stranger = Person.objects.create_user("005", "5@1.23", PASSWORD, name="0 0 5")
        roles.give(self.staff, REVIEWERS, by=None)
        made = self.released(state, stranger)
        self.as_staff()
        return made

    def draft_of_survey(self) -> Release:
        survey, now = self.rehearsed(), timezone.now()
        return survey_tables.start_from_survey(survey, self.staff, disguised_only=False, now=now)

    def every_release(self) -> Any:
        """The list with releases of one's own and one that waits for the staff."""
        self.to_review()
        for state in ("draft", "approved"):
            self.released(state)
        return self.get("releases:index")

    def compared(self) -> Release:
        made = self.table()
        comparison = comparing.start(made, self.staff, timezone.now())
        perform(comparison)
        return made
