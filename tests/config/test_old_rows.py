"""Rows of the release before sections of numbers are read, counted and shown as they were.

tests/config/upgrade/README.md tells how they were made: a survey of 600 simulated respondents with sealed batches, a
run, a published report, and an approval.
"""

import gzip
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests import servers

FILLED = Path(__file__).parent / "upgrade" / "before-numbers.sql.gz"
LOOK = """
import json
from dataclasses import asdict
from datetime import UTC, datetime

from django.conf import settings
from django.test import Client
from jobs import attempt
from runs.models import Run
from reports.content import as_json, from_json
from reports.models import Publication
from runs import starting
from people.models import Person
from privacy.designs import parse
from intake import columns
from intake.models import Batch
from surveys.models import Design, Survey

settings.ALLOWED_HOSTS = ["testserver"]
plain = "django.contrib.staticfiles.storage.StaticFilesStorage"
settings.STORAGES = settings.STORAGES | {"staticfiles": {"BACKEND": plain}}
survey, before, row = Survey.objects.get(), Run.objects.get(), Design.objects.get()
design = parse(row.json)
stored = [bytes(data) for data in Batch.objects.order_by("first").values_list("columns", flat=True)]
packed = [columns.pack(design, *columns.unpack(columns.read(design, data))) for data in stored]
again = starting.start(survey, survey.owner, before.wanted, datetime.now(UTC))
attempt.attempt(again.label, str(again.pk), token="0" * 32, worker="by hand")
again.refresh_from_db()
content = Publication.objects.get().content
members = lambda data: {name: value for name, value in data.items() if name != "rules"}
pages = {}
client = Client()
client.force_login(survey.owner)
for page in ("/reports/1/", "/reports/1/groups", "/reports/1/itemsets", "/reports/1/rules", "/runs/1/", "/surveys/1/"):
    answer = client.get(page, secure=settings.SECURE_SSL_REDIRECT)
    pages[page] = [answer.status_code, answer.content.decode()]
print(json.dumps({
    "fingerprints": [row.pk, design.fingerprint],
    "canonical": [row.json, design.canonical],
    "batches": len(stored),
    "packed": packed == stored,
    "digests": [before.digest, again.digest],
    "findings": [sorted(before.findings), sorted(again.findings)],
    "content": [sorted(content), sorted(as_json(from_json(content)))],
    "same": members(content) == members(json.loads(json.dumps(as_json(from_json(content))))),
    "pages": pages,
}))
"""


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("old")
    with closing(sqlite3.connect(folder / "old.sqlite3")) as database:
        database.executescript(gzip.decompress(FILLED.read_bytes()).decode())
    env = servers.environment(VAR=str(folder / "var"), DATABASE_URL=f"sqlite://{folder}/old.sqlite3")
    servers.manage(env, "migrate", "-v", "0")
    found: dict[str, Any] = json.loads(servers.manage(env, "shell", "-v", "0", "-c", LOOK))
    return found


@pytest.mark.slow
class TestOldRows:
    def test_a_design_keeps_its_bytes_and_its_fingerprint(self, seen: dict[str, Any]) -> None:
        for before, now in (seen["fingerprints"], seen["canonical"]):
            assert before == now

    def test_batches_open_and_are_packed_as_they_were(self, seen: dict[str, Any]) -> None:
        assert seen["batches"] > 1
        assert seen["packed"]

    def test_a_run_is_repeated_to_the_digit(self, seen: dict[str, Any]) -> None:
        before, again = seen["digests"]
        assert before
        assert before == again
        assert seen["findings"][0] == seen["findings"][1]

    def test_a_published_report_is_read_and_written_as_it_was(self, seen: dict[str, Any]) -> None:
        assert seen["same"]

    def test_its_pages_open(self, seen: dict[str, Any]) -> None:
        assert {status for status, _text in seen["pages"].values()} == {200}
        assert ">3 rules<" in seen["pages"]["/reports/1/rules"][1]
