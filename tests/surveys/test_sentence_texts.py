"""The words by which reports say an answer: what is allowed, kept, proposed, and that no design depends on them."""

from dataclasses import replace
from datetime import date
from typing import Any

from importing.ready_questionnaires.questionnaires import LANGUAGES, QUESTIONNAIRES
from privacy.designs import parse_design
from surveys.draft_json import draft_for_copy
from surveys.kinds.read_draft import read_questionnaire
from surveys.lifecycle.design_from_draft import design_json_from_draft, freeze_design
from surveys.questionnaire import choice_question_kinds, translatable_texts
from surveys.questionnaire.draft_question import DraftQuestion
from surveys.questionnaire.question_block_editing import find_block, replace_block
from surveys.questionnaire.questionnaire import Questionnaire
from surveys.questionnaire.report_sentence_proposals import propose_yes_no_sentences
from surveys.questionnaire.report_sentence_texts import (
    SentenceTexts,
    sentence_text_fault,
    text_in_language,
)
from tests.surveys.drafts import classes, draft, options, place, plain, question, sensitive

TOOK = {"en": "took supplies home", "de": "nahmen Material mit"}


def sector() -> dict[str, Any]:
    asked = question("sector", "public", "industry", role="quasi")
    asked["choices"][0]["people"] = {"en": "people in public service"}
    return asked


def theft() -> dict[str, Any]:
    choices = [{"name": "no", "predicate": {"en": "took nothing"}}, {"name": "yes", "predicate": TOOK}]
    return question("theft") | {"form": "yes-no", "choices": choices}


def with_sentences() -> Questionnaire:
    words: dict[str, Any] = {"quantity": {"en": "their unpaid hours"}, "sentence_unit": {"de": "Stunden"}}
    number = classes("hours", 0, 10, 20, 40, **words)
    return draft(plain(sector()), sensitive(theft(), *options("use", "bus", "car")), number)


def choice(questionnaire: Questionnaire, key: str, row: int) -> Any:
    return find_block(questionnaire, key)[1][0].choices[row]


def test_what_cannot_stand_inside_a_sentence_is_refused_in_words() -> None:
    for reason, *texts in (
        ("", "took office supplies home", "  took supplies  ", "x" * 80),
        ("At most 80 characters", "x" * 81),
        ("on one line", "took\nsupplies", "took\u202e supplies", "took\u2067 supplies"),
        ("quotation marks", "took “supplies”", 'took "supplies"', "拿了「东西」"),
        ("colon", "took: supplies", "拿了：东西"),
        ("full stop", "took supplies.", "拿了东西。"),
    ):
        for text in texts:
            fault = sentence_text_fault(text)
            assert (reason in fault, bool(fault)) == (True, bool(reason)), text


def test_a_stored_draft_keeps_the_texts_and_a_design_never_gets_them() -> None:
    made = with_sentences()
    assert read_questionnaire(made.as_json()) == made
    for rehearsal in (False, True):
        copied = draft_for_copy(made.as_json(), date(2026, 12, 1), rehearsal=rehearsal)
        assert SentenceTexts.from_draft(copied) == SentenceTexts.from_draft(made.as_json())
    bare = draft(
        plain(question("sector", "public", "industry", role="quasi")),
        sensitive(
            question("theft") | {"form": "yes-no", "choices": ["no", "yes"]}, *options("use", "bus", "car")
        ),
        classes("hours", 0, 10, 20, 40),
    )
    assert freeze_design(made.as_json()).fingerprint == freeze_design(bare.as_json()).fingerprint
    file = design_json_from_draft(made.as_json(), keep_sentence_texts=True)
    assert "took supplies home" in file
    assert parse_design(file).fingerprint == parse_design(design_json_from_draft(made.as_json())).fingerprint
    assert made.sections[2].disguise_law() == bare.sections[2].disguise_law() != None  # noqa: E711
    # Regions have them too.
    section = place("home")
    section["questions"][0]["regions"][0]["people"] = {"en": "people in the north"}
    made = draft(section)
    [asked] = made.as_json()["sections"][0]["questions"]
    assert asked["regions"][0]["people"] == {"en": "people in the north"}
    assert made.sections[0].disguise_law() is not None
    assert "people in the north" not in design_json_from_draft(made.as_json())


def test_the_texts_are_read_by_item_and_question_and_faulty_ones_left_out() -> None:
    texts = SentenceTexts.from_draft(with_sentences().as_json())
    assert texts.predicates == {"theft=no": {"en": "took nothing"}, "theft=yes": TOOK}
    assert texts.people == {"sector=public": {"en": "people in public service"}}
    assert texts.quantities == {"hours": {"en": "their unpaid hours"}}
    assert texts.units == {"hours": {"de": "Stunden"}}
    assert [text_in_language(TOOK, code) for code in ("en", "de", "fr")] == [TOOK["en"], TOOK["de"], ""]
    assert text_in_language({"en-gb": "took"}, "en") == "took"
    asked = sector()
    asked["choices"][0]["people"] = {"en": "people: all.", "tlh": "nuv", "de": "Personen im Amt"}
    assert choice(draft(plain(asked)), "sector", 0).people == {"de": "Personen im Amt"}


def test_texts_stay_where_an_answer_stays() -> None:
    def put(before: Questionnaire, key: str, **words: str) -> Questionnaire:
        fields = {name.replace("_", "-"): text for name, text in words.items()}
        return translatable_texts.set_texts(before, key, "en", fields)

    made = with_sentences()
    assert choice(put(made, "theft", label_1="Yes, often"), "theft", 1).predicate == TOOK
    declining = choice_question_kinds.set_prefer_not_to_say(made, "theft", True)
    predicates = [one.predicate for one in find_block(declining, "theft")[1][0].choices]
    assert predicates == [{"en": "took nothing"}, TOOK, {}]
    chosen = put(made, "of=use", predicate_0=" took the bus ")
    assert choice(chosen, "of=use", 1).predicate == {"en": "took the bus"}
    assert choice(put(chosen, "of=use", predicate_0=""), "of=use", 1).predicate == {}
    spoken = draft(plain(sector()), sensitive(theft()), languages=["en", "de"])
    gone = translatable_texts.remove_language(spoken, "de")
    assert choice(gone, "theft", 1).predicate == {"en": "took supplies home"}


def test_lines_of_a_battery_share_their_scale_and_not_their_sentences() -> None:
    lines = [question(name, "1", "2") | {"form": "scale", "of": "t"} for name in ("late", "absent")]
    lines[0]["choices"][0]["predicate"] = {"en": "were never late"}
    made = draft(plain(*lines))
    assert [one.of for one in made.all_questions] == ["t", "t"]
    _position, [line] = find_block(made, "late")
    shorter = [replace(line, choices=tuple(replace(one, label={"en": "x"}) for one in line.choices))]
    after = list(replace_block(made, "late", shorter).all_questions)
    assert [one.choices[0].predicate for one in after] == [{"en": "were never late"}, {}]
    assert [one.of for one in after] == ["t", "t"]


def test_no_sentence_is_a_missing_translation() -> None:
    def without(question: DraftQuestion) -> DraftQuestion:
        return question.without_sentence_texts_in("en").without_sentence_texts_in("de")

    made = draft(plain(sector()), sensitive(theft()), languages=["en", "fr"])
    missing = translatable_texts.count_missing_texts
    assert missing(made, "fr") == missing(made.change_each_question(without), "fr")
    pairs = {one.field: one for one in translatable_texts.texts_in_two_languages(made, "theft", "en", "fr")}
    assert pairs["predicate-1"].source == "took supplies home"
    assert not pairs["predicate-1"].is_missing


def test_only_what_a_sure_pattern_shows_is_proposed() -> None:
    for language, asked, yes, no in [
        ("en", "Have you taken pens for your own use?", "have taken pens for their own use", "have not taken pens for their own use"),  # noqa: E501
        ("en", "Have you ever stolen?", "have stolen", "have never stolen"),
        ("en", "In the last year, have you lied?", "have lied in the last year", "have not lied in the last year"),
        ("en", "Did you use cannabis?", "used cannabis", "did not use cannabis"),
        ("en", "Are you afraid of trouble?", "are afraid of trouble", "are not afraid of trouble"),
        ("en", "Do you drive a car?", "drive a car", "do not drive a car"),
        ("en", "Have you not told the office?", "have not told the office", ""),
        ("en", "Have you taken something home?", "have taken something home", ""),
        ("en", "Did you steal and lie?", "", "did not steal and lie"),
        ("en", "Did you frobnicate it?", "", "did not frobnicate it"),
        ("en", "Has a superior told you to lie?", "", ""),
        ("en", "Have you lied to a friend who trusted you?", "", ""),
        ("en", f"Have you {'x' * 90}?", "", ""),
        ("en", "Theft", "", ""),
        ("de", "Haben Sie Material mitgenommen?", "haben Material mitgenommen", ""),
        ("de", "Haben Sie Ihr Kind allein gelassen?", "", ""),
        ("fr", "Avez-vous emporté des fournitures ?", "ont emporté des fournitures", ""),
        ("fr", "Avez-vous frappé votre voisin ?", "", ""),
        ("es", "¿Ha tomado dinero de la caja?", "han tomado dinero de la caja", ""),
        ("zh-hans", "您是否曾收受礼物？", "曾收受礼物", "从未收受礼物"),
        ("ar", "هل أخذت شيئًا؟", "", ""),
    ]:  # fmt: skip
        found = propose_yes_no_sentences(asked, language)
        assert [found.get(answer, {}).get("predicate", "") for answer in ("yes", "no")] == [yes, no], asked
        people = "Personen, die Material mitgenommen haben" if yes.startswith("haben") else ""
        assert found.get("yes", {}).get("people", "") == people, asked


def test_every_answer_of_the_ready_questionnaires_has_a_sentence_in_both_languages() -> None:
    for questionnaire in QUESTIONNAIRES.values():
        texts = SentenceTexts.from_draft(questionnaire.draft.as_json())
        for asked in questionnaire.draft.all_questions:
            for answer in asked.choice_names:
                item = f"{asked.name}={answer}"
                assert set(texts.predicates.get(item, ())) == set(LANGUAGES), item
