"""Every page of ours in the bracketed language."""

import gettext
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import django.conf.locale
import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from django.utils.translation import trans_real
from pytest_django.fixtures import Settings

from jobs.models import Trial
from people.models import Person
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
}
NO_PAGE = {"healthz", "script-texts"}


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


@pytest.mark.parametrize("route", ROUTES)
def test_no_word_was_forgotten(walk: Walk, route: str) -> None:
    for answer in ROUTES[route](walk):
        assert answer.status_code < 500
        assert answer["Content-Language"] == "xx"
        assert bracketed.forgotten(answer.content.decode()) == [], f"{route} ({answer.status_code})"


def test_a_forgotten_word_is_noticed() -> None:
    page = '<p>⟦Yes⟧ No</p><p title="⟦a⟧">⟦%s⟧</p><code>x</code>'
    assert bracketed.forgotten(page) == ["No"]
    assert bracketed.forgotten('<a aria-label="Close">⟦x⟧</a>') == ["Close"]
