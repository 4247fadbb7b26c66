"""Quotas on plain answers: after enough people with certain answers, later visitors are not asked further.

A quota names answers that everybody is asked for, in the open, before the first sensitive question. The
server counts them in sealed batches (`mining/disclosure/noisy_full_quota_decision.py`); the device alone decides
whether the survey ends.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from privacy.grammar.input_error import mark_for_translation as _, quote_value
from privacy.grammar.json_node import Node
from privacy.grammar.question import DRAWN
from privacy.kinds.section import Section

Answers = Mapping[str, str]
"""A choice by question, both as names."""
LEAST_LIMIT, MOST_LIMIT = 30, 10**9
MOST_QUOTAS = 50
MOST_ANSWERS = 2
"""Most answers that define the cell of a quota."""
MOST_SETS = 2
"""Most distinct sets of questions in all quotas: each costs protection (docs/mathematics.md)."""

# --- why an answer cannot be counted

NO_QUESTION = _("no question is called %(name)s")
SENSITIVE = _(
    "%(name)s is sensitive: its answer is disguised, so nobody can count it, and a page that ends for it would "
    "betray it"
)
DRAWN_BY_DEVICE = _("%(name)s is drawn by the device: a quota needs an answer of the person")
NOT_EVERYBODY = _("%(name)s is not asked of everybody: remove its show-if, or take another question")
TOO_LATE = _(
    "%(name)s comes after a sensitive question, which nobody should answer in vain: move it before the first one"
)
NO_CHOICE = _("%(choice)s is not a choice of %(name)s")

ONE_OR_TWO = _("a quota has one or two answers")
ALIKE_NAMES = _("both answers are to one question, or to two whose names differ in capital letters only")

# --- why a quota cannot be added to the others

SAME_ANSWERS = _("an earlier quota has the same answers: leave one out")
TOO_MANY_SETS = _(
    "a third set of questions is counted, but two are the most: that a quota is full tells a little of the people in "
    "it, and everybody may be in a quota of each set"
)


@dataclass(frozen=True, slots=True)
class Quota:
    """A quota: once `limit` people gave all these answers, later visitors are not asked further.

    `answers`: question and choice by name; `codes`: code of the choice by the question's index.
    """

    answers: tuple[tuple[str, str], ...]
    limit: int
    codes: tuple[tuple[int, int], ...]

    def as_json(self) -> dict[str, Any]:
        return {"answers": dict(self.answers), "limit": self.limit}

    def includes(self, codes: Sequence[int | None]) -> bool:
        """Returns True if a person with these answer codes counts towards the quota."""
        return all(codes[index] == code for index, code in self.codes)


def read_quotas(node: Node | None, sections: Sequence[Section]) -> tuple[Quota, ...]:
    """Reads the quotas of a design from JSON; `sections`: the sections of the design."""
    if node is None:
        return ()
    quotas: list[Quota] = []
    for item in node.items():
        if len(quotas) == MOST_QUOTAS:
            raise node.refuse(_("at most %(most)s quotas: leave some out"), most=MOST_QUOTAS)
        quota = _read_quota(item, sections)
        if reason := earlier_quota_problem(
            dict(quota.answers), [dict(earlier.answers) for earlier in quotas]
        ):
            raise item.refuse(reason)
        quotas.append(quota)
    return tuple(quotas)


def quota_question_names_problem(names: Collection[str]) -> str:
    """Returns the reason why questions with these names cannot define a quota; empty if they can."""
    if not 0 < len(names) <= MOST_ANSWERS:
        return ONE_OR_TWO
    return ALIKE_NAMES if len({name.casefold() for name in names}) < len(names) else ""


def quota_question_problem(
    is_sensitive: bool, is_drawn: bool, is_conditional: bool, is_after_sensitive: bool
) -> str:
    """Returns the reason why no quota can count a question with these properties; empty if one can.

    `is_after_sensitive`: the question comes after a sensitive one.
    """
    reasons = {
        SENSITIVE: is_sensitive,
        DRAWN_BY_DEVICE: is_drawn,
        NOT_EVERYBODY: is_conditional,
        TOO_LATE: is_after_sensitive,
    }
    return next((reason for reason, holds in reasons.items() if holds), "")


def earlier_quota_problem(answers: Answers, earlier: Sequence[Answers]) -> str:
    """Returns the reason why a quota conflicts with earlier quotas of the design; empty if it does not."""
    if answers in earlier:
        return SAME_ANSWERS
    return TOO_MANY_SETS if len(question_sets([*earlier, answers])) > MOST_SETS else ""


def question_sets(quotas: Iterable[Answers]) -> set[frozenset[str]]:
    """Returns the distinct sets of questions that quotas combine."""
    return {frozenset(answers) for answers in quotas}


def _read_quota(node: Node, sections: Sequence[Section]) -> Quota:
    members = node.members(frozenset({"answers", "limit"}), frozenset())
    answers = members["answers"].object_members()
    if reason := quota_question_names_problem(answers):
        raise members["answers"].refuse(reason)
    rows = sorted(
        (*_find_answer(name, answer, sections), name, answer.text()) for name, answer in answers.items()
    )
    return Quota(
        tuple((name, choice) for _index, _code, name, choice in rows),
        members["limit"].integer(LEAST_LIMIT, MOST_LIMIT),
        tuple((index, code) for index, code, _name, _choice in rows),
    )


def _find_answer(name: str, answer: Node, sections: Sequence[Section]) -> tuple[int, int]:
    """Returns question index and choice code of a quota's answer; refuses an answer no quota can count."""
    rows = [(section, question) for section in sections for question in section.questions]
    index = next((index for index, (_section, question) in enumerate(rows) if question.name == name), None)
    if index is None:
        raise answer.refuse(NO_QUESTION, name=quote_value(name))
    section, question = rows[index]
    is_late = any(earlier.sensitive for earlier, _question in rows[:index])
    if reason := quota_question_problem(
        section.sensitive, question.form == DRAWN, bool(question.show_if), is_late
    ):
        raise answer.refuse(reason, name=quote_value(name))
    if answer.text() not in question.code_names:
        raise answer.refuse(NO_CHOICE, choice=quote_value(answer.text()), name=quote_value(name))
    return index, question.code_names.index(answer.text())
