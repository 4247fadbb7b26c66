"""The settings on the protection page: their form, and quick fixes, which change the setting that a warning
is about."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from math import exp, log
from typing import Any

from django import forms
from django.utils.translation import gettext as _, gettext_lazy

from privacy.guarantee.amplification import GammaLimit
from surveys.draft_json import TOGETHER
from surveys.kinds.apply_protection_presets import apply_presets
from surveys.kinds.grouped.draft import is_grouped_section
from surveys.kinds.kind_interface import QuestionKind
from surveys.kinds.number.editing import divide_widest_classes
from surveys.kinds.percent_fields import ProbabilityField, percent_text
from surveys.kinds.protection_page_elements import SectionFields
from surveys.kinds.registry import get_kind, get_kind_if_known
from surveys.questionnaire.draft_section import DraftSection
from surveys.questionnaire.problems_and_refusals import NotAllowed
from surveys.questionnaire.protection import (
    PRIOR,
    USUAL,
    laws_of_adjustable_sections,
    limit_left_by_fixed_sections,
    remove_presets,
)
from surveys.questionnaire.question_block_editing import find_section, replace_section_normalized
from surveys.questionnaire.questionnaire import Questionnaire
from surveys.questionnaire.value_normalization import normal_probability

MOST_EXPECTED = 10**9


def sections_with_panel(draft: Questionnaire) -> Iterator[tuple[int, DraftSection, QuestionKind[Any]]]:
    """Yields number, section and kind of each section that the protection page shows."""
    for number, section in enumerate(draft.sections):
        if (kind := get_kind_if_known(section)) and kind.panel:
            yield number, section, kind


def _section_values(cleaned: Mapping[str, Any], number: int) -> dict[str, Any]:
    """Returns the cleaned values of one section, by the names of its settings."""
    ending = f"-{number}"
    return {key.removesuffix(ending): value for key, value in cleaned.items() if key.endswith(ending)}


@dataclass(frozen=True)
class ViewOptions:
    """Inputs of the protection page's computations, which are not stored.

    `prior`: the probability of a suspicion whose growth is shown. `rho1` and `rho2` are the limit for
    proposals: a suspicion below `rho1` must not become `rho2` or more.
    """

    prior: Fraction = PRIOR
    rho1: Fraction = Fraction(1, 20)
    rho2: Fraction = Fraction(1, 2)
    length: int = 1

    @property
    def gamma_limit(self) -> GammaLimit | None:
        return GammaLimit.never_reaches(self.rho1, self.rho2) if self.rho1 < self.rho2 else None


class SettingsForm(forms.Form):
    """Form for the settings of all sensitive sections, and for the view options; field names end with the section's
    number."""

    expected = forms.IntegerField(
        label=gettext_lazy("How many answers do you expect?"), min_value=1, max_value=MOST_EXPECTED
    )
    open_answers = forms.BooleanField(
        label=gettext_lazy("Respondents can choose to answer without disguise"),
        help_text=gettext_lazy(
            "These answers are sent exactly as given. People who choose this have no protection. Answers without "
            "disguise are used after you finish the survey, in groups of ten who are shown the same questions."
        ),
        required=False,
    )
    prior = ProbabilityField(label=gettext_lazy("Suspicion before (%)"), required=False)
    rho1 = ProbabilityField(label=gettext_lazy("Less likely than (%)"), required=False)
    rho2 = ProbabilityField(label=gettext_lazy("must never become as likely as (%)"), required=False)
    length = forms.TypedChoiceField(
        label=gettext_lazy("What matters most"),
        choices=[
            (1, gettext_lazy("single answers")),
            (2, gettext_lazy("two answers together")),
            (3, gettext_lazy("three answers together")),
        ],
        coerce=int,
        empty_value="1",
        required=False,
    )

    def __init__(
        self, draft: Questionnaire, data: Any = None, look: ViewOptions | None = None, **options: Any
    ) -> None:
        super().__init__(data, **options)
        self.draft, look = draft, look or ViewOptions()
        self.initial = {
            "expected": draft.respondents,
            "open_answers": draft.open_answers,
            "length": look.length,
            **{key: percent_text(str(float(getattr(look, key)))) for key in ("prior", "rho1", "rho2")},
        }
        self.sections: dict[int, SectionFields] = {}
        for number, section, kind in sections_with_panel(draft):
            settings = list(kind.protection_settings(section))
            shares = list(kind.expected_share_fields(section))
            for name, field, initial in [
                *((setting.name, setting.field, setting.initial) for setting in settings),
                *shares,
            ]:
                self.fields[f"{name}-{number}"] = field
                self.initial[f"{name}-{number}"] = initial
            self.sections[number] = SectionFields(
                number,
                tuple((setting, self[f"{setting.name}-{number}"]) for setting in settings),
                tuple(self[f"{name}-{number}"] for name, *_rest in shares if name != TOGETHER),
                self[f"{TOGETHER}-{number}"] if f"{TOGETHER}-{number}" in self.fields else None,
            )

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if data.get("open_answers") and self.draft.direct:
            words = _("The device decides who is asked directly. Remove that share on the Study page first.")
            self.add_error("open_answers", words)
        for number, section, kind in sections_with_panel(self.draft):
            for name, words in kind.settings_faults(section, _section_values(data, number)):
                self.add_error(f"{name}-{number}", words)
        return data

    @property
    def view_options(self) -> ViewOptions:
        """View options of a valid form, with the defaults for empty fields."""
        given = {key: self.cleaned_data[key] for key in ("prior", "rho1", "rho2")}
        shares = {key: Fraction(value) / 100 for key, value in given.items() if value}
        return ViewOptions(**shares, length=int(self.cleaned_data["length"]))


class SettingsPart:
    """All protection settings, as one part of the draft that is saved on its own; `look` fills the view options."""

    dom_id = "settings"

    def __init__(self, look: ViewOptions | None = None) -> None:
        self.look = look

    def conflict_check_value(self, draft: Questionnaire) -> Any:
        kinds = [(section, get_kind_if_known(section)) for section in draft.sections]
        shares = [kind.expected_shares(section) if kind else [] for section, kind in kinds]
        return [draft.expected, draft.open_answers, _settings_decided_by_presets(draft), shares]

    def build_form(self, draft: Questionnaire, data: Any = None) -> SettingsForm:
        return SettingsForm(draft, data, self.look, auto_id="%s")

    def apply_cleaned(self, draft: Questionnaire, cleaned: dict[str, Any]) -> Questionnaire:
        after = replace(draft, expected=cleaned["expected"], open_answers=cleaned["open_answers"])
        for number, section, kind in sections_with_panel(draft):
            values = _section_values(cleaned, number)
            after = replace_section_normalized(after, number, kind.apply_settings(section, values))
        return (
            apply_presets(after)
            if _settings_decided_by_presets(after) == _settings_decided_by_presets(draft)
            else remove_presets(after)
        )


def _settings_decided_by_presets(draft: Questionnaire) -> list[Any]:
    """Returns, for each section, the settings that a preset decides; None for a kind that this version does not
    know."""
    kinds = [(section, get_kind_if_known(section)) for section in draft.sections]
    return [kind.settings_that_end_presets(section) if kind else None for section, kind in kinds]


# Quick fixes: a word and numbers such as "asked 1 3", applied to the draft as it is by then.


def _read_keep_probability(text: str) -> str:
    if (keep := normal_probability(text)) is None:
        raise ValueError(text)
    return keep


SETTINGS: Mapping[str, Mapping[str, Callable[[str], Any]]] = {
    "asked": {"asked": int},
    "keep": {"keep": _read_keep_probability},
    "both": {"asked": int, "keep": _read_keep_probability},
}
"""Settings that a quick fix changes in questions disguised together, by the fix's word: names with parsers,
in the order of the numbers in its command."""


def apply_quick_fix(draft: Questionnaire, do: str) -> Questionnaire:
    """Applies the quick fix `do` to the draft; refused if it is unknown or its section is gone."""
    word, *numbers = do.split() or [""]
    if word == "closed":
        return replace(draft, open_answers=False)
    if word == "share":
        return strengthen_protection(draft, USUAL)
    try:
        if word == "expect":
            return replace(draft, expected=min(max(1, int(numbers[0])), MOST_EXPECTED))
        number = int(numbers[0])
        if word == "limit":
            return bring_section_within_limit(draft, number, USUAL)
        if word == "widest":
            return divide_widest_classes(draft, number)
        texts = zip(SETTINGS[word].items(), numbers[1:], strict=True)
        values = {name: read(text) for (name, read), text in texts}
    except (ValueError, IndexError, KeyError):
        raise NotAllowed(_("That could not be understood. Reload the page and try again.")) from None
    section = find_section(draft, number)
    if not is_grouped_section(section):
        raise NotAllowed(_("This section is not disguised any more."))
    return replace_section_normalized(draft, number, replace(section, **values))


def strengthen_protection(draft: Questionnaire, limit: GammaLimit) -> Questionnaire:
    """Strengthens the disguise of all adjustable sections until together they are within the limit of gamma; the ratios
    of their epsilons stay the same.

    Refused if crosswise questions alone exceed the limit, or if a section would reveal nothing at all.
    """
    adjustable = list(laws_of_adjustable_sections(draft))
    if not adjustable:
        raise NotAllowed(_("Nothing is disguised yet, or only by the secrets of crosswise questions."))
    limit = limit_left_by_fixed_sections(draft, limit)
    if limit.gamma <= 1:
        raise NotAllowed(_("Crosswise questions alone are above this limit. Leave some out."))
    factor = log(limit.gamma) / sum(log(law.gamma) for _number, law in adjustable)
    if factor >= 1:
        return draft
    for number, law in adjustable:
        # Rounded down, so that the product of all stays within the limit.
        gamma = Fraction(int(exp(log(law.gamma) * factor) * 10**6), 10**6)
        draft = bring_section_within_limit(draft, number, GammaLimit(gamma, strict=False))
    return draft


def bring_section_within_limit(draft: Questionnaire, number: int, limit: GammaLimit) -> Questionnaire:
    """Returns the draft with one section changed to be within the limit of gamma; refused if it would reveal nothing
    then."""
    section = find_section(draft, number)
    is_set = section.has_settings and section.disguise_law()
    limited = get_kind(section).section_within_limit(section, limit) if is_set else None
    if limited is None:
        raise NotAllowed(
            _("So little can be kept that nothing could be learnt. Ask each person fewer questions.")
        )
    return replace_section_normalized(draft, number, limited)
