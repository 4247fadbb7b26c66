"""The first page of the administration: what an operator looks for, above the tables."""

from datetime import UTC, datetime

import pytest
from django.urls import reverse

from accounts.models import Person
from candor import __version__
from config.backup.models import Backup
from tests.cast import As

pytestmark = [pytest.mark.django_db, pytest.mark.page]
LABELS = (
    "Version",
    "Health",
    "Free disk space",
    "Last backup",
    "Last restore drill",
    "Mail",
    "Jobs that wait",
)


def test_superuser_sees_the_installation_state_above_the_tables(superuser: Person, signed_in_as: As) -> None:
    Backup.objects.create(made=datetime(2026, 11, 29, 3, tzinfo=UTC), completed=True)
    page = signed_in_as(superuser).get(reverse("admin:index"))
    facts = {fact.label: fact for fact in page.context["operator_facts"]}
    assert [*facts][:7] == [*LABELS]
    assert facts["Version"].value == __version__
    assert "2026" in facts["Last backup"].value
    assert (facts["Last restore drill"].value, facts["Last restore drill"].ok) == ("never", False)
    assert page.text.index("This installation") < page.text.index("admin/accounts/person")


def test_reviewer_sees_only_the_tables(reviewer: Person, signed_in_as: As) -> None:
    assert "This installation" not in signed_in_as(reviewer).get(reverse("admin:index")).text
