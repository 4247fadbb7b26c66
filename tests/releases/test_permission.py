"""Who may do what with a release: the whole table, for a survey and for an upload."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from accounts.models import History, Person
from jobs import job_state_changes
from jobs.progress_messages import Message
from releases.lifecycle import attack_job, making_job, release_decisions
from releases.models import Making, Release, ReleasedTable
from releases.permissions import TABLE, UNMADE
from surveys.models import Collaborator, Survey
from surveys.questionnaire.problems_and_refusals import NotAllowed
from tests.releases.conftest import (
    NOW,
    disguised_rows,
    draft_of_survey,
    draft_of_upload,
    made_release,
    plain_design,
    plain_survey,
)

pytestmark = [pytest.mark.page, pytest.mark.usefixtures("read_here")]
STATES = [state.value for state in Release.State]


def allowed_stages(release: Release, person: Person) -> dict[str, str]:
    """By action the first letters of the stages in which this person may do it; w: withdrawn, f: refused, u: unmade."""
    found = dict.fromkeys(TABLE, "")
    for letter, state in zip("drcawfu", [*STATES, Release.State.REFUSED], strict=True):
        by = None if letter == "u" else release.source.owner
        Release.objects.filter(pk=release.pk).update(state=state, by=by)
        now = Release.objects.get(pk=release.pk)
        for action in TABLE:
            found[action] += letter * now.may(person, action)
    return {action: states for action, states in found.items() if states}


WORKS = {
    "see": "drcawfu", "configure": "d", "stop": "dr", "cancel": "d", "discard": "df", "numbers": "a", "download": "a",
}  # fmt: skip
LOOKS = {"see": "drcawfu", "numbers": "a", "download": "a"}
REVIEWS = {
    "see": "drcawfu", "attack": "caw", "counts": "caw", "numbers": "drcawfu", "source": "drcawfu", "review": "c",
    "refuse": "cu", "withdraw": "a", "download": "ca",
}  # fmt: skip


def test_survey_release_permissions_match_the_table(
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
    assert [allowed_stages(release, person) for person in (owner, editor, partial)] == [WORKS] * 3
    assert [allowed_stages(release, person) for person in (viewer, superuser)] == [LOOKS] * 2
    assert allowed_stages(release, reviewer) == REVIEWS
    assert allowed_stages(release, stranger) == {}


def test_upload_release_permissions_match_the_table(
    upload: Release, owner: Person, reviewer: Person, stranger: Person, superuser: Person
) -> None:
    """Its owner knows the table, so what Candor refused is refused, and waits for nobody."""
    every = "drcawfu"
    assert allowed_stages(upload, owner) == {
        **WORKS, "see": every, "cancel": "dr", "discard": "dcfu", "raw": every, "attack": "dcaw", "numbers": every,
        "source": every,
    }  # fmt: skip
    assert allowed_stages(upload, reviewer) == {
        "see": "caw", "attack": "caw", "numbers": "caw", "source": "caw", "review": "c", "refuse": "c", "withdraw": "a",
        "download": "ca",
    }  # fmt: skip
    assert allowed_stages(upload, stranger) == {}
    assert allowed_stages(upload, superuser) == {}


def test_nobody_reviews_their_own_upload_and_an_unknown_action_is_a_mistake(reviewer: Person) -> None:
    release = draft_of_upload(reviewer)
    Release.objects.update(state=Release.State.CHECKED)
    assert not Release.objects.get(pk=release.pk).may(reviewer, "review")
    with pytest.raises(KeyError):
        release.may(reviewer, "rewrite")


def test_release_list_shows_only_permitted_releases(
    survey: Survey, owner: Person, reviewer: Person, stranger: Person, superuser: Person, viewer: Person
) -> None:
    draft_of_survey(survey, owner, "age")
    draft_of_upload(owner)
    for state in STATES:
        Release.objects.update(state=state)
        for person in (owner, reviewer, stranger, superuser, viewer):
            seen = set(Release.objects.visible_to(person))
            assert seen == {one for one in Release.objects.all() if one.may(person, "see")}, (state, person)


def waiting_release(owner: Person, n: int) -> Release:
    """Of a survey of n disguised people; Candor cannot make it of fewer than a hundred."""
    survey = plain_survey(owner, disguised_rows((0, 0, n)))
    return made_release(draft_of_survey(survey, owner, "age", k=100), owner)


def pages_without_numbers(client: Client, release: Release, job: Making | None = None) -> list[str]:
    assert release.survey
    paths = [f"/app/surveys/{release.survey.pk}{page}" for page in ("/", "/releases", "/history", "/records")]
    job = job or release.making
    assert job
    paths += [f"/app/releases/{release.pk}/", f"/app/jobs/releases.making/{job.pk}/progress"]
    texts = [client.get(path).text for path in paths]
    return [re.sub(r"[0-9]+", "#", re.sub(r'value="[A-Za-z0-9]{64}"', "", text)) for text in texts]


def test_editor_cannot_distinguish_failed_from_made_releases(
    owner: Person, stranger: Person, reviewer: Person, signed_in_as: Callable[[Person], Client]
) -> None:
    """Whoever may ask for any criteria as often as they like would count people by what is refused."""
    made, unmade = waiting_release(owner, 100), waiting_release(owner, 99)
    assert (made.stage, unmade.stage) == (Release.State.CHECKED, UNMADE)
    for release in (made, unmade):
        assert release.survey
        Collaborator.objects.create(survey=release.survey, person=stranger, may_edit=True)
    for person in (owner, stranger):
        seen, other = (pages_without_numbers(signed_in_as(person), release) for release in (made, unmade))
        assert seen == other
        assert "waits for a reviewer" in seen[4]
        # An attempt costs a reviewer's look: it is not discarded, nor cancelled while it runs.
        for release in (made, unmade):
            assert not any(release.may(person, action) for action in ("discard", "cancel", "refuse"))
    page = signed_in_as(reviewer).get(f"/app/releases/{unmade.pk}/").text
    assert "Candor did not make this table" in page
    assert "and there are fewer records" in page
    assert "A release that could not be made" in signed_in_as(reviewer).get("/app/account/home").text


def test_progress_and_crash_do_not_reveal_the_outcome_to_an_editor(
    survey: Survey, owner: Person, partial: Person, reviewer: Person, signed_in_as: Callable[[Person], Client]
) -> None:
    """How far it came, and that it failed, depends on the records."""
    release = draft_of_survey(survey, owner, "age")
    job = making_job.start_release_making(release, owner, NOW)
    address = f"/app/jobs/releases.making/{job.pk}/progress"
    claimed = job_state_changes.claim(job.pk, token="t", worker="w", now=NOW)
    assert claimed
    words = Message("The best classes are searched for").as_json()
    Making.objects.update(fraction=0.5, words=words, attempts=3)
    assert "best classes" in signed_in_as(reviewer).get(address).text
    page = signed_in_as(owner).get(address).text
    assert "The table is being made" in page
    assert "best classes" not in page
    assert "value" not in page.split("<progress ")[1].split(">")[0]
    job_state_changes.fail(claimed, Message("Something unforeseen went wrong."), NOW)
    making_job.end_failed_makings(NOW)
    release.refresh_from_db()
    assert release.stage == UNMADE
    for path in (address, release.get_absolute_url(), f"/app/surveys/{survey.pk}/history", "/app/jobs/"):
        for person in (owner, partial):
            page = signed_in_as(person).get(path).text.casefold()
            assert "unforeseen" not in page
            assert "failed" not in page.split("<main")[1]
            assert 'data-label="attempts">3<' not in page
    assert "unforeseen" in signed_in_as(reviewer).get(release.get_absolute_url()).text


def test_reviewers_reading_is_not_in_the_history_before_the_decision(
    survey: Survey, owner: Person, partial: Person, reviewer: Person, signed_in_as: Callable[[Person], Client]
) -> None:
    release = made_release(draft_of_survey(survey, owner, "age"), owner)
    address = f"/app/surveys/{survey.pk}/history"
    before = signed_in_as(owner).get(address).text.count("<time")
    judging = signed_in_as(reviewer)
    assert judging.post(f"/app/releases/{release.pk}/files", {"kind": "csv"}).status_code == 200
    attack = attack_job.start_attack(release, reviewer, b"", NOW)
    assert signed_in_as(owner).get(address).text.count("<time") == before
    acts = History.objects.about(ReleasedTable.objects.get())
    assert acts.filter(who=reviewer).count() == 2
    for person, seen in ((owner, 0), (partial, 0), (reviewer, 2)):
        assert acts.filter(pk__in=History.objects.visible_to(person).values("pk")).count() == seen
    assert signed_in_as(owner).get(f"/app/jobs/releases.attack/{attack.pk}/progress").status_code == 404
    release_decisions.approve(release, reviewer, "", NOW)
    assert signed_in_as(owner).post(f"/app/releases/{release.pk}/files", {"kind": "csv"}).status_code == 200
    assert "downloaded a release" in signed_in_as(owner).get(address).text


def test_owner_who_reviews_may_end_a_waiting_release(
    owner: Person, settings: Any, signed_in_as: Callable[[Person], Client]
) -> None:
    made, unmade = waiting_release(owner, 100), waiting_release(owner, 99)
    settings.ONE_PERSON_DOES_BOTH = True
    client = signed_in_as(owner)
    assert "fewer records" in client.get(unmade.get_absolute_url()).text
    assert "Refuse release" in client.get(made.get_absolute_url()).text
    for release in (unmade, made):
        client.post(f"/app/releases/{release.pk}/refuse", {"reason": "Other columns."})
    stages = [Release.objects.get(pk=release.pk).stage for release in (made, unmade)]
    assert stages == [Release.State.REFUSED] * 2


def test_refusal_does_not_reveal_whether_the_release_was_made(
    owner: Person, reviewer: Person, signed_in_as: Callable[[Person], Client]
) -> None:
    made, unmade = waiting_release(owner, 100), waiting_release(owner, 99)
    address = f"/app/releases/{unmade.pk}/refuse"
    assert signed_in_as(owner).get(address).status_code == 403
    assert "fewer records" in signed_in_as(reviewer).get(address).text
    assert signed_in_as(reviewer).post(address, {"reason": " "}).status_code == 422
    jobs = [release.making for release in (made, unmade)]
    for release in (made, unmade):
        release_decisions.refuse(release, reviewer, "Take a smaller k.", NOW)
    seen, other = (
        pages_without_numbers(signed_in_as(owner), release, job)
        for release, job in zip((made, unmade), jobs, strict=True)
    )
    assert seen == other
    assert "Take a smaller k." in seen[4]
    assert "fewer records" not in seen[4]
    stale = Release.objects.get(pk=unmade.pk)
    with pytest.raises(NotAllowed):
        release_decisions.refuse(stale, reviewer, "Once more.", NOW)


def test_everybody_learns_why_a_rehearsal_release_failed(
    owner: Person, signed_in_as: Callable[[Person], Client]
) -> None:
    rehearsal = plain_survey(owner, disguised_rows((0, 0, 99)), of=plain_design(rehearsal=True))
    for _time in range(4):
        release = made_release(draft_of_survey(rehearsal, owner, "age", k=100), owner)
        assert release.state == Release.State.DRAFT
    assert "and there are fewer records" in signed_in_as(owner).get(release.get_absolute_url()).text


def test_survey_has_at_most_three_waiting_releases(survey: Survey, owner: Person, reviewer: Person) -> None:
    first, *_others = (made_release(draft_of_survey(survey, owner, "age"), owner) for _release in range(3))
    fourth = draft_of_survey(survey, owner, "age")
    with pytest.raises(NotAllowed, match="3 releases of this survey wait for a reviewer"):
        making_job.start_release_making(fourth, owner, NOW)
    release_decisions.refuse(first, reviewer, "Not this one.", NOW)
    assert made_release(fourth, owner).stage == Release.State.CHECKED


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
def test_unreadable_specification_is_refused_from_the_design_alone(
    owner: Person, column: dict[str, Any], words: str, grown: int
) -> None:
    """A refusal by what people answered would tell in which rows, and so how many gave each answer."""
    survey = plain_survey(owner, disguised_rows((0, 0, 40), (1, 0, grown), (2, 0, 57)))
    draft = draft_of_survey(survey, owner, quasi_identifiers=[{"name": "age", **column}])
    with pytest.raises(NotAllowed, match=words) as refused:
        making_job.start_release_making(draft, owner, NOW)
    assert not any(character.isdigit() for character in str(refused.value))
