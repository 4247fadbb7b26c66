"""The seventh kind in the registries, with its templates and static files, for one test."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from intake.pages import page_scripts
from privacy.designs import Design
from tests.intake.asked import make_design
from tests.privacy.questionnaires import IF_EMPLOYED, WORK, plain
from tests.seventh.forced import register_kind

HERE = Path(__file__).parent


def forced_section(name: str = "theft", keep: str = "0.6", **more: Any) -> dict[str, Any]:
    return {"kind": "forced", "keep": keep, "questions": [{"name": name, "choices": ["no", "yes"], **more}]}


@pytest.fixture
def kind(settings: Any) -> Iterator[None]:
    [engine] = settings.TEMPLATES
    settings.TEMPLATES = [{**engine, "DIRS": [*engine["DIRS"], HERE / "templates"]}]
    settings.STATICFILES_DIRS = [HERE / "static", *settings.STATICFILES_DIRS]
    page_scripts.disguise_hash.cache_clear()
    with register_kind():
        yield
    page_scripts.disguise_hash.cache_clear()


@pytest.fixture
def design_of_kind(kind: None) -> Design:
    """A rehearsal that asks it of everybody, and once more behind a rule."""
    return make_design(
        plain(WORK),
        forced_section(text="Have you stolen?"),
        forced_section("drugs", "0.5", text="Have you taken drugs?", **IF_EMPLOYED),
        least=20,
        rehearsal=True,
        open_answers=True,
    )
