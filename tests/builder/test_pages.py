"""What the questionnaire's page and its preview show, and how often a request reads a draft."""

from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

import pytest
from django.test import Client

from builder.editing.save_edit import load_questionnaire
from builder.pages import preview
from surveys import draft_json
from surveys.kinds import read_draft
from surveys.lifecycle.draft_problems import draft_problems
from surveys.models import Survey
from surveys.phrases.languages import SHIPPED
from surveys.questionnaire.answer_scales import SCALES
from surveys.questionnaire.questionnaire import Questionnaire
from tests.builder.conftest import HTMX, of_question, post_act
from tests.surveys.conftest import NOW, address, page_text as page_of, post, reload, update_row
from tests.surveys.drafts import plain, put, question, sensitive

pytestmark = pytest.mark.page
EVERYTHING = ["=start", "age", "work", "of=use", "theft", "debt"]


def builder_page(client: Client, survey: Survey, **query: object) -> str:
    page = page_of(client, survey, "edit", **query)
    assert "style=" not in page
    return page


def test_closed_questions_are_summarised_below_a_promise(client: Client, survey: Survey) -> None:
    """gamma = 1 + .5/(.5·.25) = 5: 5 % becomes 5·.05/1.2 = 20.83… %."""
    page = builder_page(client, survey)
    for words in (
        "age?",
        "One of 2",
        "Others could know it",
        "Several of 2",
        "Only if work?: employed",
        "About 1 in 2 times (50.0 %) the true answers are sent",
        "becomes at most 20.9\u00a0%",
        "Why are there no free-text questions?",
        "3 texts are missing in Simplified Chinese",
        "translations?to=zh-hans#sections-0-questions-0-text-zh-hans",
    ):
        assert words in page
    assert "data-keeps" not in page


def test_every_problem_points_to_a_field(client: Client, survey: Survey) -> None:
    found = draft_problems(load_questionnaire(survey).as_json(), NOW.date(), 20)
    assert len(found) > 10
    for page in (
        builder_page(client, survey),
        builder_page(client, survey, open=EVERYTHING),
        builder_page(client, survey, **{"in": "zh-hans"}),
    ):
        for problem in found:
            # The members of a group share their question, which is named once.
            if not problem.path.startswith("sections[0].questions[3].text"):
                assert page.count(f'id="{problem.anchor}"') == 1, problem.anchor


def test_open_question_shows_the_form_of_its_kind_and_language(client: Client, survey: Survey) -> None:
    """Only plain questions have a role, only sensitive ones chances, and they are not offered for rules."""
    for language, shows in {"en": "en", "zh-hans": "zh-hans", "xx": "en"}.items():
        page = builder_page(client, survey, open="age", **{"in": language})
        assert f'id="sections-0-questions-0-text-{shows}"' in page
    plain_form, sensitive_form = (
        builder_page(client, survey, open="age"),
        builder_page(client, survey, open="debt"),
    )
    role = "Could other people know this about the respondent?"
    assert (role in plain_form, "Random answers" in plain_form) == (True, False)
    assert (role in sensitive_form, "Random answers" in sensitive_form) == (False, True)
    assert '<option value="work">' in sensitive_form
    assert '<option value="theft">' not in sensitive_form


def test_open_form_does_not_repeat_what_its_fields_lack(client: Client, survey: Survey) -> None:
    """Scripts say so once a field has been left."""
    put(survey, plain(question("age", text={})))
    lack = "Question text: required"
    assert lack in builder_page(client, survey)
    assert lack not in builder_page(client, survey, open="age")


def test_settings_that_need_a_reviewer_are_named_on_top(client: Client, weak: Survey) -> None:
    """ln 1025 = 6.9325, rounded up."""
    assert "ε = 6.94 for each person (limit: 5)" in builder_page(client, weak)


def test_foreign_and_empty_drafts_open_in_the_builder(client: Client, survey: Survey) -> None:
    sections = [{"kind": "plain", "questions": [{"choices": ["a"]}]}, {"kind": "story"}]
    page = builder_page(client, update_row(survey, draft={"sections": sections}), open="q1")
    assert "Sections of this kind are not edited here." in page
    assert "Choices: at least two choices" in page
    assert "Add a sensitive section (disguised)" in builder_page(client, update_row(survey, draft={}))
    put(survey, plain(question("age")), sensitive(question("debt", show_if={"lost": ["x"]})))
    assert "The rule on <code>lost</code> is not possible any more" in builder_page(
        client, survey, open="debt"
    )


def test_ready_made_scale_has_all_points_in_every_shipped_language() -> None:
    for key, scale in SCALES.items():
        assert set(scale.points) == set(SHIPPED), key
        for words in scale.points.values():
            assert len(set(words)) == len(words) == int(key.partition("-")[2]), key


# The preview: the respondents' own page in a frame, which can send nothing.


def directives(policy: str) -> dict[str, str]:
    return dict(each.strip().partition(" ")[::2] for each in policy.split(";"))


def test_only_the_framed_preview_may_be_framed_and_sends_nothing(client: Client, draft: Survey) -> None:
    outer, inner, elsewhere = (client.get(address(draft, path)) for path in ("preview", "preview/page", ""))
    policies = [directives(each["Content-Security-Policy"]) for each in (outer, inner, elsewhere)]
    assert policies[0]["frame-src"] == "'self'"
    assert [each["frame-ancestors"] for each in policies] == ["'none'", "'self'", "'none'"]
    assert (outer["X-Frame-Options"], inner["X-Frame-Options"]) == ("DENY", "SAMEORIGIN")
    assert "frame-src" not in policies[2]
    assert {policies[1][name] for name in ("default-src", "connect-src", "form-action")} == {"'none'"}
    assert "Preview. Everything works as it does for respondents" in inner.text
    assert "Work and health" in inner.text
    assert draft.slug not in inner.text
    # Both widths stand side by side, or one alone.
    frame = f'<iframe src="{address(draft, "preview/page")}"'
    for query, frames in (({}, 2), ({"width": "phone"}, 1), ({"width": "nonsense"}, 2)):
        assert page_of(client, draft, "preview", **query).count(frame) == frames


def test_preview_shows_the_design_or_says_what_is_missing(client: Client, opened: Survey) -> None:
    assert opened.design_id is not None
    assert opened.design_id in page_of(client, opened, "preview/page")
    draft = put(Survey(owner=opened.owner), sensitive())
    page = page_of(client, draft, "preview")
    assert "There is nothing to show yet" in page
    assert "at least one question" in page
    assert client.get(address(draft, "preview/page")).status_code == 404


def test_preview_answers_404_without_respondent_pages(
    client: Client, draft: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(preview, "_respondents_pages", [])
    assert client.get(address(draft, "preview/page")).status_code == 404


# A request reads the questionnaire of one draft at most once, and never what it has read before.


@contextmanager
def parsed_drafts() -> Iterator[list[object]]:
    """The drafts that are parsed meanwhile, by a process that has parsed none before."""
    read_draft._questionnaire_from_json_text.cache_clear()
    parsed: list[object] = []
    whole = read_draft.read_questionnaire

    def parse(draft: draft_json.Draft) -> Questionnaire:
        parsed.append(draft)
        return whole(draft)

    with patch.object(read_draft, "read_questionnaire", parse):
        yield parsed


def test_editor_reads_two_drafts_for_a_form_and_none_for_the_page(client: Client, survey: Survey) -> None:
    sent = of_question(survey, "age") | {"text": "Your age?"}
    with parsed_drafts() as parsed:
        assert post(client, survey, "edit/save", HTMX, **sent).status_code == 200
        assert len(parsed) == 2
        for page in ("edit", "edit/protection"):
            assert client.get(address(survey, page)).status_code == 200
        assert len(parsed) == 2
    with parsed_drafts() as parsed:
        post_act(client, survey, "down", key="age", idempotency_key="0" * 32)
        assert len(parsed) == 2
    # What is kept stays as it was read.
    post_act(client, survey, "down", key="age")
    builder_page(client, survey, open=["age", "theft", "=start"])
    kept = load_questionnaire(reload(survey))
    assert kept is load_questionnaire(reload(survey))
    assert kept == read_draft.read_questionnaire(reload(survey).draft)
    # The page of a draft numbers its questions once, whatever is missing.
    name = "read_sections_without_understanding_check"
    with patch.object(draft_json, name, wraps=getattr(draft_json, name)) as read:
        page = page_of(client, survey)
    assert page.count("#sections-") > 10
    assert read.call_count <= 12
