"""The settings of questions that are disguised together: keep, noise and how many each person is asked."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

from django import forms
from django.forms import BoundField
from django.utils.translation import gettext as _, ngettext

from privacy.grammar.node import PARTS, decimal
from privacy.grammar.question import YES_NO
from privacy.kinds.grouped.section import LASTING
from surveys.draft import DEFAULT_SHARE
from surveys.kinds.forms.percent_fields import ProbabilityField, as_percent, as_probability
from surveys.kinds.forms.section_settings import SectionPanel, SectionSettings, Setting
from surveys.kinds.grouped.draft import GroupedDraft, noise_law, share_text
from surveys.kinds.grouped.precision import QuestionMargin
from surveys.kinds.grouped.protection import grouped_protection
from surveys.questionnaire.draft_question import DraftQuestion


class GroupedSettings(SectionSettings[GroupedDraft]):
    def settings(self, section: GroupedDraft) -> Iterator[Setting]:
        questions = section.questions
        field: forms.Field = ProbabilityField(label=_("True answers sent (%)"))
        yield Setting("keep", field, as_percent(section.keep), 99)
        if any(has_yes(each) for each in questions):
            field = ProbabilityField(label=_("“Yes” among random answers (%)"), required=False)
            yield Setting("yes", field, common_yes(section), 99)
        if len(questions) > 1:
            field = forms.IntegerField(
                label=_("Of %(all)s questions, each person is asked") % {"all": len(questions)},
                min_value=1,
                max_value=len(questions),
            )
            yield Setting("asked", field, section.asked_of_each, len(questions))
        field = ProbabilityField(label=_("True answers kept for all rounds (%)"), required=False)
        yield Setting(LASTING, field, as_percent(section.lasting) if section.lasting else "", 99)

    def value(self, section: GroupedDraft) -> Any:
        noise = [[question.name, question.noise] for question in section.questions]
        return [section.keep, section.asked, section.lasting, noise]

    def faults(self, section: GroupedDraft, cleaned: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        yes = cleaned.get("yes")
        if yes and _crowded(section, yes):
            yield "yes", _("That leaves nothing for the other answers.")
        lasting, keep = cleaned.get(LASTING), cleaned.get("keep")
        if lasting and keep and lasting <= keep:
            yield LASTING, _("It must be above the true answers sent: each round is disguised once more.")

    def changed(self, section: GroupedDraft, cleaned: Mapping[str, Any]) -> GroupedDraft:
        yes, asked = cleaned.get("yes"), cleaned.get("asked")
        if yes and f"{yes.normalize():f}" == common_yes(section):
            yes = None
        questions = tuple(
            _with_share(
                with_yes(question, yes) if yes and has_yes(question) else question,
                cleaned.get(_share_name(row)),
            )
            for row, question in enumerate(section.questions)
        )
        keep = as_probability(cleaned["keep"])
        lasting = as_probability(cleaned[LASTING]) if cleaned.get(LASTING) else ""
        return replace(section, keep=keep, asked=asked or section.asked, lasting=lasting, questions=questions)

    def share_fields(self, section: GroupedDraft) -> Iterator[tuple[str, forms.Field, str]]:
        for row, question in enumerate(section.questions):
            words = next(iter(question.text.values()), "") or question.name
            label = _("Expected share (%%): %(question)s") % {"question": words}
            field = ProbabilityField(label=label, required=False)
            yield _share_name(row), field, as_percent(share_text(question))

    def shares(self, section: GroupedDraft) -> list[str]:
        return list(map(share_text, section.questions))


class GroupedPanel(SectionPanel[GroupedDraft]):
    template = "builder/results-grouped.html"
    dials = GroupedSettings()
    find = staticmethod(grouped_protection)

    @property
    def title(self) -> str:
        questions = len(self.section.questions)
        words = ngettext("%(questions)s disguised question", "%(questions)s disguised questions", questions)
        return words % {"questions": questions}

    @property
    def margins(self) -> list[tuple[QuestionMargin, BoundField]]:
        """The margin of error of each question, with the field of the share that is expected."""
        protection = self.find(self.section, self.respondents, self.prior)
        return list(zip(protection.margins, self.fields.shares, strict=True)) if protection else []


def _share_name(row: int) -> str:
    return f"share{row}"


def _with_share(question: DraftQuestion, percent: Decimal | None) -> DraftQuestion:
    """An empty field is the preset share."""
    share = as_probability(percent) if percent else DEFAULT_SHARE
    return replace(question, share="" if share == DEFAULT_SHARE else share)


def has_yes(question: DraftQuestion) -> bool:
    return set(question.choice_names).issuperset(YES_NO)


def _crowded(section: GroupedDraft, yes: Decimal) -> bool:
    """Whether so much yes leaves less than .0001 for some other answer."""
    most = max(len(question.choices) for question in section.questions if has_yes(question))
    return (100 - yes) * PARTS / 100 < most - 1


def _yes(question: DraftQuestion) -> str | None:
    """How often chance says yes, if it shares the rest out evenly; else None."""
    law, names = noise_law(question), question.choice_names
    yes = law[names.index("yes")]
    others = [share for name, share in zip(names, law, strict=True) if name != "yes"]
    even = max(others) - min(others) <= Fraction(1, PARTS)
    return decimal(int(yes * PARTS)) if even else None


def common_yes(section: GroupedDraft) -> str:
    """In per cent; empty where the questions differ."""
    meanings = {_yes(question) for question in section.questions if has_yes(question)}
    only = meanings.pop() if len(meanings) == 1 else None
    return as_percent(only) if only else ""


def with_yes(question: DraftQuestion, percent: Decimal) -> DraftQuestion:
    """Chance says yes so often; the other answers share the rest evenly, the first get what is left over."""
    yes = int(percent * PARTS / 100)
    share, spare = divmod(PARTS - yes, len(question.choices) - 1)
    noise, others = [], 0
    for name in question.choice_names:
        noise.append(decimal(yes) if name == "yes" else decimal(share + (others < spare)))
        others += name != "yes"
    return replace(question, noise=tuple(noise))
