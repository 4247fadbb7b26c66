"""The bracketed language, for the tests that walk pages in it; what settings say of the database."""

import gettext
import importlib.util
from collections.abc import Callable, Iterator
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any

import django.conf.locale
import pytest
from django.utils.translation import trans_real
from pytest_django.fixtures import Settings

from intake.pages import pages
from surveys.builder import language_views, phrase_words, phrases_page
from surveys.phrases import of_design, shipped, speaker
from surveys.phrases.shipped import SHIPPED
from tests import bracketed, servers
from tests.config.walk import Walk

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


@pytest.fixture(scope="session")
def locale(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("locale")
    bracketed.write(folder)
    return folder


@pytest.fixture
def bracketed_language(locale: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setitem(
        django.conf.locale.LANG_INFO, "xx", {"bidi": False, "code": "xx", "name": "⟦X⟧", "name_local": "⟦X⟧"}
    )
    settings.LOCALE_PATHS = [locale]
    settings.LANGUAGES = [*settings.LANGUAGES, ("xx", "⟦X⟧")]
    for module in (shipped, of_design, phrase_words, phrases_page, language_views, pages):
        monkeypatch.setattr(module, "SHIPPED", (*SHIPPED, "xx"))

    def forget() -> None:
        for known in (*vars(trans_real).values(), shipped.shipped_for, speaker.shipped_text):
            if hasattr(known, "cache_clear"):
                known.cache_clear()
        trans_real._translations.pop("xx", None)  # type: ignore[attr-defined]
        gettext._translations.clear()  # type: ignore[attr-defined]

    forget()
    yield
    forget()


@pytest.fixture
def walk(db: None, bracketed_language: None) -> Walk:
    return Walk()
