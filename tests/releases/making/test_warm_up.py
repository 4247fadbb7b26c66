"""A first release waits for no compiler: workers load the kernels before they take a job."""

import subprocess
import sys
import threading
from pathlib import Path

import pytest
from django.conf import settings

from jobs import warmup
from privacy.anonymity.kernels import compiling
from releases.making import anonymizing
from tests import servers

FIRST_RELEASE = """
import django
from numba.core import event
django.setup()
from jobs import warmup
from releases.making import kernel_cache
from releases.making.anonymizing import anonymized
from tests.privacy.anonymity.sample_tables import adult, adult_specification
with event.install_recorder("numba:compile") as compiled:
    assert warmup.warm_up()
    before = len(compiled.buffer)
    table, said = adult(), adult_specification(k=10)
    found, _seconds = anonymized(table, said, kernel_cache.folder(), "adult", lambda _share: True)
print(found.partition.number > 1, before, len(compiled.buffer))
"""


@pytest.mark.page
def test_a_fresh_worker_compiles_nothing_for_its_first_release() -> None:
    assert warmup.warm_up()
    process = subprocess.run(
        [sys.executable, "-c", FIRST_RELEASE],
        cwd=servers.ROOT,
        env=servers.environment(VAR=str(settings.VAR), DJANGO_SETTINGS_MODULE="config.settings"),
        capture_output=True,
        text=True,
        check=True,
    )
    assert process.stdout.split() == ["True", "0", "0"]


def test_while_the_search_is_compiled_somebody_is_told_and_later_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def warm(cache: Path) -> None:
        asked.wait(servers.PATIENCE)
        compiling._own(cache).mkdir(exist_ok=True)

    asked = threading.Event()
    monkeypatch.setattr(anonymizing, "warm", warm)
    anonymizing.compile_beside(tmp_path, asked.set)
    assert asked.is_set()
    told: list[str] = []
    anonymizing.compile_beside(tmp_path, lambda: told.append("again"))
    assert told == []
