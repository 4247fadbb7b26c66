"""Forms of the parts of a draft. No field has to be filled: surveys.problems says what is missing."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.forms import BoundField
from django.utils.translation import gettext as _, gettext_lazy

from look.numbers import exact_percent
from privacy.designs.design import LEAST
from privacy.designs.parsing import ADDRESS
from privacy.grammar.question import SHUFFLED
from surveys import draft as drafts
from surveys.draft import Draft
from surveys.kinds.subset.draft import SUBSET
from surveys.questionnaire import answer_choices, wording
from surveys.questionnaire.answer_order import may_shuffle, with_order
from surveys.questionnaire.block_form import BlockForm, answer_of, words_field
from surveys.questionnaire.blocks import Block, in_battery, is_group
from surveys.questionnaire.control_items import KNOWN, error_factor
from surveys.questionnaire.known_field import KnownField, shown_known, with_known
from surveys.questionnaire.laws import grouped_law
from surveys.questionnaire.normal_values import Node
from surveys.questionnaire.percent_fields import HUNDRED, ProbabilityField, as_percent, as_probability
from surveys.questionnaire.questions import KINDS, kind_of
from surveys.questionnaire.scales import SCALES


class StartPageForm(forms.Form):
    """The texts and numbers of the start page, in one language."""

    contact = forms.CharField(
        label=gettext_lazy("Whom people can ask"),
        required=False,
        max_length=500,
        widget=forms.TextInput(attrs={"id": "contact", "autocomplete": "off"}),
    )
    leave_to = forms.CharField(
        label=gettext_lazy("Page for people who leave"),
        help_text=gettext_lazy(
            "“Exit this page” replaces the survey by this page at once. Choose one that anybody might read, such as"
            " https://www.wikipedia.org/. Without it a blank page opens."
        ),
        required=False,
        max_length=500,
        widget=forms.URLInput(attrs={"id": "leave_to", "autocomplete": "off"}),
    )
    minutes = forms.IntegerField(
        label=gettext_lazy("Time to complete (minutes)"),
        required=False,
        min_value=0,
        max_value=24 * 60,
        widget=forms.NumberInput(attrs={"id": "minutes"}),
    )
    least = forms.IntegerField(
        label=gettext_lazy("Minimum batch size"),
        help_text=gettext_lazy("Answers are counted in batches of at least this many, never fewer."),
        required=False,
        min_value=1,
        max_value=10**9,
        widget=forms.NumberInput(attrs={"id": "least"}),
    )
    retention = forms.DateField(
        label=gettext_lazy("Deletion date"),
        required=False,
        input_formats=["%Y-%m-%d"],
        widget=forms.DateInput(attrs={"type": "date", "id": "retention"}, format="%Y-%m-%d"),
    )

    def __init__(self, draft: Draft, language: str, data: Any = None, **options: Any) -> None:
        super().__init__(data, initial=start_values(draft, language), **options)
        for key, label in wording.START_TEXTS.items():
            lines = 3 if key in wording.LONG else 1
            required = key not in wording.OPTIONAL
            self.fields[key] = words_field(str(label), f"{key}.{language}", lines, required, lang=language)
        self.order_fields([*wording.START_TEXTS, "contact", "leave_to", "minutes", "least", "retention"])

    def clean_leave_to(self) -> str:
        address = str(self.cleaned_data["leave_to"])
        if address and not ADDRESS.fullmatch(address):
            raise ValidationError(_("Enter an address that begins with https://."))
        return address


def start_values(draft: Draft, language: str) -> dict[str, Any]:
    said = {key: draft[key].get(language, "") for key in wording.START_TEXTS}
    numbers = {
        "minutes": drafts.number(draft, "minutes", 0) or None,
        "least": drafts.number(draft, "least", LEAST),
    }
    return said | numbers | {key: drafts.text(draft, key) for key in ("contact", "leave_to", "retention")}


@dataclass(frozen=True)
class AnswerRow:
    """One answer in the form: its words, its name in files, what chance gives it."""

    row: int
    number: int
    label: BoundField | None
    name: BoundField | None
    fixed_name: str
    chance: BoundField | None
    prefer_not: bool
    first: bool
    last: bool


class ChoicesForm(BlockForm):
    """A question with choices, or all options of one of several."""

    template = "surveys/builder/question-choices.html"

    role = forms.ChoiceField(
        label=gettext_lazy("Could other people know this about the respondent?"),
        help_text=gettext_lazy(
            "For example age or place of work. Candor uses this to judge how risky a record file would be."
        ),
        choices=[
            ("quasi", gettext_lazy("Yes (quasi-identifier)")),
            ("other", gettext_lazy("No")),
        ],
        widget=forms.RadioSelect,
        required=False,
    )
    shuffled = forms.BooleanField(
        label=gettext_lazy("Show these answers in random order"),
        help_text=gettext_lazy(
            "Each device draws the order. It is not recorded. “Prefer not to say” and “None of these” stay last."
        ),
        required=False,
    )

    def __init__(self, draft: Draft, key: str, language: str, data: Any = None, **options: Any) -> None:
        super().__init__(draft, key, language, data, **options)
        self.initial[SHUFFLED] = any(SHUFFLED in each for each in self.block)
        if not may_shuffle(self.block):
            del self.fields[SHUFFLED]
        if in_battery(self.block[0]):
            self.fields["help"].label = _("Words above the battery")
            self.fields["help"].help_text = _("These words and the answers are the same in all its lines.")
        if wording.NONE in self.fields:
            self.fields[wording.NONE].help_text = _("People who choose it choose no other answer.")
        self.is_sensitive = drafts.is_sensitive(draft["sections"][self.place.section])
        self.sends_sets = draft["sections"][self.place.section]["kind"] == SUBSET
        if not self.sends_sets:
            self._add_kind()
        self._add_answers()
        self._add_known()
        self._add_rules()
        self.initial["role"] = self.block[0].get("role", "other")
        if self.is_sensitive:
            del self.fields["role"]

    def _add_kind(self) -> None:
        self.initial["kind"] = kind_of(self.block)
        scales = [(key, scale.title) for key, scale in SCALES.items()]
        kinds: list[Any] = [*KINDS.items(), (_("Ready-made scales"), scales)]
        self.fields["kind"] = forms.ChoiceField(
            label=_("Kind"), choices=kinds, required=False, widget=forms.Select(attrs={"data-keeps-not": ""})
        )

    def _add_answers(self) -> None:
        names = [] if answer_choices.is_yes_no(self.block) else answer_choices.rows(self.block)
        for row, choice in enumerate(names):
            if not answer_choices.is_prefer_not(self.block, row):
                label = _("Name of answer %(number)s") % {"number": row + 1}
                self.fields[f"name-{row}"] = forms.CharField(
                    label=label, required=False, max_length=200, initial=choice["name"]
                )
        if not is_group(self.block):
            self._add_name()
        for row, label in enumerate(self._chances()):
            self.fields[f"chance-{row}"] = ProbabilityField(label=label, required=False)
        given = enumerate(noise_of(self.block))
        self.initial.update({f"chance-{row}": as_percent(noise) for row, noise in given if noise})

    def _add_known(self) -> None:
        """Only a question with the answers yes and no alone can be a control item."""
        if self.block[0]["form"] == "yes-no":
            self.fields[KNOWN] = KnownField()
            self.initial[KNOWN] = shown_known(self.block[0])

    @property
    def drawn_shares(self) -> str:
        """How often the device draws each answer; empty where people answer."""
        return " · ".join(exact_percent(float(each)) for each in self.block[0].get("shares", ()))

    @property
    def control_cost(self) -> float | None:
        """How many times this question makes the errors of the others in its section larger, at the same gamma."""
        section = self.draft["sections"][self.place.section]
        law = grouped_law(section) if self.is_sensitive and not self.sends_sets else None
        return error_factor(law, section["questions"].index(self.block[0])) if law else None

    def _chances(self) -> list[str]:
        """Labels of the noise fields: one per answer of a sensitive question, or per option of a group."""
        if not self.is_sensitive or self.sends_sets:
            return []
        return [
            _("“%(answer)s” among random answers (%%)")
            % {"answer": answer_words(self.block, row, self.language)}
            for row in range(len(answer_choices.rows(self.block)))
        ]

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        given = [data.get(f"chance-{row}") for row in range(len(self._chances()))]
        if is_group(self.block) or not any(given) or self.errors:
            return data
        total = sum((each for each in given if each), Decimal(0))
        if total != HUNDRED or not all(given):
            message = _(
                "Together they must be 100 %%, not %(total)s. Leave all empty for equal probabilities."
            )
            raise ValidationError(message, params={"total": f"{total.normalize():f}"})
        return data

    def changed_block(self, block: Block, cleaned: dict[str, Any]) -> Block:
        if KNOWN in cleaned:
            block = [with_known(block[0], cleaned[KNOWN])]
        block = with_order(block, bool(cleaned.get(SHUFFLED)))
        if self.sends_sets:
            return block
        if self.is_sensitive:
            return with_noise(block, [cleaned[f"chance-{row.row}"] for row in self.answer_rows])
        role = str(cleaned.get("role") or block[0].get("role", "other"))
        return [{**each, "role": role} for each in block]

    # For the template.

    @property
    def answer_rows(self) -> list[AnswerRow]:
        last = answer_choices.own(self.block) - 1
        return [
            AnswerRow(
                row=row,
                number=row + 1,
                label=self[f"label-{row}"] if f"label-{row}" in self.fields else None,
                name=self[f"name-{row}"] if f"name-{row}" in self.fields else None,
                fixed_name=each["name"],
                chance=self[f"chance-{row}"] if f"chance-{row}" in self.fields else None,
                prefer_not=answer_choices.is_prefer_not(self.block, row),
                first=row == 0,
                last=row >= last,
            )
            for row, each in enumerate(answer_choices.rows(self.block))
        ]

    @property
    def fixed_answers(self) -> bool:
        return answer_choices.is_yes_no(self.block)

    @property
    def none(self) -> BoundField | None:
        """The words of the answer that excludes the others."""
        return self[wording.NONE] if wording.NONE in self.fields else None

    @property
    def offers_none(self) -> bool:
        return is_group(self.block) and not self.none

    @property
    def prefers_not(self) -> bool:
        return answer_choices.prefers_not(self.block)

    @property
    def has_noise(self) -> bool:
        return any(noise_of(self.block))


def noise_of(block: Block) -> list[str | None]:
    """Row by row what chance says, None where all answers are alike; of a group's options their yes."""
    if is_group(block):
        return [each["noise"][1] if "noise" in each else None for each in block]
    return list(block[0].get("noise", [None] * len(block[0]["choices"])))


def with_noise(block: Block, percents: list[Decimal | None]) -> Block:
    if is_group(block):
        return [
            _noisy(each, [HUNDRED - yes, yes] if yes else [])
            for each, yes in zip(block, percents, strict=True)
        ]
    return [_noisy(block[0], [each for each in percents if each is not None])]


def _noisy(question: Node, percents: list[Decimal]) -> Node:
    rest = {key: value for key, value in question.items() if key != "noise"}
    return {**rest, "noise": [as_probability(each) for each in percents]} if percents else rest


def answer_words(block: Block, row: int, language: str) -> str:
    if is_group(block):
        return answer_of(block[row], block[row]["choices"][1], language)
    return answer_of(block[0], block[0]["choices"][row], language)
