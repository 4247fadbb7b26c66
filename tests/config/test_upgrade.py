"""An instance that the former release filled is upgraded, and is then what a fresh install with its rows is.

The former release is the commit before approvals had a table; tests/config/upgrade/README.md tells how it was filled:
a survey of 600 simulated respondents with two sealed batches, a run, a published report, and a reviewer's approval.
"""

import gzip
import json
import re
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from tests import servers
from tests.config.schema import schema

FILLED = Path(__file__).parent / "upgrade"
PAGES = {
    "demo-researcher": [
        *("/surveys/", "/surveys/1/", "/surveys/1/export", "/surveys/1/settings", "/surveys/1/people"),
        *("/surveys/1/history", "/surveys/1/invitations", "/surveys/1/records", "/surveys/1/runs"),
        *(
            "/runs/1/",
            "/reports/",
            "/reports/1/",
            "/reports/1/groups",
            "/reports/1/itemsets",
            "/reports/1/rules",
        ),
        *("/reports/1/pictures", "/reports/1/files", "/account/history", "/a/{slug}"),
    ],
    "demo-reviewer": [
        *(
            "/surveys/review",
            "/surveys/1/records",
            "/runs/1/",
            "/reports/",
            "/admin/",
            "/admin/surveys/survey/",
        ),
        *("/admin/surveys/survey/1/change/", "/admin/surveys/design/", "/admin/reports/review/"),
        *(
            "/admin/reports/review/1/report",
            "/admin/reports/review/1/groups",
            "/admin/reports/review/1/itemsets",
        ),
        *(
            "/admin/reports/review/1/rules?verdict=any",
            "/admin/reports/review/1/rules/1",
            "/admin/reports/review/1/publish",
        ),
    ],
}
READ = f"""
import json, re
from django.conf import settings
from django.test import Client
from people.models import Person
from surveys.models import Survey

settings.ALLOWED_HOSTS = ["testserver"]
plain = "django.contrib.staticfiles.storage.StaticFilesStorage"
settings.STORAGES = settings.STORAGES | {{"staticfiles": {{"BACKEND": plain}}}}
slug = Survey.objects.get().slug
changing = re.compile(r'csrfmiddlewaretoken" value="[^"]+"|nonce(-|=")[^"\\']+')
pages = {{}}
for person in Person.objects.filter(username__in={sorted(PAGES)!r}):
    client = Client()
    client.force_login(person)
    for address in {PAGES!r}[person.username]:
        answer = client.get(address.replace("{{slug}}", slug), secure=settings.SECURE_SSL_REDIRECT)
        text = b"".join(answer) if answer.streaming else answer.content
        pages[f"{{person.username}} {{address}}"] = [answer.status_code, changing.sub("", text.decode())]
print(json.dumps(pages))
"""
RULE = re.compile(r'INSERT INTO "?(public\.)?mining_rule"? ')
# What the migrations of a fresh install have made already.
MADE = ("contenttypes", "auth", "sessions")


def environments(tmp_path: Path, filled: str, fresh: str) -> tuple[dict[str, str], dict[str, str]]:
    """Of the filled instance, which is migrated here, and of a fresh one, which is so already."""
    upgraded, other = (
        servers.environment(VAR=str(tmp_path / f"var-{number}"), DATABASE_URL=url)
        for number, url in enumerate((filled, fresh))
    )
    servers.manage(upgraded, "migrate", "-v", "0")
    return upgraded, other


def said(env: dict[str, str]) -> list[str]:
    """The schema; the former release wrote some of the same statements with other spaces, brackets and capitals."""
    rows = schema(env["DATABASE_URL"])
    return sorted(re.sub(r"[\s()]+", " ", " ".join(row).lower()).strip() for row in rows)


def pages(env: dict[str, str]) -> dict[str, tuple[int, str]]:
    found: dict[str, tuple[int, str]] = json.loads(servers.manage(env, "shell", "-v", "0", "-c", READ))
    return found


def has_the_pages_of(fresh: dict[str, str], upgraded: dict[str, str], rules: int, tmp_path: Path) -> None:
    """Once the fresh install has its rows."""
    rows = str(tmp_path / "rows.json")
    left_out = [word for app in MADE for word in ("--exclude", app)]
    servers.manage(upgraded, "dumpdata", "-v", "0", "--output", rows, *left_out)
    servers.manage(fresh, "loaddata", "-v", "0", rows)
    found = pages(upgraded)
    assert {address for address, (status, _text) in found.items() if status != 200} == set()
    assert len(found) == sum(map(len, PAGES.values()))
    assert found == pages(fresh)
    holds_what_was_in_it(found, rules)


def holds_what_was_in_it(found: dict[str, tuple[int, str]], rules: int) -> None:
    def text(address: str) -> str:
        return found[address][1]

    assert "Work, health and honesty" in text("demo-researcher /surveys/")
    # A reviewer had allowed record files, which nothing but the history knew.
    assert "The activity log records who downloaded which file" in text("demo-researcher /surveys/1/records")
    assert f">{rules} rules<" in text("demo-reviewer /admin/reports/review/1/rules?verdict=any")
    assert ">3 rules<" in text("demo-researcher /reports/1/rules")


@pytest.mark.slow
def test_a_filled_instance_is_upgraded(tmp_path: Path) -> None:
    dump = gzip.decompress((FILLED / "sqlite.sql.gz").read_bytes()).decode()
    with closing(sqlite3.connect(tmp_path / "old.sqlite3")) as database:
        database.executescript(dump)
    shutil.copy(servers.migrated_file(), tmp_path / "fresh.sqlite3")
    upgraded, fresh = environments(
        tmp_path, *(f"sqlite://{tmp_path}/{name}.sqlite3" for name in ("old", "fresh"))
    )
    assert said(upgraded) == said(fresh)
    has_the_pages_of(fresh, upgraded, len(RULE.findall(dump)), tmp_path)


@pytest.mark.server
def test_it_is_upgraded_on_postgresql(tmp_path: Path, postgres: servers.Postgres) -> None:
    filled, empty = postgres.create("upgrade_old"), postgres.create("upgrade_fresh", postgres.migrated())
    dump = gzip.decompress((FILLED / "postgresql.sql.gz").read_bytes()).decode()
    with psycopg.connect(filled) as database:
        database.execute(dump.encode())
    upgraded, fresh = environments(tmp_path, filled, empty)
    # A constraint that was dumped and loaded is written with other casts, so both are.
    copies = [
        upgraded | {"DATABASE_URL": postgres.copy(url, f"upgrade_copy_{number}")}
        for number, url in enumerate((filled, empty))
    ]
    assert said(copies[0]) == said(copies[1])
    has_the_pages_of(fresh, upgraded, len(RULE.findall(dump)), tmp_path)
