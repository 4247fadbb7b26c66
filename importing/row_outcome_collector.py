"""Log of an import: collects the outcome of each row of the file, unique names, and show-if rules (which show a
question only after certain answers)."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _, ngettext

from importing import draft_check, remarks
from importing.condition_tokens import RuleRefused, Threshold, Tokens, thresholds, xpath_tokens
from importing.faults import Fault, FileRefused, RowRefused, TooLarge
from importing.import_result import CAME, CHANGED, LEFT, ImportedRow, ImportResult, shorten
from importing.show_if_conditions import ConditionQuestion, WorkBudget, show_if_rule
from privacy.grammar.question_reading import RESERVED_NAME
from surveys import draft_json
from surveys.draft_json import Draft
from surveys.kinds.read_draft import read_questionnaire
from surveys.questionnaire.draft_question import DraftQuestion
from surveys.questionnaire.value_normalization import UniqueNames, normal_name
from ui.number_format import format_count

MOST_WRITTEN = 4_000_000
"""Highest number of characters of all questions together, as in a design."""
MOST_REPEATED = 9
"""Highest number of rows that repeat a remark; a more frequent remark is given once for the whole form."""
Texts = Mapping[str, str]


class ImportLog:
    """The log of one import, used by the readers of XLSForm and LimeSurvey.

    `lines`: the outcome of each row so far. `condition_questions`: earlier questions that a condition may
    name. `refusal_reasons`: for other questions, the reason why a condition may not name them. `tokens`
    splits the form's conditions into tokens. `written_conditions`: the wording of a condition in the file,
    where it differs. A remark belongs to the row that is recorded next.
    """

    def __init__(self, tokens: Tokens = xpath_tokens, written_conditions: Texts | None = None) -> None:
        self.lines: list[ImportedRow] = []
        self.condition_questions: dict[str, ConditionQuestion] = {}
        self.refusal_reasons: dict[str, str] = {}
        self.size = SizeCounter()
        self._tokens, self._budget = tokens, WorkBudget()
        self._written = written_conditions or {}
        self._calculations: Texts = {}
        self._thresholds: Mapping[str, list[Threshold]] = {}
        self._names, self._groups = UniqueNames([RESERVED_NAME]), UniqueNames()
        self.not_required = 0
        self._said: list[str] = []
        # Remarks that every row keeps, since they say who is asked what.
        self._own: set[str] = set()
        self._held: dict[str, list[str]] = {}
        # Of rows with words between questions: their conditions, by the number of the row.
        self._held_conditions: dict[int, Sequence[str]] = {}

    def read_ahead(self, conditions: Iterable[str], calculations: Texts) -> None:
        """Takes the file's calculations by name, and finds the numbers to which its conditions compare questions."""
        self._calculations = calculations
        self._thresholds = thresholds(conditions, self._tokens, calculations)

    def thresholds_of(self, *variables: str) -> list[Threshold]:
        """Returns the numbers to which conditions of the file compare the question with these names."""
        return [each for name in variables for each in self._thresholds.get(name, ())]

    def register_condition_question(self, variable: str, question_or_reason: ConditionQuestion | str) -> None:
        """Makes a question known to later conditions under this variable, or stores the reason why conditions cannot
        name it.

        If several questions have the variable, no condition can name it.
        """
        if variable in self.condition_questions or variable in self.refusal_reasons:
            self.condition_questions.pop(variable, None)
            question_or_reason = _("names %(name)s, and several questions are called that") % {
                "name": variable
            }
        if isinstance(question_or_reason, str):
            self.refusal_reasons[variable] = question_or_reason
        else:
            self.condition_questions[variable] = question_or_reason

    def remark(self, *said: str | Promise) -> None:
        """Adds remarks to the row of the file that is recorded next."""
        self._said += map(str, said)

    def record_row(
        self,
        location: str,
        words: str,
        questions: Sequence[str] = (),
        *,
        unmarked: bool = False,
        asks: tuple[int | None, ...] = (),
    ) -> None:
        """Records an imported row of the file: as "changed" if there are remarks on it, else as "came" in unchanged."""
        said = tuple(shorten(remark) for remark in dict.fromkeys(self._said))
        outcome = CHANGED if said else CAME
        self.lines.append(
            ImportedRow(location, shorten(words), outcome, said, tuple(questions), unmarked, asks)
        )
        self._said.clear()

    def record_left_out(self, location: str, words: str, reason: str) -> None:
        """Records that a row of the file was not imported, with the reason."""
        self._said.clear()
        self.lines.append(ImportedRow(location, shorten(words), LEFT, (shorten(reason),)))

    def result(
        self,
        draft: Draft,
        remarks_on_form: Sequence[str],
        *,
        before: Sequence[ImportedRow] = (),
        after: Sequence[ImportedRow] = (),
        may_be_empty: bool = False,
    ) -> ImportResult:
        """Returns the result of the import: this draft, and the log's rows between the rows `before` and `after`.

        A remark repeated in many rows becomes one remark with their number. Raises `FileRefused` if the draft has no
        question; with `may_be_empty`, only if also a row was left out.
        """
        lines = [*before, *self.lines, *after]
        lost = [
            Fault(line.location, remark) for line in lines if line.outcome == LEFT for remark in line.remarks
        ]
        has_questions = any(
            map(draft_json.read_questions, draft_json.read_sections_without_understanding_check(draft))
        )
        if not has_questions and (lost or not may_be_empty):
            reason = _("none of its %(n)s rows can be asked") if len(lost) > 1 else _("has no questions")
            head = [] if len(lost) == 1 else [Fault(_("the file"), reason % {"n": format_count(len(lost))})]
            raise FileRefused([*head, *lost])
        numbers = Counter(remark for line in lines if line.outcome == CHANGED for remark in line.remarks)
        repeated = {
            remark: number
            for remark, number in numbers.items()
            if number > MOST_REPEATED and remark not in self._own
        }
        said = [*([not_required_text(self.not_required)] if self.not_required else []), *remarks_on_form]
        for remark, number in repeated.items():
            rows = {"n": format_count(number), "remark": remark}
            said.append(_("Of %(n)s rows marked as changed: %(remark)s") % rows)
        return ImportResult(
            read_questionnaire(draft).as_json(),
            tuple(said),
            tuple(
                replace(line, remarks=tuple(each for each in line.remarks if each not in repeated))
                for line in lines
            ),
        )

    def record_refusal(self, location: str, words: str, refusal: RowRefused) -> None:
        """Records that a row was left out, with the reason of the refusal.

        If the refusal is `TooLarge`, the reason adds that all later rows are left out too.
        """
        reason = str(refusal)
        if isinstance(refusal, TooLarge):
            reason = _("%(reason)s. What follows is left out, too.") % {"reason": reason}
        self.record_left_out(location, words, reason)

    def unique_question_name(self, wanted: str, stem: str) -> str:
        """Returns an unused question name: `wanted` if possible, else one that begins with `stem`."""
        return self._unique_name(self._names, wanted, stem)

    def unique_group_name(self, wanted: str, stem: str) -> str:
        """Returns an unused group name: `wanted` if possible, else one that begins with `stem`."""
        return self._unique_name(self._groups, wanted, stem)

    def _unique_name(self, names: UniqueNames, wanted: str, stem: str) -> str:
        """Returns an unused name, `wanted` if possible; adds a remark if the name differs."""
        name = names.make_unique(normal_name(wanted) or stem)
        if name != wanted:
            self.remark(_("It is called %(name)s here.") % {"name": name})
        return name

    def expressible_show_if_rule(self, outer: Sequence[str], own: str = "") -> dict[str, list[str]]:
        """Returns the show-if rule (allowed answers by earlier question) for all conditions of `outer` and `own`
        together.

        Conditions that no rule can express are left out with a remark.
        """
        attempts = ([[*outer, own]] if own else []) + ([list(outer)] if outer else [])
        rules = (self._rule_or_remark(parts) for parts in attempts)
        return next((rule for rule in rules if rule is not None), {})

    def can_express_or_remark(self, outer: Sequence[str], own: str) -> bool:
        """True if one show-if rule can express the conditions of `outer` and `own` together; otherwise adds a
        remark."""
        return self._rule_or_remark([*outer, own]) is not None

    def can_express_together(self, conditions: Sequence[str]) -> bool:
        """True if one show-if rule can express all conditions together; adds no remark."""
        before = len(self._said)
        found = self._rule_or_remark(conditions) is not None
        del self._said[before:]
        return found

    def _rule_or_remark(self, conditions: Sequence[str]) -> dict[str, list[str]] | None:
        """Returns the show-if rule that requires all conditions; if no rule can express them, adds a remark and returns
        None."""
        whole = " and ".join(f"({part})" for part in conditions) if len(conditions) > 1 else conditions[0]
        try:
            return show_if_rule(
                whole,
                self.condition_questions,
                self.refusal_reasons,
                self._budget,
                self._tokens,
                self._calculations,
            )
        except RuleRefused as refusal:
            written = self._written.get(conditions[-1], conditions[-1])
            remark = condition_left_out_text(written, str(refusal))
            self._own.add(shorten(remark))
            self.remark(remark)
            return None

    def queue_texts(self, texts: Texts, conditions: Sequence[str] = ()) -> None:
        """Keeps texts that stand between questions until the next question is read.

        They become the introduction of its section, or are put above its help text. `conditions`: the conditions of the
        texts' row, which is recorded next; it gets a remark if they are lost.
        """
        if conditions:
            self._held_conditions[len(self.lines)] = tuple(conditions)
        for code, text in texts.items():
            self._held.setdefault(code, []).append(text)

    def pop_queued_texts(self, conditions: Sequence[str] = ()) -> dict[str, str]:
        """Returns and clears the texts kept by `queue_texts`.

        `conditions`: the conditions under which the texts will be shown. A row of texts with other conditions loses
        them, and gets a remark.
        """
        for number, wanted in self._held_conditions.items():
            if lost := [each for each in wanted if each not in conditions]:
                written = " and ".join(self._written.get(each, each) for each in lost)
                said = shorten(condition_left_out_text(written, str(remarks.NOTE_CONDITION)))
                self._own.add(said)
                line = self.lines[number]
                self.lines[number] = replace(line, outcome=CHANGED, remarks=(*line.remarks, said))
        self._held_conditions.clear()
        texts = {code: "\n\n".join(held) for code, held in self._held.items()}
        self._held.clear()
        return texts

    def prepend_queued_texts(
        self, help_text: Texts, *heading: Texts, conditions: Sequence[str] = ()
    ) -> dict[str, str]:
        """Returns a question's help text, after the kept texts of the rows above the question and after `heading`.

        `conditions`: the conditions under which the question is shown.
        """
        return join_texts(self.pop_queued_texts(conditions), *heading, help_text)


def join_texts(*parts: Texts) -> dict[str, str]:
    """Joins texts language by language, with an empty line between them."""
    codes = dict.fromkeys(code for part in parts for code in part)
    return {code: "\n\n".join(text for part in parts if (text := part.get(code))) for code in codes}


def condition_left_out_text(condition: str, reason: str) -> str:
    shown = condition if len(condition) < 200 else f"{condition[:200]}…"
    said = _("Its condition %(condition)s is left out, so everybody is asked: it %(reason)s.")
    return said % {"condition": shown, "reason": reason}


def not_required_text(questions: int) -> str:
    return ngettext(
        "%(n)s question was not required. Here every question is answered; give it the choice “prefer not"
        " to say” if people may leave it open.",
        "%(n)s questions were not required. Here every question is answered; give them the choice “prefer"
        " not to say” if people may leave them open.",
        questions,
    ) % {"n": questions}


class SizeCounter:
    """Counts the questions, answers and characters imported so far; raises when a limit is exceeded."""

    def __init__(self) -> None:
        self._questions = self._answers = self._written = 0

    def count_questions(self, questions: int) -> None:
        self._questions += questions
        if self._questions > draft_check.MOST_QUESTIONS:
            reason = _(
                "here the form has more than %(most)s questions, the most that a questionnaire holds; every option of"
                " select_multiple counts as one. Split the form"
            )
            raise TooLarge(reason % {"most": draft_check.MOST_QUESTIONS})

    def count_answers(self, answers: int) -> None:
        self._answers += answers
        if self._answers > draft_check.MOST_ANSWERS:
            raise RowRefused(_("here the questions have more answers in all than a questionnaire holds"))

    def count_text(self, questions: Sequence[DraftQuestion]) -> None:
        self._written += sum(_count_json_characters(question.as_json()) for question in questions)
        if self._written > MOST_WRITTEN:
            raise TooLarge(_("here the questions have more text in all than a questionnaire holds"))


def _count_json_characters(node: Any) -> int:
    if isinstance(node, str):
        return len(node) + 1
    if isinstance(node, Mapping):
        return sum(_count_json_characters(key) + _count_json_characters(each) for key, each in node.items())
    return sum(map(_count_json_characters, node)) if isinstance(node, list) else 1
