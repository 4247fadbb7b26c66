"""The published report of tests/reports/conftest.py, and its public page, which is open."""

import pytest

from accounts.models import Person
from reports.models import Review
from reports.review import public_links as links
from surveys.models import Survey
from tests.reports import made
from tests.surveys.conftest import NOW


@pytest.fixture
def survey(owner: Person) -> Survey:
    return made.survey(owner, title={"en": "Work & health", "zh-hans": "工作与健康"})


@pytest.fixture
def shared(published: Review, owner: Person) -> Review:
    links.open_page(published, owner, NOW)
    published.refresh_from_db()
    return published
