"""A rehearsal of persons over rounds: who they are, what they send, and what the report says of a difference."""

import re
from html import unescape
from typing import Any

import numpy as np
import pytest
from django.utils import timezone

from accounts.models import Person
from intake.rehearsal import truth
from intake.rehearsal.made_up import made_up
from intake.rehearsal.persons import BLOCK, CHANGED, Persons, persons, sent
from intake.rehearsal.simulating import simulate
from mining.parameters import Parameters
from privacy.designs import Design
from privacy.mechanisms.coins import seeded_words
from privacy.records import DISGUISED, OPEN
from privacy.simulation.disguise import disguise
from reports.models import Review
from reports.pages import wave_rows
from reports.review import publishing
from reports.review.report_page import ReportPage
from runs import starting
from surveys.lifecycle import create, opening, states as lifecycle
from surveys.models import Survey
from surveys.not_allowed import InputRefused, NotAllowed
from tests.builder import written as built
from tests.cast import As
from tests.privacy.questionnaires import (
    HALF,
    IF_EMPLOYED,
    WORK,
    classes,
    crosswise,
    design,
    drawn,
    plain,
    question,
    sensitive,
    subset,
    window,
)
from tests.reports.paged import shown
from tests.runs import working
from tests.surveys.conftest import NOW
from tests.surveys.test_lasting import asking, first, lasting

__all__ = ["first"]
pytestmark = pytest.mark.page
TOWN = {"name": "town", "choices": ["a", "b"]}
THREE = sensitive("0.2499", *(question(f"q{number}", *HALF) for number in range(3)), lasting="0.25", asked=2)


def study(*sections: dict[str, Any], **more: Any) -> Design:
    return design(*(sections or (plain(WORK), THREE)), open_answers=True, **more)


def again(before: Design, *sections: dict[str, Any]) -> Design:
    return study(*sections, follows=before.fingerprint, study=before.study or before.fingerprint)


def records(design: Design, people: Persons, seed: int = 1) -> Any:
    return sent(design, people, seeded_words(seed))


def test_a_person_is_the_same_however_many_are_asked_at_once() -> None:
    rounds = [study(), again(study())]
    everybody = persons(rounds, 0, 2 * BLOCK + 7)
    parts = [persons(rounds, 0, 300), persons(rounds, 300, 2 * BLOCK + 7 - 300)]
    for index in range(2):
        together = np.concatenate([part.respondents[index] for part in parts], axis=-1)
        assert (together == everybody.respondents[index]).all()
    assert sum((part.codes for part in parts), ()) == everybody.codes
    assert len(set(everybody.codes)) == 2 * BLOCK + 7
    other = persons(rounds, 0, 100, seed=2)
    assert not set(other.codes) & set(everybody.codes)


def test_in_the_next_round_they_have_their_code_and_group_and_few_answer_again() -> None:
    began, second = persons([study()], 0, 5_000), persons([study(), again(study())], 0, 5_000)
    assert began.codes == second.codes
    assert (began.respondents.group == second.respondents.group).all()
    changed = (began.respondents.truth != second.respondents.truth).any(axis=0)
    # Some who answer again give the same answers.
    assert 0.01 < changed.mean() < CHANGED + 4 * (CHANGED / 5_000) ** 0.5
    third = persons([study(), again(study()), again(again(study()))], 0, 5_000)
    again_changed = (second.respondents.truth != third.respondents.truth).any(axis=0)
    assert 0.01 < again_changed.mean() < 0.07
    assert (changed != again_changed).any()


def test_they_stay_the_same_where_another_question_was_added() -> None:
    more = [plain(WORK, TOWN), THREE]
    second = persons([study(), again(study())], 0, 1_000).respondents.truth
    longer = persons([study(), again(study(), *more)], 0, 1_000).respondents.truth
    assert (longer[2:] == second[1:]).all()


def test_who_is_asked_what_is_drawn_once_and_unchanged_answers_leave_the_same_record() -> None:
    """The instant draw keeps .2499 / .25 of all; a disguise of each round alone would agree less often."""
    rounds = [study(), again(study())]
    began, second = persons(rounds[:1], 0, 4_000), persons(rounds, 0, 4_000)
    one, other = records(rounds[0], began)[1:], records(rounds[1], second, seed=2)[1:]
    disguised = began.respondents.group == DISGUISED
    assert ((one == 2) == (other == 2))[:, disguised].all()
    unchanged = disguised & (began.respondents.truth == second.respondents.truth).all(axis=0)
    assert (one == other).all(axis=0)[unchanged].mean() > 0.99
    # Fresh draws of two questions, each kept with .25: .0625 + .9375 / 4 and no more.
    fresh = disguise(rounds[0], began.respondents.group, began.respondents.truth, np.random.default_rng(1))
    assert (one == fresh[1:]).all(axis=0)[unchanged].mean() < 0.6


def test_their_records_have_the_shares_of_the_law_of_one_round() -> None:
    keeps = sensitive("0.81", question("tax", *HALF), lasting="0.9")
    people = persons([study(keeps)], 0, 20_000)
    codes = records(study(keeps), people)[0]
    group, (tax,) = people.respondents
    for true in (0, 1):
        same = codes[(group == DISGUISED) & (tax == true)] == true
        assert abs(same.mean() - 0.905) < 4 * (0.905 * 0.095 / len(same)) ** 0.5


EVERY_KIND = (
    plain(WORK, {"name": "tools", "choices": ["a", "b"], **IF_EMPLOYED}),
    plain(drawn("version", "0.5000", "0.5000")),
    THREE,
    crosswise("lying", "0.25"),
    subset(5, 2, "0.5"),
    window("beers", 11, 2),
    classes("income", "0.5", 0, 5, 9),
)


def test_who_answers_openly_sends_what_is_true_whatever_the_kind() -> None:
    whole = study(*EVERY_KIND)
    people = persons([whole], 0, 2_000)
    codes, (group, true) = records(whole, people), people.respondents
    fast = disguise(whole, group, true, np.random.default_rng(1))
    is_open, rotating = group == OPEN, {"q0", "q1", "q2"}
    for index, asked in enumerate(whole.questions):
        if asked.name not in rotating:
            assert (codes[index] == fast[index])[is_open].all(), asked.name
        else:
            was_drawn = is_open & (codes[index] != 2)
            assert (codes[index] == true[index])[was_drawn].all()


# --- two rounds in the product -----------------------------------------------------------------------


def opened(survey: Survey, owner: Person) -> Survey:
    opening.open_now(survey, owner, timezone.now())
    survey.refresh_from_db()
    return survey


def reported(survey: Survey, owner: Person, reviewer: Person) -> ReportPage:
    simulate(survey, 1_200)
    lifecycle.close(survey, owner, NOW)
    run = working.work(
        starting.start(survey, owner, Parameters(min_support=0.01, min_confidence=0.5, max_size=2), NOW)
    )
    publishing.add_finished_runs(NOW)
    publishing.publish(Review.objects.get(run=run), reviewer, [], "http://localhost", NOW)
    return ReportPage(Review.objects.with_surveys().get(run=run), whole=False)


@pytest.fixture
def rehearsal(draft: Survey, owner: Person) -> Survey:
    draft.draft = asking(lasting("theft"), retention="2030-01-01", rehearsal=True, least=20).as_json()
    draft.save()
    return opened(draft, owner)


def test_the_report_of_the_second_round_has_each_true_difference_beside_its_estimate(
    rehearsal: Survey, owner: Person, reviewer: Person, signed_in_as: As
) -> None:
    reported(rehearsal, owner, reviewer)
    second = create.duplicate(rehearsal, owner, timezone.now(), follows=True)
    assert second.is_rehearsal
    report = reported(opened(second, owner), owner, reviewer)
    table = wave_rows.waves(report, owner)
    assert table is not None
    counted = [truth.read(survey) for survey in (rehearsal, second)]
    assert all(of is not None and of.everybody.n == 1_200 for of in counted)
    row = next(row for row in table.rows if row.item == "theft=yes")
    before, after = (of.everybody.counts[((1, 1),)] / of.everybody.n for of in counted if of)
    assert before != after
    assert row.truth == pytest.approx(after - before)
    assert row.low < row.truth < row.high  # type: ignore[operator]
    page = unescape(shown(signed_in_as(owner), f"/reports/{report.review.pk}/study"))
    points = f"{abs(100 * (after - before)):.1f}"
    assert re.search(rf"Truth [+−]{re.escape(points)}", page)
    assert "The diamond marks the true difference" in page
    file = signed_in_as(owner).get(f"/reports/{report.review.pk}/study/waves.csv").text.splitlines()
    assert file[0].endswith(",truth")


def test_the_page_of_a_rehearsal_says_who_answers_and_leads_to_the_next_round(
    rehearsal: Survey, owner: Person, signed_in_as: As
) -> None:
    page = signed_in_as(owner).get(f"/surveys/{rehearsal.pk}/rehearse").text
    assert "In each further round 5" in page
    assert f'href="/surveys/{rehearsal.pk}/duplicate"' in page
    assert 'value="wave"' in signed_in_as(owner).get(f"/surveys/{rehearsal.pk}/duplicate").text


def test_a_rehearsal_whose_disguise_ends_with_the_round_is_not_asked_again(
    draft: Survey, owner: Person
) -> None:
    draft.draft = asking(
        built.sensitive(built.question("theft", "no", "yes")), retention="2030-01-01", rehearsal=True
    ).as_json()
    draft.save()
    with pytest.raises(NotAllowed, match="Only a survey that was opened can be asked again"):
        create.duplicate(opened(draft, owner), owner, timezone.now(), follows=True)


def test_no_real_survey_follows_a_rehearsal(rehearsal: Survey, owner: Person) -> None:
    second = create.duplicate(rehearsal, owner, timezone.now(), follows=True)
    second.draft = {**second.draft, "rehearsal": False}
    second.save()
    with pytest.raises(InputRefused, match="is a rehearsal, which nobody real answered"):
        opened(second, owner)


@pytest.mark.django_db
def test_a_first_round_has_the_people_that_its_questions_make_up(first: Survey) -> None:
    """One population, whoever is simulated: the shares of a rehearsal do not depend on its disguise."""
    design = first.design.content  # type: ignore[union-attr]
    people = persons([design], 0, 20_000).respondents.truth
    drawn_once = made_up(design).draw(design, 20_000, np.random.default_rng(5)).truth
    assert np.abs(people.mean(axis=1) - drawn_once.mean(axis=1)).max() < 0.02
