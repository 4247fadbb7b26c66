"""The published report of tests/reports/conftest.py, and its public page, which is open."""

import pytest

from people.models import Person
from reports.models import Review
from reports.public import links
from tests.surveys.conftest import NOW


@pytest.fixture
def shared(published: Review, owner: Person) -> Review:
    links.open_page(published, owner, NOW)
    published.refresh_from_db()
    return published
