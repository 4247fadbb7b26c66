"""Writes a draft as an XLSForm that other tools can read, and that Candor reads back without changes."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from django.utils.translation import gettext as _

from importing.faults import Fault, FileRefused
from importing.xlsform import number_questions, settings_sheet
from importing.xlsform.allowed_names import SAFE_CHOICE, SAFE_NAME, choose_names, language_header
from importing.xlsform.choice_questions import REFERENCE, SHORT_LABEL
from importing.xlsform.section_marks import PLAIN, SENSITIVE
from importing.xlsform.sheet_columns import RANDOMIZE
from importing.xlsform.workbook import LONGEST_CELL, write as written_workbook
from privacy.grammar.input_error import InputError
from privacy.grammar.question import DRAWN, YES_NO
from privacy.kinds.section_intro_and_random_order import ORDER, RANDOM
from surveys import default_draft_texts
from surveys.kinds.number.draft import NumberDraft, is_number_section
from surveys.phrases.text_as_seen import texts_with_paths
from surveys.questionnaire.draft_question import DraftQuestion, Words
from surveys.questionnaire.plain_number_bands import takes_number
from surveys.questionnaire.problems_and_refusals import path_in_words, reason_text
from surveys.questionnaire.question_block_editing import Block, blocks_of_section, is_group_of_options
from surveys.questionnaire.questionnaire import Questionnaire
from surveys.questionnaire.report_sentence_texts import NO_SENTENCE_TEXTS, SentenceTexts

Cells = dict[str, str]
OURS = ("section", "keep", "asked", "noise", "role", "form", "group", "name")
OF_NUMBERS = (
    *("limits", "cuts", "rest", "keep_rest", "mean", "quantiles"),
    *("step", "window", "uniform", "expected_quartiles"),
)


class _ListRow(NamedTuple):
    """A choice in a list. `exact`: its name in the draft, if the name in the file is different."""

    name: str
    exact: str
    label: Words


def write(draft: Questionnaire, form_id: str = "candor") -> bytes:
    """Returns the draft as an XLSForm, without the parts that the format cannot express (`unsupported_parts`)."""
    return written_workbook(make_sheets(draft, form_id))


def make_sheets(draft: Questionnaire, form_id: str = "candor") -> dict[str, Iterable[Sequence[str]]]:
    """Returns the sheets of the draft's XLSForm by name.

    Raises `FileRefused` with the parts that must be changed before they can be written, or if nothing remains.
    """
    faults = list(_cell_faults(draft))
    writer = _Writer(draft)
    survey = list(writer.survey_rows())
    if faults or writer.faults:
        raise FileRefused([*faults, *writer.faults])
    if writer.left_out and not survey:
        raise FileRefused(writer.left_out)
    return {
        "survey": _sheet_lines(survey, writer.survey_columns()),
        "choices": _sheet_lines(writer.choices, writer.choice_columns()),
        "settings": settings_sheet.write(draft, form_id),
    }


def unsupported_parts(draft: Questionnaire) -> list[str]:
    """Returns descriptions of the parts of the draft that its XLSForm does not contain."""
    writer = _Writer(draft)
    list(writer.survey_rows())
    dropped_parts = [f"{path_in_words(location)}: {reason}" for location, reason in writer.left_out]
    sections, questions = draft.sections, list(draft.all_questions)
    texts = SentenceTexts.from_draft(draft.as_json())
    may_be_dropped = {
        _("your translations of the fixed sentences"): draft.phrases,
        _("which preset of protection a section follows; its numbers are kept"): any(
            section.preset for section in sections
        ),
        _("that a disguise lasts over all rounds"): any(section.is_lasting for section in sections),
        _("what reports say of an answer in a sentence"): texts != NO_SENTENCE_TEXTS,
        _("the quotas"): draft.quotas,
        _("that some people are asked directly"): draft.direct,
        _("that each person is asked in one of several rounds"): draft.rounds,
        _("which survey is asked again"): draft.follows,
        _("the hypotheses"): draft.plan,
        _("the check of understanding"): draft.understanding,
        _("the sites that may show the survey"): draft.sites,
        _("questions that the device draws"): any(question.form == DRAWN for question in questions),
        _("which questions are control items"): any(question.known for question in questions),
    }
    return dropped_parts + [part for part, is_used in may_be_dropped.items() if is_used]


def _sheet_lines(rows: Sequence[Cells], columns: Sequence[str]) -> Iterator[Sequence[str]]:
    yield columns
    yield from ([row.get(column, "") for column in columns] for row in rows)


def _cell_faults(draft: Questionnaire) -> Iterator[Fault]:
    """Yields faults for texts that no cell can contain: too long ones, and those with ${."""
    for path, text in texts_with_paths(draft.as_json()):
        if len(text) > LONGEST_CELL:
            yield Fault(path, _("is longer than a cell of a spreadsheet can be"))
        elif REFERENCE in text and path.startswith("sections"):
            yield Fault(path, _("holds ${, which XLSForm takes for an earlier answer"))


def _text_cells(column: str, words: Mapping[str, str]) -> Cells:
    return {f"{column}::{language_header(code)}": text for code, text in words.items()}


def _name_if_changed(exact: str, written_name: str) -> str:
    """Returns the name in the draft if the name in the file is different, else an empty text."""
    return exact if exact != written_name else ""


def _values_shared_by_options(option: DraftQuestion) -> tuple[object, ...]:
    """Returns the values that all options of a question must share so that one row can express it."""
    return option.text, option.label, option.help, option.show_if, option.role


class _Writer:
    """Writes the draft in one pass; a condition can name only questions written before."""

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
                many = self._fits_in_one_row(block)
                wishes |= {self._name_key(each, many): each.of if many else each.name for each in block}
        self._names = choose_names(wishes, SAFE_NAME, "q")

    def _name_key(self, question: DraftQuestion, many: bool) -> str:
        """Returns the key of a question in the table of names; it contains =, so that it differs from every name."""
        return f"of={question.of}" if many else f"name={question.name}"

    def _fits_in_one_row(self, block: Block) -> bool:
        """True if one select_multiple row can express the block: its options share everything but their
        labels and noise."""
        if not is_group_of_options(block):
            return False
        first = block[0]
        alike = all(_values_shared_by_options(each) == _values_shared_by_options(first) for each in block)
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
        said = [f"{about}::{language_header(code)}" for about in texts for code in self._languages]
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
        said = [f"label::{language_header(code)}" for code in self._languages]
        return ["list_name", "name", *said, "candor_name", "candor_preset"]

    def survey_rows(self) -> Iterator[Cells]:
        for number, section in enumerate(self._draft.sections):
            name, words = self._names[f"section {number + 1}"], _text_cells("label", section.intro)
            if is_number_section(section):
                if words:
                    yield {"type": "note", "name": name, **words}
                yield from self._number_row(section, f"sections[{number}]")
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
                    yield from self._block_rows(block, not section.sensitive)
                yield {"type": "end_group"}

    def _number_row(self, section: NumberDraft, path: str) -> Iterator[Cells]:
        """Yields the row of a number question; nothing if it is unfinished, since it could not be read back."""
        try:
            section.as_design_section()
        except InputError as refusal:
            self.left_out.append(Fault(path, reason_text(refusal)))
            return
        question = section.question
        name = self._names[self._name_key(question, False)]
        yield {
            "name": name,
            "candor_name": _name_if_changed(question.name, name),
            **number_questions.number_cells(section),
            **self._common_cells(question),
            **_text_cells("candor_unit", question.unit),
        }

    def _block_rows(self, block: Block, plain: bool) -> Iterator[Cells]:
        if self._fits_in_one_row(block):
            yield self._multiple_choice_cells(block, plain)
        else:
            yield from (self._single_choice_cells(each, plain) for each in block)

    def _single_choice_cells(self, question: DraftQuestion, plain: bool) -> Cells:
        name, choices = self._names[self._name_key(question, False)], question.choice_names
        called = choose_names(dict(zip(choices, choices, strict=True)), SAFE_CHOICE, "c")
        rows = [
            _ListRow(called[each.name], _name_if_changed(each.name, called[each.name]), each.label)
            for each in question.choices
        ]
        inferred = "yes-no" if set(choices) == set(YES_NO) else "one"
        cells = {
            "type": f"select_one {self._list_name(name, rows, question)}",
            "name": name,
            "candor_name": _name_if_changed(question.name, name),
            "candor_form": question.form if question.form != inferred else "",
            "candor_group": question.of,
            "candor_noise": " ".join(
                f"{called[choice]}={noise}" for choice, noise in zip(choices, question.noise, strict=False)
            ),
        }
        cells |= self._common_cells(question)
        if takes_number(question):
            bands = question.number
            numbers = (bands.low, bands.high, bands.step, *bands.limits)
            cells |= {
                "candor_number": " ".join(map(str, numbers)),
                **_text_cells("candor_unit", bands.unit),
            }
        if plain:
            self._said |= {(question.name, each): f"${{{name}}} = '{called[each]}'" for each in called}
        return cells

    def _multiple_choice_cells(self, block: Block, plain: bool) -> Cells:
        name, group = self._names[self._name_key(block[0], True)], block[0].of
        called = choose_names(
            {each.name: each.name.removeprefix(f"{group}-") for each in block}, SAFE_CHOICE, "c"
        )
        rows = [
            _ListRow(
                called[each.name],
                _name_if_changed(each.name, f"{group}-{called[each.name]}"),
                each.choices[1].label,
            )
            for each in block
        ]
        cells = {
            "type": f"select_multiple {self._list_name(name, rows, block[0])}",
            "name": name,
            "candor_name": _name_if_changed(group, name),
            "candor_noise": " ".join(f"{called[each.name]}={each.noise[1]}" for each in block if each.noise),
        }
        cells |= self._common_cells(block[0])
        if plain:
            for option, choice in called.items():
                yes = f"selected(${{{name}}}, '{choice}')"
                self._said |= {(option, "yes"): yes, (option, "no"): f"not({yes})"}
        return cells

    def _common_cells(self, question: DraftQuestion) -> Cells:
        return {
            "required": "yes",
            "relevant": self._relevant_expression(question),
            **_text_cells("label", question.text),
            **_text_cells("hint", question.help),
            **_text_cells(SHORT_LABEL, question.label),
            **_text_cells("candor_none", question.none),
            "parameters": RANDOMIZE if question.shuffled else "",
            "candor_role": question.role if question.role == "quasi" else "",
        }

    def _list_name(self, name: str, rows: Sequence[_ListRow], question: DraftQuestion) -> str:
        """Returns the name of the list of choices of a question; adds the list if no question had equal choices
        before."""
        if not rows:
            self.faults.append(Fault(question.name, _("has no choices yet")))
        key = json.dumps(rows, sort_keys=True)
        if key not in self._lists:
            self._lists[key] = name
            for row in rows:
                words = row.label or self._preset_label(row.exact or row.name)
                named = {"list_name": name, "name": row.name, "candor_name": row.exact}
                preset = "" if row.label else "yes"
                self.choices.append({**named, **_text_cells("label", words), "candor_preset": preset})
        return self._lists[key]

    def _preset_label(self, name: str) -> dict[str, str]:
        """Returns the label of a choice that has none: Yes and No in the known languages, else its name."""
        words = {"yes": default_draft_texts.YES, "no": default_draft_texts.NO}.get(name)
        known = default_draft_texts.shipped_words_by_language(words, self._languages) if words else {}
        return {code: known.get(code, str(words or name)) for code in self._languages}

    def _relevant_expression(self, question: DraftQuestion) -> str:
        """Returns the condition under which a question is shown, in XLSForm's language."""
        parts = []
        for name, allowed in question.show_if.items():
            asks = [self._said.get((name, choice), "") for choice in allowed]
            if not asks or not all(asks):
                reason = _("its rule on %(name)s is broken; mend it first") % {"name": name}
                self.faults.append(Fault(question.name, reason))
            parts.append(" or ".join(asks) if len(asks) == 1 else f"({' or '.join(asks)})")
        return " and ".join(parts)
