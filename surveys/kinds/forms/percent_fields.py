"""Probabilities of four places as fields show them, in per cent."""

from decimal import Decimal
from typing import Any

from django import forms

from privacy.grammar.node import PARTS

HUNDRED = Decimal(100)


class ProbabilityField(forms.DecimalField):
    """A probability of four places, written as a percentage of two."""

    def __init__(self, **options: Any) -> None:
        super().__init__(
            min_value=Decimal("0.01"), max_value=Decimal("99.99"), max_digits=4, decimal_places=2, **options
        )

    def widget_attrs(self, widget: forms.Widget) -> dict[str, Any]:
        return {**super().widget_attrs(widget), "inputmode": "decimal", "step": "0.01"}


def as_percent(probability: str) -> str:
    return f"{(Decimal(probability) * 100).normalize():f}"


def as_probability(percent: Decimal) -> str:
    parts = int(percent * PARTS / HUNDRED)
    return f"0.{parts:04d}"
