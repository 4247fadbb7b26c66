"""Who may open a researcher's page about answers, and by which method."""

from collections.abc import Callable, Mapping

import pytest
from django.http import HttpResponse

from accounts.models import Person
from tests.cast import As
from tests.intake import asked
from tests.intake.test_rehearsal import REHEARSAL
from tests.surveys.conftest import ASKS

pytestmark = pytest.mark.page
SIGN_IN = "/app/account/sign-in"
Answers = Mapping[str, str | int]
INVITING: Answers = {"nobody": SIGN_IN, "stranger": 404, "reviewer": 403, "viewer": 403, "editor": 200}
ASKED_TO_INVITE: Answers = {"nobody": SIGN_IN, "stranger": 404, "reviewer": 403}
SEEN: Answers = {"nobody": SIGN_IN, "stranger": 404}
WRONG: Answers = {"owner": 405}
ACCESS: dict[str, Answers] = {
    "get invitations": INVITING,
    "get invitations/mail": INVITING,
    "get invitations/qr.svg": INVITING,
    "get invitations/poster": INVITING,
    "get invitations/file": WRONG,
    "post invitations": WRONG,
    "post invitations/mail": ASKED_TO_INVITE,
    "post invitations/qr.svg": WRONG,
    "post invitations/poster": WRONG,
    "post invitations/file": ASKED_TO_INVITE,
    "put invitations": WRONG,
    "put invitations/mail": WRONG,
    "put invitations/qr.svg": WRONG,
    "put invitations/poster": WRONG,
    "put invitations/file": WRONG,
    "get records": SEEN,
    "put records": WRONG,
    "get rehearse": {**SEEN, "reviewer": 403},
    "put rehearse": WRONG,
    "get study-sheet": SEEN,
    "post study-sheet": WRONG,
    "get study-sheet.pdf": SEEN,
    "post study-sheet.pdf": WRONG,
}
"""By method and page what each person gets: a status, or where they are sent."""


@pytest.mark.at_push(3)
@pytest.mark.parametrize("page", ACCESS)
def test_a_page_opens_for_those_who_may_and_by_its_own_methods(
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
    people = {
        "nobody": None,
        "stranger": stranger,
        "reviewer": reviewer,
        "viewer": works_on(survey, may_edit=False),
        "editor": works_on(survey, may_edit=True),
        "owner": owner,
    }

    def answer(who: str) -> str | int:
        response: HttpResponse = getattr(signed_in_as(people[who]), method)(
            f"/app/surveys/{survey.pk}/{path}"
        )
        return response["Location"].split("?")[0] if response.status_code == 302 else response.status_code

    assert {who: answer(who) for who in ACCESS[page]} == ACCESS[page]
