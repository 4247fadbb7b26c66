"""The script ./run as a module, and settings that say something else of the database."""

import importlib.util
from collections.abc import Callable
from importlib.machinery import SourceFileLoader
from types import ModuleType
from typing import Any

import pytest
from pytest_django.fixtures import Settings

from tests import servers

Say = Callable[..., None]


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
def say_of_database(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Say:
    """Settings that say something else of the database, in a dictionary of their own.

    The open connection shares the other one: with a new name there it closes the tests' database in memory.
    """

    def say(**values: Any) -> None:
        monkeypatch.setitem(settings.DATABASES, "default", {**settings.DATABASES["default"], **values})

    return say
