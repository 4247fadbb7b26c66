"""Who works on a survey when the memory of that is introduced is remembered too, on both databases."""

import json
from pathlib import Path

import pytest

from tests import servers

# The models are those of that day: today's have columns that the tables did not have.
BEFORE = """
from django.db import connection
from django.db.migrations.loader import MigrationLoader
state = MigrationLoader(connection).project_state([("surveys", "0002_reviewers_look")])
Person = state.apps.get_model("people", "Person")
Collaborator, Survey = (state.apps.get_model("surveys", name) for name in ("Collaborator", "Survey"))
owner, editor, other = Person.objects.bulk_create(Person(username=name, email=name + "@e.org") for name in "abc")
first, second = Survey.objects.bulk_create([Survey(owner=owner, slug="one"), Survey(owner=other, slug="two")])
Collaborator.objects.bulk_create([Collaborator(survey=first, person=editor), Collaborator(survey=first, person=owner)])
"""
AFTER = """
import json
from surveys.models import Involvement
print(json.dumps(sorted(Involvement.objects.values_list("survey__slug", "person__username"))))
"""


def remembered(env: dict[str, str]) -> object:
    servers.manage(env, "migrate", "--verbosity=0")
    servers.manage(env, "migrate", "surveys", "0002", "--verbosity=0", "--skip-checks")
    servers.manage(env, "shell", "--verbosity=0", "-c", BEFORE)
    servers.manage(env, "migrate", "--verbosity=0", "--skip-checks")
    servers.manage(env, "check", "--database=default")
    return json.loads(servers.manage(env, "shell", "--verbosity=0", "-c", AFTER))


EXPECTED = [["one", "a"], ["one", "b"], ["two", "c"]]


@pytest.mark.slow
def test_on_sqlite(tmp_path: Path) -> None:
    assert remembered(servers.environment(VAR=str(tmp_path))) == EXPECTED


@pytest.mark.server
def test_on_postgresql(postgres: servers.Postgres, tmp_path: Path) -> None:
    env = servers.environment(VAR=str(tmp_path), DATABASE_URL=postgres.create("involvement"))
    assert remembered(env) == EXPECTED
