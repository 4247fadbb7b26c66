"""Who may do what with a release: the whole table, for a survey and for an upload."""

from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from django.utils.html import escape

from accounts.models import Person
from releases.lifecycle import making_job, release_decisions
from releases.models import Release
from releases.permissions import TABLE
from surveys.models import Collaborator, Survey
from surveys.questionnaire.problems_and_refusals import NotAllowed
from tests.releases.conftest import (
    NOW,
    disguised_rows,
    draft_of_survey,
    draft_of_upload,
    made_release,
    plain_survey,
    seal_rows,
)

pytestmark = [pytest.mark.page, pytest.mark.usefixtures("read_here")]
STATES = [state.value for state in Release.State]


def allowed(release: Release, person: Person) -> dict[str, str]:
    """By action the first letters of the states in which this person may do it; w: withdrawn, f: refused."""
    letters = dict(zip(STATES, "drcawf", strict=True))
    found = dict.fromkeys(TABLE, "")
    for state in STATES:
        Release.objects.filter(pk=release.pk).update(state=state)
        now = Release.objects.get(pk=release.pk)
        for action in TABLE:
            found[action] += letters[state] * now.may(person, action)
    return {action: states for action, states in found.items() if states}


WORKS = {"see": "drcawf", "configure": "d", "cancel": "dr", "discard": "dcf", "numbers": "a", "download": "a"}
LOOKS = {"see": "drcawf", "numbers": "a", "download": "a"}
REVIEWS = {
    "see": "drcawf", "attack": "caw", "counts": "caw", "numbers": "drcawf", "source": "drcawf", "review": "c",
    "withdraw": "a", "download": "ca",
}  # fmt: skip


def test_what_people_may_of_a_release_of_a_survey(
    survey: Survey,
    owner: Person,
    editor: Person,
    viewer: Person,
    partial: Person,
    reviewer: Person,
    stranger: Person,
    superuser: Person,
) -> None:
    release = draft_of_survey(survey, owner, "age")
    assert [allowed(release, person) for person in (owner, editor, partial)] == [WORKS] * 3
    assert [allowed(release, person) for person in (viewer, superuser)] == [LOOKS] * 2
    assert allowed(release, reviewer) == REVIEWS
    assert allowed(release, stranger) == {}


def test_what_people_may_of_a_release_of_an_upload(
    upload: Release, owner: Person, reviewer: Person, stranger: Person, superuser: Person
) -> None:
    assert allowed(upload, owner) == {
        **WORKS, "raw": "drcawf", "attack": "dcaw", "numbers": "drcawf", "source": "drcawf",
    }  # fmt: skip
    assert allowed(upload, reviewer) == {
        "see": "caw", "attack": "caw", "numbers": "caw", "source": "caw", "review": "c", "withdraw": "a",
        "download": "ca",
    }  # fmt: skip
    assert allowed(upload, stranger) == {}
    assert allowed(upload, superuser) == {}


def test_nobody_reviews_their_own_upload_and_an_unknown_action_is_a_mistake(reviewer: Person) -> None:
    release = draft_of_upload(reviewer)
    Release.objects.update(state=Release.State.CHECKED)
    assert not Release.objects.get(pk=release.pk).may(reviewer, "review")
    with pytest.raises(KeyError):
        release.may(reviewer, "rewrite")


def test_the_list_shows_what_may_be_seen(
    survey: Survey, owner: Person, reviewer: Person, stranger: Person, superuser: Person, viewer: Person
) -> None:
    draft_of_survey(survey, owner, "age")
    draft_of_upload(owner)
    for state in STATES:
        Release.objects.update(state=state)
        for person in (owner, reviewer, stranger, superuser, viewer):
            seen = set(Release.objects.visible_to(person))
            assert seen == {one for one in Release.objects.all() if one.may(person, "see")}, (state, person)


def test_no_digit_in_a_refusal_for_an_editor(
    owner: Person, reviewer: Person, stranger: Person, client: Client
) -> None:
    """Whoever may ask for any columns as often as they like would count people by what is refused."""
    places = [(age, town) for age in range(3) for town in range(3)]
    few = disguised_rows(*((age, town, 5 if age == town == 0 else 20) for age, town in places))
    survey = plain_survey(owner, few)
    Collaborator.objects.create(survey=survey, person=stranger, may_edit=True)
    first = made_release(draft_of_survey(survey, owner, "age"), owner)
    release_decisions.approve(first, reviewer, "", NOW)
    seal_rows(survey, disguised_rows((0, 1, 3), (2, 2, 20)))
    client.force_login(stranger)
    tries: list[tuple[list[str], dict[str, Any]]] = [
        (["town"], {}),
        (["age"], {}),
        (["town"], {"joined": True, "k": 60}),
        (["age", "town"], {"k": 60}),
    ]
    for columns, more in tries:
        tried = made_release(draft_of_survey(survey, stranger, *columns, **more), stranger)
        assert tried.reason_text, columns
        said = tried.reason_text
        for known in (str(first), timezone.localdate().isoformat(), f"k is {more.get('k')}"):
            said = said.replace(known, "")
        assert not [character for character in said if character.isdigit()], said
        assert escape(tried.reason_text.splitlines()[0]) in client.get(f"/app/releases/{tried.pk}/").text


@pytest.mark.parametrize(
    ("column", "words"),
    [
        ({"kind": "number", "missing": ["young", "old"]}, "age: 'grown' is no number"),
        ({"kind": "date", "missing": ["young", "old"]}, "age: 'grown'"),
        ({"kind": "ordered", "order": ["young", "old"]}, "age: 'grown' is not one of its values"),
        (
            {"kind": "category", "hierarchy": {"all": ["young", "old"]}},
            "age: 'grown' is not one of its values",
        ),
    ],
)
@pytest.mark.parametrize("grown", [0, 3])
def test_what_cannot_be_read_is_refused_by_the_design_alone(
    owner: Person, column: dict[str, Any], words: str, grown: int
) -> None:
    """A refusal by what people answered would tell in which rows, and so how many gave each answer."""
    survey = plain_survey(owner, disguised_rows((0, 0, 40), (1, 0, grown), (2, 0, 57)))
    draft = draft_of_survey(survey, owner, quasi_identifiers=[{"name": "age", **column}])
    with pytest.raises(NotAllowed, match=words) as refused:
        making_job.start_release_making(draft, owner, NOW)
    assert not any(character.isdigit() for character in str(refused.value))
