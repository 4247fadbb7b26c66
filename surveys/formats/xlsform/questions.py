"""Rows of the sheets survey and choices as the questions of a draft."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.utils.translation import gettext as _

from privacy.grammar.node import PARTS
from privacy.grammar.question import FORMS, YES_NO
from surveys.formats.faults import Fault
from surveys.formats.xlsform.columns import SheetColumns
from surveys.formats.xlsform.sheet_cells import RowRefused, probability
from surveys.formats.xlsform.workbook import Sheet, SheetRow

Node = dict[str, Any]
REFERENCE = "${"


class ListedChoice(NamedTuple):
    """A choice: its row, its name in the file, what candor_name says it is called here, its words."""

    row: SheetRow
    name: str
    exact: str
    label: dict[str, str]

    @property
    def called(self) -> str:
        return self.exact or self.name


Lists = Mapping[str, Sequence[ListedChoice]]


def read_lists(columns: SheetColumns, sheet: Sheet) -> tuple[Lists, list[Fault]]:
    lists: dict[str, list[ListedChoice]] = {}
    faults: list[Fault] = []
    for row in sheet.rows:
        of, name = columns.text(row, "list_name"), columns.text(row, "name")
        if not (of or name):
            continue
        if not of or not name:
            faults.append(row.fault(_("a choice needs list_name and name")))
            continue
        listed = lists.setdefault(of, [])
        if any(each.name == name for each in listed):
            faults.append(row.fault(_("two choices of this list are called %(name)s") % {"name": name}))
            continue
        label = columns.texts(row, "label")
        if any(REFERENCE in text for text in label.values()):
            faults.append(row.fault(no_references()))
        # Words that stand there for other tools only, since Candor would say the same by itself.
        preset = columns.text(row, "candor_preset").lower() == "yes"
        listed.append(ListedChoice(row, name, columns.text(row, "candor_name"), {} if preset else label))
    return lists, faults


def no_references() -> str:
    return _("repeats an earlier answer in its words (${…}); here every word is the same for everybody")


@dataclass(frozen=True)
class QuestionRow:
    """One row that asks: its questions, and what rules may say of them."""

    row: SheetRow
    name: str
    questions: list[Node]
    answers: dict[str, str]
    of_many: dict[str, str] | None
    choice_rows: list[SheetRow]


def asking(columns: SheetColumns, row: SheetRow, kind: str, listed: Sequence[ListedChoice]) -> QuestionRow:
    """`RowRefused` for what it cannot be."""
    name, common = common_of(columns, row)
    return (_many if kind == "many" else _one)(columns, row, name, common, listed)


def common_of(columns: SheetColumns, row: SheetRow) -> tuple[str, Node]:
    """The name in the file, and what every question has."""
    name = columns.text(row, "name")
    if not name:
        raise RowRefused(_("the question has no name"))
    text, hint, unit = (columns.texts(row, about) for about in ("label", "hint", "candor_unit"))
    if any(REFERENCE in words for words in (*text.values(), *hint.values(), *unit.values())):
        raise RowRefused(no_references())
    return name, {"name": columns.text(row, "candor_name") or name, "text": text, "help": hint, "show_if": {}}


def _one(
    columns: SheetColumns, row: SheetRow, name: str, common: Node, listed: Sequence[ListedChoice]
) -> QuestionRow:
    form = columns.text(row, "candor_form")
    if form and form not in FORMS:
        raise RowRefused(_("candor_form is one of %(forms)s") % {"forms": ", ".join(FORMS)})
    if not form:
        if {each.called for each in listed} == set(YES_NO):
            form, listed = "yes-no", sorted(listed, key=lambda each: YES_NO.index(each.called))
        else:
            form = "scale" if "likert" in columns.text(row, "appearance") else "one"
    question = {
        **common,
        "form": form,
        "choices": [{"name": each.called, "label": each.label} for each in listed],
    }
    if form == "many":
        question["of"] = columns.text(row, "candor_group")
    noise = columns.text(row, "candor_noise")
    if noise:
        question["noise"] = _noise(noise, [each.name for each in listed])
    answers = {each.name: each.called for each in listed}
    return QuestionRow(row, name, [question], answers, None, [each.row for each in listed])


def _many(
    columns: SheetColumns, row: SheetRow, name: str, common: Node, listed: Sequence[ListedChoice]
) -> QuestionRow:
    """A question of yes and no for each option, linked by the group's name."""
    group = common["name"]
    names = {each.name: each.exact or f"{group}-{each.name}" for each in listed}
    said = columns.text(row, "candor_noise")
    noise = _option_noise(said, list(names)) if said else {}
    questions = []
    for each in listed:
        choices = [{"name": "no", "label": {}}, {"name": "yes", "label": each.label}]
        question = {**common, "name": names[each.name], "form": "many", "of": group, "choices": choices}
        questions.append(question | ({"noise": noise[each.name]} if each.name in noise else {}))
    return QuestionRow(row, name, questions, {}, names, [each.row for each in listed])


def _noise(written: str, names: Sequence[str]) -> list[str]:
    """By name, no=0.4 yes=0.6; or of a question of yes and no, how often chance says yes."""
    if (alone := probability(written)) and tuple(names) == YES_NO:
        return _of_yes(alone)
    by_name = _by_name(written, names)
    if set(by_name) != set(names):
        raise RowRefused(_("candor_noise gives a probability to each choice, as in no=0.4 yes=0.6"))
    return [by_name[name] for name in names]


def _option_noise(written: str, names: Sequence[str]) -> dict[str, list[str]]:
    """How often chance says yes: one number for all options, or by name."""
    if alone := probability(written):
        return {name: _of_yes(alone) for name in names}
    return {name: _of_yes(yes) for name, yes in _by_name(written, names).items()}


def _of_yes(yes: str) -> list[str]:
    no = PARTS - int(yes[2:])
    return [f"{no // PARTS}.{no % PARTS:04d}", yes]


def _by_name(written: str, names: Sequence[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for pair in re.split(r"[\s,;]+", written):
        name, _sign, number = pair.rpartition("=")
        share = probability(number)
        if name not in names or name in found or share is None:
            reason = _(
                "candor_noise holds %(pair)s; it takes a choice, = and a probability, as in no=0.4 yes=0.6"
            )
            raise RowRefused(reason % {"pair": pair})
        found[name] = share
    return found
