"""What we write comes back as the same draft: from spreadsheets, which pyxform takes, and from our own files."""

import json
from io import BytesIO
from typing import Any

import pytest
from hypothesis import given, strategies as st
from openpyxl import load_workbook
from pyxform.xls2xform import convert

from importing import candor_format, xlsform
from importing.faults import FileRefused
from privacy.designs import parse_design
from surveys.draft_json import PREFER_NOT, Draft
from surveys.kinds.read_draft import read_questionnaire
from surveys.questionnaire.draft_question import DraftQuestion
from surveys.questionnaire.plain_number_bands import DraftBands, question_with_bands
from tests.importing.flow.made_files import form
from tests.privacy.questionnaires import classes, window
from tests.surveys.drafts import (
    bilingual,
    bilingual_text,
    complete,
    normalize_draft,
    options,
    plain,
    question,
    sensitive,
    stored_draft as draft_of,
    weak_draft,
)

pytestmark = pytest.mark.page

LANGUAGES = ("en", "zh-hans", "de", "gsw")
WORDS = st.text(
    st.characters(exclude_categories=("Cc", "Cs"), exclude_characters="\ufffe\uffff"), min_size=1, max_size=30
).filter(lambda text: bool(text.strip()) and "${" not in text)
NAMES = st.one_of(
    st.from_regex(r"[a-z][a-z0-9]{0,4}", fullmatch=True),
    st.sampled_from(
        [
            *("18-39", "40+", "group", "q1", "c1", "section_1", "not at all", "1", "true", "若い", "a'b"),
            *('a"b', "=", "a;b", "x,y"),
        ]
    ),
    WORDS,
)
PROBABILITIES = st.integers(1, 9_999).map(lambda parts: f"0.{parts:04d}")


@st.composite
def translated_texts(draw: st.DrawFn, spoken: tuple[str, ...], empty: bool = True) -> dict[str, str]:
    codes = draw(st.lists(st.sampled_from(spoken), unique=True, min_size=0 if empty else 1))
    return {code: draw(WORDS) for code in codes}


@st.composite
def choices(draw: st.DrawFn, spoken: tuple[str, ...]) -> list[dict[str, Any]]:
    usual = st.sampled_from([["no", "yes"], ["yes", "no"], ["no", "yes", PREFER_NOT], ["1", "2", "3"]])
    names: list[str] = draw(usual | st.lists(NAMES, min_size=1, max_size=5, unique=True))
    return [{"name": name, "label": draw(translated_texts(spoken))} for name in names]


@st.composite
def noise(draw: st.DrawFn, count: int) -> list[str]:
    cuts = draw(st.lists(st.integers(1, 9_999), min_size=count - 1, max_size=count - 1, unique=True))
    parts = [b - a for a, b in zip([0, *sorted(cuts)], [*sorted(cuts), 10_000], strict=True)]
    return [f"0.{part:04d}" for part in parts]


@st.composite
def questions(draw: st.DrawFn, spoken: tuple[str, ...], sensitive: bool) -> list[dict[str, Any]]:
    """One question, or the options of a question of several."""
    common: dict[str, Any] = {
        "name": draw(NAMES),
        "label": draw(st.sampled_from([{}, {spoken[0]: "In short"}, {spoken[-1]: "Kurz"}])),
        "text": draw(translated_texts(spoken, empty=False)),
        "help": draw(translated_texts(spoken)),
    }
    if not sensitive:
        common["role"] = draw(st.sampled_from(["quasi", "other"]))
    if draw(st.integers(0, 3)):
        found = {**common, "choices": draw(choices(spoken))}
        if draw(st.booleans()):
            found["form"] = draw(st.sampled_from(["one", "scale"]))
            if draw(st.integers(0, 2)) == 0:
                found["of"] = draw(NAMES)
                lines = [{**found, "name": draw(NAMES), "text": draw(translated_texts(spoken, empty=False))}]
                return [found, *lines]
        if sensitive and draw(st.booleans()):
            found["noise"] = draw(noise(len(found["choices"])))
        return [found]
    group = draw(NAMES)
    members = []
    for number in range(draw(st.integers(1, 3))):
        own = draw(st.sampled_from([f"{group}-{number}", f"{group}-{PREFER_NOT}", draw(NAMES)]))
        labels = [{"name": "no", "label": {}}, {"name": "yes", "label": draw(translated_texts(spoken))}]
        member = {**common, "name": own, "form": "many", "of": group, "choices": labels}
        if sensitive and draw(st.booleans()):
            member["noise"] = draw(noise(2))
        if draw(st.integers(0, 9)) == 0:
            member[draw(st.sampled_from(["help", "label"]))] = draw(translated_texts(spoken))
        members.append(member)
    if draw(st.booleans()):
        members[0]["none"] = draw(translated_texts(spoken))
    return members


@st.composite
def drafts(draw: st.DrawFn) -> Draft:
    spoken = tuple(draw(st.lists(st.sampled_from(LANGUAGES), min_size=1, max_size=3, unique=True)))
    sections: list[dict[str, Any]] = []
    for _number in range(draw(st.integers(0, 3))):
        sensitive = draw(st.booleans())
        blocks = draw(st.lists(questions(spoken, sensitive), max_size=4))
        section: dict[str, Any] = {"kind": "plain", "questions": [each for block in blocks for each in block]}
        if sensitive:
            section |= {"kind": "unrelated-question", "keep": draw(PROBABILITIES)}
            section["asked"] = draw(st.integers(1, 4))
        section["intro"] = draw(translated_texts(spoken))
        section |= draw(st.sampled_from([{}, {"order": "random"}]))
        sections.append(section)
    day = draw(st.sampled_from(["", "2099-12-31"]))
    keys = ("title", "asker", "why", "intro", "consent", "thanks", "panel")
    start = {key: draw(translated_texts(spoken)) for key in keys}
    numbers = {"minutes": draw(st.integers(0, 60)), "least": draw(st.integers(20, 500))}
    numbers["expected"] = draw(st.integers(0, 10**6))
    switches = {"open_answers": draw(st.booleans()), "rehearsal": draw(st.booleans())}
    contact = draw(st.sampled_from(["", "council@example.org", "=1+1"]))
    whole = {"languages": list(spoken), "contact": contact, "retention": day, "sections": sections}
    return draw(draft_with_rules(normalize_draft({**whole, **start, **numbers, **switches})))


@st.composite
def draft_with_rules(draw: st.DrawFn, draft: Draft) -> Draft:
    """With rules on earlier plain questions, the same for all options of a question of several."""
    above: list[dict[str, Any]] = []
    groups: dict[str, dict[str, list[str]]] = {}
    sections = []
    for section in draft["sections"]:
        made = []
        for asked in section["questions"]:
            is_option = asked["form"] == "many"
            if is_option and asked["of"] in groups:
                rules = groups[asked["of"]]
            else:
                rules = draw(rules_on(above)) if draw(st.booleans()) else {}
            if is_option:
                groups[asked["of"]] = rules
            made.append({**asked, "show_if": rules})
        if section["kind"] == "plain":
            above += made
        sections.append({**section, "questions": made})
    return {**draft, "sections": sections}


@st.composite
def rules_on(draw: st.DrawFn, above: list[dict[str, Any]]) -> dict[str, list[str]]:
    if not above:
        return {}
    looked_at = draw(st.lists(st.sampled_from(above), max_size=2, unique_by=lambda asked: asked["name"]))
    return {
        question["name"]: draw(
            st.lists(st.sampled_from([each["name"] for each in question["choices"]]), min_size=1, unique=True)
        )
        for question in looked_at
    }


def from_spreadsheet(draft: Draft) -> Draft:
    return xlsform.read(xlsform.write(read_questionnaire(draft))).draft


def compile_by_pyxform(draft: Draft) -> str:
    """By pyxform, as ODK and Kobo do."""
    return str(convert(xlsform.write(read_questionnaire(draft)), validate=False, file_type=".xlsx").xform)


@given(draft=drafts())
def test_spreadsheet_and_own_file_return_the_same_draft(draft: Draft) -> None:
    assert from_spreadsheet(draft) == draft
    kept = {key: value for key, value in draft.items() if key != "expected"}
    assert candor_format.read(candor_format.write(draft)) == kept


@pytest.mark.night
@given(draft=drafts())
def test_pyxform_accepts_every_written_spreadsheet(draft: Draft) -> None:
    assert compile_by_pyxform(draft).startswith("<?xml")


EVERYTHING = draft_of(
    plain(
        question("age", "18-39", "40+", role="quasi", help=bilingual_text("Roughly.")),
        *options("paid", "paid-cash", "in kind"),
    ),
    sensitive(
        question("theft", "no", "yes", form="yes-no", show_if={"age": ["40+"], "paid-cash": ["no", "yes"]}),
        question(
            "how often?", "never", "now & then", "<often>", form="scale", noise=["0.5000", "0.3000", "0.2000"]
        ),
        asked=1,
    ),
    plain(),
    sensitive(*options("kinds", "kinds-1", "kinds-prefer-not-to-say")),
    expected=4321,
)


LINE = {
    "choices": [
        {"name": "1", "label": bilingual_text("Never")},
        {"name": "2", "label": bilingual_text("Often")},
    ],
    "of": "t",
}
NONE = {"none": bilingual_text("None of these")}
PRESENTED = draft_of(
    plain(question("age", "a", "b"), intro=bilingual_text("About you."), order="random"),
    sensitive(
        question("late", form="scale", help=bilingual_text("How often?"), **LINE),
        question("absent", form="scale", help=bilingual_text("How often?"), **LINE),
        *[each | (NONE if not row else {}) for row, each in enumerate(options("use", "bus", "car"))],
        intro=bilingual_text("About work."),
    ),
    plain(intro=bilingual_text("Nothing here yet.")),
)


SHORT = {"label": {"en": "Late"}}


def test_random_drafts_survive_spreadsheet_and_own_file() -> None:
    # Batteries, texts, order and none of these; and a draft with everything.
    found = from_spreadsheet(PRESENTED)
    assert found["sections"][0]["order"] == "random"
    assert [each.get("of") for each in found["sections"][1]["questions"]] == ["t", "t", "use", "use"]
    assert found["sections"][1]["questions"][2]["none"] == bilingual_text("None of these")
    for draft in (PRESENTED, EVERYTHING):
        assert from_spreadsheet(draft) == draft
        assert "<?xml" in compile_by_pyxform(draft)
        own = candor_format.read(candor_format.write(draft))
        assert {**own, "expected": draft["expected"]} == draft
    # Short labels, and what the start page says of the completion.
    many = [{**each, **SHORT} for each in options("use", "bus", "car")]
    apart = [
        {**each, "label": bilingual_text(each["name"])} for each in options("kinds", "kinds-1", "kinds-2")
    ]
    panel = bilingual_text("You get a code.")
    draft = draft_of(plain(question("late", **SHORT), *many), sensitive(*apart), panel=panel)
    found = from_spreadsheet(draft)
    assert (found, found["panel"]) == (draft, panel)
    labels = [each["label"]["en"] for section in found["sections"] for each in section["questions"]]
    assert labels == [*["Late"] * 3, "kinds-1", "kinds-2"]
    # A short label that is too long is cut between words.
    header = ["type", "name", "label", "candor_label::English (en)"]
    age = ["select_one ages", "age", "How old are you?", "word " * 20]
    (row,) = xlsform.read(form(age, header=header)).draft["sections"][0]["questions"]
    assert len(row["label"]["en"]) <= 40
    assert row["label"]["en"].endswith("word…")


def test_parts_dropped_by_a_spreadsheet_are_named() -> None:
    held = draft_of({**sensitive(question("a")), "preset": "balanced"})
    draft = {**held, "languages": ["en", "pt"], "phrases": {"leave": {"pt": "Sair"}}}
    assert [words.partition(";")[0] for words in xlsform.unsupported_parts(read_questionnaire(draft))] == [
        "your translations of the fixed sentences",
        "which preset of protection a section follows",
    ]
    assert xlsform.unsupported_parts(read_questionnaire(PRESENTED)) == []
    version = question("version", form="drawn", shares=["0.5000", "0.5000"])
    moon = question("moon", "no", "yes", form="yes-no", known="0.0500")
    hypothesis = {"name": "more", "kind": "arms", "item": "a=yes"}
    study = {**draft_of(plain(version, moon), sensitive(question("a")))}
    study |= {"direct": "0.5000", "understanding": True, "sites": ["https://www.example.org"]}
    study |= {"follows": "0" * 64, "rounds": 4, "plan": {"salt": "0" * 32, "hypotheses": [hypothesis]}}
    assert xlsform.unsupported_parts(read_questionnaire(study)) == [
        *("that some people are asked directly", "that each person is asked in one of several rounds"),
        *("which survey is asked again", "the hypotheses", "the check of understanding"),
        "the sites that may show the survey",
        *("questions that the device draws", "which questions are control items"),
    ]


PIPED = plain(question("a", text=bilingual_text("You are ${age}")))
BACKWARDS = plain(question("a", show_if={"b": ["a"]}), question("b"))


@pytest.mark.parametrize(
    ("draft", "place"),
    [
        (complete(title=bilingual_text("x" * 32_768)), "title.en"),
        (complete(sections=[PIPED]), "sections[0].questions[0].text.en"),
        (complete(sections=[BACKWARDS]), "a"),
        (complete(sections=[plain({"name": "a", "choices": []})]), "a"),
        (complete(sections=[{"kind": "story", "name": "home"}]), "sections[0]"),
        (complete(sections=[{"kind": "place", "questions": [{"name": "home"}]}]), "sections[0]"),
    ],
)
def test_draft_a_spreadsheet_cannot_hold_is_refused_by_place(draft: Draft, place: str) -> None:
    with pytest.raises(FileRefused) as found:
        xlsform.write(read_questionnaire(draft))
    assert [fault.location for fault in found.value.faults] == [place]


def test_file_of_a_finished_draft_is_a_design_and_returns_as_its_draft() -> None:
    for draft in (complete(), weak_draft(), bilingual()):
        design = parse_design(candor_format.write(draft))
        assert design.title.in_language_or_first("en") == "Work and health"
        assert parse_design(json.dumps(candor_format.read(design.canonical.encode()))) == design


# --- numbers

WORDS_OF_NUMBER: dict[str, Any] = {"help": {}, "unit": {}, "show_if": {}, "step": 1}


def number_section(name: str, keep: str = "", **law: Any) -> dict[str, Any]:
    more = {key: law.pop(key) for key in ("keep_rest",) if key in law} | ({"keep": keep} if keep else {})
    asked = {"name": name, "text": bilingual_text(f"How much {name}?"), **WORDS_OF_NUMBER, **law}
    return {"kind": "number", "questions": [asked], **more}


CLASSES: dict[str, Any] = {"law": "classes", "low": 0, "high": 1000, "limits": [500], "cuts": 1, "rest": 0}
INCOME: dict[str, Any] = {"law": "classes", "low": -500, "high": 10_000, "limits": [0, 500, 1000], "cuts": 2}
INCOME |= {"rest": 2, "step": 50, "help": bilingual_text("In a month."), "unit": bilingual_text("euros")}
INCOME["show_if"] = {"age": ["40+"]}
WINDOW: dict[str, Any] = {"law": "window", "low": -1, "values": 41, "window": 4, "uniform": "0.5000"}
NUMBERS = draft_of(
    plain(question("age", "18-39", "40+")),
    number_section("net income?", "0.7142", keep_rest="0.8000", **INCOME),
    number_section("debt", "0.5000", **CLASSES, wanted="quantiles", expected=[0, 100, 700]),
    sensitive(question("theft", "no", "yes", form="yes-no")),
    number_section("drinks", **WINDOW),
    expected=4321,
)


def test_draft_with_numbers_survives_a_spreadsheet() -> None:
    assert from_spreadsheet(NUMBERS) == NUMBERS
    assert xlsform.read(xlsform.write(read_questionnaire(NUMBERS))).remarks == ()
    ends = 'nodeset="/data/drinks" type="int" required="true()" constraint=". &gt;= -1 and . &lt;= 39"'
    assert ends in compile_by_pyxform(NUMBERS)


@st.composite
def number_sections(draw: st.DrawFn) -> dict[str, Any]:
    unit = draw(st.sampled_from([{}, bilingual_text("euros")]))
    more = {"help": {}, "unit": unit, "show_if": {}, "text": bilingual_text("How many?")}
    step = draw(st.integers(1, 50))
    low = draw(st.integers(-1_000, 1_000))
    if draw(st.booleans()):
        steps = sorted(draw(st.sets(st.integers(1, 500), min_size=2, max_size=20)))
        points = [low, *(low + step * each for each in steps)]
        keep = f"0.{draw(st.integers(1, 9_999)):04d}"
        return classes("n", keep, *points, step=step, **more)
    return window("n", draw(st.sampled_from([7, 101, 1_001])), 1, "0.5000", low=low, step=step, **more)


@given(section=number_sections())
def test_every_number_survives_a_spreadsheet(section: dict[str, Any]) -> None:
    draft = draft_of(section)
    assert from_spreadsheet(draft) == draft


def test_plain_number_survives_a_spreadsheet_with_its_rules() -> None:
    bands = DraftBands(-10, 120, 2, (18, 36, 56), {"en": "years"})
    age = question_with_bands(DraftQuestion(name="age", text={"en": "Age?"}, role="quasi"), bands, ["en"])
    assert age.choice_names == ("<18", "18..34", "36..54", "56+")
    for rule in ({}, {"age": ["18..34", "56+"]}):
        draft = draft_of(plain(age.as_json(), question("later", "a", "b", show_if=rule)))
        assert from_spreadsheet(draft) == draft


def test_unfinished_number_is_left_out_and_named() -> None:
    broken: dict[str, Any]
    for broken in ({"limits": []}, {"limits": [5, 3]}, {"step": 4}):
        section = classes("n", "0.5000", 0, 5, 10)
        section["questions"][0] |= {"text": {}, "help": {}, "unit": {}, "show_if": {}, **broken}
        draft = read_questionnaire(draft_of(plain(), section))
        assert b"candor_unit" not in xlsform.write(draft)
        (left_out,) = xlsform.unsupported_parts(draft)
        assert left_out.startswith("Section 2: "), broken


def test_a_spreadsheet_without_numbers_has_no_columns_for_them() -> None:
    data = xlsform.write(read_questionnaire(draft_of(plain(question("age", "a", "b")))))
    header = [cell.value for cell in load_workbook(BytesIO(data))["survey"][1]]
    usual = ["type", "name", "label::English (en)", "hint::English (en)", "required", "relevant"]
    own = ("section", "keep", "asked", "noise", "role", "form", "group", "name")
    assert header == [*usual, *(f"candor_{about}" for about in own)]
