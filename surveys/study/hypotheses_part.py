"""The part of a draft that holds its hypotheses: one is added, edited or deleted at a time."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from django import forms
from django.utils.functional import Promise
from django.utils.translation import gettext as _

from privacy import designs
from privacy.designs import InputError
from privacy.designs.plan import MOST_HYPOTHESES
from surveys.lifecycle.freezing import as_design_json
from surveys.questionnaire import hypotheses
from surveys.questionnaire.hypotheses import Subjects
from surveys.questionnaire.problems import NotAllowed, reason_text, reason_with_place
from surveys.questionnaire.questionnaire import Questionnaire
from surveys.study.hypothesis_forms import FORMS, TITLES, WAYS, HypothesisForm
from surveys.study.hypothesis_words import HypothesisWords

ID = "hypotheses"
PREFIX = "hypothesis-"
DELETE, EDIT = f"{PREFIX}delete", f"{PREFIX}edit"


@dataclass(frozen=True)
class HypothesisLine:
    """`fault`: why the design cannot test it any more. `may_edit`: not where it allows none of this kind any more."""

    name: str
    words: str
    fault: str
    may_edit: bool


@dataclass(frozen=True)
class KindOption:
    """`way`: what to do first, where the design does not allow this kind."""

    kind: str
    title: str | Promise
    way: str | Promise


@dataclass(frozen=True)
class DraftedHypotheses:
    """What the page shows of them. `unread`: why the questionnaire cannot be a design yet."""

    draft: Questionnaire

    @cached_property
    def design(self) -> designs.Design | None:
        return self._read[0]

    @property
    def unread(self) -> str:
        return self._read[1]

    @cached_property
    def _read(self) -> tuple[designs.Design | None, str]:
        try:
            return designs.parse(as_design_json(self.draft.as_json())), ""
        except InputError as refusal:
            return None, reason_with_place(refusal)

    @cached_property
    def words(self) -> HypothesisWords:
        return HypothesisWords(self.design, self.draft.first_language)

    @property
    def lines(self) -> list[HypothesisLine]:
        return [
            HypothesisLine(
                each["name"], self.words.of(each), self._fault(each), bool(self._kinds[each["kind"]])
            )
            for each in hypotheses.drafted_hypotheses(self.draft.plan)
        ]

    def _fault(self, hypothesis: Mapping[str, Any]) -> str:
        if self.design is None:
            return ""
        plan = hypotheses.read_plan({**self.draft.plan, "hypotheses": [hypothesis]})
        try:
            if plan:
                hypotheses.check_hypotheses(plan, self.design)
        except InputError as refusal:
            return reason_text(refusal)
        return ""

    @property
    def is_full(self) -> bool:
        return len(hypotheses.drafted_hypotheses(self.draft.plan)) >= MOST_HYPOTHESES

    @property
    def most(self) -> int:
        return MOST_HYPOTHESES

    @property
    def options(self) -> list[KindOption]:
        allowed = self._kinds
        return [KindOption(kind, TITLES[kind], "" if allowed[kind] else WAYS[kind]) for kind in FORMS]

    @cached_property
    def _kinds(self) -> Mapping[str, bool]:
        return Subjects(self.design).kinds if self.design else dict.fromkeys(FORMS, False)


def form_for_kind(
    draft: Questionnaire,
    kind: str,
    data: Mapping[str, Any] | None = None,
    initial: Mapping[str, Any] | None = None,
) -> HypothesisForm | None:
    """None where the questionnaire cannot be a design yet, or this design does not allow the kind."""
    shown = DraftedHypotheses(draft)
    if shown.design is None or not Subjects(shown.design).kinds.get(kind):
        return None
    options = {"auto_id": f"{PREFIX}{kind}-%s", "initial": initial}
    return FORMS[kind](
        hypotheses.drafted_hypotheses(draft.plan), Subjects(shown.design), shown.words, data, **options
    )


class NothingToTest(forms.Form):
    """In the place of a form that has nothing to offer. `way`: what to do first."""

    def __init__(self, way: str | Promise, data: Mapping[str, Any] | None) -> None:
        super().__init__(data)
        self.way = way

    def clean(self) -> dict[str, Any]:
        raise forms.ValidationError(str(self.way))


class PlanOfDraft:
    """What the parts share: all change the plan, so that what somebody else changed in it meanwhile is a conflict."""

    @property
    def dom_id(self) -> str:
        return ID

    def value(self, draft: Questionnaire) -> Any:
        return draft.plan


@dataclass(frozen=True)
class NewHypothesisPart(PlanOfDraft):
    kind: str
    new_salt: Callable[[], str] = hypotheses.new_salt

    def form(self, draft: Questionnaire, data: Mapping[str, Any] | None = None) -> forms.Form:
        return form_for_kind(draft, self.kind, data) or NothingToTest(WAYS[self.kind], data)

    def apply(self, draft: Questionnaire, cleaned: dict[str, Any]) -> Questionnaire:
        form = form_for_kind(draft, self.kind, {})
        assert form is not None
        form.cleaned_data = cleaned
        plan = hypotheses.with_hypothesis(draft.plan, form.said(), self.new_salt())
        return replace(draft, plan=plan)


@dataclass(frozen=True)
class EditedHypothesisPart(PlanOfDraft):
    """A hypothesis of this name, which keeps its name, its kind and its place."""

    name: str

    def form(self, draft: Questionnaire, data: Mapping[str, Any] | None = None) -> forms.Form:
        before = self._before(draft)
        others = replace(draft, plan=hypotheses.without_hypothesis(draft.plan, self.name))
        kind = before["kind"]
        form = form_for_kind(others, kind, data, FORMS[kind].initial_of(before))
        return form or NothingToTest(WAYS[kind], data)

    def apply(self, draft: Questionnaire, cleaned: dict[str, Any]) -> Questionnaire:
        form = form_for_kind(draft, self._before(draft)["kind"], {})
        assert form is not None
        form.cleaned_data = cleaned
        return replace(draft, plan=hypotheses.replace_hypothesis(draft.plan, self.name, form.said()))

    def _before(self, draft: Questionnaire) -> Mapping[str, Any]:
        for each in hypotheses.drafted_hypotheses(draft.plan):
            if each["name"] == self.name:
                return each
        raise NotAllowed(_("This hypothesis is not there any more."))


HypothesisPart = NewHypothesisPart | EditedHypothesisPart


def form_with_lists(part: HypothesisPart, draft: Questionnaire, data: Mapping[str, Any]) -> forms.Form:
    """The form with what was entered, unchecked, and the lists that follow from it."""
    sent = part.form(draft, data)
    if not isinstance(sent, HypothesisForm):
        return sent
    form = form_for_kind(draft, sent.kind, initial=sent.shown_values)
    assert form is not None
    return form


class DeleteForm(forms.Form):
    name = forms.CharField(max_length=64)


@dataclass(frozen=True)
class DeletedHypothesisPart(PlanOfDraft):
    def form(self, draft: Questionnaire, data: Mapping[str, Any] | None = None) -> DeleteForm:
        return DeleteForm(data)

    def apply(self, draft: Questionnaire, cleaned: dict[str, Any]) -> Questionnaire:
        return replace(draft, plan=hypotheses.without_hypothesis(draft.plan, cleaned["name"]))
