import pytest
from django.test import Client

from accounts.models import Person
from surveys.models import Survey

pytestmark = pytest.mark.page


def test_nobody_is_sent_to_the_one_sign_in_page_somebody_is_refused_and_staff_are_in_already(
    visitor: Client, client_of_somebody: Client, staff: Client
) -> None:
    answer = visitor.get("/app/admin/", follow=True)
    assert answer.redirect_chain[-1][0] == "/app/account/sign-in?next=/app/admin/"
    assert client_of_somebody.get("/app/admin/", follow=True).status_code == 403
    assert staff.get("/app/admin/login/").headers["Location"] == "/app/admin/"


def test_admin_uses_our_colours_and_the_accounts_theme(staff: Client) -> None:
    page = staff.get("/app/admin/").content.decode()
    assert "ui/admin.css" in page
    assert "dark_mode.css" not in page
    assert "theme.js" not in page
    for theme in ("light", "dark", "system"):
        Person.objects.update(theme=theme)
        assert f"theme-{theme}" in staff.get("/app/admin/").content.decode().split("<body")[1].split(">")[0]


def test_a_page_that_only_jobs_change_links_to_the_site_and_to_no_history(staff: Client) -> None:
    person = Person.objects.get()
    survey = Survey.objects.create(owner=person)
    of_survey, of_person = (
        staff.get(f"/app/admin/{thing}/change/").text
        for thing in (f"surveys/survey/{survey.pk}", f"accounts/person/{person.pk}")
    )
    assert 'class="historylink"' in of_person
    assert 'class="historylink"' not in of_survey
    assert f'href="{survey.get_absolute_url()}" class="viewsitelink"' in of_survey
