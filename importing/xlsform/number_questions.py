"""Reads rows that ask for a number: a plain number with bands, or a sensitive number in its own section.

The lowest and highest number (the ends) come from the constraint, or from the parameters of a range. The
columns candor_limits or candor_window give the law of a sensitive number; without them limits are proposed.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from math import ceil, floor
from typing import Any, NamedTuple

from django.utils.translation import gettext as _

from importing import remarks
from importing.condition_tokens import Threshold
from importing.faults import RowRefused
from importing.row_outcome_collector import ImportLog
from importing.show_if_conditions import Band, ConditionQuestion
from importing.xlsform.choice_questions import fallback_name, question_name_and_members
from importing.xlsform.section_marks import PLAIN, SectionMarks
from importing.xlsform.sheet_columns import SheetColumns, parse_probability
from importing.xlsform.workbook import SheetRow
from privacy.grammar.input_error import InputError
from privacy.grammar.number_range import FURTHEST, NumberRange
from privacy.kinds.number.classes.section import MOST_LIMITS, MOST_REST
from privacy.kinds.number.window.section import FEWEST_VALUES, MOST_VALUES
from privacy.kinds.plain.number_bands import MOST_BANDS, NUMBER
from surveys.kinds.number.draft import (
    MEAN,
    QUANTILES,
    QUARTERS,
    USUAL_GAMMA,
    ClassesDraftQuestion,
    NumberDraft,
    WindowDraftQuestion,
)
from surveys.kinds.plain.draft import OTHER
from surveys.questionnaire.draft_question import DraftQuestion
from surveys.questionnaire.plain_number_bands import (
    DraftBands,
    propose_round_limits,
    question_with_bands,
    read_bands_question,
    takes_number,
)
from ui.number_format import format_count

Node = dict[str, Any]

OWN = (
    *("limits", "cuts", "rest", "keep_rest", "mean", "quantiles"),
    *("step", "window", "uniform", "expected_quartiles", "unit"),
)
OF_DISGUISED = "keep", "mean", "quantiles", "expected_quartiles"
LAW = "limits", "cuts", "rest", "keep_rest", "window", "uniform"
OF_CHOICES = ("noise", "role", "form", "group", "asked")
"""Names of candor_ columns that belong to questions with choices."""
DECIMAL, RANGE = "decimal", "range"
PRESET = {"start": 1, "end": 10, "step": 1}
"""Defaults of XLSForm for the parameters of a range."""
LONGEST = 300
MOST_PIECES = 21
FEWEST_OF_BANDS, MOST_OF_BANDS = 4, MOST_BANDS + 2
"""Least and highest count of numbers in the column candor_number: the ends, the step and the limits."""
ANY_STEPS = 100
WHOLE = re.compile(r"-?[0-9]{1,10}(?:\.0{1,9})?")
BOUND = re.compile(r"\.\s{0,9}(>=|<=|>|<)\s{0,9}(-?[0-9]{1,10}(?:\.0{1,9})?|\$\{[^}]{1,99}\})")
TURNED = re.compile(r"(-?[0-9]{1,10}(?:\.0{1,9})?|\$\{[^}]{1,99}\})\s{0,9}(>=|<=|>|<)\s{0,9}\.")
ANSWER = "${"
OPPOSITE = {">=": "<=", "<=": ">=", ">": "<", "<": ">"}
EXCLUDED = re.compile(r"\.\s{0,9}!=\s{0,9}(-?[0-9]{1,10}(?:\.0{1,9})?)")
AND, OR = re.compile(r"\sand\s", re.IGNORECASE), re.compile(r"\sor\s", re.IGNORECASE)
CODE = re.compile(r"\.\s{0,9}=\s{0,9}(-?[0-9]{1,10}(?:\.0{1,9})?)")
PARAMETER = re.compile(r"([a-z_]{1,30})\s{0,9}=\s{0,9}([^\s,;]{1,30})")


class NumberRow(NamedTuple):
    """A number question made from a row.

    `name`: its name in the file. `question`: without show-if rules. `section`: the section of a sensitive
    number; None for a plain one. `proposed`: its limits, if they are only proposals. `asks`: the two ends, if
    a person must enter one.
    """

    name: str
    question: DraftQuestion
    section: NumberDraft | None
    proposed: Sequence[int]
    decimal: bool
    asks: tuple[int | None, ...]


class Range(NamedTuple):
    """The numbers that the form accepts; an end is None if the form does not state it.

    `codes`: accepted numbers outside the range, such as 99 for no answer. `excluded`: numbers inside it that
    are not accepted. `relative`: an end depends on another answer.
    """

    low: int | None
    high: int | None
    step: int
    codes: tuple[int, ...] = ()
    excluded: tuple[int, ...] = ()
    relative: bool = False


def read_sensitive_number(
    columns: SheetColumns, row: SheetRow, number_type: str, marks: SectionMarks, log: ImportLog
) -> NumberRow:
    """Returns a sensitive number question with its section; raises `RowRefused` if it cannot be imported.

    `number_type`: its type in the file.
    """
    asks: tuple[int | None, ...] = ()
    name, common = question_name_and_members(columns, row)
    for about in OF_CHOICES:
        if columns.text(row, f"candor_{about}"):
            raise RowRefused(_("candor_%(about)s belongs to questions with choices") % {"about": about})
    numbers = _read_range(columns, row, number_type)
    _remark_left_out_parts(numbers, log)
    common |= {
        "name": log.unique_question_name(common["name"], fallback_name(row)),
        "unit": columns.texts(row, "candor_unit"),
        "step": numbers.step,
        "expected": _read_expected_quartiles(columns.text(row, "candor_expected_quartiles")),
    }
    said = columns.text(row, "candor_limits")
    if (
        None in numbers[:2]
        and not marks.keep
        and not any(columns.text(row, f"candor_{each}") for each in LAW)
    ):
        asks, numbers = numbers[:2], _fill_missing_ends(numbers)
    if columns.text(row, "candor_window") or columns.text(row, "candor_uniform"):
        section = _window_section(columns, row, common, numbers, marks)
    else:
        section = _classes_section(columns, row, common, numbers, marks)
    classes = section.classes_question
    proposed = classes.limits if classes and section.keep and not said and not asks else ()
    return NumberRow(name, section.question, section, proposed, number_type == DECIMAL, asks)


def is_sensitive_number(columns: SheetColumns, row: SheetRow, marks: SectionMarks) -> bool:
    """True if the row marks the number as sensitive, or has settings of a disguise and does not mark it as plain."""
    of_law = (columns.text(row, f"candor_{about}") for about in (*LAW, *OF_DISGUISED))
    return marks.sensitive or (marks.section != PLAIN and any(of_law))


def read_plain_number(columns: SheetColumns, row: SheetRow, number_type: str, log: ImportLog) -> NumberRow:
    """Returns a plain question that records the band of a number; raises `RowRefused` if it cannot be imported."""
    name, common = question_name_and_members(columns, row)
    for about in (*OF_DISGUISED, *LAW, *OF_CHOICES):
        if about not in ("limits", "role") and columns.text(row, f"candor_{about}"):
            raise RowRefused(_("candor_%(about)s belongs to numbers that are disguised") % {"about": about})
    numbers, asks = _read_range(columns, row, number_type), tuple[int | None, ...]()
    _remark_left_out_parts(numbers, log)
    compared = log.thresholds_of(name)
    if None in numbers[:2]:
        asks, numbers = numbers[:2], _fill_missing_ends(numbers, compared)
    said = columns.text(row, "candor_limits")
    question = DraftQuestion(
        **{**common, "name": log.unique_question_name(common["name"], fallback_name(row))}
    )
    question = replace(question, role=columns.text(row, "candor_role") or OTHER)
    try:
        stated = tuple(_read_or_propose_limits(said, numbers)) if said else ()
        bands = _bands(numbers, compared, stated)
        bands = replace(bands, unit=columns.texts(row, "candor_unit"))
        number = question_with_bands(question, bands, columns.languages)
    except InputError as refusal:
        raise RowRefused(str(refusal)) from None
    proposed = bands.limits if not said and not asks and has_proposed_limits(bands) else ()
    if not said and not has_proposed_limits(bands):
        log.remark(remarks.BANDS_OF_CONDITIONS)
    return NumberRow(name, number, None, proposed, number_type == DECIMAL, asks)


def _bands(numbers: Range, compared: Sequence[Threshold], stated: tuple[int, ...] = ()) -> DraftBands:
    """Returns bands that begin at the limits in the file (`stated`), else where conditions change (`compared`), else at
    round numbers."""
    low, high, step, *_rest = numbers
    assert low is not None
    assert high is not None
    possible = NumberRange(low, high - (high - low) % step, step)
    steps = ((each.number - low) / step for each in compared)
    ends = (floor(at) + 1 if each.above else ceil(at) for at, each in zip(steps, compared, strict=True))
    begins = (low + step * end for end in ends)
    inside = dict.fromkeys(begin for begin in begins if low < begin <= possible.high)
    limits = stated or tuple(sorted([*inside][: MOST_BANDS - 1])) or propose_round_limits(possible)
    return DraftBands(possible.low, possible.high, step, limits)


def has_proposed_limits(bands: DraftBands) -> bool:
    """True if the bands begin at round numbers, and not where conditions change."""
    return bands.limits == propose_round_limits(bands.range)


def number_condition_question(question: DraftQuestion) -> ConditionQuestion:
    """Returns the plain number question as one that conditions can compare with numbers."""
    assert takes_number(question)
    low, high, step, limits = (getattr(question.number, each) for each in ("low", "high", "step", "limits"))
    spans = zip(question.choices, pairwise((low, *limits, high + step)), strict=True)
    bands = tuple(Band(choice.name, first, beyond - step) for choice, (first, beyond) in spans)
    return ConditionQuestion(question.name, {}, bool(question.show_if), bands=bands)


def convert_choices_to_bands(columns: SheetColumns, row: SheetRow, question: DraftQuestion) -> DraftQuestion:
    """Returns the question with its choices converted to bands (ranges) of a number.

    The column candor_number contains the lowest number, the highest, the step and the limits of the bands.
    """
    about = "candor_number"
    written = [
        _read_integer(piece, about)
        for piece in _split_numbers(columns.text(row, about), about, MOST_OF_BANDS)
    ]
    low, high, step, *limits = written if len(written) >= FEWEST_OF_BANDS else [0, 0, 1]
    number = {
        "low": low,
        "high": high,
        "step": step,
        "limits": limits,
        "unit": columns.texts(row, "candor_unit"),
    }
    asked = read_bands_question(question, {NUMBER: number}, columns.languages)
    if not asked.takes_number or len(question.choices) != len(limits) + 1:
        raise RowRefused(
            _(
                "candor_number is the lowest number, the highest, the step and where each further band begins, and the"
                " choices are the bands"
            )
        )
    return asked


def _remark_left_out_parts(numbers: Range, log: ImportLog) -> None:
    """Adds remarks on what is lost: accepted codes outside the range, excluded numbers, and ends set by another
    answer."""
    if numbers.codes:
        codes = ", ".join(map(str, numbers.codes))
        log.remark(
            _("These codes are left out, since every answer is a number: %(codes)s.") % {"codes": codes}
        )
    if numbers.excluded:
        excluded = ", ".join(map(str, numbers.excluded))
        log.remark(_("These numbers can be answered here, too: %(numbers)s.") % {"numbers": excluded})
    if numbers.relative:
        log.remark(_("An end that depends on another answer is left out: such an end would tell of it."))


def _wanted_statistic_or_empty(columns: SheetColumns, row: SheetRow) -> str:
    """Returns the statistic for which the number is asked (mean or quantiles); empty if the row names none."""
    mean, quantiles = (_read_yes_or_no(columns, row, about) for about in ("candor_mean", "candor_quantiles"))
    if mean and quantiles:
        raise RowRefused(
            _("candor_mean and candor_quantiles ask for different mechanisms: write yes for one of them only")
        )
    return MEAN if mean else QUANTILES if quantiles else ""


def _read_expected_quartiles(text: str) -> tuple[int, ...]:
    quartiles = [
        _read_integer(each, "candor_expected_quartiles")
        for each in _split_numbers(text, "candor_expected_quartiles")
    ]
    if quartiles and len(quartiles) != QUARTERS:
        raise RowRefused(
            _(
                "candor_expected_quartiles are three numbers: below which a quarter, half and three quarters of people"
                " are thought to lie"
            )
        )
    return tuple(quartiles)


def first_number_column(columns: SheetColumns, row: SheetRow) -> str:
    """Returns the first non-empty column that only number questions may have; empty if there is none."""
    filled = (f"candor_{about}" for about in OWN)
    return next((about for about in filled if columns.text(row, about) or columns.texts(row, about)), "")


def _window_section(
    columns: SheetColumns, row: SheetRow, common: Node, numbers: Range, marks: SectionMarks
) -> NumberDraft:
    """Returns the section of a number disguised within a window around the true one."""
    if marks.keep or any(
        columns.text(row, f"candor_{each}") for each in ("limits", "cuts", "rest", "mean", "quantiles")
    ):
        raise RowRefused(
            _("candor_window is another law than candor_limits, candor_mean and candor_keep; use one of them")
        )
    uniform = parse_probability(columns.text(row, "candor_uniform"))
    if not columns.text(row, "candor_window") or uniform is None:
        raise RowRefused(
            _(
                "a number in a window needs candor_window, by how many steps it is moved at most, and candor_uniform,"
                " how often any number is sent, such as 0.5"
            )
        )
    if numbers.low is None or numbers.high is None:
        raise RowRefused(remarks.ENDS_UNKNOWN)
    steps, rest = divmod(numbers.high - numbers.low, numbers.step)
    if rest or steps < 0:
        raise RowRefused(_("the highest number is no multiple of candor_step above the lowest"))
    if not FEWEST_VALUES <= steps + 1 <= MOST_VALUES:
        reason = _(
            "from the lowest to the highest there are %(values)s numbers; a window takes %(fewest)s to %(most)s"
        )
        raise RowRefused(
            reason
            % {"values": format_count(steps + 1), "fewest": FEWEST_VALUES, "most": format_count(MOST_VALUES)}
        )
    half = _read_integer(columns.text(row, "candor_window"), "candor_window")
    widest = (steps - 1) // 2
    if not 0 <= half <= widest:
        raise RowRefused(
            _("candor_window must lie between 0 and %(widest)s") % {"widest": format_count(widest)}
        )
    question = WindowDraftQuestion(**common, low=numbers.low, values=steps + 1, window=half, uniform=uniform)
    return NumberDraft(questions=(question,))


def _classes_section(
    columns: SheetColumns, row: SheetRow, common: Node, numbers: Range, marks: SectionMarks
) -> NumberDraft:
    """Returns the section of a number of which a device sends only a class between limits, disguised.

    Candor plans the settings that the row lacks.
    """
    question = ClassesDraftQuestion(**common, wanted=_wanted_statistic_or_empty(columns, row))
    limits = _read_or_propose_limits(columns.text(row, "candor_limits"), numbers)
    section = plan_section(question, numbers, limits)
    made: dict[str, Any] = {}
    for name, fewest, most in (("cuts", 1, len(limits)), ("rest", 0, MOST_REST)):
        if said := columns.text(row, f"candor_{name}"):
            made[name] = _read_integer(said, f"candor_{name}")
            if not fewest <= made[name] <= most:
                reason = _("candor_%(name)s lies between %(fewest)s and %(most)s")
                raise RowRefused(reason % {"name": name, "fewest": fewest, "most": most})
    keep_rest = parse_probability(columns.text(row, "candor_keep_rest"))
    return replace(
        section,
        keep=marks.keep or section.keep,
        keep_rest=keep_rest or section.keep_rest,
        questions=(replace(section.question, **made),),
    ).normalized()


def _fill_missing_ends(numbers: Range, compared: Sequence[Threshold] = ()) -> Range:
    """Returns the range with placeholders for a missing lowest or highest number, until a person enters both.

    They leave room for bands on both sides of the numbers to which conditions compare it (`compared`).
    """
    low, high, step, *_rest = numbers
    width = ANY_STEPS * step
    named = [each.number for each in compared if abs(each.number) < FURTHEST - width] or [Fraction(0)]
    if low is None:
        usual = 0 if high is None else max(high - width, -FURTHEST)
        low = min(usual, floor(min(named)) - step) if min(named) < usual else usual
    return Range(
        low,
        high if high is not None else max(min(low + width, FURTHEST), ceil(max(named)) + step),
        step,
    )


def plan_section(question: ClassesDraftQuestion, numbers: Range, limits: Sequence[int]) -> NumberDraft:
    """Returns the section of a sensitive number with these limits, and plans its other settings.

    Planned are the number of limits that a device draws (m), and the share of records that only help to estimate the
    mean (R, docs/mathematics.md).
    """
    from privacy.guarantee.best_number_classes import classes_for_shares  # late for cost
    from privacy.guarantee.number_distribution import ExpectedNumbers  # late for cost
    from surveys.kinds.number.proposals import section_with_classes  # late for cost

    if numbers.low is None or numbers.high is None:
        raise RowRefused(remarks.ENDS_UNKNOWN)
    try:
        expected = ExpectedNumbers.uniform(NumberRange(numbers.low, numbers.high, numbers.step))
    except InputError as refusal:
        raise RowRefused(str(refusal)) from None
    classes = classes_for_shares(expected, USUAL_GAMMA, limits, mean=question.wanted == MEAN)
    return section_with_classes(NumberDraft(), question, classes)


def _read_or_propose_limits(text: str, numbers: Range) -> list[int]:
    limits = [_read_integer(each, "candor_limits") for each in _split_numbers(text, "candor_limits")]
    if not limits:
        return _propose_class_limits(numbers)
    for below, above in pairwise(limits):
        if above <= below:
            reason = _("candor_limits are not in ascending order: %(above)s comes after %(below)s")
            raise RowRefused(reason % {"above": above, "below": below})
    if len(limits) > MOST_LIMITS:
        raise RowRefused(_("a number has at most %(most)s limits") % {"most": MOST_LIMITS})
    low, high, step, *_rest = numbers
    outside = (low is not None and limits[0] <= low) or (high is not None and limits[-1] > high)
    if outside or any((limit - (low or 0)) % step for limit in limits):
        raise RowRefused(_("candor_limits lie above the lowest number, up to the highest, on its steps"))
    return limits


def _split_numbers(text: str, column: str, most: int = MOST_PIECES) -> list[str]:
    pieces = [each for each in re.split(r"[\s,;]", text[: LONGEST + 1]) if each]
    if len(text) > LONGEST or len(pieces) > most:
        raise RowRefused(_("%(about)s holds more than %(most)s numbers") % {"about": column, "most": most})
    return pieces


def propose_bands(
    low: str, high: str, compared: Sequence[Threshold]
) -> tuple[DraftBands, tuple[int | None, ...]]:
    """Returns proposed bands (ranges) for a number question, and its lowest and highest number if one is missing.

    `low`, `high`: both as written in a file of another format; empty if missing. `compared`: the numbers to which
    conditions compare it.
    """
    lowest = _read_integer(low, "min_num_value_n") if low else None
    highest = _read_integer(high, "max_num_value_n") if high else None
    numbers = Range(lowest, highest, 1)
    asks = numbers[:2] if None in numbers[:2] else ()
    try:
        return _bands(_fill_missing_ends(numbers, compared), compared), asks
    except InputError as refusal:
        raise RowRefused(str(refusal)) from None


def _propose_class_limits(numbers: Range) -> list[int]:
    """Returns proposed limits between the classes of a number, at round numbers inside its range."""
    low, high, step, *_rest = numbers
    if low is None or high is None:
        raise RowRefused(remarks.ENDS_UNKNOWN)
    if high - low < 2 * step:
        raise RowRefused(
            _("the ends leave no room for two limits; ask for one of several answers (select_one)")
        )
    from privacy.guarantee.best_number_classes import round_number_limits  # late for cost
    from surveys.kinds.number.proposals import SHARES_PROPOSED  # late for cost

    return list(round_number_limits(NumberRange(low, high - (high - low) % step, step), SHARES_PROPOSED))


def _read_range(columns: SheetColumns, row: SheetRow, number_type: str) -> Range:
    parameters = _read_parameters(columns.text(row, "parameters")) if number_type == RANGE else {}
    said = columns.text(row, "candor_step")
    step = _read_integer(said, "candor_step") if said else parameters.get("step", 1)
    if step < 1:
        raise RowRefused(_("candor_step is a whole number from 1 on"))
    said = columns.text(row, "constraint")
    low, high, codes, excluded = _read_constraint(said, step)
    low = parameters.get("start") if low is None else low
    high = parameters.get("end") if high is None else high
    outside = [
        code for code in codes if (low is not None and code < low) or (high is not None and code > high)
    ]
    return Range(low, high, step, tuple(outside), tuple(excluded), ANSWER in said)


def _read_parameters(text: str) -> dict[str, int]:
    if len(text) > LONGEST:
        raise RowRefused(_("parameters of a range are start, end and step, as in start=0 end=100 step=5"))
    parameters = {name: text for name, text in PARAMETER.findall(text.lower()) if name in PRESET}
    return PRESET | {name: _read_integer(text, name) for name, text in parameters.items()}


def _read_constraint(constraint: str, step: int) -> tuple[int | None, int | None, list[int], list[int]]:
    """Returns lowest number, highest number, accepted single codes and excluded numbers of a constraint."""
    if len(constraint) > LONGEST or constraint.count("(") != constraint.count(")"):
        raise RowRefused(remarks.CONSTRAINT_UNREAD)
    ends: dict[str, int | None] = {}
    codes: list[int] = []
    excluded: list[int] = []
    # One part has the ends, the others a code each. Then brackets around any of them change no end.
    for alternative in OR.split(constraint.replace("(", " ").replace(")", " ")) if constraint else ():
        if code := CODE.fullmatch(alternative.strip()):
            codes.append(_read_integer(code[1], "constraint"))
        elif ends:
            raise RowRefused(remarks.CONSTRAINT_UNREAD)
        else:
            ends, excluded = _read_bounds(alternative, step)
    if (codes or excluded or constraint) and not any(end is not None for end in ends.values()):
        raise RowRefused(remarks.CONSTRAINT_UNREAD)
    return ends.get("low"), ends.get("high"), codes, excluded


def _read_bounds(text: str, step: int) -> tuple[dict[str, int | None], list[int]]:
    """Returns the lowest and highest number in a constraint, and the excluded numbers.

    An end that depends on another answer is None.
    """
    ends: dict[str, int | None] = {}
    excluded: list[int] = []
    for part in AND.split(text):
        if other := EXCLUDED.fullmatch(part.strip()):
            excluded.append(_read_integer(other[1], "constraint"))
            continue
        sign, bound = _parse_bound(part.strip())
        end = "low" if sign.startswith(">") else "high"
        if not sign or end in ends:
            raise RowRefused(remarks.CONSTRAINT_UNREAD)
        beyond = 0 if sign.endswith("=") else step
        if bound.startswith(ANSWER):
            ends[end] = None
        else:
            at = _read_integer(bound, "constraint")
            ends[end] = at + beyond if end == "low" else at - beyond
    return ends, excluded


def _parse_bound(text: str) -> tuple[str, str]:
    """Returns sign and number of a comparison such as `. <= 7` or `7 >= .`; both empty if the text is no comparison."""
    if match := BOUND.fullmatch(text):
        return match[1], match[2]
    if match := TURNED.fullmatch(text):
        return OPPOSITE[match[2]], match[1]
    return "", ""


def _read_integer(text: str, column: str) -> int:
    if not WHOLE.fullmatch(text):
        reason = _(
            "%(about)s holds %(text)s; numbers here are whole, of up to ten digits. Ask in a smaller unit, such as"
            " cents, where decimals matter"
        )
        raise RowRefused(reason % {"about": column, "text": text})
    number = int(text.partition(".")[0])
    if abs(number) > FURTHEST:
        reason = _("%(about)s holds %(text)s; numbers lie between -%(most)s and %(most)s")
        raise RowRefused(reason % {"about": column, "text": text, "most": format_count(FURTHEST)})
    return number


def _read_yes_or_no(columns: SheetColumns, row: SheetRow, column: str) -> bool:
    said = columns.text(row, column).lower()
    if said not in ("", "yes", "no", "true", "false"):
        raise RowRefused(_("%(about)s is yes or no") % {"about": column})
    return said in ("yes", "true")


def describe_limits(rows: Iterable[NumberRow]) -> str:
    """Returns a text with the names of number questions and their proposed limits."""
    return "; ".join(f"{row.name} ({', '.join(map(str, row.proposed))})" for row in rows)


# --- writing


def number_cells(section: NumberDraft) -> dict[str, str]:
    """Returns the cells of a number's row, without those that the rows of all questions have."""
    question = section.question
    settings = {**question.law_settings_json(), **section.kind_settings_json()}
    wanted = settings.get("wanted")
    return {
        "type": "integer",
        "constraint": f". >= {question.low} and . <= {question.high}",
        "candor_step": str(question.step) if question.step != 1 else "",
        "candor_expected_quartiles": _cell_text(question.expected),
        **{f"candor_{key}": _cell_text(settings[key]) for key in ("keep", *LAW) if key in settings},
        "candor_mean": "yes" if wanted == MEAN else "",
        "candor_quantiles": "yes" if wanted == QUANTILES else "",
    }


def _cell_text(value: object) -> str:
    return " ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
