"""Makes a draft from a LimeSurvey survey, with the outcome of each group and question."""

import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from django.utils.translation import gettext as _

from importing import draft_check
from importing.faults import Fault, FileRefused
from importing.import_log import (
    ImportLog,
    became_battery_text,
    join_texts,
    not_required_text,
    note_condition_text,
    shown_as_thanks_text,
    shown_before_next_text,
)
from importing.import_result import LEFT, ImportResult, shorten
from importing.language_names import find_language_code, private_language_codes
from importing.limesurvey import lss_parser, tsv_parser
from importing.limesurvey.expression_tokens import tokenize_expression
from importing.limesurvey.question_types import (
    EXCLUDING,
    KINDS,
    NOTE,
    NUMBER,
    ConvertedQuestion,
    LimeQuestionType,
    excluding_option_code,
    refusal_reason,
)
from importing.limesurvey.quotas import importable_quotas
from importing.limesurvey.survey_structure import ALWAYS, SUFFIX, LimeGroup, LimeQuestion, LimeSurvey
from importing.markup_removal import plain_text
from importing.questionnaire_size import RowRefused, TooLarge
from importing.show_if_conditions import ConditionQuestion
from importing.xlsform.number_questions import (
    bands_proposed_text,
    ends_missing_text,
    number_condition_text,
    propose_bands,
)
from importing.xlsform.sheet_columns import markup_removed_text
from privacy.designs import InputError
from privacy.designs.design import FORMAT
from privacy.grammar.translated_texts import MOST_LANGUAGES
from surveys import draft_json
from surveys.draft_json import Draft
from surveys.kinds.plain.draft import OTHER, PlainDraft
from surveys.kinds.read_draft import read_questionnaire
from surveys.lifecycle.freezing import design_json_from_draft
from surveys.questionnaire.draft_question import Choice, DraftQuestion
from surveys.questionnaire.draft_section import DraftSection, may_shuffle_answers, set_answer_order
from surveys.questionnaire.number_bands import question_with_bands
from surveys.questionnaire.problems_and_refusals import reason_text

Texts = Mapping[str, str]
MOST_LINES = 5_000
"""Groups and questions that a page still shows."""
INSERTED = re.compile(r"\{[^{}\s][^{}]{0,300}\}")
"""An expression within words, such as the name of the person or an earlier answer."""
ORDERS = ("random_order", "answer_order", "subquestion_order")
"""Advanced settings by which the answers of a question stand in random order, or the rows of a table."""
RANDOM = ("1", "random")
LOOPS = "LoopAndMerge"
OF_QUALTRICS = ("SkipLogic", LOOPS, "QuestionJS")
"""What leads past other questions, asks one again and again, or changes its page."""
LEFT_SETTINGS = (
    *("array_filter", "array_filter_exclude", EXCLUDING, "min_answers", "max_answers"),
    *(*ORDERS, "random_group", "em_validation_q", "prefix"),
    *OF_QUALTRICS,
)
"""Those that change what is asked, or what people read."""
USUAL = ("", "0", "N", "normal")
"""Values that say that such a setting is not used."""
WORDS = {"title": "surveyls_title", "intro": "surveyls_welcometext", "thanks": "surveyls_endtext"}
"""By key of the start page the words of LimeSurvey."""


def read_tsv(data: bytes) -> ImportResult:
    """Reads LimeSurvey's table format (.txt, .tsv)."""
    return draft_from_survey(tsv_parser.parse(data))


def read_lss(data: bytes) -> ImportResult:
    """Reads LimeSurvey's XML format (.lss, .lsg, .lsq)."""
    return draft_from_survey(lss_parser.parse(data))


def draft_from_survey(survey: LimeSurvey) -> ImportResult:
    """Returns the draft and what became of each row; raises `FileRefused` if no question can be imported."""
    reader = _SurveyReader(survey)
    draft = reader.read()
    lines = tuple(reader.log.lines)
    if len(lines) > MOST_LINES:
        raise FileRefused([Fault(_("the file"), _("holds more than a questionnaire"))])
    if not any(draft_json.read_questions(section) for section in draft_json.read_sections(draft)):
        lost = [
            Fault(line.location, remark) for line in lines if line.outcome == LEFT for remark in line.remarks
        ]
        raise FileRefused(lost or [Fault(_("the file"), _("has no questions"))])
    _check_draft(draft)
    return ImportResult(read_questionnaire(draft).as_json(), tuple(reader.remarks), lines)


def _check_draft(draft: Draft) -> None:
    """Raises `FileRefused` if the draft is too large or could never become a design."""
    if reason := draft_check.too_large_reason(draft):
        raise FileRefused([Fault(_("the file"), reason)])
    try:
        draft_check.check_draft(json.loads(design_json_from_draft(draft)))
    except InputError as refusal:
        raise FileRefused([Fault(refusal.path, reason_text(refusal))]) from None


class _SurveyReader:
    """Reads the groups and their questions once, in order, and builds the sections of the draft."""

    def __init__(self, survey: LimeSurvey) -> None:
        self._survey = survey
        free = private_language_codes()
        codes = {written: find_language_code(written) or next(free, "") for written in survey.languages}
        self._languages = list(dict.fromkeys(filter(None, codes.values())))[:MOST_LANGUAGES] or ["en"]
        unknown = [written for written, code in codes.items() if code not in self._languages]
        survey.rename_languages({written: code for written, code in codes.items() if code in self._languages})
        self.remarks: list[str] = []
        if unknown:
            said = _("These languages are more than a survey can have and were left out: %(codes)s.")
            self.remarks.append(shorten(said % {"codes": ", ".join(unknown)}))
        if renamed := [
            f"{written}: {code}"
            for written, code in codes.items()
            if code and not find_language_code(written)
        ]:
            said = _("These languages are not known and have codes of their own here: %(codes)s.")
            self.remarks.append(shorten(said % {"codes": ", ".join(renamed)}))
        self.log = ImportLog(tokenize_expression)
        self._sections: list[DraftSection] = []
        self._begins = True
        self._not_required = 0

    def read(self) -> Draft:
        try:
            for group in self._survey.groups:
                self._read_group(group)
        except TooLarge:
            # The line of the question says it.
            pass
        words = {key: self._plain_texts(self._survey.words.get(name, {})) for key, name in WORDS.items()}
        if held := self.log.take_held_texts():
            words["thanks"] = join_texts(held, words["thanks"])
            self.remarks.append(shown_as_thanks_text())
        if self._not_required:
            self.remarks.append(not_required_text(self._not_required))
        sections = [section.as_json() for section in self._sections]
        draft = {"format": FORMAT, "languages": self._languages, **words, "sections": sections}
        quotas = importable_quotas(self._survey.quotas.values(), self.log)
        return {**draft, "quotas": quotas} if quotas else draft

    def _plain_texts(self, written: Texts) -> dict[str, str]:
        """Returns the texts without markup, in the languages of the draft."""
        said = {code: _plain_text(written[code]) for code in self._languages if code in written}
        return {code: text for code, text in said.items() if text}

    def _first_text(self, texts: Texts, default: str) -> str:
        """Returns the text in the first language that has one, else `default`."""
        return next(iter(self._plain_texts(texts).values()), "") or default

    def _remark_ignored_settings(self, question: LimeQuestion, honoured: Collection[str] = ()) -> None:
        """Remarks on advanced settings of a question that are ignored; `honoured` are not."""
        used = [name for name in LEFT_SETTINGS if question.attributes.get(name, "").strip() not in USUAL]
        ignored = [name for name in used if name not in honoured]
        if ignored:
            said = _("These settings of the question are left out: %(names)s.")
            self.log.remark(said % {"names": ", ".join(ignored)})
        if question.has_conditional_parts:
            self.log.remark(_("The conditions of its rows are left out, so everybody sees all of them."))

    def _remark_changed_texts(self, *written: Texts) -> None:
        """Remarks if markup or inserted expressions were removed from these texts."""
        texts = [text for each in written for text in each.values()]
        if any(plain_text(text) != text for text in texts):
            self.log.remark(markup_removed_text())
        if any(INSERTED.search(plain_text(text)) for text in texts):
            self.log.remark(
                _(
                    "It inserts something ({…}), and every word here is the same for everyone: “…” is shown instead."
                )
            )

    def _read_group(self, group: LimeGroup) -> None:
        name, description = self._plain_texts(group.name), self._plain_texts(group.description)
        condition = group.relevance.strip()
        outer = [condition] if condition not in ALWAYS and self.log.can_express([], condition) else []
        if heading := join_texts(name, description):
            self.log.hold_texts(heading)
            self.log.remark(shown_before_next_text())
            self._begins = True
        self._remark_changed_texts(group.name, group.description)
        self.log.record_row(group.location, self._first_text(group.name, group.location))
        for question in group.questions:
            try:
                self._read_question(question, outer)
            except TooLarge as much:
                reason = _("%(reason)s. What follows is left out, too.") % {"reason": much}
                self.log.record_left_out(
                    question.location, self._first_text(question.text, question.code), reason
                )
                raise
            except RowRefused as wrong:
                self.log.record_left_out(
                    question.location, self._first_text(question.text, question.code), str(wrong)
                )

    def _read_question(self, question: LimeQuestion, outer: Sequence[str]) -> None:
        if question.attributes.get("hidden", "").strip() == "1":
            raise RowRefused(_("is hidden in the survey"))
        if question.kind == NOTE:
            self._read_note(question)
        elif question.kind == NUMBER:
            self._read_number(question, outer)
        elif kind := KINDS.get(question.kind):
            self._read_choice_question(question, kind, outer)
        else:
            raise RowRefused(refusal_reason(question.kind))

    def _read_note(self, question: LimeQuestion) -> None:
        if question.relevance.strip() not in ALWAYS:
            raise RowRefused(note_condition_text())
        self.log.hold_texts(join_texts(self._plain_texts(question.text), self._plain_texts(question.help)))
        self.log.remark(shown_before_next_text())
        self._remark_changed_texts(question.text, question.help)
        self.log.record_row(question.location, self._first_text(question.text, question.code))

    def _show_if_rule(self, question: LimeQuestion, outer: Sequence[str]) -> dict[str, list[str]]:
        own = question.relevance.strip()
        return self.log.show_if_rule(outer, "" if own in ALWAYS else own)

    def _read_number(self, question: LimeQuestion, outer: Sequence[str]) -> None:
        low, high = (question.attributes.get(f"{end}_num_value_n", "").strip() for end in ("min", "max"))
        bands, ends = propose_bands(low, high)
        self.log.size.count_questions(1)
        self._not_required += not question.mandatory
        name = self.log.unique_question_name(question.code, "q1")
        section = self._current_section()
        bare = DraftQuestion(
            name=name,
            text=self._plain_texts(question.text),
            help=self.log.help_with_held_texts(self._plain_texts(question.help)),
            show_if=self._show_if_rule(question, outer),
            role=OTHER,
        )
        bands = replace(bands, unit=self._plain_texts(question.worded[SUFFIX]))
        asked = question_with_bands(bare, bands, self._languages)
        self._remark_changed_texts(question.text, question.help)
        self._remark_ignored_settings(question)
        self.log.remark(ends_missing_text() if ends else bands_proposed_text())
        self.log.size.count_answers(len(asked.choices))
        self.log.size.count_text([asked])
        self._sections[-1] = replace(section, questions=(*section.questions, asked))
        for variable in (question.code, *question.aliases):
            self.log.refusal_reasons[variable] = number_condition_text(name)
        self.log.record_row(
            question.location,
            self._first_text(question.text, question.code),
            [name],
            unmarked=True,
            asks=ends,
        )

    def _read_choice_question(
        self, question: LimeQuestion, kind: LimeQuestionType, outer: Sequence[str]
    ) -> None:
        questions = list(kind.convert(question, self._languages))
        if not questions:
            raise RowRefused(_("has no answers to choose from"))
        self.log.size.count_questions(len(questions))
        self.log.size.count_answers(sum(len(asks.choices) for asks in questions))
        self._not_required += not question.mandatory
        is_group = kind.together or (kind.in_table and len(questions) > 1)
        group = self.log.unique_group_name(question.code, "q1") if is_group else ""
        self._remark_conversions(question, kind, questions)
        heading = [self._plain_texts(question.text)] if kind.in_table else []
        section = self._current_section()
        help_text = self.log.help_with_held_texts(join_texts(*heading, self._plain_texts(question.help)))
        rule = self._show_if_rule(question, outer)
        block = [
            replace(self._draft_question(asks), help=help_text, show_if=rule, role=OTHER, of=group)
            for asks in questions
        ]
        block = self._with_answer_order(question, kind, self._with_excluding_answer(question, block))
        self.log.size.count_text(block)
        self._sections[-1] = replace(section, questions=(*section.questions, *block))
        names = [each.name for each in block]
        for asks, name in zip(questions, names, strict=True):
            self._register_for_conditions(asks, question, name, bool(rule))
        self.log.record_row(
            question.location, self._first_text(question.text, question.code), names, unmarked=True
        )

    def _with_excluding_answer(
        self, question: LimeQuestion, block: list[DraftQuestion]
    ) -> list[DraftQuestion]:
        """Gives the block the answer *none*, if one option of the question excludes all others."""
        label = question.entries_of_scale(question.subquestions).get(excluding_option_code(question), {})
        return [replace(block[0], none=self._plain_texts(label)), *block[1:]] if label else block

    def _remark_conversions(
        self, question: LimeQuestion, kind: LimeQuestionType, questions: Sequence[ConvertedQuestion]
    ) -> None:
        """Remarks on what was changed when the question was converted."""
        labels = [choice.label for choice in questions[0].choices]
        self._remark_changed_texts(question.text, question.help, *question.subquestions.values(), *labels)
        if kind.in_table:
            self.log.remark(became_battery_text())
        if question.other:
            self.log.remark(
                _("Its answer in one’s own words became a choice, since no disguise can hide words.")
            )
        if kind.comment:
            self.log.remark(_("Its comment is left out, since no disguise can hide words."))

    def _with_answer_order(
        self, question: LimeQuestion, kind: LimeQuestionType, block: list[DraftQuestion]
    ) -> list[DraftQuestion]:
        """Shuffles the answers if the file wants it. In a table it means the rows, which keep their order."""
        wanted = [name for name in ORDERS if question.attributes.get(name, "").strip().lower() in RANDOM]
        honoured = [EXCLUDING] if block[0].none else []
        if not wanted or kind.in_table or not may_shuffle_answers(block):
            self._remark_ignored_settings(question, honoured)
            return block
        self.log.remark(_("Each device shows its answers in a random order."))
        self._remark_ignored_settings(question, [*honoured, *wanted])
        return set_answer_order(block, True)

    def _draft_question(self, converted: ConvertedQuestion) -> DraftQuestion:
        choices = tuple(Choice(choice.name, self._plain_texts(choice.label)) for choice in converted.choices)
        name = self.log.unique_question_name(converted.wish, "q1")
        return DraftQuestion(
            name=name, form=converted.form, text=self._plain_texts(converted.text), choices=choices
        )

    def _register_for_conditions(
        self, converted: ConvertedQuestion, question: LimeQuestion, name: str, hideable: bool
    ) -> None:
        """Lets later conditions name the question, also by its aliases."""
        rest = converted.variable.removeprefix(question.code).removeprefix("_")
        asked = ConditionQuestion(name, converted.answers, hideable)
        for variable in (converted.variable, *(f"{alias}{rest}" for alias in question.aliases)):
            self.log.condition_questions[variable] = asked

    def _current_section(self) -> DraftSection:
        """Returns the section of the next plain question; a group with texts begins a new one, which they introduce."""
        if self._begins or self._sections[-1].sensitive:
            self._sections.append(PlainDraft(intro=self.log.take_held_texts()))
        self._begins = False
        return self._sections[-1]


def _plain_text(text: str) -> str:
    return INSERTED.sub("…", plain_text(text)).strip()
