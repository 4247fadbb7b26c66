"""From a draft to an XLSForm that every tool for them reads, and that reads back here as the same draft."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from django.utils.translation import gettext as _

from importing.faults import Fault, FileRefused
from importing.xlsform import numbers, start_page
from importing.xlsform.columns import RANDOMIZE
from importing.xlsform.names import SAFE_CHOICE, SAFE_NAME, language_column, safe
from importing.xlsform.questions import REFERENCE, SHORT_LABEL
from importing.xlsform.sections import PLAIN, SENSITIVE
from importing.xlsform.workbook import LONGEST_CELL, written as written_workbook
from privacy.grammar.input_error import InputError
from privacy.grammar.question import YES_NO
from privacy.kinds.presentation import ORDER, RANDOM
from surveys import shipped_words
from surveys.kinds.number.draft import NumberDraft, is_number_section
from surveys.questionnaire.draft_question import DraftQuestion, Words
from surveys.questionnaire.number_bands import takes_number
from surveys.questionnaire.problems_and_refusals import path_in_words, reason_text
from surveys.questionnaire.question_blocks import Block, blocks_of_section, is_group_of_options
from surveys.questionnaire.questionnaire import Questionnaire
from surveys.questionnaire.sentence_texts import NO_SENTENCE_TEXTS, SentenceTexts

Cells = dict[str, str]
OURS = ("section", "keep", "asked", "noise", "role", "form", "group", "name")
OF_NUMBERS = (
    *("limits", "cuts", "rest", "keep_rest", "mean", "quantiles"),
    *("step", "window", "uniform", "expected_quartiles"),
)


class _ListRow(NamedTuple):
    """A choice as a list has it. `exact` is its name in the draft where the file's differs."""

    name: str
    exact: str
    label: Words


def written(draft: Questionnaire, form_id: str = "candor") -> bytes:
    """Without what it has no words for (`dropped`); `FileRefused` names what it could hold, but not as it stands."""
    faults = list(_too_much(draft))
    writer = _Writer(draft)
    survey = list(writer.survey())
    if faults or writer.faults:
        raise FileRefused([*faults, *writer.faults])
    if writer.left_out and not survey:
        raise FileRefused(writer.left_out)
    sheets = {
        "survey": _table(survey, writer.survey_columns()),
        "choices": _table(writer.choices, writer.choice_columns()),
        "settings": start_page.written(draft, form_id),
    }
    return written_workbook(sheets)


def dropped(draft: Questionnaire) -> list[str]:
    """What of the draft the spreadsheet does not hold, in words."""
    writer = _Writer(draft)
    list(writer.survey())
    dropped_parts = [f"{path_in_words(location)}: {reason}" for location, reason in writer.left_out]
    if draft.phrases:
        dropped_parts.append(_("your translations of the fixed sentences"))
    if any(section.preset for section in draft.sections):
        dropped_parts.append(_("which preset of protection a section follows; its numbers are kept"))
    if any(section.is_lasting for section in draft.sections):
        dropped_parts.append(_("that a disguise lasts over all rounds"))
    if SentenceTexts.from_draft(draft.as_json()) != NO_SENTENCE_TEXTS:
        dropped_parts.append(_("what reports say of an answer in a sentence"))
    if draft.quotas:
        dropped_parts.append(_("the quotas"))
    return dropped_parts


def _table(rows: Sequence[Cells], columns: Sequence[str]) -> Iterator[Sequence[str]]:
    yield columns
    yield from ([row.get(column, "") for column in columns] for row in rows)


def _too_much(draft: Questionnaire) -> Iterator[Fault]:
    for path, text in _texts(draft.as_json(), ""):
        if len(text) > LONGEST_CELL:
            yield Fault(path, _("is longer than a cell of a spreadsheet can be"))
        elif REFERENCE in text and path.startswith("sections"):
            yield Fault(path, _("holds ${, which XLSForm takes for an earlier answer"))


def _texts(node: object, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(node, str):
        yield path, node
    elif isinstance(node, Mapping):
        for key, each in node.items():
            yield from _texts(each, f"{path}.{key}" if path else str(key))
    elif isinstance(node, list):
        for number, each in enumerate(node):
            yield from _texts(each, f"{path}[{number}]")


def _said(about: str, words: Mapping[str, str]) -> Cells:
    return {f"{about}::{language_column(code)}": text for code, text in words.items()}


def _exact(exact: str, written_name: str) -> str:
    """The name in the draft, where the file has another one."""
    return exact if exact != written_name else ""


def _shared(option: DraftQuestion) -> tuple[object, ...]:
    """What must be equal in all options of a question of several, so that one row can express it."""
    return option.text, option.label, option.help, option.show_if, option.role


class _Writer:
    """Goes down the draft once; what is above a question is known when its rule is written."""

    def __init__(self, draft: Questionnaire) -> None:
        self._draft, self._languages = draft, draft.languages
        self.choices: list[Cells] = []
        self.faults: list[Fault] = []
        self.left_out: list[Fault] = []
        self._lists: dict[str, str] = {}
        self._said: dict[tuple[str, str], str] = {}
        every = list(draft.all_questions)
        self._asked_for_no = {
            name for each in every for name, allowed in each.show_if.items() if "no" in allowed
        }
        self._has_numbers = any(map(is_number_section, draft.sections))
        self._has_bands = any(each.takes_number for each in every)
        self._has_order = any(section.random_order for section in draft.sections)
        self._has_none = any(each.none for each in every)
        self._has_labels = any(each.label for each in every)
        self._has_shuffled = any(each.shuffled for each in every)
        wishes = {f"section {number}": f"section_{number}" for number in range(1, len(draft.sections) + 1)}
        for section in draft.sections:
            for block in () if section.xlsform_obstacle else blocks_of_section(section):
                many = self._is_one_row(block)
                wishes |= {self._key(each, many): each.of if many else each.name for each in block}
        self._names = safe(wishes, SAFE_NAME, "q")

    def _key(self, question: DraftQuestion, many: bool) -> str:
        """No question can be called so, since = is in no name."""
        return f"of={question.of}" if many else f"name={question.name}"

    def _is_one_row(self, block: Block) -> bool:
        """Whether select_multiple can say it: options that differ in nothing but their words and their noise."""
        if not is_group_of_options(block):
            return False
        first = block[0]
        alike = all(_shared(each) == _shared(first) for each in block)
        plainly_no = all(not each.choices[0].label for each in block)
        # XLSForm cannot tell an option left out from a question that was not shown.
        unclear = bool(first.show_if) and any(each.name in self._asked_for_no for each in block)
        return alike and plainly_no and not unclear

    def survey_columns(self) -> list[str]:
        more = {
            SHORT_LABEL: self._has_labels,
            "candor_unit": self._has_numbers or self._has_bands,
            "candor_none": self._has_none,
        }
        texts = ("label", "hint", *(about for about, is_used in more.items() if is_used))
        said = [f"{about}::{language_column(code)}" for about in texts for code in self._languages]
        constraint, ours = (["constraint"], (*OURS, *OF_NUMBERS)) if self._has_numbers else ([], OURS)
        ours = (*ours, ORDER) if self._has_order else ours
        ours = (*ours, "number") if self._has_bands else ours
        return [
            "type",
            "name",
            *said,
            "required",
            "relevant",
            *constraint,
            *(["parameters"] if self._has_shuffled else []),
            *(f"candor_{each}" for each in ours),
        ]

    def choice_columns(self) -> list[str]:
        said = [f"label::{language_column(code)}" for code in self._languages]
        return ["list_name", "name", *said, "candor_name", "candor_preset"]

    def survey(self) -> Iterator[Cells]:
        for number, section in enumerate(self._draft.sections):
            name, words = self._names[f"section {number + 1}"], _said("label", section.intro)
            if is_number_section(section):
                if words:
                    yield {"type": "note", "name": name, **words}
                yield from self._number(section, f"sections[{number}]")
            elif section.xlsform_obstacle:
                self.left_out.append(Fault(f"sections[{number}]", section.xlsform_obstacle))
            else:
                settings = {
                    f"candor_{key}": str(value) for key, value in section.kind_settings_json().items()
                }
                yield {
                    "type": "begin_group",
                    "name": name,
                    "candor_section": SENSITIVE if section.sensitive else PLAIN,
                    f"candor_{ORDER}": RANDOM if section.random_order else "",
                    **settings,
                    **words,
                }
                for block in blocks_of_section(section):
                    yield from self._rows(block, not section.sensitive)
                yield {"type": "end_group"}

    def _number(self, section: NumberDraft, path: str) -> Iterator[Cells]:
        """The row of a number; nothing where it is not finished, since no file could give it back."""
        try:
            section.as_design_section()
        except InputError as refusal:
            self.left_out.append(Fault(path, reason_text(refusal)))
            return
        question = section.question
        name = self._names[self._key(question, False)]
        yield {
            "name": name,
            "candor_name": _exact(question.name, name),
            **numbers.cells(section),
            **self._common(question),
            **_said("candor_unit", question.unit),
        }

    def _rows(self, block: Block, plain: bool) -> Iterator[Cells]:
        if self._is_one_row(block):
            yield self._many(block, plain)
        else:
            yield from (self._one(each, plain) for each in block)

    def _one(self, question: DraftQuestion, plain: bool) -> Cells:
        name, choices = self._names[self._key(question, False)], question.choice_names
        called = safe(dict(zip(choices, choices, strict=True)), SAFE_CHOICE, "c")
        rows = [
            _ListRow(called[each.name], _exact(each.name, called[each.name]), each.label)
            for each in question.choices
        ]
        inferred = "yes-no" if set(choices) == set(YES_NO) else "one"
        cells = {
            "type": f"select_one {self._list(name, rows, question)}",
            "name": name,
            "candor_name": _exact(question.name, name),
            "candor_form": question.form if question.form != inferred else "",
            "candor_group": question.of,
            "candor_noise": " ".join(
                f"{called[choice]}={noise}" for choice, noise in zip(choices, question.noise, strict=False)
            ),
        }
        cells |= self._common(question)
        if takes_number(question):
            bands = question.number
            numbers = (bands.low, bands.high, bands.step, *bands.limits)
            cells |= {"candor_number": " ".join(map(str, numbers)), **_said("candor_unit", bands.unit)}
        if plain:
            self._said |= {(question.name, each): f"${{{name}}} = '{called[each]}'" for each in called}
        return cells

    def _many(self, block: Block, plain: bool) -> Cells:
        name, group = self._names[self._key(block[0], True)], block[0].of
        called = safe({each.name: each.name.removeprefix(f"{group}-") for each in block}, SAFE_CHOICE, "c")
        rows = [
            _ListRow(
                called[each.name],
                _exact(each.name, f"{group}-{called[each.name]}"),
                each.choices[1].label,
            )
            for each in block
        ]
        cells = {
            "type": f"select_multiple {self._list(name, rows, block[0])}",
            "name": name,
            "candor_name": _exact(group, name),
            "candor_noise": " ".join(f"{called[each.name]}={each.noise[1]}" for each in block if each.noise),
        }
        cells |= self._common(block[0])
        if plain:
            for option, choice in called.items():
                yes = f"selected(${{{name}}}, '{choice}')"
                self._said |= {(option, "yes"): yes, (option, "no"): f"not({yes})"}
        return cells

    def _common(self, question: DraftQuestion) -> Cells:
        return {
            "required": "yes",
            "relevant": self._relevant(question),
            **_said("label", question.text),
            **_said("hint", question.help),
            **_said(SHORT_LABEL, question.label),
            **_said("candor_none", question.none),
            "parameters": RANDOMIZE if question.shuffled else "",
            "candor_role": question.role if question.role == "quasi" else "",
        }

    def _list(self, name: str, rows: Sequence[_ListRow], question: DraftQuestion) -> str:
        """The name of the list with these choices; questions with the same choices share it."""
        if not rows:
            self.faults.append(Fault(question.name, _("has no choices yet")))
        key = json.dumps(rows, sort_keys=True)
        if key not in self._lists:
            self._lists[key] = name
            for row in rows:
                words = row.label or self._preset(row.exact or row.name)
                named = {"list_name": name, "name": row.name, "candor_name": row.exact}
                preset = "" if row.label else "yes"
                self.choices.append({**named, **_said("label", words), "candor_preset": preset})
        return self._lists[key]

    def _preset(self, name: str) -> dict[str, str]:
        """The label of a choice without one: Yes and No in our languages, else its name."""
        words = {"yes": shipped_words.YES, "no": shipped_words.NO}.get(name)
        known = shipped_words.words_in_languages(words, self._languages) if words else {}
        return {code: known.get(code, str(words or name)) for code in self._languages}

    def _relevant(self, question: DraftQuestion) -> str:
        parts = []
        for name, allowed in question.show_if.items():
            asks = [self._said.get((name, choice), "") for choice in allowed]
            if not asks or not all(asks):
                reason = _("its rule on %(name)s is broken; mend it first") % {"name": name}
                self.faults.append(Fault(question.name, reason))
            parts.append(" or ".join(asks) if len(asks) == 1 else f"({' or '.join(asks)})")
        return " and ".join(parts)
