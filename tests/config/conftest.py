"""The script ./run as a module, Python in its own process, settings of an environment, other words of the database."""

import importlib.util
import os
import runpy
import subprocess
import sys
from collections.abc import Callable
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from pytest_django.fixtures import Settings

from tests import servers
from tests.cast import shared_rows

__all__ = ["shared_rows"]
Say = Callable[..., None]
SettingsOf = Callable[..., dict[str, Any]]
Done = subprocess.CompletedProcess[str]


def python(*words: str, env: dict[str, str] | None = None, folder: Path = servers.ROOT, **more: Any) -> Done:
    """A Python with these words, to its end."""
    words = (sys.executable, *words)
    return subprocess.run(words, cwd=folder, env=env, capture_output=True, text=True, **more)


@pytest.fixture(scope="module")
def run() -> ModuleType:
    """The script ./run as a module."""
    loader = SourceFileLoader("run", str(servers.ROOT / "run"))
    spec = importlib.util.spec_from_loader("run", loader)
    assert spec
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


@pytest.fixture
def settings_of(monkeypatch: pytest.MonkeyPatch) -> SettingsOf:
    """What a process with this environment would read as its settings, or the refusal."""

    def read(**env: str) -> dict[str, Any]:
        with monkeypatch.context() as patched:
            patched.setattr(os, "environ", env)
            return runpy.run_path(str(servers.ROOT / "config/settings.py"))

    return read


@pytest.fixture
def say_of_database(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Say:
    """Settings that say something else of the database, in a dictionary of their own.

    The open connection shares the other one: with a new name there it closes the tests' database in memory.
    """

    def set_database(**values: Any) -> None:
        monkeypatch.setitem(settings.DATABASES, "default", {**settings.DATABASES["default"], **values})

    return set_database
