"""Edits the hypotheses of a draft: adds, edits or deletes one at a time, each saved separately as a part of
the draft."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

from django import forms
from django.utils.functional import Promise
from django.utils.translation import gettext as _

from privacy import designs
from privacy.designs import InputError
from privacy.designs.hypothesis_plan import MOST_HYPOTHESES
from surveys.lifecycle.design_from_draft import design_json_from_draft
from surveys.lifecycle.earlier_designs import design_before
from surveys.questionnaire import hypotheses
from surveys.questionnaire.hypotheses import HypothesisSubjects
from surveys.questionnaire.problems_and_refusals import NotAllowed, path_and_reason_text, reason_text
from surveys.questionnaire.questionnaire import Questionnaire
from surveys.questionnaire.value_normalization import Node
from surveys.study.hypothesis_forms import FORMS, TITLES, WAYS, HypothesisForm
from surveys.study.hypothesis_sentences import HypothesisWords

PREFIX = "hypothesis-"
DELETE, EDIT = f"{PREFIX}delete", f"{PREFIX}edit"


class HypothesisLine(NamedTuple):
    """A drafted hypothesis as a sentence; `fault`: the reason why the design cannot test it, empty if it can.

    `may_edit`: the design allows this kind of hypothesis.
    """

    name: str
    words: str
    fault: str
    may_edit: bool


class KindOption(NamedTuple):
    """A kind of hypothesis in the menu; `way` tells what to do first if the design does not allow it."""

    kind: str
    title: str | Promise
    way: str | Promise


class DraftedHypotheses:
    """The hypotheses of a draft for a page; `unread`: the reason why no design can be made from the
    questionnaire yet."""

    most = MOST_HYPOTHESES

    def __init__(self, draft: Questionnaire) -> None:
        self.plan, self.unread = draft.plan, ""
        self.design: designs.Design | None = None
        try:
            self.design = designs.parse_design(design_json_from_draft(draft.as_json()))
        except InputError as refusal:
            self.unread = path_and_reason_text(refusal)
        self.subjects = HypothesisSubjects(self.design, design_before(self.design)) if self.design else None
        self.words = HypothesisWords(self.design, draft.first_language)
        self.hypotheses = hypotheses.drafted_hypotheses(draft.plan)
        self.plans_share_under_quotas = hypotheses.plans_share_under_quotas(draft)
        self.is_full = len(self.hypotheses) >= self.most
        self.kinds = self.subjects.kinds if self.subjects else dict.fromkeys(FORMS, False)
        self.options = [
            KindOption(kind, TITLES[kind], "" if self.kinds[kind] else WAYS[kind]) for kind in FORMS
        ]

    @cached_property
    def hypothesis_lines(self) -> list[HypothesisLine]:
        lines = []
        for hypothesis in self.hypotheses:
            words, fault = self.words.hypothesis_sentence(hypothesis), ""
            plan = hypotheses.read_plan({**self.plan, "hypotheses": [hypothesis]})
            try:
                if plan and self.subjects:
                    hypotheses.check_hypotheses(plan, self.subjects)
            except InputError as refusal:
                fault = reason_text(refusal)
            lines.append(HypothesisLine(hypothesis["name"], words, fault, self.kinds[hypothesis["kind"]]))
        return lines


def hypothesis_form_for_kind(
    draft: Questionnaire,
    kind: str,
    data: Mapping[str, Any] | None = None,
    initial: Mapping[str, Any] | None = None,
) -> HypothesisForm | None:
    """Returns the form for a kind of hypothesis; None if no design can be made yet, or if it does not allow
    the kind."""
    drafted = DraftedHypotheses(draft)
    if drafted.subjects is None or not drafted.kinds.get(kind):
        return None
    options = {"auto_id": f"{PREFIX}{kind}-%s", "initial": initial}
    return FORMS[kind](drafted.hypotheses, drafted.subjects, drafted.words, data, **options)


class UntestableHypothesisForm(forms.Form):
    """Form without fields, for a kind of hypothesis that cannot be tested yet; `way` tells what to do first."""

    def __init__(self, way: str | Promise, data: Mapping[str, Any] | None) -> None:
        super().__init__(data)
        self.way = way

    def clean(self) -> dict[str, Any]:
        raise forms.ValidationError(str(self.way))


class PlanPart:
    """Base class of the edits of a draft's hypotheses; a save is a conflict if anybody has changed them meanwhile."""

    dom_id = "hypotheses"

    def conflict_check_value(self, draft: Questionnaire) -> Any:
        return draft.plan


def hypothesis_from_cleaned(draft: Questionnaire, kind: str, cleaned: dict[str, Any]) -> Node:
    """Returns the hypothesis in a form's cleaned data, without its name."""
    form = hypothesis_form_for_kind(draft, kind, {})
    assert form is not None
    form.cleaned_data = cleaned
    return form.hypothesis_json()


@dataclass(frozen=True)
class NewHypothesisPart(PlanPart):
    """Edit of a draft that adds a hypothesis of one kind."""

    kind: str
    new_salt: Callable[[], str] = hypotheses.random_salt

    def build_form(self, draft: Questionnaire, data: Mapping[str, Any] | None = None) -> forms.Form:
        return hypothesis_form_for_kind(draft, self.kind, data) or UntestableHypothesisForm(
            WAYS[self.kind], data
        )

    def apply_cleaned(self, draft: Questionnaire, cleaned: dict[str, Any]) -> Questionnaire:
        hypothesis = hypothesis_from_cleaned(draft, self.kind, cleaned)
        return replace(draft, plan=hypotheses.add_hypothesis(draft.plan, hypothesis, self.new_salt()))


@dataclass(frozen=True)
class EditedHypothesisPart(PlanPart):
    """Edit of a draft that changes the hypothesis called `name`; it keeps its name, kind and position."""

    name: str

    def build_form(self, draft: Questionnaire, data: Mapping[str, Any] | None = None) -> forms.Form:
        before = self._find_hypothesis(draft)
        others = replace(draft, plan=hypotheses.remove_hypothesis(draft.plan, self.name))
        kind = before["kind"]
        form = hypothesis_form_for_kind(others, kind, data, FORMS[kind].initial_values(before))
        return form or UntestableHypothesisForm(WAYS[kind], data)

    def apply_cleaned(self, draft: Questionnaire, cleaned: dict[str, Any]) -> Questionnaire:
        hypothesis = hypothesis_from_cleaned(draft, self._find_hypothesis(draft)["kind"], cleaned)
        return replace(draft, plan=hypotheses.replace_hypothesis(draft.plan, self.name, hypothesis))

    def _find_hypothesis(self, draft: Questionnaire) -> Mapping[str, Any]:
        for hypothesis in hypotheses.drafted_hypotheses(draft.plan):
            if hypothesis["name"] == self.name:
                return hypothesis
        raise NotAllowed(_("This hypothesis is not there any more."))


HypothesisPart = NewHypothesisPart | EditedHypothesisPart


def refilled_hypothesis_form(
    part: HypothesisPart, draft: Questionnaire, data: Mapping[str, Any]
) -> forms.Form:
    """Returns the form filled with unchecked input, and with the lists of choices that depend on that input."""
    sent = part.build_form(draft, data)
    if not isinstance(sent, HypothesisForm):
        return sent
    form = hypothesis_form_for_kind(draft, sent.kind, initial=sent.shown_values)
    assert form is not None
    return form


class DeleteHypothesisForm(forms.Form):
    name = forms.CharField(max_length=64)


@dataclass(frozen=True)
class DeletedHypothesisPart(PlanPart):
    """Edit of a draft that deletes a hypothesis."""

    def build_form(self, draft: Questionnaire, data: Mapping[str, Any] | None = None) -> DeleteHypothesisForm:
        return DeleteHypothesisForm(data)

    def apply_cleaned(self, draft: Questionnaire, cleaned: dict[str, Any]) -> Questionnaire:
        return replace(draft, plan=hypotheses.remove_hypothesis(draft.plan, cleaned["name"]))
