"""From a survey of LimeSurvey to a draft, and what became of each group and question."""

import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from django.utils.translation import gettext as _

from importing import unfinished
from importing.faults import Fault, FileRefused
from importing.gathering import (
    Gathering,
    became_battery,
    condition_of_words,
    joined,
    not_required,
    words_at_end,
    words_before_next,
)
from importing.language_names import language_of, local_codes
from importing.limesurvey import lss, tsv
from importing.limesurvey.conditions import tokens
from importing.limesurvey.kinds import (
    EXCLUDING,
    KINDS,
    NOTE,
    NUMBER,
    AskedOnce,
    LimeKind,
    excluding_option,
    why_not,
)
from importing.limesurvey.quotas import quotas_that_come_in
from importing.limesurvey.survey import ALWAYS, SUFFIX, LimeGroup, LimeQuestion, LimeSurvey
from importing.markup import plain_text
from importing.read_through import LEFT, ReadQuestionnaire, cut
from importing.relevant import Asked
from importing.size import RowRefused, TooLarge
from importing.xlsform.columns import markup_removed
from importing.xlsform.numbers import bands_proposed, ends_asked, looks_at_number, proposed_bands
from privacy.designs import InputError
from privacy.designs.design import FORMAT
from privacy.grammar.texts import MOST_LANGUAGES
from surveys import draft_json
from surveys.draft_json import Draft
from surveys.kinds.plain.draft import OTHER, PlainDraft
from surveys.kinds.read_draft import read_questionnaire
from surveys.lifecycle.freezing import as_design_json
from surveys.questionnaire.draft_question import Choice, DraftQuestion
from surveys.questionnaire.draft_section import DraftSection, may_shuffle_answers, set_answer_order
from surveys.questionnaire.number_bands import asked_as_number
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


def read_tsv(data: bytes) -> ReadQuestionnaire:
    return read_survey(tsv.parsed(data))


def read_lss(data: bytes) -> ReadQuestionnaire:
    return read_survey(lss.parsed(data))


def read_survey(survey: LimeSurvey) -> ReadQuestionnaire:
    reader = _SurveyReader(survey)
    draft = reader.read()
    lines = tuple(reader.gathering.lines)
    if len(lines) > MOST_LINES:
        raise FileRefused([Fault(_("the file"), _("holds more than a questionnaire"))])
    if not any(draft_json.read_questions(section) for section in draft_json.read_sections(draft)):
        lost = [
            Fault(line.location, remark) for line in lines if line.outcome == LEFT for remark in line.remarks
        ]
        raise FileRefused(lost or [Fault(_("the file"), _("has no questions"))])
    _check(draft)
    return ReadQuestionnaire(read_questionnaire(draft).as_json(), tuple(reader.remarks), lines)


def _check(draft: Draft) -> None:
    if reason := unfinished.too_large(draft):
        raise FileRefused([Fault(_("the file"), reason)])
    try:
        unfinished.check(json.loads(as_design_json(draft)))
    except InputError as refusal:
        raise FileRefused([Fault(refusal.path, reason_text(refusal))]) from None


class _SurveyReader:
    """Goes down the groups once."""

    def __init__(self, survey: LimeSurvey) -> None:
        self._survey = survey
        free = local_codes()
        codes = {written: language_of(written) or next(free, "") for written in survey.languages}
        self._languages = list(dict.fromkeys(filter(None, codes.values())))[:MOST_LANGUAGES] or ["en"]
        unknown = [written for written, code in codes.items() if code not in self._languages]
        survey.respeak({written: code for written, code in codes.items() if code in self._languages})
        self.remarks: list[str] = []
        if unknown:
            said = _("These languages are more than a survey can have and were left out: %(codes)s.")
            self.remarks.append(cut(said % {"codes": ", ".join(unknown)}))
        if renamed := [
            f"{written}: {code}" for written, code in codes.items() if code and not language_of(written)
        ]:
            said = _("These languages are not known and have codes of their own here: %(codes)s.")
            self.remarks.append(cut(said % {"codes": ", ".join(renamed)}))
        self.gathering = Gathering(tokens)
        self._sections: list[DraftSection] = []
        self._begins = True
        self._not_required = 0

    def read(self) -> Draft:
        try:
            for group in self._survey.groups:
                self._group(group)
        except TooLarge:
            # The line of the question says it.
            pass
        words = {key: self._texts(self._survey.words.get(name, {})) for key, name in WORDS.items()}
        if held := self.gathering.release():
            words["thanks"] = joined(held, words["thanks"])
            self.remarks.append(words_at_end())
        if self._not_required:
            self.remarks.append(not_required(self._not_required))
        quotas = quotas_that_come_in(self._survey.quotas.values(), self.gathering)
        sections = [section.as_json() for section in self._sections]
        whole = {"format": FORMAT, "languages": self._languages, **words, "sections": sections}
        return {**whole, "quotas": quotas} if quotas else whole

    def _texts(self, written: Texts) -> dict[str, str]:
        said = {code: _text(written[code]) for code in self._languages if code in written}
        return {code: text for code, text in said.items() if text}

    def _words(self, written: Texts, otherwise: str) -> str:
        return next(iter(self._texts(written).values()), "") or otherwise

    def _remark_settings(self, question: LimeQuestion, honoured: Collection[str] = ()) -> None:
        used = [name for name in LEFT_SETTINGS if question.attributes.get(name, "").strip() not in USUAL]
        ignored = [name for name in used if name not in honoured]
        if ignored:
            said = _("These settings of the question are left out: %(names)s.")
            self.gathering.say(said % {"names": ", ".join(ignored)})
        if question.has_conditional_parts:
            self.gathering.say(_("The conditions of its rows are left out, so everybody sees all of them."))

    def _remark_changes(self, *written: Texts) -> None:
        texts = [text for each in written for text in each.values()]
        if any(plain_text(text) != text for text in texts):
            self.gathering.say(markup_removed())
        if any(INSERTED.search(plain_text(text)) for text in texts):
            self.gathering.say(
                _(
                    "It inserts something ({…}), and every word here is the same for everyone: “…” is shown instead."
                )
            )

    def _group(self, group: LimeGroup) -> None:
        name, description = self._texts(group.name), self._texts(group.description)
        condition = group.relevance.strip()
        outer = [condition] if condition not in ALWAYS and self.gathering.can_say([], condition) else []
        if heading := joined(name, description):
            self.gathering.hold(heading)
            self.gathering.say(words_before_next())
            self._begins = True
        self._remark_changes(group.name, group.description)
        self.gathering.settle(group.location, self._words(group.name, group.location))
        for question in group.questions:
            try:
                self._question(question, outer)
            except TooLarge as much:
                reason = _("%(reason)s. What follows is left out, too.") % {"reason": much}
                self.gathering.leave(question.location, self._words(question.text, question.code), reason)
                raise
            except RowRefused as wrong:
                self.gathering.leave(question.location, self._words(question.text, question.code), str(wrong))

    def _question(self, question: LimeQuestion, outer: Sequence[str]) -> None:
        if question.attributes.get("hidden", "").strip() == "1":
            raise RowRefused(_("is hidden in the survey"))
        if question.kind == NOTE:
            self._note(question)
        elif question.kind == NUMBER:
            self._number(question, outer)
        elif kind := KINDS.get(question.kind):
            self._choices(question, kind, outer)
        else:
            raise RowRefused(why_not(question.kind))

    def _note(self, question: LimeQuestion) -> None:
        if question.relevance.strip() not in ALWAYS:
            raise RowRefused(condition_of_words())
        self.gathering.hold(joined(self._texts(question.text), self._texts(question.help)))
        self.gathering.say(words_before_next())
        self._remark_changes(question.text, question.help)
        self.gathering.settle(question.location, self._words(question.text, question.code))

    def _rule(self, question: LimeQuestion, outer: Sequence[str]) -> dict[str, list[str]]:
        own = question.relevance.strip()
        return self.gathering.show_if(outer, "" if own in ALWAYS else own)

    def _number(self, question: LimeQuestion, outer: Sequence[str]) -> None:
        low, high = (question.attributes.get(f"{end}_num_value_n", "").strip() for end in ("min", "max"))
        bands, ends = proposed_bands(low, high)
        self.gathering.size.ask(1)
        self._not_required += not question.mandatory
        name = self.gathering.name(question.code, "q1")
        section = self._section()
        bare = DraftQuestion(
            name=name,
            text=self._texts(question.text),
            help=self.gathering.above(self._texts(question.help)),
            show_if=self._rule(question, outer),
            role=OTHER,
        )
        bands = replace(bands, unit=self._texts(question.worded[SUFFIX]))
        asked = asked_as_number(bare, bands, self._languages)
        self._remark_changes(question.text, question.help)
        self._remark_settings(question)
        self.gathering.say(ends_asked() if ends else bands_proposed())
        self.gathering.size.answer(len(asked.choices))
        self.gathering.size.write([asked])
        self._sections[-1] = replace(section, questions=(*section.questions, asked))
        for variable in (question.code, *question.aliases):
            self.gathering.why_not[variable] = looks_at_number(name)
        self.gathering.settle(
            question.location, self._words(question.text, question.code), [name], unmarked=True, asks=ends
        )

    def _choices(self, question: LimeQuestion, kind: LimeKind, outer: Sequence[str]) -> None:
        questions = list(kind.asks(question, self._languages))
        if not questions:
            raise RowRefused(_("has no answers to choose from"))
        self.gathering.size.ask(len(questions))
        self.gathering.size.answer(sum(len(asks.choices) for asks in questions))
        self._not_required += not question.mandatory
        is_group = kind.together or (kind.in_table and len(questions) > 1)
        group = self.gathering.group(question.code, "q1") if is_group else ""
        self._remark(question, kind, questions)
        heading = [self._texts(question.text)] if kind.in_table else []
        section = self._section()
        help_text = self.gathering.above(joined(*heading, self._texts(question.help)))
        rule = self._rule(question, outer)
        block = [
            replace(self._asked(asks), help=help_text, show_if=rule, role=OTHER, of=group)
            for asks in questions
        ]
        block = self._ordered(question, kind, self._with_none(question, block))
        self.gathering.size.write(block)
        self._sections[-1] = replace(section, questions=(*section.questions, *block))
        names = [each.name for each in block]
        for asks, name in zip(questions, names, strict=True):
            self._remember(asks, question, name, bool(rule))
        self.gathering.settle(
            question.location, self._words(question.text, question.code), names, unmarked=True
        )

    def _with_none(self, question: LimeQuestion, block: list[DraftQuestion]) -> list[DraftQuestion]:
        """The option that excludes all others stands below them, as a group's answer *none*."""
        label = question.of_scale(question.subquestions).get(excluding_option(question), {})
        return [replace(block[0], none=self._texts(label)), *block[1:]] if label else block

    def _remark(self, question: LimeQuestion, kind: LimeKind, questions: Sequence[AskedOnce]) -> None:
        labels = [choice.label for choice in questions[0].choices]
        self._remark_changes(question.text, question.help, *question.subquestions.values(), *labels)
        if kind.in_table:
            self.gathering.say(became_battery())
        if question.other:
            self.gathering.say(
                _("Its answer in one’s own words became a choice, since no disguise can hide words.")
            )
        if kind.comment:
            self.gathering.say(_("Its comment is left out, since no disguise can hide words."))

    def _ordered(
        self, question: LimeQuestion, kind: LimeKind, block: list[DraftQuestion]
    ) -> list[DraftQuestion]:
        """With the answers in random order, where the file wants it. Of a table its rows are meant, which stay."""
        wanted = [name for name in ORDERS if question.attributes.get(name, "").strip().lower() in RANDOM]
        honoured = [EXCLUDING] if block[0].none else []
        if not wanted or kind.in_table or not may_shuffle_answers(block):
            self._remark_settings(question, honoured)
            return block
        self.gathering.say(_("Each device shows its answers in a random order."))
        self._remark_settings(question, [*honoured, *wanted])
        return set_answer_order(block, True)

    def _asked(self, asks: AskedOnce) -> DraftQuestion:
        choices = tuple(Choice(choice.name, self._texts(choice.label)) for choice in asks.choices)
        name = self.gathering.name(asks.wish, "q1")
        return DraftQuestion(name=name, form=asks.form, text=self._texts(asks.text), choices=choices)

    def _remember(self, asks: AskedOnce, question: LimeQuestion, name: str, hideable: bool) -> None:
        rest = asks.variable.removeprefix(question.code).removeprefix("_")
        asked = Asked(name, asks.answers, hideable)
        for variable in (asks.variable, *(f"{alias}{rest}" for alias in question.aliases)):
            self.gathering.known[variable] = asked

    def _section(self) -> DraftSection:
        """The section of the next plain question; a group with words begins one, and they are its text."""
        if self._begins or self._sections[-1].sensitive:
            self._sections.append(PlainDraft(intro=self.gathering.release()))
        self._begins = False
        return self._sections[-1]


def _text(written: str) -> str:
    return INSERTED.sub("…", plain_text(written)).strip()
