from django import forms
from django.utils.translation import gettext_lazy as _


class TrialForm(forms.Form):
    steps = forms.IntegerField(
        label=_("Steps"),
        help_text=_("A quarter of a second each. It only counts, and you can cancel it."),
        initial=20,
        min_value=1,
        max_value=600,
    )
