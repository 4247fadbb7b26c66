"""Reads questions with choices from the sheets survey and choices of an XLSForm."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from django.utils.translation import gettext as _

from importing import remarks
from importing.condition_tokens import with_straight_quotes
from importing.faults import RowRefused
from importing.import_result import CHANGED, ImportedRow, left_out_row, shorten
from importing.row_outcome_collector import ImportLog
from importing.show_if_conditions import NONE_OF_THEM
from importing.xlsform.sheet_columns import RANDOMIZE, SheetColumns, media_remarks, parse_probability
from importing.xlsform.workbook import Sheet, SheetRow
from privacy.designs.labels import shorten_text
from privacy.grammar.json_node import PARTS
from privacy.grammar.question import FORMS, YES_NO
from privacy.grammar.question_reading import MOST_LABEL, RESERVED_CHOICES
from surveys import default_draft_texts
from surveys.questionnaire.draft_question import OPTION, Choice, DraftQuestion
from surveys.questionnaire.draft_section import set_answer_order
from surveys.questionnaire.value_normalization import UniqueNames, normal_name

Node = dict[str, Any]
REFERENCE = "${"
OTHER = "other"
SHORT_LABEL = "candor_label"
LONGEST_EXCLUDING = LONGEST_FILTER = 200
MOST_CASES = 60
"""Highest number of questions into which one question with a choice_filter is split."""
AND = re.compile(r"\band\b")
FILTER = re.compile(
    r"([\w.-]{1,60})\s{0,9}=\s{0,9}\$\{([^{}]{1,60})\}|\$\{([^{}]{1,60})\}\s{0,9}=\s{0,9}([\w.-]{1,60})"
)
"""Pattern of a test that a column of the choices equals an earlier answer."""
SELECTED = re.compile(r"selected\(\.,'([^']{1,60})'\)")
ALONE, MORE = (
    re.compile(r"count-selected\(\.\)(?:=1|<2|<=1)"),
    re.compile(r"count-selected\(\.\)(?:>1|>=2|!=1)"),
)
EXCLUDES = frozenset(
    {
        *("not(noneandmore)", "not(moreandnone)", "notnoneoralone", "aloneornotnone", "(notnone)oralone"),
        *("(noneandalone)ornotnone", "notnoneor(noneandalone)", "if(none,alone,true())", "notnoneor(alone)"),
        *("(alone)ornotnone", "aloneor(notnone)", "(notnone)or(alone)", "(alone)or(notnone)"),
    }
)
"""Constraints by which a choice excludes all others, in simplified form."""


class ListedChoice(NamedTuple):
    """A choice of a list.

    `row`: its row, None for an added choice. `name`: its name in the file. `called`: its name in the draft.
    `exact`: its name in the column candor_name. `label`: its text by language.
    """

    row: SheetRow | None
    name: str
    called: str
    exact: str
    label: dict[str, str]


Lists = Mapping[str, Sequence[ListedChoice]]


def read_lists(columns: SheetColumns, sheet: Sheet) -> tuple[Lists, list[ImportedRow]]:
    """Returns the lists of choices by name, and the rows of the sheet choices that have remarks."""
    reader = _ChoiceReader(columns)
    for row in sheet.rows:
        reader.read(row)
    return reader.lists, reader.said


class _ChoiceReader:
    """Reads the sheet choices row by row."""

    def __init__(self, columns: SheetColumns) -> None:
        self._columns = columns
        self._names: dict[str, UniqueNames] = {}
        self.lists: dict[str, list[ListedChoice]] = {}
        self.said: list[ImportedRow] = []

    def read(self, row: SheetRow) -> None:
        list_name, label = self._columns.text(row, "list_name"), self._columns.texts(row, "label")
        named = self._columns.text(row, "name")
        name = named or next(iter(label.values()), "")
        if not name:
            return
        words = next(iter(label.values()), name)
        if not list_name:
            self.said.append(left_out_row(row.fault(_("a choice needs list_name")), words))
            return
        listed = self.lists.setdefault(list_name, [])
        copies = [each for each in listed if each.name == name and each.label == label]
        if any(each.row and each.row.cells == row.cells for each in copies):
            reason = _("two choices of this list are called %(name)s") % {"name": name}
            self.said.append(left_out_row(row.fault(reason), words))
            return
        exact = self._columns.text(row, "candor_name")
        if copies:
            # The same choice below another answer of an earlier question (choice_filter).
            listed.append(copies[0]._replace(row=row))
            return
        unique = self._names.setdefault(list_name, UniqueNames(RESERVED_CHOICES))
        called = unique.make_unique(normal_name(exact or name) or "1")
        # Words that stand there for other tools only, since Candor would say the same by itself.
        preset = self._columns.text(row, "candor_preset").lower() == "yes"
        has_words = bool(label) or preset or called in YES_NO
        renamed = called != (exact or name)
        if remarks := list(self._choice_remarks(row, named, called if renamed else "", has_words)):
            self.said.append(ImportedRow(row.location, shorten(words), CHANGED, tuple(remarks)))
        listed.append(ListedChoice(row, name, called, exact, {} if preset else label))

    def _choice_remarks(
        self, row: SheetRow, name_in_file: str, renamed: str, has_words: bool
    ) -> Iterator[str]:
        """Yields the remarks on a row of the sheet choices.

        `name_in_file`: the name of the choice in the file. `renamed`: its new name in the draft, empty if it is
        unchanged.
        """
        yield from self._columns.remarks_on_changed_words(row, "label")
        yield from media_remarks(self._columns, row)
        if not has_words:
            yield str(remarks.NO_TEXT)
        if not name_in_file:
            yield _("It has no name in the form.")
        if renamed:
            yield _("It is called %(name)s here.") % {"name": renamed}


def distinct_choices(listed: Sequence[ListedChoice]) -> list[ListedChoice]:
    """Returns the choices of a list without repetitions of a name."""
    distinct: dict[str, ListedChoice] = {}
    for each in listed:
        distinct.setdefault(each.called, each)
    return list(distinct.values())


def choices_by_filter_condition(
    choice_filter: str, listed: Sequence[ListedChoice]
) -> dict[str, list[ListedChoice]]:
    """Returns the choices that a choice_filter offers, by the condition under which it offers them.

    Empty if the filter contains anything but comparisons of columns with earlier answers, as in region=${region}.
    """
    terms = [FILTER.fullmatch(term.strip()) for term in AND.split(choice_filter[:LONGEST_FILTER])]
    cases: dict[str, list[ListedChoice]] = {}
    if len(choice_filter) > LONGEST_FILTER or not all(terms):
        return {}
    pairs = [(term[1] or term[4], term[2] or term[3]) for term in terms if term]
    for each in listed:
        values = [each.row.get(column) if each.row else "" for column, _question in pairs]
        if any("'" in value for value in values) or len(cases) > MOST_CASES:
            return {}
        if all(values):
            tests = (f"${{{asked}}} = '{value}'" for (_c, asked), value in zip(pairs, values, strict=True))
            cases.setdefault(" and ".join(tests), []).append(each)
    return cases


def add_other_choice(listed: Sequence[ListedChoice], languages: Sequence[str]) -> list[ListedChoice]:
    """Returns the list with a choice "other" added, unless the list has one."""
    if any(each.name == OTHER for each in listed):
        return list(listed)
    label = default_draft_texts.shipped_words_by_language(default_draft_texts.SOMETHING_ELSE, languages)
    return [*listed, ListedChoice(None, OTHER, OTHER, "", label)]


@dataclass(frozen=True)
class QuestionRow:
    """The questions made from one row, with the data that conditions on them need.

    `answers`: the draft's choices by name in the file. `of_many`: questions by option, if the row allows
    several options.
    """

    row: SheetRow
    name: str
    questions: list[DraftQuestion]
    answers: dict[str, list[str]]
    of_many: dict[str, list[str]] | None


def read_choice_question(
    columns: SheetColumns,
    row: SheetRow,
    kind: str,
    listed: Sequence[ListedChoice],
    log: ImportLog,
    excluding_choice: ListedChoice | None = None,
    case: str = "",
) -> QuestionRow:
    """Returns the questions of a row; raises `RowRefused` if the row cannot be imported.

    `excluding_choice`: an option that excludes all others; it becomes the group's answer *none*. `case`:
    suffix for the name of a question that is asked of people with certain earlier answers.
    """
    name, common = question_name_and_members(columns, row)
    common["name"] += case
    if kind != "many":
        return _single_choice_row(columns, row, name, common, listed, log)
    none = excluding_choice.label if excluding_choice else columns.texts(row, "candor_none")
    options = [each for each in listed if each is not excluding_choice]
    return _multiple_choice_row(columns, row, name, common, options, log, none)


def question_name_and_members(columns: SheetColumns, row: SheetRow) -> tuple[str, Node]:
    """Returns the question's name in the file, and the JSON members that every question made from the row has.

    The member `name` is the text of the column candor_name, else the name in the file; it may not be unique yet.
    """
    name = columns.text(row, "name")
    text, hint = columns.texts(row, "label"), columns.texts(row, "hint")
    label = {code: shorten_text(said, MOST_LABEL) for code, said in columns.texts(row, SHORT_LABEL).items()}
    wish = columns.text(row, "candor_name") or name
    return name, {
        "name": wish,
        "text": text,
        "help": hint,
        "show_if": {},
        **({"label": label} if label else {}),
    }


def fallback_name(row: SheetRow) -> str:
    """Returns the name for a question whose row has none."""
    return f"q{row.number}"


def _single_choice_row(
    columns: SheetColumns,
    row: SheetRow,
    name: str,
    common: Node,
    listed: Sequence[ListedChoice],
    log: ImportLog,
) -> QuestionRow:
    """Returns the single question of a row that allows one answer."""
    form = columns.text(row, "candor_form")
    if form and form not in FORMS:
        raise RowRefused(_("candor_form is one of %(forms)s") % {"forms": ", ".join(FORMS)})
    if not form:
        in_file = tuple(each.called for each in listed)
        # Yes and no have no other order than ours; with words of its own, an order of the file is kept.
        keeps_order = in_file == YES_NO or not all(each.label for each in listed)
        if set(in_file) == set(YES_NO) and keeps_order:
            form, listed = "yes-no", sorted(listed, key=lambda each: YES_NO.index(each.called))
        else:
            form = "scale" if "likert" in columns.text(row, "appearance") else "one"
    question = DraftQuestion(
        **{**common, "name": log.unique_question_name(common["name"], fallback_name(row))},
        form=form,
        choices=tuple(Choice(each.called, each.label) for each in listed),
    )
    if form == OPTION:
        none = columns.texts(row, "candor_none")
        question = replace(question, of=columns.text(row, "candor_group"), none=none)
    if noise := columns.text(row, "candor_noise"):
        question = replace(question, noise=_read_noise(noise, [each.name for each in listed]))
    answers = _group_by_name((each.name, each.called) for each in listed)
    return QuestionRow(row, name, _with_random_order_if_asked([question], columns, row), answers, None)


def _multiple_choice_row(
    columns: SheetColumns,
    row: SheetRow,
    name: str,
    common: Node,
    listed: Sequence[ListedChoice],
    log: ImportLog,
    none: dict[str, str],
) -> QuestionRow:
    """Returns a yes-no question for each option, linked by the name of the group."""
    group = log.unique_group_name(common["name"], fallback_name(row))
    keys: list[str] = []
    for each in listed:
        keys.append(each.called if each.name in keys else each.name)
    wishes = {key: each.exact or f"{group}-{key}" for key, each in zip(keys, listed, strict=True)}
    names = {option: log.unique_question_name(wish, fallback_name(row)) for option, wish in wishes.items()}
    said = columns.text(row, "candor_noise")
    noise = _read_random_no_and_yes(said, list(names)) if said else {}
    questions = [
        DraftQuestion(
            **{**common, "name": names[key]},
            form=OPTION,
            of=group,
            choices=(Choice("no"), Choice("yes", each.label)),
            none={} if number else none,
            noise=noise.get(key, ()),
        )
        for number, (key, each) in enumerate(zip(keys, listed, strict=True))
    ]
    of_many = _group_by_name((each.name, names[key]) for key, each in zip(keys, listed, strict=True))
    of_many |= {NONE_OF_THEM: []} if none else {}
    return QuestionRow(row, name, _with_random_order_if_asked(questions, columns, row), {}, of_many)


def _group_by_name(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    named: dict[str, list[str]] = {}
    for name, called in pairs:
        named.setdefault(name, []).append(called)
    return named


def excluding_option(constraint: str, listed: Sequence[ListedChoice]) -> ListedChoice | None:
    """Returns the option that excludes all others by the constraint, as in not(selected(., 'none') and
    count-selected(.) > 1)."""
    straight = with_straight_quotes(constraint[:LONGEST_EXCLUDING])
    text = re.sub(r"\s", "", straight).lower().replace('"', "'")
    names = set(SELECTED.findall(text))
    form = MORE.sub("more", ALONE.sub("alone", SELECTED.sub("none", text))).replace("(none)", "none")
    if len(constraint) > LONGEST_EXCLUDING or form not in EXCLUDES or len(names) != 1 or len(listed) < 3:
        return None
    matching = [each for each in listed if {each.name.lower()} == names and each.label]
    return matching[0] if len(matching) == 1 else None


def _with_random_order_if_asked(
    block: list[DraftQuestion], columns: SheetColumns, row: SheetRow
) -> list[DraftQuestion]:
    """Returns the questions of `block` with shuffled answers, if the row asks for a random order.

    Answers with a natural order keep it.
    """
    wanted = RANDOMIZE in columns.text(row, "parameters").lower().split()
    return set_answer_order(block, wanted) if block else block


def _read_noise(text: str, names: Sequence[str]) -> tuple[str, ...]:
    """Returns the noise in a cell: the probability of each choice in a random answer, as in no=0.4 yes=0.6.

    A yes-no question may have a single number, for yes.
    """
    if (alone := parse_probability(text)) and set(names) == set(YES_NO):
        by_name = dict(zip(YES_NO, _noise_from_yes(alone), strict=True))
        return tuple(by_name[name] for name in names)
    by_name = _probabilities_by_name(text, names)
    if set(by_name) != set(names):
        raise RowRefused(_("candor_noise gives a probability to each choice, as in no=0.4 yes=0.6"))
    return tuple(by_name[name] for name in names)


def _read_random_no_and_yes(text: str, names: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Returns the probabilities of a random no and yes for each option.

    The cell contains one number for all options, or numbers by name.
    """
    if alone := parse_probability(text):
        return {name: _noise_from_yes(alone) for name in names}
    return {name: _noise_from_yes(yes) for name, yes in _probabilities_by_name(text, names).items()}


def _noise_from_yes(yes_probability: str) -> tuple[str, str]:
    """Returns the probabilities of a random no and yes, each with four decimals."""
    no = PARTS - int(yes_probability[2:])
    return f"{no // PARTS}.{no % PARTS:04d}", yes_probability


def _probabilities_by_name(text: str, names: Sequence[str]) -> dict[str, str]:
    """Returns the probabilities in a text by name of the choice, as in no=0.4 yes=0.6."""
    shares: dict[str, str] = {}
    for pair in re.split(r"[\s,;]+", text):
        name, _sign, number = pair.rpartition("=")
        share = parse_probability(number)
        if name not in names or name in shares or share is None:
            reason = _(
                "candor_noise holds %(pair)s; it takes a choice, = and a probability, as in no=0.4 yes=0.6"
            )
            raise RowRefused(reason % {"pair": pair})
        shares[name] = share
    return shares
