"""The fixed cast, their browsers, and rows that many tests begin with.

Such rows are made once a process by the product's functions, and inserted again from then on. A step (a person, a
survey, a run, a report) is remembered with all steps of its test before it. Where a test has written anything in
between, or does not use the fixture `db` of here, the step is made as if nothing were remembered.

A room whose tests begin with such rows imports `db` and the cast of here into its conftest; other tests have the cast
of tests/conftest.py.
"""

import copy
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, TypeVar

import pytest
from django.db import connection, transaction
from django.db.models import Model
from django.test import Client
from django.utils import translation
from pytest_django import DjangoDbBlocker

from accounts import role_assignment
from accounts.models import RESEARCHERS, REVIEWERS, Person
from surveys.models import Collaborator, Survey

As = Callable[[Person | None], Client]


def unsaved_person(username: str, **more: str | bool) -> Person:
    person = Person(username=username, email=f"{username}@example.org", **more)
    person.set_unusable_password()
    person.save()
    return person


def with_role(group: str, username: str, **more: str | bool) -> Person:
    person = unsaved_person(username, **more)
    role_assignment.give_role(person, group, by=None)
    return person


@pytest.fixture(scope="module")
def shared_rows(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """What fixtures of a module write into the database is there for all of its tests, and gone after them."""
    with django_db_blocker.unblock():
        whole = transaction.atomic()
        whole.__enter__()
    yield
    with django_db_blocker.unblock():
        transaction.set_rollback(True)
        whole.__exit__(None, None, None)


def add_collaborator(survey: Survey, person: Person, *, may_edit: bool) -> Person:
    Collaborator.objects.create(survey=survey, person=person, may_edit=may_edit)
    return person


@pytest.fixture
def viewer(survey: Survey) -> Person:
    return add_collaborator(survey, unsaved_person("viewer"), may_edit=False)


@pytest.fixture
def editor(survey: Survey) -> Person:
    return add_collaborator(survey, unsaved_person("editor"), may_edit=True)


@pytest.fixture
def partial(survey: Survey) -> Person:
    """A reviewer who works on this survey, so that it is not theirs to review."""
    return add_collaborator(survey, with_role(REVIEWERS, "partial"), may_edit=True)


# --- rows that are made once ---


Made = TypeVar("Made")
Row = TypeVar("Row", bound=Model)
Tables = dict[str, dict[tuple[Any, ...], tuple[Any, ...]]]


HARMLESS = ("broker", "read_here")
"""Fixtures that patch what no step depends on, as those of pytest-django do."""


class Steps:
    """Those of the test that runs, or None: outside of such a test, and after it has written something itself."""

    taken: tuple[Any, ...] | None = None
    changes = -1
    is_patched = False
    rows: Tables | None = None
    """All rows after the last step, where it was made now."""
    remembered: dict[tuple[Any, ...], tuple[Any, list[tuple[str, list[Any]]]]] = {}


@pytest.fixture
def db(db: None, request: pytest.FixtureRequest) -> Iterator[None]:
    names = [name for name in request.fixturenames if not name.startswith("_") and name not in HARMLESS]
    definitions = request.node._fixtureinfo.name2fixturedefs
    asked = {argument for name in names if name in definitions for argument in definitions[name][-1].argnames}
    asked |= {*request.node._fixtureinfo.argnames}
    Steps.is_patched = not {"monkeypatch", "settings"}.isdisjoint(asked)
    cursor = sqlite().execute("SELECT name, seq FROM sqlite_sequence ORDER BY name")
    Steps.taken, Steps.changes, Steps.rows = tuple(cursor), sqlite().total_changes, None
    yield
    Steps.taken = Steps.rows = None


@pytest.fixture
def cast(db: None) -> tuple[Person, Person]:
    """Both, whoever is asked for, so that what follows is remembered for all tests together."""

    def make() -> tuple[Person, Person]:
        owner = with_role(RESEARCHERS, "owner", name="Olga Owner")
        return owner, with_role(REVIEWERS, "reviewer", name="Ruth Reviewer")

    def load_cast_again(people: tuple[Person, Person]) -> tuple[Person, Person]:
        owner, reviewer = (Person.objects.get(pk=person.pk) for person in people)
        return owner, reviewer

    return make_once(("cast",), make, load_cast_again)


@pytest.fixture
def owner(cast: tuple[Person, Person]) -> Person:
    return cast[0]


@pytest.fixture
def reviewer(cast: tuple[Person, Person]) -> Person:
    return cast[1]


@pytest.fixture
def stranger(cast: object) -> Person:
    return kept_row(("stranger",), lambda: with_role(RESEARCHERS, "stranger"))


@pytest.fixture
def superuser(cast: object) -> Person:
    return kept_row(("superuser",), lambda: unsaved_person("superuser", is_superuser=True, is_staff=True))


class KeptClient(Client):
    """A page of what is remembered is asked for once; not where something is patched or queries are counted."""

    answers: dict[tuple[Any, ...], Any] = {}

    def force_login(self, user: Any, backend: str | None = None) -> None:
        def make() -> Any:
            Client.force_login(self, user, backend)
            return copy.deepcopy(self.cookies)

        self.cookies = copy.deepcopy(
            make_once(("signed in", user.pk, backend), make, lambda cookies: cookies)
        )

    def get(self, path: Any, data: Any = None, *more: Any, **values: Any) -> Any:
        before = sqlite().total_changes
        if (
            Steps.taken is None
            or Steps.changes != before
            or Steps.is_patched
            or connection.force_debug_cursor
        ):
            return super().get(path, data, *more, **values)
        asked = (repr(data), repr(more), repr(values), self.cookies.output(), translation.get_language())
        key = (Steps.taken, str(path), *asked)
        if key not in self.answers:
            answer = super().get(path, data, *more, **values)
            if answer.streaming or sqlite().total_changes != before:
                return answer
            self.answers[key] = answer, copy.deepcopy(self.cookies)
        answer, cookies = self.answers[key]
        self.cookies = copy.deepcopy(cookies)
        return copy.copy(answer)


@pytest.fixture
def signed_in_as() -> As:
    """Nobody is signed in as nobody."""

    def sign_in(person: Person | None) -> Client:
        client = KeptClient()
        if person:
            client.force_login(person)
        return client

    return sign_in


@pytest.fixture
def client() -> Client:
    return KeptClient()


@pytest.fixture
def reading(owner: Person, signed_in_as: As) -> Client:
    """The owner reads."""
    return signed_in_as(owner)


@pytest.fixture
def judging(reviewer: Person, signed_in_as: As) -> Client:
    """The reviewer judges."""
    return signed_in_as(reviewer)


def make_once(
    step: tuple[Any, ...],
    make: Callable[[], Made],
    again: Callable[[Made], Made],
    *,
    is_computed: bool = False,
) -> Made:
    """What `make` makes, or, where this step was made before, what `again` reads of what was made then.

    What the product computes is computed anew in a test that patches something.
    """
    if Steps.taken is None or Steps.changes != sqlite().total_changes or (is_computed and Steps.is_patched):
        Steps.taken = None
        return make()
    taken = (*Steps.taken, step)
    if taken in Steps.remembered:
        first, statements = Steps.remembered[taken]
        for statement, rows in statements:
            sqlite().executemany(statement, rows)
        Steps.taken, Steps.changes, Steps.rows = taken, sqlite().total_changes, None
        return again(first)
    before = Steps.rows or tables()
    Steps.taken = None  # what is made on the way is part of this step
    made = make()
    after = tables()
    Steps.remembered[taken] = made, changing_statements(before, after)
    Steps.taken, Steps.changes, Steps.rows = taken, sqlite().total_changes, after
    return made


def kept_row(step: tuple[Any, ...], make: Callable[[], Row], *, is_computed: bool = False) -> Row:
    def load_row_again(row: Row) -> Row:
        return type(row)._base_manager.get(pk=row.pk)

    return make_once(step, make, load_row_again, is_computed=is_computed)


def sqlite() -> Any:
    connection.ensure_connection()
    return connection.connection


@cache
def columns_by_table() -> dict[str, tuple[list[str], list[int]]]:
    """The columns of every table and which of them are its key; `sqlite_sequence` last, as inserting changes it."""
    found = sqlite().execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    names = sorted(name for (name,) in found if not name.startswith("sqlite_"))
    columns = {name: sqlite().execute(f'PRAGMA table_info("{name}")').fetchall() for name in names}
    keys = {name: [row[0] for row in rows if row[5]] for name, rows in columns.items()}
    whole = {name: ([row[1] for row in rows], keys[name]) for name, rows in columns.items()}
    return whole | {"sqlite_sequence": (["name", "seq"], [0])}


def tables() -> Tables:
    """Every row by its key, as it is stored: without `+`, some values would be converted."""
    found = {}
    for name, (columns, key) in columns_by_table().items():
        values = ", ".join(f'+"{column}"' for column in columns)
        rows = sqlite().execute(f'SELECT {values} FROM "{name}"')
        found[name] = {tuple(row[at] for at in key): row for row in rows}
    return found


def changing_statements(before: Tables, after: Tables) -> list[tuple[str, list[Any]]]:
    """Statements with their rows that turn one into the other."""
    statements: list[tuple[str, list[Any]]] = []
    for name, (columns, key) in columns_by_table().items():
        old, new = before[name], after[name]
        where = " AND ".join(f'"{columns[at]}" = ?' for at in key)
        values = ", ".join(f'"{column}" = ?' for column in columns)
        marks = ", ".join("?" * len(columns))
        changed = [of for of in new if of in old and old[of] != new[of]]
        gone = [of for of in old if of not in new]
        if name == "sqlite_sequence":
            gone, changed = [of for of in new if old.get(of) != new[of]], []
            new = {of: new[of] for of in gone}
            old = {}
        statements.append((f'DELETE FROM "{name}" WHERE {where}', gone))
        statements.append((f'UPDATE "{name}" SET {values} WHERE {where}', [new[of] + of for of in changed]))
        statements.append(
            (f'INSERT INTO "{name}" VALUES ({marks})', [new[of] for of in new if of not in old])
        )
    return [(statement, rows) for statement, rows in statements if rows]


def post_length(client: Client, address: str, length: int) -> int:
    """Posts an empty body as one of `length` bytes, of a type that Django does not parse; returns the status."""
    answer = client.generic("POST", address, b"", "application/octet-stream", CONTENT_LENGTH=str(length))
    return answer.status_code
