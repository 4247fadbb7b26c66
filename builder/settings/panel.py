"""The form of the protection page: the settings of every sensitive section, and what the page shows."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

from django import forms
from django.utils.translation import gettext as _, gettext_lazy

from builder.settings.quick_fixes import MOST_EXPECTED
from privacy.guarantee.amplification import GammaLimit
from surveys.kinds.fields import ProbabilityField, as_percent
from surveys.kinds.kind import SurveyKind
from surveys.kinds.registry import known_kind
from surveys.kinds.settings import Dial, SectionFields, Setting
from surveys.questionnaire.blocks import with_section
from surveys.questionnaire.draft_section import DraftSection
from surveys.questionnaire.presets import by_hand
from surveys.questionnaire.protection import PRIOR
from surveys.questionnaire.questionnaire import Questionnaire

RHO1, RHO2 = Decimal(5), Decimal(50)


class SetSection(NamedTuple):
    """A section where something can be set, with its number."""

    number: int
    section: DraftSection
    kind: SurveyKind[Any]


def set_sections(draft: Questionnaire) -> Iterator[SetSection]:
    for number, section in enumerate(draft.sections):
        if (kind := known_kind(section)) and kind.panel:
            yield SetSection(number, section, kind)


def _field(name: str, number: int) -> str:
    return f"{name}-{number}"


def of_section(cleaned: Mapping[str, Any], number: int) -> dict[str, Any]:
    """The cleaned values of one section, by the names of its settings."""
    ending = _field("", number)
    return {key.removesuffix(ending): value for key, value in cleaned.items() if key.endswith(ending)}


@dataclass(frozen=True)
class ViewOptions:
    """What the page computes for; not part of the draft."""

    prior: Fraction = PRIOR
    rho1: Fraction = Fraction(RHO1) / 100
    rho2: Fraction = Fraction(RHO2) / 100
    length: int = 1

    @property
    def limit(self) -> GammaLimit | None:
        return GammaLimit.never_reaches(self.rho1, self.rho2) if self.rho1 < self.rho2 else None


class SettingsForm(forms.Form):
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
        self.draft = draft
        look = look or ViewOptions()
        shown = {key: as_percent(str(float(getattr(look, key)))) for key in ("prior", "rho1", "rho2")}
        self.initial = {
            "expected": draft.respondents,
            "open_answers": draft.open_answers,
            "length": look.length,
            **shown,
        }
        self._settings = {
            number: list(kind.settings(section)) for number, section, kind in set_sections(draft)
        }
        self._shares = {
            number: list(kind.share_fields(section)) for number, section, kind in set_sections(draft)
        }
        for number, settings in self._settings.items():
            fields = [(each.name, each.field, each.initial) for each in settings]
            for name, field, initial in [*fields, *self._shares[number]]:
                self.fields[_field(name, number)] = field
                self.initial[_field(name, number)] = initial

    @cached_property
    def sections(self) -> dict[int, SectionFields]:
        return {number: self._fields(number, settings) for number, settings in self._settings.items()}

    def _fields(self, number: int, settings: Sequence[Setting]) -> SectionFields:
        dials = (Dial(each, self[_field(each.name, number)]) for each in settings)
        shares = (self[_field(name, number)] for name, *_rest in self._shares[number])
        return SectionFields(number, tuple(dials), tuple(shares))

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if data.get("open_answers") and self.draft.direct:
            words = _("The device decides who is asked directly. Remove that share on the Study page first.")
            self.add_error("open_answers", words)
        for number, section, kind in set_sections(self.draft):
            for name, words in kind.settings_faults(section, of_section(data, number)):
                self.add_error(_field(name, number), words)
        return data

    @property
    def look(self) -> ViewOptions:
        """Of a valid form; presets where a field is empty."""
        shares = {
            key: Fraction(value) / 100
            for key in ("prior", "rho1", "rho2")
            if (value := self.cleaned_data[key])
        }
        return ViewOptions(**shares, length=int(self.cleaned_data["length"]))


@dataclass(frozen=True)
class SettingsPart:
    look: ViewOptions = ViewOptions()

    @property
    def dom_id(self) -> str:
        return "settings"

    def value(self, draft: Questionnaire) -> Any:
        kinds = [(section, known_kind(section)) for section in draft.sections]
        shares = [kind.shares(section) if kind else [] for section, kind in kinds]
        return [draft.expected, draft.open_answers, _settings_of(draft), shares]

    def form(self, draft: Questionnaire, data: Any = None) -> SettingsForm:
        return SettingsForm(draft, data, self.look, auto_id="%s")

    def changed(self, draft: Questionnaire, cleaned: dict[str, Any]) -> Questionnaire:
        after = replace(draft, **{name: cleaned[name] for name in ("expected", "open_answers")})
        for number, section, kind in set_sections(draft):
            changed = kind.with_settings(section, of_section(cleaned, number))
            after = with_section(after, number, changed)
        return after if _settings_of(after) == _settings_of(draft) else by_hand(after)


def _settings_of(draft: Questionnaire) -> list[Any]:
    """By section what can be set of its protection."""
    kinds = [(section, known_kind(section)) for section in draft.sections]
    return [kind.settings_value(section) if kind else None for section, kind in kinds]
