"""A small world for tests that walk the whole product: every state, role, run and report, its addresses and forms."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser
from itertools import product
from urllib.parse import parse_qsl, urljoin, urlsplit

from django.contrib.auth.tokens import default_token_generator
from django.urls import NoReverseMatch, Resolver404, URLPattern, URLResolver, get_resolver, resolve, reverse
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode

from accounts import password_links
from accounts.models import RESEARCHERS, REVIEWERS, Person
from candor import __version__
from jobs.models import Lease, Trial, Worker
from releases import survey_tables
from releases.models import Release
from reports.models import Review
from reports.review import public_page_switch as links, report_state_changes
from runs.models import Run
from surveys.lifecycle import opening, reviewer_approvals, state_changes as lifecycle
from surveys.models import Collaborator, Survey
from tests.cast import unsaved_person, with_role
from tests.releases.conftest import draft_of_patients, patients_release
from tests.reports import made
from tests.reports.conftest import accept
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
        "superuser": unsaved_person("superuser", is_superuser=True, is_staff=True),
        "editor": unsaved_person("editor"),
        "viewer": unsaved_person("viewer"),
    }
    owner, reviewer = people["owner"], people["reviewer"]
    surveys = {
        "draft": Survey.objects.create(owner=owner, draft=drafts.bilingual()),
        "unready": Survey.objects.create(owner=owner, draft=drafts.complete(asker={}, least=3)),
        "weak": Survey.objects.create(owner=owner, draft=drafts.weak_draft()),
        "destroyed": Survey.objects.create(owner=owner, draft=drafts.complete()),
    }
    for name, more in OPENED.items():
        surveys[name] = open_survey(owner, least, **more)
    surveys["counted"] = sealed.survey(owner, sealed.small_design(), [300, 300])
    surveys["reported"], surveys["published"] = made.survey(owner), made.survey(owner)
    run, published = made.run(surveys["reported"]), made.run(surveys["published"])
    for survey in surveys.values():
        Collaborator.objects.create(survey=survey, person=people["editor"], may_edit=True)
        Collaborator.objects.create(survey=survey, person=people["viewer"], may_edit=False)
    lifecycle.close_survey(surveys["closed"], owner, NOW)
    lifecycle.close_survey(surveys["finished"], owner, NOW)
    lifecycle.finish_survey(surveys["finished"], owner, NOW)
    lifecycle.destroy_survey(surveys["destroyed"], owner, NOW)
    weak = surveys["weak"]
    reviewer_approvals.request_approval(
        weak,
        owner,
        "weak",
        reviewer_approvals.current_fingerprint(weak, "weak"),
        "Few people work there.",
        NOW,
    )
    allowed = surveys["counted"].design_id or ""
    reviewer_approvals.decide_approval(
        surveys["counted"], reviewer, "records", allowed, allow=True, reason="", now=NOW
    )
    report_state_changes.create_reviews_of_finished_runs(NOW)
    reports = {"waiting": _report(run), "published": _report(published)}
    accept(reports["published"], reviewer, 1)
    report_state_changes.publish(reports["published"], reviewer, ["age"], "", NOW)
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


def open_survey(owner: Person, least: int, *, invited: bool = False, rehearsal: bool = False) -> Survey:
    draft = drafts.complete(rehearsal=rehearsal, least=least)
    survey = Survey.objects.create(owner=owner, draft=draft, invited=invited)
    opening.open_survey_now(survey, owner, NOW)
    return survey


def _releases(owner: Person, survey: Survey) -> dict[str, Release]:
    """Those of uploads have today's date: seven days later nothing would be left of them."""
    of_survey = survey_tables.create_survey_release(survey, owner, with_sensitive=False, now=NOW)
    return {"draft": draft_of_patients(owner), "checked": patients_release(owner), "of_survey": of_survey}


def _report(run: Run) -> Review:
    return Review.objects.with_surveys().get(run=run)


PICTURES = ("shares", "network")
RECORDS = ("csv", "json", "excel", "parquet")
QUESTIONNAIRES = ("json", "xlsx")
# What whoever sends a request may call the site: a port and a name that are not its own.
FORGED = {"HTTP_HOST": "evil.testserver:4711", "HTTP_X_FORWARDED_HOST": "evil.testserver:4711"}
# The port with its sign: the digits of a token are drawn.
FOREIGN = re.compile(r"evil|(:|%3A)4711|//testserver")


def routes() -> Iterator[tuple[str, list[str]]]:
    """Name, with its namespace, and the names of the arguments of each."""
    return _routes(get_resolver().url_patterns, "", [])


def _routes(
    patterns: Sequence[URLPattern | URLResolver], space: str, before: list[str]
) -> Iterator[tuple[str, list[str]]]:
    for pattern in patterns:
        arguments = [
            *before,
            *(getattr(pattern.pattern, "converters", None) or pattern.pattern.regex.groupindex),
        ]
        if isinstance(pattern, URLResolver):
            inner = f"{pattern.namespace}:" if pattern.namespace else space
            yield from _routes(pattern.url_patterns, inner, arguments)
        elif pattern.name:
            yield f"{space}{pattern.name}", arguments


def addresses_by_route(world: World) -> dict[str, list[str]]:
    """Route -> its addresses in this world. A route without any is a mistake of this file."""
    found: dict[str, list[str]] = {}
    for name, names in routes():
        values = [_values(world, name, argument) for argument in names]
        addresses = [_address(name, dict(zip(names, each, strict=True))) for each in product(*values)]
        found.setdefault(name, []).extend(address for address in addresses if address)
    return found


def _address(name: str, arguments: dict[str, object]) -> str:
    try:
        return reverse(name, kwargs=arguments)
    except NoReverseMatch:
        return reverse(name, args=list(arguments.values()))


def _values(world: World, route: str, argument: str) -> list[object]:
    owner = world.people["owner"]
    space = route.partition(":")[0]
    if argument == "pk":
        return _keys(world, route, space)
    if argument in ("object_id", "id"):
        model = "accounts_person" if argument == "id" else route.partition(":")[2].rpartition("_")[0]
        return list(world.objects().get(model, [str(owner.pk)]))
    if space == "public":
        return [report.public_token for report in world.reports.values() if report.public_token]
    tokens = password_links.invitations if route == "accounts:invitation" else default_token_generator
    values: dict[str, list[object]] = {
        "person": [world.people["viewer"].pk],
        "slug": [survey.slug for survey in world.surveys.values()],
        "number": [2 if space == "releases" else 1],
        "name": list(PICTURES),
        "kind": list(QUESTIONNAIRES if space == "surveys" else RECORDS),
        "label": ["jobs.trial"],
        "sha256": ["0" * 64],
        "uidb64": [urlsafe_base64_encode(force_bytes(owner.pk))],
        "token": [tokens.make_token(owner), "set-password"],
        "content_type_id": [1],
        "app_label": ["accounts", "jobs", "surveys", "reports"],
        "url": ["nowhere"],
        "invitation": [1],
        "device": [1],
        "version": [__version__],
    }
    return values[argument]


def _keys(world: World, route: str, space: str) -> list[object]:
    if route in ("runs:runs", "runs:forecast", "releases:of_survey") or space in (
        "surveys",
        "importing",
        "invitations",
        "field",
        "recordfiles",
        "rehearsal",
        "study-sheet",
    ):
        return [survey.pk for survey in world.surveys.values()]
    if space == "v1":
        keys: dict[str, list[object]] = {
            "v1:run": [world.run.pk],
            "v1:report": [report.pk for report in world.reports.values()],
            "v1:deposits": [report.pk for report in world.reports.values()],
            "v1:release-table": [release.pk for release in world.releases.values()],
        }
        return keys.get(route, [survey.pk for survey in world.surveys.values()])
    if space == "releases":
        return [release.pk for release in world.releases.values()]
    if space == "runs":
        return [world.run.pk]
    if space == "jobs":
        return [str(world.trial.pk)]
    return [report.pk for report in world.reports.values()]


Values = dict[str, list[str]]
# What somebody who fills in the rest of a form may have written.
USUAL = {
    "email": "ann@example.org",
    "date": "2099-12-31",
    "datetime-local": "2099-12-31T10:00",
    "password": "a long one 1",
}


@dataclass
class Form:
    """`buttons` send one name and value each; `files` are the names of fields for files."""

    page: str
    address: str
    method: str
    fields: Values = field(default_factory=dict)
    buttons: list[tuple[str, str]] = field(default_factory=list)
    files: set[str] = field(default_factory=set)
    multipart: bool = False

    @property
    def names(self) -> list[str]:
        return list(dict.fromkeys([*self.fields, *(name for name, _value in self.buttons)]))

    @property
    def key(self) -> tuple[str, str, tuple[str, ...]]:
        """The same for forms that are sent to one view with the same fields."""
        return _view(self.address), self.method, tuple(sorted(set(self.names)))


def _view(address: str) -> str:
    try:
        return resolve(urlsplit(address).path).view_name
    except Resolver404:
        return address


class _Reader(HTMLParser):
    def __init__(self, page: str, text: str) -> None:
        super().__init__()
        self.page = page
        self.forms: list[Form] = []
        self.by_id: dict[str, Form] = {}
        self.links: list[str] = []
        self._open: Form | None = None
        self._late: list[tuple[str, str, dict[str, str]]] = []
        self._select: tuple[str, str] | None = None
        self._textarea: tuple[str, str] | None = None
        self.feed(text)
        for tag, owner, given in self._late:
            if owner in self.by_id:
                self._put_field(self.by_id[owner], tag, given)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attributes}
        match tag:
            case "form":
                self._open = Form(
                    self.page,
                    urljoin(self.page, given.get("action", "")),
                    given.get("method", "get").lower(),
                    multipart=given.get("enctype") == "multipart/form-data",
                )
                self.forms.append(self._open)
                self.by_id[given.get("id", "")] = self._open
            case "input" | "button":
                self._field(tag, given)
            case "select":
                self._select = (given.get("name", ""), given.get("form", ""))
                self._field("select", given)
            case "option" if self._select:
                name, owner = self._select
                self._field("option", {"name": name, "value": given.get("value", ""), "form": owner} | given)
            case "textarea":
                self._textarea = (given.get("name", ""), given.get("form", ""))
            case "a":
                self.links.append(given.get("href", ""))

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attributes)

    def handle_endtag(self, tag: str) -> None:
        match tag:
            case "form":
                self._open = None
            case "select":
                self._select = None
            case "textarea" if self._textarea:
                self._field("textarea", {"name": self._textarea[0], "form": self._textarea[1]})
                self._textarea = None

    def handle_data(self, data: str) -> None:
        if self._textarea:
            name, owner = self._textarea
            self._field("textarea", {"name": name, "form": owner, "value": data})
            self._textarea = None

    def _field(self, tag: str, given: dict[str, str]) -> None:
        if not given.get("name"):
            return
        if given.get("form"):
            self._late.append((tag, given["form"], given))
        elif self._open:
            self._put_field(self._open, tag, given)

    def _put_field(self, form: Form, tag: str, given: dict[str, str]) -> None:
        name, value, kind = given["name"], given.get("value", ""), given.get("type", "")
        if tag == "button" or kind in ("submit", "image"):
            form.buttons.append((name, value))
        elif kind == "file":
            form.files.add(name)
            form.fields.setdefault(name, [])
        elif tag == "option":
            if "selected" in given or not any(form.fields.get(name, [])):
                form.fields[name] = [value]
        elif kind in ("radio", "checkbox"):
            kept = form.fields.setdefault(name, [])
            if "checked" in given or not kept:
                kept.append(value or "on")
        elif name != "csrfmiddlewaretoken":
            kept = form.fields.setdefault(name, [])
            if tag != "select":
                kept.append(value or USUAL.get(kind, given.get("min", "1")))


def forms_of(page: str, text: str) -> list[Form]:
    """Those that the page shows, and one for each of its links that has a query."""
    reader = _Reader(page, text)
    return reader.forms + [form for link in reader.links for form in _of_link(page, link)]


def _of_link(page: str, link: str) -> Iterator[Form]:
    parts = urlsplit(urljoin(page, link))
    if parts.query and not parts.netloc:
        values: Values = {}
        for name, value in parse_qsl(parts.query, keep_blank_values=True):
            values.setdefault(name, []).append(value)
        yield Form(page, parts.path, "get", values)
