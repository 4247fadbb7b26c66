"""The field of a known share of *yes*, which makes a control item of a question."""

from dataclasses import replace
from decimal import Decimal
from typing import Any

from django import forms
from django.utils.translation import gettext as _

from privacy.grammar.node import PARTS, decimal
from surveys.kinds.forms.percent_fields import HUNDRED, as_percent
from surveys.questionnaire.control_items import is_fitting
from surveys.questionnaire.draft_question import DraftQuestion


class KnownField(forms.DecimalField):
    """A known share in per cent, at least 20 points from 50; empty: no control item."""

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

    def widget_attrs(self, widget: forms.Widget) -> dict[str, Any]:
        return {**super().widget_attrs(widget), "inputmode": "decimal", "step": "0.01"}

    def clean(self, value: Any) -> Decimal | None:
        percent: Decimal | None = super().clean(value)
        if percent is not None and not is_fitting(int(percent * PARTS / HUNDRED)):
            raise forms.ValidationError(
                _("At most 30 or at least 70: nearer to 50, random answers cannot be seen.")
            )
        return percent


def shown_known(question: DraftQuestion) -> str:
    """In per cent as its field shows it."""
    return as_percent(question.known) if question.known else ""


def with_known(question: DraftQuestion, percent: Decimal | None) -> DraftQuestion:
    return replace(question, known="" if percent is None else decimal(int(percent * PARTS / HUNDRED)))
