import gc
import os
import re
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.signals import setting_changed
from django.db import connections
from django.db.backends.signals import connection_created
from django.test import Client, client
from django.test.signals import root_urlconf_changed
from django.utils import translation
from hypothesis import settings as hypothesis
from pytest_django import DjangoDbBlocker

from accounts.models import RESEARCHERS, REVIEWERS, Person
from tests import servers
from tests.cast import As, unsaved_person, with_role
from tests.processes import pytest_addoption, pytest_runtestloop, pytest_terminal_summary

__all__ = ["pytest_addoption", "pytest_runtestloop", "pytest_terminal_summary"]

Migrated = Callable[[str], dict[str, str]]
"""Makes a PostgreSQL database of this name; the environment of a process that uses it. Migrated once, then copied."""

# The same examples at every run, so that what passed here passes there; --hypothesis-profile=night tries more, =explore
# new ones. No deadlines: a busy machine lets any example wait.
for name, number in {"push": 10, "night": 100}.items():
    hypothesis.register_profile(name, derandomize=True, deadline=None, max_examples=number)
hypothesis.register_profile("explore", deadline=None)
hypothesis.load_profile("push")


def pytest_configure() -> None:
    servers.begin_run()
    # Once a browser is open, Playwright's event loop stays in this thread, where Django sees it and refuses to work.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "yes"
    # Hashed names need collected files; pages rendered inside pytest are content with plain ones.
    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    settings.STORAGES = {**settings.STORAGES, "staticfiles": plain}
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher", *settings.PASSWORD_HASHERS]
    settings.STATIC_ROOT = settings.BASE_DIR / "static"
    settings.WHITENOISE_AUTOREFRESH = True  # otherwise each client of a test reads all static files first
    settings.SITE_URL = "http://testserver"
    settings.REFUSED_SIGN_IN_SECONDS = 0
    client.store_rendered_templates = keep_first_context  # type: ignore[attr-defined]
    # The addresses of each ROOT_URLCONF are kept apart; reading all again at each change takes a tenth of a second.
    setting_changed.disconnect(root_urlconf_changed)


copy_context = client.store_rendered_templates  # type: ignore[attr-defined]


def keep_first_context(store: dict[str, Any], **rendered: Any) -> None:
    """Of a page alone: Django's client copies the contexts of all of its parts, some hundreds, too."""
    if "context" not in store:
        copy_context(store, **rendered)


def no_locks_of_readers(connection: Any, **kwargs: Any) -> None:
    """In the memory that threads share, a reader that another thread has not finished would keep tests from writing."""
    if connection.vendor == "sqlite" and connection.is_in_memory_db():
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA read_uncommitted = true")


connection_created.connect(no_locks_of_readers, dispatch_uid="tests")
# Where an event loop runs, Django opens a second connection in the same thread. Once a browser is open, its loop runs
# for all later tests, and what the first connection had not finished would keep them from writing.
connections._connections = threading.local()  # type: ignore[attr-defined]


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """What is collected stays to the end: looking through it for garbage, then and later, would find none."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(20_000, 20, 20)  # as often as usual costs 1 % of all processor time
        gc.enable()


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """A file of whose tests all are left out (`-m "not page and not night"`) is not even imported."""
    expression = config.option.markexpr
    if collection_path.suffix != ".py" or not re.fullmatch(r"not \w+( and not \w+)*", expression):
        return None
    of_all = re.search(r"^pytestmark = (?:\[[^\]]*\]|.*)$", collection_path.read_text(), re.MULTILINE)
    marks = re.findall(r"\bpytest\.mark\.(\w+)", of_all[0]) if of_all else []
    return not set(marks).isdisjoint(re.findall(r"not (\w+)", expression)) or None


def mark_night_cases(items: Sequence[pytest.Item]) -> None:
    """Of a test marked `at_push(number)`, so many cases run at each push, spread evenly; the others at night."""
    cases: dict[str, list[pytest.Function]] = defaultdict(list)
    for item in items:
        if isinstance(item, pytest.Function) and item.get_closest_marker("at_push"):
            cases[item.nodeid.partition("[")[0]].append(item)
    for functions in cases.values():
        marker = functions[0].get_closest_marker("at_push")
        assert marker
        # As the parameters are written, whatever the order in which tests run.
        functions.sort(key=lambda function: tuple(function.callspec.indices.values()))
        kept = spread_indices(len(functions), marker.args[0])
        for index, function in enumerate(functions):
            if index not in kept:
                function.add_marker(pytest.mark.night)


def spread_indices(count: int, number: int) -> set[int]:
    """`number` of the indices below `count`, the first and the last among them."""
    if number >= count:
        return set(range(count))
    return {round(index * (count - 1) / max(number - 1, 1)) for index in range(number)}


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    mark_night_cases(items)
    for item in items:
        marker = item.get_closest_marker("django_db")
        if marker is not None and marker.kwargs.get("transaction"):
            raise pytest.UsageError(
                f"{item.nodeid} empties all tables, the roles that migrations make included"
            )


@pytest.fixture(scope="session", autouse=True)
def no_test_waits_for_the_readers_of_another() -> None:
    """Tests run at once: each process has own places for those that read uploads, as if its people were others."""
    from importing import isolated_reader  # late for Django

    shared, pid = isolated_reader._lock_place, os.getpid
    isolated_reader._lock_place = lambda kind, person: shared(f"{kind}{pid()}", pid() << 32 | person)
    isolated_reader.AT_ONCE = 12


@pytest.fixture(scope="session", autouse=True)
def no_minute_passes() -> None:
    """What a process counts in a minute is written where a test says so, by no thread of its own."""
    from intake.endpoint.people_asked_to_wait import WAITS  # late for Django

    WAITS._later = lambda flush: None


@pytest.fixture(scope="session", autouse=True)
def no_process_measures_how_fast_mlxtend_is() -> None:
    """That takes time at each check; all of them are as fast as a usual machine."""
    from mining.engines.mlxtend_check_duration import CheckSpeed, Line  # late for Django
    from runs import mlxtend_check  # late for Django

    speed = CheckSpeed((Line(1e-3, 2e-8),) * 9, Line(1e-4, 2e-9))
    mlxtend_check.measure_speed = lambda *_: speed  # type: ignore[attr-defined]


@pytest.fixture(scope="session")
def keep_tables() -> Iterator[Callable[[], None]]:
    """Keeps the migrated tables for the other processes of this run, where there are any."""
    with servers.migrate_once() as keep:
        yield keep


@pytest.fixture(scope="session")
def django_db_setup(
    keep_tables: Callable[[], None], django_db_setup: None, django_db_blocker: DjangoDbBlocker
) -> None:
    with django_db_blocker.unblock():
        keep_tables()


@pytest.fixture(scope="session")
def postgres() -> Iterator[servers.Postgres]:
    with servers.postgres() as server:
        yield server


@pytest.fixture(scope="session")
def redis() -> Iterator[servers.Redis]:
    with servers.redis() as server:
        yield server


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    """A page asked for in Chinese leaves its thread speaking Chinese; every test begins in English."""
    translation.activate("en")
    yield
    translation.deactivate()


@pytest.fixture(scope="session")
def migrate(postgres: servers.Postgres, tmp_path_factory: pytest.TempPathFactory) -> Migrated:
    var = tmp_path_factory.mktemp("var")
    servers.compile_kernels()
    return lambda name: servers.environment(
        DATABASE_URL=postgres.create(name, postgres.migrated()), VAR=str(var)
    )


# --- the cast, made anew for each test ---


@pytest.fixture
def owner(db: None) -> Person:
    return with_role(RESEARCHERS, "owner", name="Olga Owner")


@pytest.fixture
def stranger(db: None) -> Person:
    """A researcher who has nothing to do with the survey."""
    return with_role(RESEARCHERS, "stranger")


@pytest.fixture
def reviewer(db: None) -> Person:
    return with_role(REVIEWERS, "reviewer", name="Ruth Reviewer")


@pytest.fixture
def superuser(db: None) -> Person:
    return unsaved_person("superuser", is_superuser=True, is_staff=True)


@pytest.fixture
def signed_in_as() -> As:
    """Nobody is signed in as nobody."""

    def sign_in(person: Person | None) -> Client:
        client = Client()
        if person:
            client.force_login(person)
        return client

    return sign_in
