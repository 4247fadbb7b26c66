"""The settings of questions that are disguised together: keep, noise and how many each person is asked."""

from collections.abc import Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

from django import forms
from django.forms import BoundField
from django.utils.translation import gettext as _, ngettext

from privacy.grammar.node import PARTS, decimal
from privacy.grammar.question import YES_NO
from surveys.draft import DEFAULT_SHARE, SHARE
from surveys.kinds.grouped.draft import noise_law
from surveys.kinds.grouped.precision import QuestionMargin
from surveys.kinds.grouped.protection import grouped_protection
from surveys.questionnaire.normal_values import Node
from surveys.questionnaire.percent_fields import ProbabilityField, as_percent, as_probability
from surveys.questionnaire.section_settings import SectionPanel, SectionSettings, Setting


class GroupedSettings(SectionSettings):
    def settings(self, section: Node) -> Iterator[Setting]:
        questions = section["questions"]
        field: forms.Field = ProbabilityField(label=_("True answers sent (%)"))
        yield Setting("keep", field, as_percent(section["keep"]), 99)
        if any(has_yes(each) for each in questions):
            field = ProbabilityField(label=_("“Yes” among random answers (%)"), required=False)
            yield Setting("yes", field, common_yes(section), 99)
        if len(questions) > 1:
            field = forms.IntegerField(
                label=_("Of %(all)s questions, each person is asked") % {"all": len(questions)},
                min_value=1,
                max_value=len(questions),
            )
            yield Setting("asked", field, section.get("asked", len(questions)), len(questions))

    def value(self, section: Node) -> Any:
        noise = [[each["name"], each.get("noise")] for each in section["questions"]]
        return [section["keep"], section.get("asked"), noise]

    def faults(self, section: Node, cleaned: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        yes = cleaned.get("yes")
        if yes and _crowded(section, yes):
            yield "yes", _("That leaves nothing for the other answers.")

    def changed(self, section: Node, cleaned: Mapping[str, Any]) -> Node:
        made = {**section, "keep": as_probability(cleaned["keep"])}
        if asked := cleaned.get("asked"):
            made["asked"] = asked
        yes = cleaned.get("yes")
        if yes and f"{yes.normalize():f}" != common_yes(section):
            made["questions"] = [
                with_yes(each, yes) if has_yes(each) else each for each in section["questions"]
            ]
        questions = [
            _with_share(question, cleaned.get(_share_name(row)))
            for row, question in enumerate(made["questions"])
        ]
        return {**made, "questions": questions}

    def share_fields(self, section: Node) -> Iterator[tuple[str, forms.Field, str]]:
        for row, question in enumerate(section["questions"]):
            words = next(iter(question["text"].values()), "") or question["name"]
            label = _("Expected share (%%): %(question)s") % {"question": words}
            share = question.get(SHARE, DEFAULT_SHARE)
            yield _share_name(row), ProbabilityField(label=label, required=False), as_percent(share)

    def shares(self, section: Node) -> list[str]:
        return [question.get(SHARE, DEFAULT_SHARE) for question in section["questions"]]


class GroupedPanel(SectionPanel):
    template = "surveys/builder/results-grouped.html"
    dials = GroupedSettings()
    find = staticmethod(grouped_protection)

    @property
    def title(self) -> str:
        questions = len(self.section["questions"])
        words = ngettext("%(questions)s disguised question", "%(questions)s disguised questions", questions)
        return words % {"questions": questions}

    @property
    def margins(self) -> list[tuple[QuestionMargin, BoundField]]:
        """The margin of error of each question, with the field of the share that is expected."""
        found = self.find(self.section, self.respondents, self.prior)
        return list(zip(found.margins, self.fields.shares, strict=True)) if found else []


def _share_name(row: int) -> str:
    return f"share{row}"


def _with_share(question: Node, percent: Decimal | None) -> Node:
    """An empty field is the preset share."""
    rest = {key: value for key, value in question.items() if key != SHARE}
    share = as_probability(percent) if percent else DEFAULT_SHARE
    return rest if share == DEFAULT_SHARE else {**rest, SHARE: share}


def has_yes(question: Node) -> bool:
    return {choice["name"] for choice in question["choices"]}.issuperset(YES_NO)


def _crowded(section: Node, yes: Decimal) -> bool:
    """Whether so much yes leaves less than .0001 for some other answer."""
    most = max(len(each["choices"]) for each in section["questions"] if has_yes(each))
    return (100 - yes) * PARTS / 100 < most - 1


def _yes(question: Node) -> str | None:
    """How often chance says yes, if it shares the rest out evenly; else None."""
    law = noise_law(question)
    names = [choice["name"] for choice in question["choices"]]
    yes = law[names.index("yes")]
    others = [share for name, share in zip(names, law, strict=True) if name != "yes"]
    even = max(others) - min(others) <= Fraction(1, PARTS)
    return decimal(int(yes * PARTS)) if even else None


def common_yes(section: Node) -> str:
    """In per cent; empty where the questions differ."""
    found = {_yes(question) for question in section["questions"] if has_yes(question)}
    only = found.pop() if len(found) == 1 else None
    return as_percent(only) if only else ""


def with_yes(question: Node, percent: Decimal) -> Node:
    """Chance says yes so often; the other answers share the rest evenly, the first get what is left over."""
    yes = int(percent * PARTS / 100)
    names = [choice["name"] for choice in question["choices"]]
    share, spare = divmod(PARTS - yes, len(names) - 1)
    noise, others = [], 0
    for name in names:
        noise.append(decimal(yes) if name == "yes" else decimal(share + (others < spare)))
        others += name != "yes"
    return {**question, "noise": noise}
