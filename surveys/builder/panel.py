"""The form of the protection page: keep, noise and asked of every sensitive section, and what the page shows."""

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

from django import forms
from django.forms import BoundField
from django.utils.translation import gettext as _, gettext_lazy

from privacy.grammar.node import PARTS
from privacy.grammar.question import YES_NO
from privacy.guarantee.amplification import GammaLimit
from privacy.kinds.grouped.form import decimal
from surveys.builder.blocks import is_grouped, with_section
from surveys.builder.forms import ProbabilityField, as_percent, as_probability
from surveys.builder.normal_form import Node
from surveys.builder.protection import PRIOR, expected, noise_law
from surveys.builder.quick_fixes import MOST_EXPECTED
from surveys.draft import Draft

RHO1, RHO2 = Decimal(5), Decimal(50)


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


@dataclass(frozen=True)
class SectionFields:
    number: int
    questions: int
    keep: BoundField
    yes: BoundField | None
    asked: BoundField | None


class SettingsForm(forms.Form):
    expected = forms.IntegerField(
        label=gettext_lazy("How many answers do you expect?"), min_value=1, max_value=MOST_EXPECTED
    )
    open_answers = forms.BooleanField(
        label=gettext_lazy("People may choose to answer openly"),
        help_text=gettext_lazy(
            "Open answers are sent undisguised. Nothing is promised to whoever chooses that."
        ),
        required=False,
    )
    prior = ProbabilityField(
        label=gettext_lazy("Somebody thought it this likely, in per cent"), required=False
    )
    rho1 = ProbabilityField(label=gettext_lazy("Less likely than, in per cent"), required=False)
    rho2 = ProbabilityField(label=gettext_lazy("must never become as likely as, in per cent"), required=False)
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
        self, draft: Draft, data: Any = None, look: ViewOptions | None = None, **options: Any
    ) -> None:
        super().__init__(data, **options)
        self.draft = draft
        look = look or ViewOptions()
        shown = {key: as_percent(str(float(getattr(look, key)))) for key in ("prior", "rho1", "rho2")}
        self.initial = {
            "expected": expected(draft),
            "open_answers": draft.get("open_answers") is True,
            "length": look.length,
            **shown,
        }
        for number, section in enumerate(draft["sections"]):
            if is_grouped(section):
                self._add(number, section)

    def _add(self, number: int, section: Node) -> None:
        questions = section["questions"]
        self.fields[f"keep-{number}"] = ProbabilityField(label=_("True answers go out, in per cent"))
        self.initial[f"keep-{number}"] = as_percent(section["keep"])
        if any(has_yes(each) for each in questions):
            self.fields[f"yes-{number}"] = ProbabilityField(
                label=_("Chance says yes, in per cent"), required=False
            )
            self.initial[f"yes-{number}"] = common_yes(section)
        if len(questions) > 1:
            self.fields[f"asked-{number}"] = forms.IntegerField(
                label=_("Of %(all)s questions, each person is asked") % {"all": len(questions)},
                min_value=1,
                max_value=len(questions),
            )
            self.initial[f"asked-{number}"] = section.get("asked", len(questions))

    @property
    def sections(self) -> dict[int, SectionFields]:
        return {
            number: self._fields(number, section)
            for number, section in enumerate(self.draft["sections"])
            if is_grouped(section)
        }

    def _fields(self, number: int, section: Node) -> SectionFields:
        keep, yes, asked = (
            self[name] if name in self.fields else None
            for name in (f"keep-{number}", f"yes-{number}", f"asked-{number}")
        )
        assert keep is not None
        return SectionFields(number, len(section["questions"]), keep, yes, asked)

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        for number, section in enumerate(self.draft["sections"]):
            yes = data.get(f"yes-{number}")
            if yes and _crowded(section, yes):
                self.add_error(f"yes-{number}", _("That leaves nothing for the other answers."))
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


@dataclass(frozen=True)
class SettingsPart:
    look: ViewOptions = ViewOptions()

    @property
    def dom_id(self) -> str:
        return "settings"

    def value(self, draft: Draft) -> Any:
        sections = [
            [
                section["keep"],
                section.get("asked"),
                [[each["name"], each.get("noise")] for each in section["questions"]],
            ]
            if is_grouped(section)
            else None
            for section in draft["sections"]
        ]
        return [draft.get("expected"), draft.get("open_answers"), sections]

    def form(self, draft: Draft, data: Any = None) -> SettingsForm:
        return SettingsForm(draft, data, self.look, auto_id="%s")

    def changed(self, draft: Draft, cleaned: dict[str, Any]) -> Draft:
        after: Draft = {**draft, "expected": cleaned["expected"], "open_answers": cleaned["open_answers"]}
        for number, section in enumerate(draft["sections"]):
            if is_grouped(section):
                after = with_section(after, number, _with_settings(section, number, cleaned))
        return after


def _with_settings(section: Node, number: int, cleaned: dict[str, Any]) -> Node:
    made = {**section, "keep": as_probability(cleaned[f"keep-{number}"])}
    if asked := cleaned.get(f"asked-{number}"):
        made["asked"] = asked
    yes = cleaned.get(f"yes-{number}")
    if yes and f"{yes.normalize():f}" != common_yes(section):
        made["questions"] = [with_yes(each, yes) if has_yes(each) else each for each in section["questions"]]
    return made
