"""Hypotheses in the builder: what each kind offers, what is refused, and who sees them."""

from dataclasses import replace
from typing import Any

import pytest
from django.test import Client

from accounts.models import Person
from builder.editing.save_edit import load_questionnaire
from builder.editing.separately_saved_parts import part_digest
from builder.editing.undo import restore_removed
from importing import candor_format
from privacy import designs
from privacy.designs import InputError
from privacy.designs.hypothesis_plan import parse_plan
from surveys.kinds.read_draft import read_questionnaire
from surveys.lifecycle.freeze_draft import design_json_from_draft, freeze_design
from surveys.models import Survey
from surveys.questionnaire import hypotheses
from surveys.questionnaire.problems_and_refusals import path_in_words
from surveys.questionnaire.question_blocks import undo_data_for_draft
from surveys.study.hypothesis_editing import DeletedHypothesisPart, DraftedHypotheses
from tests.builder.planned import EVERY, SALT, SENT, SHARE, add, kept, page_of, planned, study, subjects
from tests.builder.written import classes, crosswise, plain, question, sensitive, stored, window
from tests.cast import As
from tests.surveys.drafts import normalized

pytestmark = pytest.mark.page


def test_what_can_be_named_comes_from_the_design() -> None:
    found = subjects(study())
    assert found.sensitive_items == ["theft=yes"]
    assert found.plain_items == ["age=a", "age=b", "mood=1", "mood=2", "mood=3"]
    assert found.versions == ["wording"]
    assert found.covariates == {
        "age": ["age=b"],
        "wording": ["wording=y"],
        "mood": ["mood", "mood=2", "mood=3"],
        "arm": ["arm"],
    }


def test_crosswise_questions_and_limits_have_items_and_a_window_has_none() -> None:
    found = subjects(
        stored(plain(question("age")), crosswise("tax"), classes("debt", 0, 500, 1000), window("income"))
    )
    assert found.sensitive_items == ["tax=yes", "debt=>=500"]


def test_a_kind_that_the_design_cannot_test_says_what_to_do_first() -> None:
    bare = stored(sensitive({**question("theft", "no", "yes"), "form": "yes-no"}))
    ways = {option.kind: str(option.way) for option in DraftedHypotheses(read_questionnaire(bare)).options}
    assert ways["share"] == ""
    assert ways["arms"] == "Ask a share directly first."
    assert all(ways[kind] for kind in ("version", "association", "coefficient"))
    assert not any(option.way for option in DraftedHypotheses(read_questionnaire(study())).options)


def test_a_design_holds_the_hash_alone() -> None:
    draft = planned(study(), *EVERY)
    written_out = design_json_from_draft(draft)
    plan = hypotheses.read_plan(draft["plan"])
    assert plan is not None
    assert designs.parse(written_out).plan == plan.fingerprint
    assert SALT not in written_out
    assert "coefficient" not in written_out
    assert freeze_design(draft).plan == plan.fingerprint
    assert parse_plan(plan.canonical) == plan


def test_the_normal_form_keeps_what_can_be_read() -> None:
    draft = planned(study(), *EVERY)
    assert normalized(draft) == draft
    broken = {**draft, "plan": {**draft["plan"], "hypotheses": [{"name": "H1", "kind": "guess"}, 7]}}
    assert "plan" not in normalized(broken)
    assert "plan" not in normalized({**draft, "plan": "0" * 64})
    assert "plan" not in normalized({**draft, "plan": {**draft["plan"], "salt": "sea"}})


def test_our_own_format_carries_no_hypothesis_but_their_hash() -> None:
    file = candor_format.write(planned(study(), SHARE))
    assert b'"than"' not in file
    assert "plan" not in candor_format.read(file)


@pytest.mark.parametrize(
    ("change", "place", "reason"),
    [
        ({"direct": ""}, 1, "nobody is asked directly any more"),
        ({"sections": []}, 0, "the design has no answer"),
        ({"drawn": "gone"}, 2, "is not drawn from two versions any more"),
    ],
)
def test_what_the_design_cannot_test_any_more_is_refused_with_its_place(
    change: dict[str, Any], place: int, reason: str
) -> None:
    draft = planned(study(), *EVERY)
    if "drawn" in change:
        first, *rest = draft["sections"]
        asked = [
            question("wording", "x", "y") if each["name"] == "wording" else each
            for each in first["questions"]
        ]
        change = {"sections": [{**first, "questions": asked}, *rest]}
    elif "sections" in change:
        change = {"sections": [draft["sections"][0], {**sensitive(question("other", "no", "yes"))}]}
    changed = normalized({**draft, **change})
    with pytest.raises(InputError) as refused:
        freeze_design(changed)
    assert refused.value.path == f"hypotheses[{place}]"
    assert reason in str(refused.value)
    assert path_in_words(refused.value.path) == f"Hypothesis {place + 1}"
    assert reason in DraftedHypotheses(read_questionnaire(changed)).hypothesis_lines[place].fault


def test_one_less_and_the_last_one_removes_the_plan() -> None:
    draft = planned(study(), SHARE, EVERY[1])
    one = hypotheses.remove_hypothesis(draft["plan"], "H1")
    assert [each["name"] for each in hypotheses.drafted_hypotheses(one)] == ["H2"]
    again = hypotheses.add_hypothesis(one, SHARE, SALT)
    assert [each["name"] for each in hypotheses.drafted_hypotheses(again)] == ["H2", "H1"]
    assert hypotheses.remove_hypothesis(one, "H2") == {}


def test_what_undo_sends_to_a_browser_holds_no_hypothesis() -> None:
    """Editors can take a change back, and they do not see hypotheses."""
    before = read_questionnaire(planned(study(), SHARE))
    after = replace(before, minutes=9)
    removed = undo_data_for_draft(before, after)
    assert "H1" not in str(removed)
    assert restore_removed(after, removed) == (before, "")


# --- the page -------------------------------------------------------------------------------------------------


@pytest.fixture
def survey(draft: Survey) -> Survey:
    draft.draft = study()
    draft.save()
    return draft


def test_every_kind_is_added_and_said_in_words(client: Client, survey: Survey) -> None:
    for kind, sent in SENT.items():
        assert '<form class="form flow"' in page_of(client, survey, kind)
        assert add(client, survey, kind, **sent).status_code == 302
    assert kept(survey) == EVERY
    page = page_of(client, survey).replace("\u00a0", " ")
    for words in (
        "The share of “Theft: yes” differs from 10 %.",
        "The share of “Theft: yes” differs between disguised and direct answers.",
        "The share of “Theft: yes” differs between the versions of “Wording”.",
        "“Age: b” and “Theft: yes” are associated.",
        "the coefficient of “Age: b” is not 0.",
    ):
        assert words in page


def test_what_the_design_does_not_have_is_refused(
    client: Client, survey: Survey, subtests: pytest.Subtests
) -> None:
    cases: list[tuple[str, dict[str, Any], str]] = [
        ("share", {"item": "murder=yes"}, "murder=yes is not one of the available choices"),
        ("share", {"than": "100"}, "less than or equal to 99.99"),
        ("share", {"than": ""}, "required"),
        ("arms", {"item": "age=b"}, "not one of the available choices"),
        ("version", {"by": "age"}, "not one of the available choices"),
        ("association", {"second": "age=a"}, "Choose answers to different questions"),
        ("coefficient", {"covariates": ["arm"]}, "Choose a coefficient of one of the selected covariates"),
        ("coefficient", {"covariates": ["theft"]}, "not one of the available choices"),
    ]
    for kind, sent, reason in cases:
        with subtests.test(f"{kind!r:.60} {sent!r:.60} {reason!r:.60}"):
            response = add(client, survey, kind, **{**SENT[kind], **sent})
            assert response.status_code == 422
            assert reason in response.content.decode()
            assert kept(survey) == []


def test_the_twenty_first_is_refused(client: Client, survey: Survey) -> None:
    shares = [{**SHARE, "than": f"0.{number:04}"} for number in range(1, 21)]
    survey.draft = planned(survey.draft, *shares)
    survey.save()
    response = add(client, survey, "arms", **SENT["arms"])
    assert response.status_code == 422
    assert len(kept(survey)) == 20
    assert "A plan holds at most 20 hypotheses" in page_of(client, survey)
    with pytest.raises(InputError, match="at most 20 hypotheses"):
        freeze_design(planned(survey.draft, EVERY[1]))


def test_a_salt_is_random_and_stays_and_the_same_is_not_added_twice(client: Client, survey: Survey) -> None:
    """What a reviewer approves has the fingerprint that opens."""
    assert add(client, survey, "share", **SENT["share"]).status_code == 302
    survey.refresh_from_db()
    salt = survey.draft["plan"]["salt"]
    assert add(client, survey, "share", **SENT["share"]).status_code == 422
    assert len(kept(survey)) == 1
    add(client, survey, "arms", **SENT["arms"])
    survey.refresh_from_db()
    assert survey.draft["plan"]["salt"] == salt
    assert hypotheses.random_salt() != hypotheses.random_salt()


def test_one_is_deleted(client: Client, survey: Survey) -> None:
    survey.draft = planned(survey.draft, SHARE, EVERY[1])
    survey.save()
    base = part_digest(DeletedHypothesisPart(), load_questionnaire(survey))
    sent = {"part": "hypothesis-delete", "base": base, "name": "H1"}
    assert client.post(f"/app/surveys/{survey.pk}/edit/study/save", sent).status_code == 302
    assert kept(survey) == [EVERY[1]]


def test_a_kind_without_a_subject_is_refused(client: Client, survey: Survey) -> None:
    survey.draft = study(direct="")
    survey.save()
    response = add(client, survey, "arms", **SENT["arms"])
    assert response.status_code == 422
    assert "Ask a share directly first" in response.content.decode()


def test_a_questionnaire_that_cannot_be_a_design_is_finished_first(client: Client, survey: Survey) -> None:
    survey.draft = normalized({**survey.draft, "sections": [plain()]})
    survey.save()
    assert "Finish the questionnaire before you add hypotheses" in page_of(client, survey)
    assert add(client, survey, "share", **SENT["share"]).status_code == 422


def test_collaborators_do_not_see_them(survey: Survey, editor: Person, signed_in_as: As) -> None:
    survey.draft = planned(survey.draft, SHARE)
    survey.save()
    client = signed_in_as(editor)
    page = page_of(client, survey, "share")
    assert "Ask a share directly" in page
    assert "Hypotheses" not in page
    assert add(client, survey, "arms", **SENT["arms"]).status_code == 403
    assert kept(survey) == [SHARE]
