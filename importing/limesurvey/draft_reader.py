"""Makes a draft from a LimeSurvey survey, with the outcome of each group and question."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from xml.etree.ElementTree import Element

from django.utils.translation import gettext as _

from importing import remarks
from importing.draft_check import find_refusal
from importing.faults import Fault, FileRefused, RowRefused, TooLarge, too_large_refusal
from importing.import_result import ImportResult, shorten
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
from importing.limesurvey.survey_structure import (
    ALWAYS,
    NEVER,
    SUFFIX,
    LimeGroup,
    LimeQuestion,
    LimeSurvey,
    alias_of_part,
)
from importing.markup_removal import plain_text
from importing.row_outcome_collector import (
    ImportLog,
    join_texts,
)
from importing.show_if_conditions import ConditionQuestion
from importing.xlsform.number_questions import (
    has_proposed_limits,
    number_condition_question,
    propose_bands,
)
from privacy.designs.design import FORMAT
from privacy.grammar.translated_texts import MOST_LANGUAGES
from surveys.draft_json import Draft
from surveys.kinds.plain.draft import OTHER, PlainDraft
from surveys.questionnaire.draft_question import Choice, DraftQuestion
from surveys.questionnaire.draft_section import DraftSection, may_shuffle_answers, set_answer_order
from surveys.questionnaire.plain_number_bands import question_with_bands
from surveys.questionnaire.problems_and_refusals import path_in_words, reason_text

Texts = Mapping[str, str]
Ends = tuple[int | None, ...]
MOST_LINES = 5_000
"""Highest number of groups and questions, as many as a page can show."""
INSERTED = re.compile(r"\{[^{}\s][^{}]{0,300}\}")
"""Pattern of an expression inside a text, such as the person's name or an earlier answer."""
ORDERS = ("random_order", "answer_order", "subquestion_order")
"""Names of settings that show a question's answers, or a table's rows, in random order."""
RANDOM = ("1", "random")
LEFT_SETTINGS = (
    *("array_filter", "array_filter_exclude", EXCLUDING, "min_answers", "max_answers"),
    *(*ORDERS, "alphasort", "random_group", "em_validation_q", "em_validation_sq", "prefix"),
    *("default", "preg", "validation", "time_limit"),
)
"""Settings that change which questions are asked or which texts people read, and that are not imported."""
USUAL = ("", "0", "N", "normal")
"""Values with which a setting has no effect."""
WORDS = {"title": "surveyls_title", "intro": "surveyls_welcometext", "thanks": "surveyls_endtext"}
"""Keys of a draft's start page, with LimeSurvey's names of the same texts."""


def read_tsv(data: bytes) -> ImportResult:
    """Returns the draft made from LimeSurvey's table format (.txt, .tsv), with the outcome of each row."""
    return draft_from_survey(tsv_parser.parse(data))


def read_lss(root: Element) -> ImportResult:
    """Returns the draft made from LimeSurvey's XML format (.lss, .lsg, .lsq), with the outcome of each question."""
    return draft_from_survey(lss_parser.parse(root))


def draft_from_survey(survey: LimeSurvey) -> ImportResult:
    """Returns the draft made from a survey, with the outcome of each row; raises `FileRefused` if no question can be
    imported."""
    reader = _SurveyReader(survey)
    draft = reader.read()
    if len(reader.log.lines) > MOST_LINES:
        raise too_large_refusal()
    if refusal := find_refusal(draft):
        raise FileRefused([Fault(path_in_words(refusal.path, draft), reason_text(refusal))])
    return reader.log.result(draft, reader.remarks)


class _SurveyReader:
    """Reads the groups and their questions once, in order, and builds the sections of the draft."""

    def __init__(self, survey: LimeSurvey) -> None:
        self._survey = survey
        free = private_language_codes()
        codes = {written: find_language_code(written) or next(free, "") for written in survey.languages}
        self._languages = list(dict.fromkeys(filter(None, codes.values())))[:MOST_LANGUAGES] or ["en"]
        unknown = [written for written, code in codes.items() if code not in self._languages]
        survey.rename_or_drop_languages(
            {written: code for written, code in codes.items() if code in self._languages}
        )
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
        self.log = ImportLog(tokenize_expression, survey.written_conditions)
        self._sections: list[DraftSection] = []
        self._begins = True

    def read(self) -> Draft:
        self.log.read_ahead(self._survey.all_conditions(), self._survey.calculations())
        for loss in self._survey.losses:
            self.log.record_left_out(loss.location, loss.location, loss.reason)
        try:
            for group in self._survey.groups:
                self._read_group(group)
        except TooLarge:
            # The outcome of the question's row states it.
            pass
        words = {key: self._plain_texts(self._survey.words.get(name, {})) for key, name in WORDS.items()}
        if held := self.log.pop_queued_texts():
            words["thanks"] = join_texts(held, words["thanks"])
            self.remarks.append(str(remarks.SHOWN_AS_THANKS))
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
        """Adds a remark that names the ignored advanced settings of a question; those in `honoured` are not ignored."""
        used = [name for name in LEFT_SETTINGS if question.attributes.get(name, "").strip() not in USUAL]
        ignored = [*(name for name in used if name not in honoured), *question.left_settings]
        if ignored:
            said = _("These settings of the question are left out: %(names)s.")
            self.log.remark(said % {"names": ", ".join(ignored)})
        if question.has_conditional_parts:
            self.log.remark(_("The conditions of its rows are left out, so everybody sees all of them."))

    def _remark_changed_texts(self, *written: Texts) -> None:
        """Adds remarks if markup or inserted expressions were removed from these texts."""
        texts = [text for each in written for text in each.values()]
        if any(plain_text(text) != text for text in texts):
            self.log.remark(remarks.MARKUP_REMOVED)
        if any(INSERTED.search(plain_text(text)) for text in texts):
            self.log.remark(
                _(
                    "It inserts something ({…}), and every word here is the same for everyone: “…” is shown instead."
                )
            )

    def _read_group(self, group: LimeGroup) -> None:
        name, description = self._plain_texts(group.name), self._plain_texts(group.description)
        if group.relevance.strip() == NEVER:
            group.obstacle = _("is hidden in the survey")
        if group.obstacle:
            self.log.record_left_out(
                group.location, self._first_text(group.name, group.location), group.obstacle
            )
            for question in group.questions:
                words = self._first_text(question.text, question.code)
                self.log.record_left_out(question.location, words, group.obstacle)
            return
        outer = self._expressible_conditions(group)
        if heading := join_texts(name, description):
            self.log.queue_texts(heading)
            self.log.remark(remarks.SHOWN_BEFORE_NEXT)
            self._begins = True
        self._remark_changed_texts(group.name, group.description)
        self.log.record_row(group.location, self._first_text(group.name, group.location))
        for question in group.questions:
            try:
                self._read_question(question, outer)
            except RowRefused as refusal:
                words = self._first_text(question.text, question.code)
                self.log.record_refusal(question.location, words, refusal)
                if isinstance(refusal, TooLarge):
                    raise

    def _expressible_conditions(self, group: LimeGroup) -> list[str]:
        written = dict.fromkeys([group.relevance.strip(), *group.conditions])
        return [each for each in written if each not in ALWAYS and self.log.can_express_or_remark([], each)]

    def _read_question(self, question: LimeQuestion, outer: Sequence[str]) -> None:
        if question.attributes.get("hidden", "").strip() == "1" or question.relevance.strip() == NEVER:
            raise RowRefused(_("is hidden in the survey"))
        if question.obstacle:
            raise RowRefused(question.obstacle)
        more = [
            each for each in dict.fromkeys(question.conditions) if self.log.can_express_or_remark([], each)
        ]
        outer = [*outer, *more]
        self.log.remark(*question.remarks)
        if question.kind == NOTE:
            self._read_note(question, outer)
        elif question.kind == NUMBER:
            self._read_number(question, outer)
        elif kind := KINDS.get(question.kind):
            self._read_choice_question(question, kind, outer)
        else:
            raise RowRefused(refusal_reason(question.kind))

    def _read_note(self, question: LimeQuestion, outer: Sequence[str]) -> None:
        if question.relevance.strip() not in ALWAYS:
            raise RowRefused(remarks.NOTE_CONDITION)
        words = join_texts(self._plain_texts(question.text), self._plain_texts(question.help))
        self.log.queue_texts(words, outer)
        self.log.remark(remarks.SHOWN_BEFORE_NEXT)
        self._remark_changed_texts(question.text, question.help)
        self.log.record_row(question.location, self._first_text(question.text, question.code))

    def _show_if_rule(self, question: LimeQuestion, outer: Sequence[str]) -> dict[str, list[str]]:
        own = question.relevance.strip()
        return self.log.expressible_show_if_rule(outer, "" if own in ALWAYS else own)

    def _read_number(self, question: LimeQuestion, outer: Sequence[str]) -> None:
        low, high = (question.attributes.get(f"{end}_num_value_n", "").strip() for end in ("min", "max"))
        bands, ends = propose_bands(low, high, self.log.thresholds_of(question.code, *question.aliases))
        self.log.size.count_questions(1)
        self._begin_section_after_heading()
        bare = DraftQuestion(
            name=self.log.unique_question_name(question.code, "q1"),
            text=self._plain_texts(question.text),
            help=self.log.prepend_queued_texts(self._plain_texts(question.help), conditions=outer),
            show_if=self._show_if_rule(question, outer),
            role=OTHER,
        )
        bands = replace(bands, unit=self._plain_texts(question.worded[SUFFIX]))
        self._remark_changed_texts(question.text, question.help)
        self._remark_ignored_settings(question)
        if not has_proposed_limits(bands):
            self.log.remark(remarks.BANDS_OF_CONDITIONS)
        elif not ends:
            self.log.remark(remarks.BANDS_PROPOSED)
        if ends:
            self.log.remark(remarks.ENDS_MISSING)
        asked = question_with_bands(bare, bands, self._languages)
        self._add_questions(question, [asked], ends)
        for variable in (question.code, *question.aliases):
            self.log.register_condition_question(variable, number_condition_question(asked))

    def _read_choice_question(
        self, question: LimeQuestion, kind: LimeQuestionType, outer: Sequence[str]
    ) -> None:
        questions = list(kind.convert(question, self._languages))
        if not questions:
            raise RowRefused(_("has no answers to choose from"))
        self.log.size.count_questions(len(questions))
        is_group = kind.together or (kind.in_table and len(questions) > 1)
        group = self.log.unique_group_name(question.code, "q1") if is_group else ""
        self._remark_conversions(question, kind, questions)
        heading = [self._plain_texts(question.text)] if kind.in_table else []
        self._begin_section_after_heading()
        help_text = self.log.prepend_queued_texts(
            self._plain_texts(question.help), *heading, conditions=outer
        )
        rule = self._show_if_rule(question, outer)
        block = [
            DraftQuestion(
                name=self.log.unique_question_name(asks.wish, "q1"),
                form=asks.form,
                text=self._plain_texts(asks.text),
                choices=tuple(Choice(each.name, self._plain_texts(each.label)) for each in asks.choices),
                help=help_text,
                show_if=rule,
                role=OTHER,
                of=group,
            )
            for asks in questions
        ]
        block = self._with_random_order_if_asked(question, kind, self._with_excluding_answer(question, block))
        self._add_questions(question, block)
        for asks, asked in zip(questions, block, strict=True):
            rest = asks.variable.removeprefix(question.code).removeprefix("_")
            answers = {written: [choice] for written, choice in asks.answers.items()}
            known = ConditionQuestion(asked.name, answers, bool(rule))
            for variable in {asks.variable, *(alias_of_part(alias, rest) for alias in question.aliases)}:
                self.log.register_condition_question(variable, known)

    def _with_excluding_answer(
        self, question: LimeQuestion, block: list[DraftQuestion]
    ) -> list[DraftQuestion]:
        """Returns the questions of `block` with the answer *none*, if one option in the file excludes all others."""
        label = question.entries_of_scale(question.subquestions).get(excluding_option_code(question), {})
        if not label or not block[0].is_option:
            return block
        return [replace(block[0], none=self._plain_texts(label)), *block[1:]]

    def _remark_conversions(
        self, question: LimeQuestion, kind: LimeQuestionType, questions: Sequence[ConvertedQuestion]
    ) -> None:
        """Adds remarks on changes made when the question was converted."""
        labels = [choice.label for choice in questions[0].choices]
        if len(labels) < 2:
            self.log.remark(remarks.FEW_ANSWERS)
        self._remark_changed_texts(question.text, question.help, *question.subquestions.values(), *labels)
        if kind.in_table:
            self.log.remark(remarks.BECAME_BATTERY)
        if question.other:
            self.log.remark(
                _("Its answer in one’s own words became a choice, since no disguise can hide words.")
            )
        if kind.comment:
            self.log.remark(_("Its comment is left out, since no disguise can hide words."))

    def _with_random_order_if_asked(
        self, question: LimeQuestion, kind: LimeQuestionType, block: list[DraftQuestion]
    ) -> list[DraftQuestion]:
        """Returns the questions of `block` with shuffled answers, if the file asks for a random order.

        In a table the setting is about the rows, which keep their order.
        """
        wanted = [name for name in ORDERS if question.attributes.get(name, "").strip().lower() in RANDOM]
        honoured = [EXCLUDING] if block[0].none else []
        if not wanted or kind.in_table or not may_shuffle_answers(block):
            self._remark_ignored_settings(question, honoured)
            return block
        self.log.remark(_("Each device shows its answers in a random order."))
        self._remark_ignored_settings(question, [*honoured, *wanted])
        return set_answer_order(block, True)

    def _begin_section_after_heading(self) -> None:
        """Begins a new section if the next question is the first after a group's title or description.

        The kept texts become the section's introduction.
        """
        if self._begins:
            self._sections.append(PlainDraft(intro=self.log.pop_queued_texts()))
        self._begins = False

    def _add_questions(
        self, question: LimeQuestion, questions: Sequence[DraftQuestion], ends: Ends = ()
    ) -> None:
        """Adds the questions made from one question of the file, and records its row with their names."""
        self.log.size.count_answers(sum(len(asked.choices) for asked in questions))
        self.log.size.count_text(questions)
        self.log.not_required += not question.mandatory
        section = self._sections[-1]
        self._sections[-1] = replace(section, questions=(*section.questions, *questions))
        words, names = self._first_text(question.text, question.code), [asked.name for asked in questions]
        self.log.record_row(question.location, words, names, unmarked=True, asks=ends)


def _plain_text(text: str) -> str:
    return INSERTED.sub("…", plain_text(text)).strip()
