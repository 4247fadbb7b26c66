"""Who may open a researcher's page about answers, and by which method."""

from collections.abc import Callable

import pytest
from django.http import HttpResponse

from accounts.models import Person
from tests.cast import As
from tests.intake import asked
from tests.intake.test_rehearsal import REHEARSAL
from tests.surveys.conftest import ASKS

pytestmark = pytest.mark.page
SEEN: dict[str, str | int] = {"nobody": "/app/account/sign-in", "stranger": 404}
ASKED_TO_INVITE = SEEN | {"reviewer": 403}
INVITING = ASKED_TO_INVITE | {"viewer": 403, "editor": 200}
WRONG: dict[str, str | int] = {"owner": 405}
PAGES = ["invitations", *(f"invitations/{name}" for name in ("mail", "qr.svg", "poster", "file"))]
ACCESS = {
    **{f"get {page}": INVITING for page in PAGES[:-1]},
    **{f"post {page}": WRONG for page in PAGES},
    **{f"put {page}": WRONG for page in [*PAGES, "records", "rehearse"]},
    "get invitations/file": WRONG,
    "post invitations/mail": ASKED_TO_INVITE,
    "post invitations/file": ASKED_TO_INVITE,
    "get records": SEEN,
    "get rehearse": ASKED_TO_INVITE,
    **{f"get {page}": SEEN for page in ("study-sheet", "study-sheet.pdf")},
    **{f"post {page}": WRONG for page in ("study-sheet", "study-sheet.pdf")},
}
"""By method and page what each person gets: a status, or where they are sent."""


@pytest.mark.at_push(3)
@pytest.mark.parametrize("page", ACCESS)
def test_intake_page_opens_for_permitted_people_and_methods(
    page: str,
    owner: Person,
    stranger: Person,
    reviewer: Person,
    works_on: Callable[..., Person],
    signed_in_as: As,
) -> None:
    method, path = page.split()
    is_posted = (method, path.split("/")[0]) == ("post", "invitations")
    survey = asked.survey(REHEARSAL if path == "rehearse" else ASKS, owner=owner, invited=is_posted)
    people = {"nobody": None, "stranger": stranger, "reviewer": reviewer, "owner": owner}
    people |= {"viewer": works_on(survey, may_edit=False), "editor": works_on(survey, may_edit=True)}

    def answer(who: str) -> str | int:
        address = f"/app/surveys/{survey.pk}/{path}"
        response: HttpResponse = getattr(signed_in_as(people[who]), method)(address)
        return response["Location"].split("?")[0] if response.status_code == 302 else response.status_code

    assert {who: answer(who) for who in ACCESS[page]} == ACCESS[page]
