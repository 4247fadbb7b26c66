"""Numbers in XLSForms: what a row that asks for one becomes, and what is refused."""

from typing import Any

import pytest
from hypothesis import given, strategies as st

from importing import xlsform
from importing.faults import Fault, FileRefused
from importing.import_result import ImportResult
from importing.missing_number_limits_entry import apply_ends, incomplete_ends_by_question
from importing.remarks import BANDS_OF_CONDITIONS
from privacy.designs import parse_design
from surveys.kinds.read_draft import read_questionnaire
from surveys.lifecycle.design_from_draft import design_json_from_draft
from surveys.questionnaire.plain_number_bands import takes_number
from tests.importing.conftest import changes_of, items_left_out, refusals
from tests.importing.flow.made_files import form

pytestmark = pytest.mark.page
HEADER = [
    *("type", "name", "label::English (en)", "required", "relevant", "constraint", "parameters"),
    *("candor_section", "candor_keep", "candor_limits", "candor_cuts", "candor_rest"),
    *("candor_keep_rest", "candor_mean", "candor_quantiles", "candor_expected_quartiles"),
    *("candor_step", "candor_window", "candor_uniform", "candor_unit::English (en)", "candor_noise"),
    *("candor_role", "candor_asked"),
]
ENDS = ". >= 0 and . <= 100"


def row(kind: str = "integer", name: str = "income", text: str = "Income?", **cells: Any) -> list[Any]:
    """A row with these cells; `candor_` stands before the names of our columns."""
    known = {"type": kind, "name": name, "label::English (en)": text, "required": "yes"}
    own = {"unit": "candor_unit::English (en)"}
    for column, cell in cells.items():
        header = own.get(column, column if column in HEADER else f"candor_{column}")
        known[header] = cell
    return [known.get(header, "") for header in HEADER]


def sections(*rows: list[Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = xlsform.read(form(*rows, header=HEADER)).draft["sections"]
    return found


def remarks(*rows: list[Any]) -> str:
    return " ".join(xlsform.read(form(*rows, header=HEADER)).remarks)


def imported_number_question(**cells: Any) -> dict[str, Any]:
    ((asked,),) = (section["questions"] for section in sections(row(**cells)))
    found: dict[str, Any] = asked
    return found


# --- what a row becomes


def test_limits_are_read_from_a_cell() -> None:
    # A row with limits becomes a number with these.
    cells = {"limits": "500 1000 2000", "constraint": ". >= 0 and . <= 10000", "cuts": "2", "rest": "3"}
    words = {"name": "income", "text": {"en": "Income?"}, "help": {}, "unit": {"en": "euros"}, "show_if": {}}
    law = {"law": "classes", "low": 0, "high": 10_000, "step": 1, "cuts": 2, "rest": 3}
    asked = words | law | {"limits": [500, 1000, 2000]}
    (section,) = sections(row(keep=".7142", keep_rest=".6", unit="euros", **cells))
    assert section == {"kind": "number", "keep": "0.7142", "keep_rest": "0.6000", "questions": [asked]}
    # A cell with one number is read as a limit.
    assert imported_number_question(limits=50, constraint=ENDS)["limits"] == [50]
    # Who wants the mean has a rest for it.
    (section,) = sections(row(limits="50", constraint=ENDS, mean="yes"))
    assert section["questions"][0]["rest"] > 0
    assert "keep_rest" in section


def test_constraint_gives_the_ends_and_extra_codes_are_named() -> None:
    for constraint, ends in {
        ". >= 0 and . <= 100": (0, 100),
        "(.>=0) and (.<=100)": (0, 100),
        "(. <= 100 and . >= -5)": (-5, 100),
        ". > 0 and . < 100": (1, 99),
        ".>=0 AND .<=50": (0, 50),
        "0 <= . and . <= 10": (0, 10),
        ". >= 0.0 and . <= 100.00": (0, 100),
    }.items():
        asked = imported_number_question(limits="5", constraint=constraint)
        assert (asked["low"], asked["high"]) == ends, constraint
    for constraint, named in {
        ". >= 0 and . <= 20 or . = 99": "99",
        "(. >= 0 and . <= 20) or .=-99 or . = -88": "-99, -88",
        ".=99 or (.>=0 and .<=20)": "99",
        ". >= 0 and (. <= 20 or . = 99)": "99",
        ". >= 0 and . <= 20 or . = 7": "",
    }.items():
        asks = row(limits="10", constraint=constraint)
        asked = sections(asks)[-1]["questions"][0]
        assert (asked["low"], asked["high"]) == (0, 20), constraint
        said = " ".join(changes_of(form(asks, header=HEADER)))
        assert (f"These codes are left out, since every answer is a number: {named}." in said) == bool(named)
    # What else a constraint says of a plain number is named, too.
    for constraint, remark in {
        ". >= 0 and . <= 20 and . != 5": "These numbers can be answered here, too: 5.",
        ". >= 0 and . <= ${age}": "An end that depends on another answer is left out",
        ". < 100 or . = 999": "These codes are left out",
        ". >= 0 or . = -99": "These codes are left out",
    }.items():
        assert remark in " ".join(changes_of(form(row(constraint=constraint), header=HEADER))), constraint


def test_ends_steps_and_windows_are_read_from_cells() -> None:
    # A constraint of one end asks for the other.
    lines = xlsform.read(form(row(constraint=". <= 7"), header=HEADER)).lines
    assert [line.asks for line in lines if line.asks] == [(None, 7)]
    # Beyond an end that is excluded lies the next step.
    asked = imported_number_question(limits="50", step=10, constraint=". > 0 and . < 100")
    assert (asked["low"], asked["limits"], asked["high"]) == (10, [50], 90)
    # The parameters of a range give ends and step.
    asked = imported_number_question(kind="range", parameters="start=0 end=100 step=5", limits="50")
    assert (asked["low"], asked["high"], asked["step"]) == (0, 100, 5)
    # A range without parameters goes from one to ten.
    asked = imported_number_question(kind="range", limits="5")
    assert (asked["low"], asked["high"]) == (1, 10)
    # A row with a window becomes a number in a window.
    asked = imported_number_question(constraint=". >= -10 and . <= 10", step=2, window=2, uniform=0.4)
    law = {key: asked[key] for key in ("law", "low", "step", "values", "window", "uniform")}
    assert law == {"law": "window", "low": -10, "step": 2, "values": 11, "window": 2, "uniform": "0.4000"}
    draft = xlsform.read(form(row(constraint=ENDS, window=5, uniform=0.4), header=HEADER)).draft
    assert parse_design(design_json_from_draft(draft)).questions[0].codes == 101
    # What the researcher wants and expects is read.
    asked = imported_number_question(
        limits="50", constraint=ENDS, quantiles="yes", expected_quartiles="10 20 40"
    )
    assert (asked["wanted"], asked["expected"], asked["rest"]) == ("quantiles", [10, 20, 40], 0)
    # A number may stand behind a rule and no rule on a number.
    age = ["select_one ages", "age", "Age?", "yes"]
    _plain, of_number = sections(age, row(relevant="${age} = 'old'", limits="50", constraint=ENDS))
    assert of_number["questions"][0]["show_if"] == {"age": ["old"]}
    data = form(row(limits="50", constraint=ENDS), [*age, "${income} = '50'"], header=HEADER)
    assert "looks at income, which is sensitive" in " ".join(changes_of(data))
    # A number is a section of its own between others.
    a, b = (["select_one yes_no", name, "Q?", "yes"] for name in "ab")
    found = sections(a, row(limits="50", constraint=ENDS), b)
    assert [section["kind"] for section in found] == ["plain", "number", "plain"]
    # A group without marks may hold a number.
    found = sections(["begin_group", "g"], row(limits="50", constraint=ENDS), ["end_group"])
    assert [section["kind"] for section in found] == ["number"]


# --- what is proposed


@pytest.mark.parametrize("kind", ["integer", "int", "decimal"])
def test_missing_limits_are_proposed_and_the_researcher_told(kind: str) -> None:
    asked = row(kind=kind, constraint=ENDS, section="sensitive")
    (section,) = sections(asked)
    assert section["questions"][0]["limits"] == [20, 40, 60, 80]
    assert section["keep"] == "0.7826"
    assert "income (20, 40, 60, 80)" in remarks(asked)
    assert ("income took decimals" in remarks(asked)) is (kind == "decimal")


def test_limits_are_proposed_where_the_file_has_none() -> None:
    # Proposed limits are on the step.
    asked = imported_number_question(kind="range", parameters="start=3 end=48 step=5", section="sensitive")
    assert asked["limits"] == [13, 23, 33, 43]
    assert imported_number_question(constraint=". >= 0 and . <= 2", section="sensitive")["limits"] == [1, 2]
    # Nothing is proposed where a column says the limits.
    assert "proposed" not in remarks(row(limits="50", constraint=ENDS))
    assert "proposed" not in remarks(row(window=5, uniform=0.4, constraint=ENDS))
    cells = {"section": "sensitive", "constraint": ENDS}
    assert sections(row(limits=" , ;", **cells)) == sections(row(**cells))
    # All proposals stand in one remark.
    rows = [row(name=f"n{at}", constraint=ENDS, section="sensitive") for at in range(30)]
    found = xlsform.read(form(*rows, header=HEADER)).remarks
    assert len([remark for remark in found if "proposed: n0" in remark]) == 1


def test_parameters_of_other_questions_are_ignored() -> None:
    asked = ["select_one ages", "age", "Age?", "yes", "", "", "seed=1"]
    assert "These columns have no meaning here: parameters." in remarks(asked)
    assert "no meaning" not in remarks(row(kind="range"))


# --- what is plain


def test_number_without_details_is_plain_in_bands_and_waits_for_a_tick() -> None:
    asked = row("integer", "age", "How old?", constraint=". >= 0 and . <= 120", unit="years")
    read = xlsform.read(form(asked, header=HEADER))
    (section,) = read.draft["sections"]
    (question,) = section["questions"]
    assert section["kind"] == "plain"
    ends = {"low": 0, "high": 120, "step": 1, "unit": {"en": "years"}}
    assert question["number"] == ends | {"limits": [20, 40, 60, 80, 100]}
    labels = [choice["label"]["en"] for choice in question["choices"]]
    assert labels[::5] == ["under 20 years", "100 years or more"]
    assert [line.unmarked for line in read.lines] == [True]
    assert "age (20, 40, 60, 80, 100)" in remarks(asked)
    assert parse_design(design_json_from_draft(read.draft)).has_banded_numbers


def test_number_called_plain_stays_plain_among_its_neighbours() -> None:
    cells = {"section": "plain", "limits": "18 35 55", "constraint": ". >= 0 and . <= 120", "role": "quasi"}
    read = xlsform.read(form(row("integer", "age", "How old?", **cells), header=HEADER))
    (question,) = read.draft["sections"][0]["questions"]
    assert (question["number"]["limits"], question["role"]) == ([18, 35, 55], "quasi")
    assert [line.unmarked for line in read.lines] == [False]
    a, b = (["select_one ages", name, f"{name}?", "yes"] for name in "ab")
    (section,) = sections(a, row(constraint=ENDS), b)
    assert [question["name"] for question in section["questions"]] == ["a", "income", "b"]
    group = [row("begin_group", "g", "", section="plain"), row(constraint=ENDS), ["end_group"]]
    assert [section["kind"] for section in sections(*group)] == ["plain"]


def import_with_condition(condition: str, **cells: str) -> ImportResult:
    return xlsform.read(form(row(**cells), ["select_one yes_no", "b", "B?", "yes", condition], header=HEADER))


def test_bands_begin_where_conditions_change_and_keep_them() -> None:
    read = import_with_condition("${income} > 50 or ${income} = '20'", constraint=ENDS)
    income, b = read.draft["sections"][0]["questions"]
    assert (income["number"]["limits"], b["show_if"]["income"]) == ([20, 21, 51], ["51+", "20..20"])
    assert read.lines[0].remarks == (str(BANDS_OF_CONDITIONS),)
    assert "51" not in str(read.remarks)
    # What lies outside the range is no limit.
    income, b = import_with_condition("${income} > -3", constraint=ENDS).draft["sections"][0]["questions"]
    assert income["number"]["limits"] == [20, 40, 60, 80]
    assert len(b["show_if"]["income"]) == 5
    sensitive = import_with_condition("${income} > 50", constraint=ENDS, section="sensitive")
    assert "looks at income, which is sensitive" in str(sensitive.lines[1].remarks)


def test_number_has_at_most_twenty_bands_and_further_conditions_are_named() -> None:
    conditions = [
        ["select_one yes_no", f"b{n}", f"B{n}?", "yes", f"${{income}} >= {n * 3}"] for n in range(1, 23)
    ]
    read = xlsform.read(form(row(constraint=ENDS), *conditions, header=HEADER))
    questions = read.draft["sections"][0]["questions"]
    assert questions[0]["number"]["limits"] == [n * 3 for n in range(1, 20)]
    assert [bool(each["show_if"]) for each in questions[1:]] == [True] * 19 + [False] * 3
    assert "within one of its bands; a number has at most 20" in str(read.lines[20].remarks)


def test_ends_that_a_person_enters_leave_room_for_the_bands_of_conditions() -> None:
    read = import_with_condition("${income} = 0 or ${income} > 50")
    draft, missing = read_questionnaire(read.draft), incomplete_ends_by_question(read.lines)
    for low, high, ends in (("0", "90", (0, 90)), ("10", "20", (0, 51)), ("-5", "90", ())):
        made, _refused, left = apply_ends(draft, missing, {"low-0": low, "high-0": high})
        income, *others = made.all_questions
        assert (left == ["income"]) == (not ends)
        if ends:
            assert takes_number(income)
            assert (income.number.low, income.number.high, income.number.limits) == (*ends, (1, 51))
            assert others[0].show_if == {"income": ("<1", "51+")}


def test_number_is_sensitive_if_the_file_says_so_or_disguises_it() -> None:
    for cells in ({"section": "sensitive"}, {"keep": ".5"}, {"limits": "50"}, {"mean": "yes"}):
        assert [section["kind"] for section in sections(row(constraint=ENDS, **cells))] == ["number"], cells


# --- what is refused


@pytest.mark.at_push(7)
@pytest.mark.parametrize(
    ("cells", "reason"),
    [
        ({"constraint": ". >= 0 and . <= 1", "section": "sensitive"}, "no room for two limits"),
        ({"constraint": ". <= 0 and . >= 10", "section": "sensitive"}, "no room for two limits"),
        ({"constraint": ". <= 0 and . >= 10"}, "must be above the lowest number"),
        ({"constraint": ". >= 0 and . >= 5"}, "only its lowest and its highest"),
        ({"constraint": ". >= 0 or . <= 5"}, "only its lowest and its highest"),
        ({"constraint": ". = 1 or . = 2"}, "only its lowest and its highest"),
        ({"constraint": "(. >= 0 or . = 99) and . <= 20"}, "only its lowest and its highest"),
        ({"constraint": "not(. >= 0)"}, "only its lowest and its highest"),
        ({"constraint": "(. >= 0 and . <= 5"}, "only its lowest and its highest"),
        ({"constraint": "regex(., '[0-9]+')"}, "only its lowest and its highest"),
        ({"constraint": ". >= ${age}"}, "only its lowest and its highest"),
        ({"constraint": ". >= 0.5 and . <= 5"}, "only its lowest and its highest"),
        ({"constraint": ". >= 99999999999 and . <= 5"}, "only its lowest and its highest"),
        ({"constraint": " and ".join([". >= 0"] * 4_000)}, "only its lowest and its highest"),
        ({"limits": "50 20", "constraint": ENDS}, "not in ascending order: 20 comes after 50"),
        ({"limits": "20 20", "constraint": ENDS}, "not in ascending order"),
        ({"limits": "20 120", "constraint": ENDS}, "up to the highest"),
        ({"limits": "0 20", "constraint": ENDS}, "lie above the lowest number"),
        ({"limits": "50", "constraint": ENDS, "cuts": "2"}, "candor_cuts lies between 1 and 1"),
        ({"limits": "50", "constraint": ENDS, "rest": "20"}, "candor_rest lies between 0 and"),
        ({"limits": "0.5 1.5", "constraint": ENDS}, "numbers here are whole"),
        ({"limits": "ten", "constraint": ENDS}, "candor_limits holds ten"),
        ({"limits": "２0", "constraint": ENDS}, "numbers here are whole"),
        ({"limits": " ".join(map(str, range(22)))}, "more than 21 numbers"),
        ({"limits": "1 " * 16_000}, "more than 21 numbers"),
        ({"limits": " ".join(map(str, range(1, 22))), "constraint": ENDS}, "a number has at most 20 limits"),
        ({"limits": "5"}, "its ends are not known"),
        ({"limits": "0 5 2000000000"}, "numbers lie between"),
        ({"limits": "15", "step": 10, "constraint": ENDS}, "on its steps"),
        ({"limits": "15", "constraint": ENDS, "step": 0}, "candor_step is a whole number from 1 on"),
        ({"limits": "15", "constraint": ENDS, "step": "half"}, "candor_step holds half"),
        ({"limits": "15", "constraint": ENDS, "mean": "perhaps"}, "candor_mean is yes or no"),
        ({"limits": "15", "constraint": ENDS, "quantiles": "all"}, "candor_quantiles is yes or no"),
        ({"limits": "15", "constraint": ENDS, "mean": "yes", "quantiles": "yes"}, "different mechanisms"),
        ({"limits": "15", "constraint": ENDS, "expected_quartiles": "5 15"}, "are three numbers"),
        ({"limits": "15", "constraint": ENDS, "expected_quartiles": "5 15 x"}, "numbers here are whole"),
        ({"window": 5, "constraint": ENDS, "section": "plain"}, "belongs to numbers that are disguised"),
        ({"mean": "yes", "constraint": ENDS, "section": "plain"}, "belongs to numbers that are disguised"),
        ({"limits": "0", "constraint": ENDS, "section": "plain"}, "lie above the lowest number"),
        ({"limits": "15", "constraint": ENDS, "keep": 2}, "candor_keep is a probability"),
        ({"limits": "15", "constraint": ENDS, "asked": 1}, "candor_asked belongs to questions with choices"),
        ({"limits": "15", "constraint": ENDS, "noise": ".5"}, "candor_noise belongs to questions with choices"),
        ({"limits": "15", "constraint": ENDS, "role": "quasi"}, "candor_role belongs to questions with choices"),
        ({"window": 5, "constraint": ENDS}, "needs candor_window"),
        ({"uniform": 0.5, "constraint": ENDS}, "needs candor_window"),
        ({"window": 5, "uniform": 1.5, "constraint": ENDS}, "needs candor_window"),
        ({"window": 5, "uniform": 0.5}, "its ends are not known"),
        ({"window": 5, "uniform": 0.5, "constraint": ENDS, "limits": "5"}, "another law"),
        ({"window": 5, "uniform": 0.5, "constraint": ENDS, "keep": 0.5}, "another law"),
        ({"window": 5, "uniform": 0.5, "constraint": ENDS, "step": 7}, "no multiple of candor_step"),
        ({"window": 50, "uniform": 0.5, "constraint": ENDS}, "candor_window must lie between 0 and 49"),
        ({"window": -1, "uniform": 0.5, "constraint": ENDS}, "candor_window must lie between 0 and 49"),
        ({"window": 1, "uniform": 0.5, "constraint": ". >= 0 and . <= 8"}, "share the factor 3"),
        ({"window": 1, "uniform": 0.5, "constraint": ". >= 0 and . <= 999999999"}, "a window takes 2 to 65,000"),
        ({"kind": "range", "parameters": "start=0 end=1.5"}, "end holds 1.5"),
        ({"kind": "range", "parameters": "start=0 " * 9_999}, "parameters of a range"),
    ],
)  # fmt: skip
def test_impossible_number_is_refused_by_its_row(cells: dict[str, Any], reason: str) -> None:
    (fault,) = refusals(form(row(**cells), header=HEADER))
    assert fault.startswith("sheet survey, row 2: ")
    assert reason in fault


def test_number_in_a_marked_group_misplaced_columns_and_dates_are_refused() -> None:
    group = row("begin_group", "g", "", section="sensitive")
    (fault,) = refusals(form(group, row(limits="50", constraint=ENDS), ["end_group"], header=HEADER))
    assert fault.startswith("sheet survey, row 3: ")
    assert "a section of its own" in fault
    for column in ("limits", "mean", "quantiles", "step", "window", "uniform", "expected_quartiles", "unit"):
        (fault,) = refusals(form(row("select_one ages", "age", "Age?", **{column: "1"}), header=HEADER))
        assert f"candor_{column} belongs to numbers" in fault
    for kind in ("date", "time", "datetime", "dateTime"):
        (fault,) = refusals(form(row(kind=kind), header=HEADER))
        assert "bands" in fault, kind


def test_what_does_not_fit_a_number_is_dropped() -> None:
    # A constraint belongs to no other question.
    (remark,) = changes_of(form(row("select_one ages", "age", "Age?", constraint=ENDS), header=HEADER))
    assert remark.startswith("sheet survey, row 2: The cell constraint is left out: ")
    # A unit that repeats an answer loses it.
    cells = {"unit": "per ${age}", "limits": "50", "constraint": ENDS}
    assert imported_number_question(**cells)["unit"] == {"en": "per …"}
    assert "“…” is shown instead" in " ".join(changes_of(form(row(**cells), header=HEADER)))
    # A number that cannot be is left out beside others.
    data = form(row(limits="5"), row("select_one ages", "age", "Age?"), header=HEADER)
    (remark,) = items_left_out(data)
    assert "its ends are not known" in remark
    assert [section["questions"][0]["name"] for section in xlsform.read(data).draft["sections"]] == ["age"]


CELLS = [
    *("", "50", "0 50 100", "5;2", ENDS, ". > 5", "start=1", "yes", "no", "0.5", "2", "-1", "1e3", "sensitive"),
    *("½", "${n}"),
]  # fmt: skip
OF_ROW = st.lists(st.sampled_from(CELLS), min_size=len(HEADER) - 2, max_size=len(HEADER) - 2)
KINDS = st.sampled_from(["integer", "decimal", "range"])


@given(rows=st.lists(st.tuples(KINDS, st.sampled_from("abc"), OF_ROW), max_size=3))
def test_any_cells_of_numbers_are_taken_or_refused_in_words(rows: list[tuple[str, str, list[str]]]) -> None:
    data = form(*([kind, name, *cells] for kind, name, cells in rows), header=HEADER)
    faults: tuple[Fault, ...] = ()
    try:
        result = xlsform.read(data)
    except FileRefused as refusal:
        faults = refusal.faults
    else:
        draft = result.draft
        kinds = {section["kind"] for section in draft["sections"]}
        assert kinds <= {"plain", "number"}
        came = sum(len(section["questions"]) for section in draft["sections"])
        assert came + sum(line.outcome == "left" for line in result.lines) == len(rows)
    assert all(place.startswith(("sheet survey", "the file")) and reason for place, reason in faults)
