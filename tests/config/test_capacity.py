"""The figure of `./run bench capacity`: measured on real visits, kept, and shown to operators with its date."""

import json
import subprocess
import sys
from datetime import date
from pathlib import Path

import pytest
from django.test import Client
from pytest_django.fixtures import Settings

from accounts.models import Person
from config.metrics import capacity_benchmark_result
from tests import servers

FACT = "Visits a second that one web process answers, measured on 25 November 2026"


@pytest.mark.page
def test_operators_see_the_last_figure_with_its_date(
    superuser: Person, tmp_path: Path, settings: Settings, client: Client
) -> None:
    settings.VAR = tmp_path
    client.force_login(superuser)
    assert "Visits a second" not in client.get("/app/jobs/").content.decode()
    capacity_benchmark_result.store_capacity(tmp_path, 118, date(2026, 11, 25))
    page = client.get("/app/jobs/").content.decode()
    assert f"<dt>{FACT}</dt><dd>118</dd>" in page
    (tmp_path / capacity_benchmark_result.FILE).write_text('{"visits_per_second": "many"}')
    assert client.get("/app/jobs/").status_code == 200


@pytest.mark.night
@pytest.mark.server
def test_the_bench_measures_and_keeps_the_figure(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "bench.capacity", "--visits", "50"]
    env = servers.environment(VAR=str(tmp_path))
    done = subprocess.run(words, cwd=servers.ROOT, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    figure = json.loads((tmp_path / capacity_benchmark_result.FILE).read_text())["visits_per_second"]
    assert done.stdout.startswith(f"{figure:,} visits a second, of 50")
    assert figure > 0
