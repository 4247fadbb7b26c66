"""Rounds at random: drafts made at once, what respondents read, and what is refused."""

import json
import re
from fractions import Fraction
from math import prod
from typing import Any

import pytest
from django.test import Client

from accounts.models import Person
from builder.editing.save_edit import load_questionnaire
from builder.planning.repeated_rounds import draft_with_lasting_disguise, rounds_costs
from intake.pages.respondent_views import respondent_context
from privacy.designs import InputError
from surveys.kinds.grouped.draft import is_grouped_section
from surveys.lifecycle.freeze_draft import freeze_design
from surveys.models import Survey
from surveys.phrases.start_page import ONE_ROUND
from tests.builder.written import draft as asking, plain, question, sensitive
from tests.cast import As
from tests.surveys.drafts import complete

pytestmark = pytest.mark.page


@pytest.fixture
def survey(draft: Survey) -> Survey:
    draft.draft = complete()
    draft.save()
    return draft


@pytest.fixture
def client(owner: Person, signed_in_as: As) -> Client:
    return signed_in_as(owner)


def made_of(client: Client, survey: Survey, rounds: str) -> list[Survey]:
    before = set(Survey.objects.values_list("pk", flat=True))
    client.post(f"/app/surveys/{survey.pk}/edit/study/rounds", {"rounds": rounds})
    return list(Survey.objects.exclude(pk__in=before).order_by("pk"))


def test_a_draft_is_made_for_each_round_by_invitation_and_says_so(client: Client, survey: Survey) -> None:
    made = made_of(client, survey, "3")
    assert [re.search(r"\((\d)/3\)", each.draft["title"]["en"])[1] for each in made] == ["1", "2", "3"]  # type: ignore[index]
    assert all(each.invited for each in made)
    assert len({freeze_design(each.draft).fingerprint for each in made}) == 3
    assert load_questionnaire(made[0]).rounds == 3
    design = freeze_design(made[0].draft)
    assert ONE_ROUND.keys() <= {key for key, _texts in design.phrases}
    assert not ONE_ROUND.keys() & {key for key, _texts in freeze_design(survey.draft).phrases}
    page = client.get(f"/app/surveys/{made[0].pk}/preview/page").content.decode()
    assert "You are asked in one of 3 rounds, chosen at random, and never again." in page
    assert respondent_context(design, "preview")["design"].rounds == 3


def test_only_such_a_survey_splits_a_list_and_only_in_the_browser(client: Client, survey: Survey) -> None:
    [one, _other] = made_of(client, survey, "2")
    page = client.get(f"/app/surveys/{one.pk}/invitations").content.decode()
    assert 'data-rounds="2"' in page
    split = page.split('id="split"')[1].split("</section>")[0]
    assert "name=" not in split
    assert 'method="post"' not in split
    assert "data-rounds" not in client.get(f"/app/surveys/{survey.pk}/invitations").content.decode()


@pytest.mark.at_push(1)
@pytest.mark.parametrize("rounds", ["1", "53", "many", ""])
def test_a_number_of_rounds_that_none_is_makes_no_draft(client: Client, survey: Survey, rounds: str) -> None:
    assert made_of(client, survey, rounds) == []


def test_where_a_disguise_lasts_no_rounds_are_made(client: Client, survey: Survey) -> None:
    lasts = sensitive(question("theft", "no", "yes"), keep="0.8100", lasting="0.9000")
    survey.draft = asking(lasts).as_json()
    survey.save()
    assert made_of(client, survey, "2") == []


def test_a_round_at_random_follows_none(survey: Survey) -> None:
    with pytest.raises(InputError, match="each person is asked in one round only"):
        freeze_design({**complete(), "rounds": 2, "follows": "f" * 64})


def test_the_study_page_shows_the_three_ways_side_by_side(client: Client, survey: Survey) -> None:
    """G = 19 with one question: bench/figures/panels.md has 3.2, T and 1.5, which are rounded up here."""
    survey.draft = asking(sensitive(question("theft", "no", "yes"), keep="0.9000")).as_json()
    survey.save()
    first = next(rounds_costs(load_questionnaire(survey)))
    assert (first.split, first.at_random, first.lasting) == ("3.21", "2", "1.49")
    page = client.get(f"/app/surveys/{survey.pk}/edit/study").content.decode()
    assert "<strong>1.49</strong>" in page


def asks(survey: Survey, *sections: Any, **more: Any) -> str:
    """The draft as it is stored now."""
    survey.draft = asking(*sections, **more).as_json()
    survey.save()
    return json.dumps(survey.draft)


def choose(client: Client, survey: Survey, do: str, **sent: str) -> Any:
    return client.post(f"/app/surveys/{survey.pk}/edit/study/rounds", {"rounds": "3", "do": do, **sent})


def test_the_planner_sets_both_chances_of_the_lifetime_figure(client: Client, survey: Survey) -> None:
    """The vectors' row of one question with G = H = 19."""
    asks(survey, sensitive(question("theft", "no", "yes"), keep="0.5000"))
    assert choose(client, survey, "lasting", gamma="19").status_code == 302
    survey.refresh_from_db()
    (section,) = survey.draft["sections"]
    assert (section["keep"], section["lasting"]) == ("0.8100", "0.9000")
    (law,) = (each.lasting_law for each in freeze_design({**complete(), **survey.draft}).lasting_sections)
    assert law is not None
    assert (law.gamma, law.departure_factor) == (Fraction(19), Fraction(19))
    page = client.get(f"/app/surveys/{survey.pk}/edit/protection").content.decode()
    assert re.search(r'name="lasting-0"[^>]*value="90"|value="90"[^>]*name="lasting-0"', page)


@pytest.mark.parametrize("gamma", [2, 6, 19, 400])
def test_several_sections_share_the_lifetime_figure_and_stay_within_it(survey: Survey, gamma: int) -> None:
    names = (("a",), ("b", "c", "d"), ("e", "f"))
    several = [sensitive(*(question(name, "no", "yes") for name in group)) for group in names]
    draft = draft_with_lasting_disguise(asking(*several), gamma)
    laws = [section.lasting_law() for section in draft.sections if is_grouped_section(section)]
    assert len(laws) == 3
    together = prod(law.gamma for law in laws if law)
    assert 0.98 * gamma < together <= gamma
    assert all(law and law.once.keep < law.lasting for law in laws)


def test_another_figure_and_number_of_rounds_are_compared_and_nothing_is_changed(
    client: Client, survey: Survey
) -> None:
    """bench/figures/panels.md has 2.4 for one question with G = 6, rounded up here; 1 + 1 = 2 chance can leave."""
    before = asks(survey, sensitive(question("theft", "no", "yes"), keep="0.9000"))
    page = choose(client, survey, "compare", gamma="6").content.decode()
    assert re.search(r'<th scope="row" class="number">3</th>.*<strong>2.43</strong>', page)
    assert 'value="6"' in page
    survey.refresh_from_db()
    assert json.dumps(survey.draft) == before


@pytest.mark.parametrize(
    ("sections", "more", "reason"),
    [
        ([plain(question("age"))], {}, "Only questions with choices"),
        (
            [
                plain(question("work", "a", "b")),
                sensitive(question("theft", "no", "yes", show_if={"work": ["a"]})),
            ],
            {},
            "remove the conditions first",
        ),
        ([sensitive(question("theft", "no", "yes"))], {"direct": "0.5000"}, "nobody is asked directly"),
    ],
)
def test_what_cannot_last_is_refused_in_a_sentence_and_stays(
    client: Client, survey: Survey, sections: list[Any], more: dict[str, Any], reason: str
) -> None:
    before = asks(survey, *sections, **more)
    answer = client.post(
        f"/app/surveys/{survey.pk}/edit/study/rounds",
        {"rounds": "3", "do": "lasting", "gamma": "19"},
        follow=True,
    )
    assert reason in answer.content.decode()
    survey.refresh_from_db()
    assert json.dumps(survey.draft) == before
