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
from surveys.questionnaire.report_sentence_proposals import (
    add_proposed_sentences,
    propose_sentences_for_question,
    propose_yes_no_sentences,
)
from surveys.questionnaire.report_sentence_texts import SentenceTexts, sentence_text_fault, text_in_language
from tests.surveys.drafts import classes, draft, options, place, plain, question, sensitive

TOOK = {"en": "took supplies home", "de": "nahmen Material mit"}


def sector() -> dict[str, Any]:
    asked = question("sector", "public", "industry", role="quasi")
    asked["choices"][0]["people"] = {"en": "people in public service"}
    return asked


def theft_question() -> dict[str, Any]:
    choices = [{"name": "no", "predicate": {"en": "took nothing"}}, {"name": "yes", "predicate": TOOK}]
    return question("theft") | {"form": "yes-no", "choices": choices}


def with_sentences() -> Questionnaire:
    words: dict[str, Any] = {"quantity": {"en": "their unpaid hours"}, "sentence_unit": {"de": "Stunden"}}
    number = classes("hours", 0, 10, 20, 40, **words)
    return draft(plain(sector()), sensitive(theft_question(), *options("use", "bus", "car")), number)


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
    spoken = draft(plain(sector()), sensitive(theft_question()), languages=["en", "de"])
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
    def question_without_sentences(question: DraftQuestion) -> DraftQuestion:
        return question.without_sentence_texts_in("en").without_sentence_texts_in("de")

    made = draft(plain(sector()), sensitive(theft_question()), languages=["en", "fr"])
    missing = translatable_texts.count_missing_texts
    assert missing(made, "fr") == missing(made.change_each_question(question_without_sentences), "fr")
    pairs = {one.field: one for one in translatable_texts.texts_in_two_languages(made, "theft", "en", "fr")}
    assert pairs["predicate-1"].source == "took supplies home"
    assert not pairs["predicate-1"].is_missing


def test_only_what_a_sure_pattern_shows_is_proposed() -> None:
    for language, asked, yes, no in [
        ("en", "Have you taken pens for your own use?", "have taken pens for their own use", "have not taken pens for their own use"),  # noqa: E501
        ("en", "Have you ever stolen?", "have stolen", "have never stolen"),
        ("en", "In the last year, have you lied?", "have lied in the last year", "have not lied in the last year"),
        ("en", "Did you use cannabis?", "used cannabis", "did not use cannabis"),
        ("en", "Did you borrow money for food?", "borrowed money for food", "did not borrow money for food"),
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
        ("zh-hans", "您是否有孩子？", "有孩子", "没有孩子"),
        ("zh-hans", "您是否有时说谎？", "有时说谎", ""),
        ("ar", "هل أخذت شيئًا؟", "", ""),
    ]:  # fmt: skip
        found = propose_yes_no_sentences(asked, language)
        assert [found.get(answer, {}).get("predicate", "") for answer in ("yes", "no")] == [yes, no], asked
        people = "Personen, die Material mitgenommen haben" if yes.startswith("haben") else ""
        assert found.get("yes", {}).get("people", "") == people, asked


def test_who_preferred_not_to_say_is_worded_by_the_answer_yes() -> None:
    for language, asked, silent in [
        ("en", "Have you lied to your boss?", "preferred not to say whether they have lied to their boss"),
        ("en", "Has a superior told you to lie?", ""),
        ("zh-hans", "您是否曾说谎？", "不愿说明是否曾说谎"),
        ("fr", "Avez-vous menti ?", ""),
    ]:
        made = draft(
            plain(question("q", "no", "yes", "prefer-not-to-say") | {"text": {language: asked}}),
            languages=[language],
        )
        [one] = made.all_questions
        proposed = propose_sentences_for_question(one, language).get("prefer-not-to-say", {})
        assert proposed == ({"predicate": silent} if silent else {}), asked


def test_answers_of_other_kinds_are_worded_where_a_pattern_is_sure() -> None:
    for language, asked, label, predicate in [
        ("en", "How satisfied are you with your pay?", "Very satisfied", "are very satisfied with their pay"),
        ("en", "How satisfied are you with your pay?", "It varies", ""),
        ("en", "How often do you lie to your boss?", "Hardly ever", "hardly ever lie to their boss"),
        ("en", "How often have you lied?", "Once a week", "have lied once a week"),
        ("en", "How often do you lie?", "4", ""),
        ("en", "What is your main task?", "Care", "said their main task is Care"),
        ("en", "I feel worn out by my work.", "Strongly disagree", "strongly disagree that they feel worn out by their work"),  # noqa: E501
        ("en", "I think you are wrong.", "Agree", ""),
        ("en", "I think it was wrong.", "Agree", ""),
        ("en", "I feel worn out.", "Sometimes", ""),
        ("en", "Which sector do you work in?", "Public", ""),
        ("zh-hans", "您对工资的满意程度如何？", "非常满意", "对工资非常满意"),
        ("zh-hans", "您对工资的满意程度如何？", "一般", ""),
        ("zh-hans", "您多久加班一次？", "经常", "经常加班"),
        ("zh-hans", "您的最高学历是？", "本科", "最高学历是本科"),
        ("zh-hans", "我常感到疲惫。", "不同意", "不同意自己常感到疲惫"),
        ("de", "Wie zufrieden sind Sie?", "sehr zufrieden", ""),
    ]:  # fmt: skip
        node = question("q") | {
            "text": {language: asked},
            "choices": [{"name": "c", "label": {language: label}}, "d"],
        }
        made = draft(plain(node), languages=[language])
        [one] = made.all_questions
        proposed = propose_sentences_for_question(one, language)
        assert proposed == ({"c": {"predicate": predicate}} if predicate else {}), asked


def test_options_of_a_question_are_worded_in_it() -> None:
    for language, asked, yes, no in [
        ("en", "Which of these have you used in the past month?", "have used bus in the past month", "have not used bus in the past month"),  # noqa: E501
        ("en", "Which of these do you worry about?", "worry about bus", "do not worry about bus"),
        ("en", "Which of these did you take home?", "took bus home", "did not take bus home"),
        ("en", "Which of these have you paid for in the past month?", "", ""),
        ("en", "Which of these have you done?", "", ""),
        ("en", "Which of these did you do in class?", "", ""),
        ("zh-hans", "过去一年您使用过以下哪些？", "过去一年使用过bus", "过去一年没有使用过bus"),
    ]:  # fmt: skip
        nodes = options("use", "bus", "car")
        for node in nodes:
            node["text"] = {language: asked}
            node["choices"] = ["no", {"name": "yes", "label": {language: "bus"}}]
        made = draft(plain(*nodes), languages=[language])
        proposed = propose_sentences_for_question(next(iter(made.all_questions)), language)
        assert proposed == (
            {name: {"predicate": text} for name, text in (("yes", yes), ("no", no)) if text}
        ), asked


def test_an_option_that_says_nothing_is_not_worded_as_one_that_was_ticked() -> None:
    nodes = list(options("use", "bus", "use-prefer-not-to-say"))
    for node in nodes:
        node["text"] = {"en": "Which of these have you used?"}
    made = draft(plain(*nodes))
    assert [bool(propose_sentences_for_question(one, "en")) for one in made.all_questions] == [True, False]


def test_a_number_has_its_words_by_its_question_and_by_hand_before_these() -> None:
    for language, asked, quantity in [
        ("en", "How old are you?", "their age"),
        ("en", "How many nights do you work in a month?", "the number of nights they work in a month"),
        (
            "en",
            "In the past week, how many hours did you work?",
            "the number of hours they worked in the past week",
        ),
        ("en", "How many hours did you juggle?", ""),
        ("en", "How much do you owe?", ""),
        ("zh-hans", "您每周加班多少小时？", "每周加班的小时数"),
        ("zh-hans", "您的年龄是多少？", "年龄"),
    ]:
        section = classes("hours", 0, 10, 20)
        section["questions"][0]["text"] = {language: asked}
        made = draft(section, languages=[language])
        stored = add_proposed_sentences(made.as_json(), made)
        texts = SentenceTexts.from_draft(stored)
        assert texts.quantities == ({"hours": {language: quantity}} if quantity else {}), asked
        assert texts.proposal_languages == ({language} if quantity else set())
        section["questions"][0]["quantity"] = {language: "own words"}
        made = draft(section, languages=[language])
        assert add_proposed_sentences(made.as_json(), made) == made.as_json()


def test_every_answer_of_the_ready_questionnaires_has_a_sentence_in_both_languages() -> None:
    for questionnaire in QUESTIONNAIRES.values():
        texts = SentenceTexts.from_draft(questionnaire.draft.as_json())
        for asked in questionnaire.draft.all_questions:
            for answer in asked.choice_names:
                item = f"{asked.name}={answer}"
                assert set(texts.predicates.get(item, ())) == set(LANGUAGES), item
