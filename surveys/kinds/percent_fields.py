"""Form fields for probabilities and whole numbers. Probabilities are stored with four decimals and shown in per
cent.
"""

from decimal import Decimal
from typing import Any

from django import forms
from django.utils.translation import gettext as _

from privacy.grammar.json_node import PARTS
from surveys.questionnaire.draft_question import is_share_far_from_half

HUNDRED = Decimal(100)


def percent_text(probability: str) -> str:
    """Formats a stored probability in per cent, as a field shows it: "0.0250" as "2.5"."""
    return f"{(Decimal(probability) * 100).normalize():f}"


def ten_thousandths_from_percent(percent: Decimal) -> int:
    """Converts per cent to ten-thousandths."""
    return int(percent * PARTS / HUNDRED)


def probability_text(percent: Decimal) -> str:
    """Formats a percentage as a stored probability, with four decimals."""
    return f"0.{ten_thousandths_from_percent(percent):04d}"


def digits_text_input(size: int, mode: str = "numeric") -> forms.TextInput:
    """Returns a text input with a phone's digit keyboard, and without a spinner that the mouse wheel could change."""
    return forms.TextInput(attrs={"inputmode": mode, "autocomplete": "off", "size": size})


class PercentField(forms.DecimalField):
    def widget_attrs(self, widget: forms.Widget) -> dict[str, Any]:
        return {**super().widget_attrs(widget), "inputmode": "decimal", "step": "0.01"}


class ProbabilityField(PercentField):
    """Field for a probability between 0 and 1, in per cent."""

    def __init__(self, **options: Any) -> None:
        super().__init__(
            min_value=Decimal("0.01"), max_value=Decimal("99.99"), max_digits=4, decimal_places=2, **options
        )


class KnownShareField(PercentField):
    """Field for the known share of people who truly say *yes* to a control item; must be at least 20 points away from
    50 %."""

    def __init__(self, **options: Any) -> None:
        super().__init__(
            label=_("Share of people who read it and truly say yes (%)"),
            help_text=_(
                "Only for a control item: 0 to 30 or 70 to 100. Leave empty for any other question. For example 0 for "
                "“I have been to the moon”."
            ),
            min_value=0,
            max_value=100,
            decimal_places=2,
            required=False,
            **options,
        )

    def clean(self, value: Any) -> Decimal | None:
        percent: Decimal | None = super().clean(value)
        if percent is not None and not is_share_far_from_half(ten_thousandths_from_percent(percent)):
            raise forms.ValidationError(
                _("At most 30 or at least 70: nearer to 50, random answers cannot be seen.")
            )
        return percent
