"""A release waits for no compiler: workers load the kernels before they take a job. In a new installation they are
compiled beside the worker, once, and only a release waits."""

import fcntl
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from django.conf import settings
from pytest_django.fixtures import Settings

from jobs import warmup
from mining import anonymization
from privacy.anonymity.kernels import compiled_kernels
from releases.lifecycle import kernel_cache
from tests import servers

FIRST_RELEASE = """
import django
from numba.core import event
django.setup()
from jobs import warmup
from releases.lifecycle import kernel_cache
from mining.anonymization import anonymize_table
from tests.privacy.anonymity.sample_tables import adult, adult_specification
with event.install_recorder("numba:compile") as compiled:
    assert warmup.warm_up()
    before = len(compiled.buffer)
    table, said = adult(), adult_specification(k=10)
    found, _seconds = anonymize_table(table, said, kernel_cache.folder(), "adult", lambda _share: True)
print(found.partition.number > 1, before, len(compiled.buffer))
"""


@pytest.mark.night
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
    def load_default_kernels(cache: Path) -> None:
        asked.wait(servers.PATIENCE)
        with compiled_kernels.compile_once(cache):
            pass

    asked = threading.Event()
    monkeypatch.setattr(anonymization, "load_default_kernels", load_default_kernels)
    anonymization.load_kernels(tmp_path, asked.set)
    assert asked.is_set()
    told: list[str] = []
    anonymization.load_kernels(tmp_path, lambda: told.append("again"))
    assert told == []


@pytest.mark.page
def test_in_a_new_installation_the_kernels_are_compiled_beside_the_worker(
    tmp_path: Path, settings: Settings
) -> None:
    settings.VAR = tmp_path
    # As numba has stored them, lest this takes half a minute: who compiles does not look at what is there.
    kernels = compiled_kernels._version_folder(servers.compiled_kernels())
    shutil.copytree(kernels, tmp_path / "numba" / kernels.name, ignore=shutil.ignore_patterns("complete"))
    with (tmp_path / "numba" / kernels.name / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        kernel_cache.warm_up()
        assert not compiled_kernels.has_compiled(kernel_cache.folder())
    servers.wait(lambda: compiled_kernels.has_compiled(kernel_cache.folder()), "the kernels compiled")


def test_kernels_are_compiled_by_one_at_a_time_and_whoever_is_killed_leaves_it_to_the_next(
    tmp_path: Path,
) -> None:
    inside, order = threading.Event(), list[str]()

    def killed() -> None:
        with compiled_kernels.compile_once(tmp_path):
            inside.set()
            waiting.join(0.2)
            order.append("first")
            raise SystemExit

    def second() -> None:
        inside.wait(servers.PATIENCE)
        with compiled_kernels.compile_once(tmp_path):
            order.append("second")

    waiting = threading.Thread(target=second)
    waiting.start()
    with pytest.raises(SystemExit):
        killed()
    waiting.join(servers.PATIENCE)
    assert order == ["first", "second"]
    assert compiled_kernels.has_compiled(tmp_path)
