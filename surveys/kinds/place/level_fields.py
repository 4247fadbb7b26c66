"""The fields of a level of a place."""

from decimal import Decimal
from typing import Any

from django import forms

from privacy.kinds.place.law import V
from privacy.kinds.place.section import LEAST_ODDS, MOST_CELLS, MOST_ODDS


class NearField(forms.IntegerField):
    def __init__(self, **options: Any) -> None:
        # Text with digits on a phone's keyboard, and no spinner that a wheel turns by accident.
        widget = forms.TextInput(attrs={"inputmode": "numeric", "autocomplete": "off", "size": 6})
        super().__init__(min_value=1, max_value=MOST_CELLS, widget=widget, **options)


class OddsField(forms.DecimalField):
    def __init__(self, **options: Any) -> None:
        widget = forms.TextInput(attrs={"inputmode": "decimal", "autocomplete": "off", "size": 8})
        low, high = Decimal(LEAST_ODDS) / V, Decimal(MOST_ODDS) / V
        super().__init__(
            min_value=low, max_value=high, max_digits=6, decimal_places=2, widget=widget, **options
        )


def hundredths(odds: Decimal) -> int:
    return int(odds * V)
