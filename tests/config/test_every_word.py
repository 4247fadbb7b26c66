"""Every page of ours in the bracketed language."""

import gettext
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import django.conf.locale
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from django.utils.translation import trans_real
from pytest_django.fixtures import Settings

from jobs import work
from jobs.models import Trial
from mining.models import Run
from mining.parameters import Parameters
from mining.reports import deciding, publishing
from mining.reports.models import Review
from mining.runs import starting
from people import roles
from people.models import REVIEWERS, Person
from surveys import lifecycle, opening, review
from surveys.intake import simulating
from surveys.models import Survey
from tests import bracketed


@pytest.fixture(scope="module")
def locale(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("locale")
    bracketed.write(folder)
    return folder


@pytest.fixture(autouse=True)
def bracketed_language(locale: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setitem(
        django.conf.locale.LANG_INFO, "xx", {"bidi": False, "code": "xx", "name": "⟦X⟧", "name_local": "⟦X⟧"}
    )
    settings.LOCALE_PATHS = [locale]
    settings.LANGUAGES = [*settings.LANGUAGES, ("xx", "⟦X⟧")]

    def forget() -> None:
        for known in vars(trans_real).values():
            if hasattr(known, "cache_clear"):
                known.cache_clear()
        trans_real._translations.pop("xx", None)  # type: ignore[attr-defined]
        gettext._translations.clear()  # type: ignore[attr-defined]

    forget()
    yield
    forget()


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
        route = "intake-staff:records"
        return [
            self.get(route, made.pk),
            self.post(route, made.pk, kind="0"),
            self.post(route, made.pk, kind="csv"),
        ]

    def uploaded(self) -> Any:
        """A file in which much is wrong."""
        wrong = b'{"format": "candor-design/1", "sections": [{"kind": "1"}]}'
        return self.client.post(reverse("surveys:import"), {"file": SimpleUploadedFile("1.2", wrong)})

    def rehearsed(self) -> Survey:
        """A rehearsal that 400 simulated respondents have answered."""
        made = self.as_staff().survey("open", language="xx", rehearsal=True)
        simulating.simulate(made, 400, seed=1)
        return made

    def run(self, state: str = "done") -> Run:
        """A run over the rehearsal's answers; done unless it still waits."""
        wanted = Parameters(min_support=0.01, min_confidence=0.01)
        made = starting.start(self.rehearsed(), self.staff, wanted, NOW)
        if state == "done":
            work.attempt(made.label, str(made.pk), token="1", worker="1")
        made.refresh_from_db()
        return made

    def report(self, state: str = "waiting") -> Review:
        """Of a survey that the staff own; a stranger has published it where that is asked for."""
        run = self.run()
        publishing.take_in(NOW)
        review = Review.objects.get(run=run)
        if state == "published":
            reviewer = Person.objects.create_user("008", "8@1.23", PASSWORD, name="0 0 8")
            roles.give(reviewer, REVIEWERS, by=None)
            rules = deciding.with_verdicts(run)
            deciding.decide(review, reviewer, rules, deciding.Verdict.ACCEPT, "1", NOW)
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


@pytest.fixture
def walk(db: None) -> Walk:
    return Walk()


STATES: tuple[str, ...] = ("draft", "open", "closed", "archived")
INCOMPLETE: list[dict[str, Any]] = [{"asker": {}}, {"least": 20}, {"sections": []}]
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
ACTS: list[dict[str, str]] = [
    {"do": do, "key": key, "section": "0"}
    for key in ("1", "9")
    for do in (
        "up",
        "down",
        "duplicate",
        "delete",
        "move",
        "add",
        "section-up",
        "section-delete",
        "undo",
        "0",
    )
]
Visits = Callable[[Walk], list[Any]]
# Route -> the answers to read: the page itself, and what it says to a mistake.
ROUTES: dict[str, Visits] = {
    "look:home": lambda w: [w.get("look:home"), w.as_staff().get("look:home")],
    "look:method": lambda w: [w.get("look:method")],
    "look:limits": lambda w: [w.get("look:limits")],
    "look:styleguide": lambda w: [w.as_staff().get("look:styleguide")],
    "people:account": lambda w: [
        w.as_staff().get("people:account"),
        w.post("people:account"),
        w.post("people:account", email="1", name="0"),
    ],
    "people:sign-in": lambda w: [
        w.get("people:sign-in"),
        w.post("people:sign-in"),
        w.post("people:sign-in", username="007", password="1"),
    ],
    "people:sign-out": lambda w: [w.as_staff().post("people:sign-out")],
    "people:preferences": lambda w: [
        w.post("people:preferences", theme="dark"),
        w.post("people:preferences"),
    ],
    "people:history": lambda w: [w.as_staff().get("people:history")],
    "people:password-change": lambda w: [
        w.as_staff().get("people:password-change"),
        w.post("people:password-change"),
        w.post("people:password-change", old_password=PASSWORD, new_password1="7", new_password2="8"),
        w.post("people:password-change", old_password=PASSWORD, new_password1="7", new_password2="7"),
    ],
    "people:password-reset": lambda w: [w.get("people:password-reset"), w.post("people:password-reset")],
    "people:password-reset-done": lambda w: [w.get("people:password-reset-done")],
    "people:password-reset-complete": lambda w: [w.get("people:password-reset-complete")],
    "people:password-reset-confirm": lambda w: [w.get("people:password-reset-confirm", "MQ", "1-1")],
    "people:invitation": lambda w: [w.get("people:invitation", "MQ", "1-1")],
    "jobs:background": lambda w: [w.as_staff().get("jobs:background"), w.post("jobs:background", steps="0")],
    "jobs:progress": lambda w: [w.as_staff().get("jobs:progress", "jobs.trial", pk) for pk in w.trials()],
    "jobs:cancel": lambda w: [w.as_staff().post("jobs:cancel", "jobs.trial", pk) for pk in w.trials()],
    "intake:receipt": lambda w: [w.get("intake:receipt")],
    "intake:survey": lambda w: [
        *(w.get("intake:survey", w.survey(state, language="xx").slug) for state in STATES),
        w.get("intake:survey", "0"),
    ],
    "intake-staff:invitations": lambda w: [
        *w.everywhere("intake-staff:invitations", *STATES),
        *w.invited("intake-staff:invitations"),
    ],
    "intake-staff:invitation-file": lambda w: w.invited("intake-staff:invitation-file", n="1"),
    "intake-staff:invitation-mail": lambda w: [
        *w.everywhere("intake-staff:invitation-mail", "open", "closed", subject="1", addresses="1"),
        *w.invited("intake-staff:invitation-mail", subject="1", message="{link}", addresses="1,1,2@3.45"),
        w.get("intake-staff:invitation-mail", w.survey("open", language="xx").pk, kind="reminder"),
    ],
    "intake-staff:poster": lambda w: [
        *(w.as_staff().get("intake-staff:poster", w.survey(state, language="xx").pk) for state in STATES),
        *w.invited("intake-staff:poster"),
    ],
    "intake-staff:records": lambda w: w.everywhere("intake-staff:records", *STATES) + w.allowed(),
    "surveys:import": lambda w: [w.as_staff().get("surveys:import"), w.post("surveys:import"), w.uploaded()],
    "surveys:export": lambda w: [
        *w.everywhere("surveys:export", "draft", "open"),
        w.get("surveys:export", w.survey(sections=RULED).pk),
    ],
    "surveys:index": lambda w: [
        w.as_staff().get("surveys:index"),
        w.listed(),
        w.get("surveys:index", q="0", state="closed"),
    ],
    "surveys:new": lambda w: [w.as_staff().get("surveys:new"), w.post("surveys:new")],
    "surveys:queue": lambda w: [w.as_staff().get("surveys:queue")],
    "surveys:survey": lambda w: w.everywhere("surveys:survey", *STATES),
    "surveys:settings": lambda w: w.everywhere("surveys:settings", *STATES, cap="0", closes_0="1"),
    "surveys:people": lambda w: w.everywhere("surveys:people", "draft", username="9"),
    "surveys:collaborator": lambda w: [w.as_staff().post("surveys:collaborator", w.survey().pk, w.staff.pk)],
    "surveys:history": lambda w: w.everywhere("surveys:history", *STATES),
    "surveys:open": lambda w: [
        *w.everywhere("surveys:open", "draft"),
        *(w.get("surveys:open", w.survey(**less).pk) for less in INCOMPLETE),
    ],
    "surveys:unschedule": lambda w: w.everywhere("surveys:unschedule", "draft"),
    "surveys:close": lambda w: w.everywhere("surveys:close", "open", "draft"),
    "surveys:reopen": lambda w: w.everywhere("surveys:reopen", "closed", "open"),
    "surveys:archive": lambda w: w.everywhere("surveys:archive", "closed", "open"),
    "surveys:destroy": lambda w: w.everywhere("surveys:destroy", "draft", "closed", "open", typed="0"),
    "surveys:duplicate": lambda w: w.everywhere("surveys:duplicate", "draft", "open"),
    "surveys:edit": lambda w: [*w.edited(), *w.everywhere("surveys:edit", "open")],
    "surveys:edit-act": lambda w: w.edited(*ACTS),
    "surveys:edit-save": lambda w: w.everywhere(
        "surveys:edit-save", "draft", part="=start", minutes="0.5", **{"in": "en"}
    ),
    "surveys:edit-copy": lambda w: w.everywhere("surveys:edit-copy", "draft", section="0"),
    "surveys:protection": lambda w: (
        [
            *w.everywhere("surveys:protection", "draft"),
            w.get("surveys:protection", w.survey(least=500, sections=RULED).pk, rho1="9", rho2="8"),
        ]
    ),
    "surveys:protection-live": lambda w: w.everywhere(
        "surveys:protection-live", "draft", expected="9", **{"keep-1": "50"}
    ),
    "surveys:protection-save": lambda w: w.everywhere("surveys:protection-save", "draft", expected="0"),
    "surveys:translations": lambda w: [
        w.as_staff().get("surveys:translations", w.survey(languages=languages, sections=RULED).pk)
        for languages in (["en"], ["en", "fr"])
    ],
    "surveys:translations-save": lambda w: w.everywhere("surveys:translations-save", "draft", part="=start"),
    "surveys:translations-act": lambda w: w.everywhere(
        "surveys:translations-act", "draft", do="language-add", code="fr"
    ),
    "surveys:preview": lambda w: w.everywhere("surveys:preview", "draft", "open"),
    "surveys:preview-page": lambda w: [
        w.as_staff().get("surveys:preview-page", w.survey(language="xx", rehearsal=True).pk)
    ],
    "surveys:ask": lambda w: w.reviewed("weak", verdict="yes"),
    "surveys:review": lambda w: w.reviewed("records"),
    "intake-staff:rehearse": lambda w: [
        w.get("intake-staff:rehearse", w.rehearsed().pk),
        *w.everywhere("intake-staff:rehearse", "open", "closed", n="0"),
    ],
    "mining:runs": lambda w: [
        *w.everywhere("mining:runs", *STATES),
        w.get("mining:runs", w.run().survey_id),
        w.post("mining:runs", w.rehearsed().pk, min_support="2", min_confidence="0"),
    ],
    "mining:forecast": lambda w: [
        w.get("mining:forecast", w.rehearsed().pk, min_support="0.1", min_confidence="0.5", max_size="2")
    ],
    "mining:run": lambda w: [w.get("mining:run", w.run(state).pk) for state in ("queued", "done")],
    "mining:outcome": lambda w: [w.get("mining:outcome", w.run(state).pk) for state in ("queued", "done")],
    "mining:repeat": lambda w: [w.post("mining:repeat", w.run().pk)],
    "mining:compare": lambda w: [
        w.get("mining:compare", pk, other=str(pk)) for pk in (w.run().pk, w.report("published").pk)
    ],
    **{
        f"reports:{page}": lambda w, page=page: [  # type: ignore[misc]
            w.get(f"reports:{page}", w.report(state).pk) for state in ("waiting", "published")
        ]
        for page in ("shares", "groups", "itemsets", "rules", "pictures", "exports")
    },
    "reports:index": lambda w: [
        w.as_staff().get("reports:index"),
        w.published_index(),
    ],
    "reports:rule": lambda w: [w.get("reports:rule", w.report("published").pk, 1)],
}
FILES = {"intake-staff:qr", "surveys:export-file", "reports:picture", "reports:numbers", "reports:download"}
NO_PAGE = {"healthz", "script-texts", "intake:record"} | FILES


def routes(patterns: list[URLPattern | URLResolver] | None = None, space: str = "") -> Iterator[str]:
    for pattern in patterns if patterns is not None else get_resolver().url_patterns:
        if isinstance(pattern, URLResolver):
            if pattern.namespace != "admin":
                yield from routes(
                    pattern.url_patterns, f"{pattern.namespace}:" if pattern.namespace else space
                )
        elif pattern.name:
            yield space + pattern.name


def test_every_route_is_walked() -> None:
    assert set(routes()) == set(ROUTES) | NO_PAGE


SLOW = ("mining:", "reports:")


@pytest.mark.parametrize(
    "route", [pytest.param(r, marks=pytest.mark.slow) if r.startswith(SLOW) else r for r in ROUTES]
)
def test_no_word_was_forgotten(walk: Walk, route: str) -> None:
    for answer in ROUTES[route](walk):
        assert answer.status_code < 500
        assert answer["Content-Language"] == "xx"
        assert bracketed.forgotten(answer.content.decode()) == [], f"{route} ({answer.status_code})"


@pytest.mark.slow
def test_no_word_was_forgotten_at_the_reviewers_desk(walk: Walk) -> None:
    review = walk.report()
    reviewer = Person.objects.create_user("008", "8@1.23", PASSWORD, name="0 0 8")
    roles.give(reviewer, REVIEWERS, by=None)
    walk.client.force_login(reviewer)

    def desk(page: str, *more: int, **data: str) -> Any:
        route = f"admin:reports_review_{page}"
        return walk.post(route, review.pk, *more, **data) if data else walk.get(route, review.pk, *more)

    pages = ("shares", "groups", "itemsets", "rules", "pictures", "publish", "withdraw")
    answers = [desk(page) for page in pages]
    answers += [desk("decide", which="0"), desk("decide_one", 1, verdict="reject"), desk("rule", 1)]
    answers += [
        desk("backtest", do="1"),
        desk("publish", groups="1"),
        desk("publish"),
        desk("withdraw", reason=""),
    ]
    answers += [desk("withdraw", reason="1"), desk("rules"), walk.get("reports:shares", review.pk)]
    for answer in answers:
        assert answer.status_code == 200
        assert bracketed.forgotten(answer.content.decode()) == []


def test_a_forgotten_word_is_noticed() -> None:
    page = '<p>⟦Yes⟧ No</p><p title="⟦a⟧">⟦%s⟧</p><code>x</code>'
    assert bracketed.forgotten(page) == ["No"]
    assert bracketed.forgotten('<a aria-label="Close">⟦x⟧</a>') == ["Close"]
