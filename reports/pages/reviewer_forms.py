from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.html import format_html
from django.utils.translation import gettext, gettext_lazy as _

from reports.models import Decision
from surveys.forms import last_seen_decision_field
from ui.number_format import format_count


class RuleDecisionForm(forms.Form):
    verdict = forms.ChoiceField(
        label=_("Decision"),
        widget=forms.RadioSelect,
        choices=[
            (Decision.Verdict.ACCEPT, _("Accept")),
            (Decision.Verdict.REJECT, _("Reject")),
            (Decision.Verdict.MORE_DATA, _("Needs more data")),
        ],
    )
    note = forms.CharField(
        label=_("Note"),
        required=False,
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=_(
            "Researchers can read this note. It stays in the activity log after the answers are deleted."
        ),
    )
    seen = last_seen_decision_field()


class TwoWayDecisionForm(RuleDecisionForm):
    """Form for a decision on a rule whose converse also reaches the run's least confidence.

    A reviewer can accept the rule, its converse, or both.
    """

    direction = forms.ChoiceField(
        label=_("Which way round"),
        required=False,
        widget=forms.RadioSelect,
        choices=[("", _("both ways round")), *Decision.Direction.choices],
        help_text=_("What you accept is published as a sentence; the other confidence is shown beside it."),
    )
    field_order = ("verdict", "direction", "note", "seen")

    def clean(self) -> dict[str, Any]:
        values = super().clean() or {}
        if values.get("direction") and values.get("verdict") != Decision.Verdict.ACCEPT:
            self.add_error("direction", _("Choose this only with “Accept”."))
        return values


class SeveralRulesDecisionForm(RuleDecisionForm):
    """Form for one decision on several rules: the ticked ones, or all that match the filter."""

    TICKED, FITTING = "ticked", "fitting"

    which = forms.ChoiceField(label=_("On which rules"), widget=forms.RadioSelect)
    fitting = forms.IntegerField(widget=forms.HiddenInput)
    field_order = ("which", "verdict", "note", "fitting", "seen")

    def __init__(self, *args: Any, fitting: int, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["which"].choices = [  # type: ignore[attr-defined]
            (self.TICKED, _("the selected rules")),
            # The script of the list writes the number anew after each decision.
            (self.FITTING, format_html("<span data-fitting>{}</span>", self.matching_rules_text(fitting))),
        ]
        self.fields["which"].initial = self.TICKED
        self.fields["fitting"].initial = fitting

    @staticmethod
    def matching_rules_text(fitting: int) -> str:
        return gettext("all %(count)s matching rules") % {"count": format_count(fitting)}


class PublishForm(forms.Form):
    groups = forms.MultipleChoiceField(
        label=_("Break down by"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=_(
            "Leave out questions with very small groups: their results could reveal something about"
            " individuals."
        ),
    )
    # The decisions that the page shows (reports.review.report_state_changes.decisions_digest).
    seen = forms.CharField(required=False, max_length=64, widget=forms.HiddenInput)

    def __init__(self, questions: Sequence[tuple[str, str]], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["groups"].choices = questions  # type: ignore[attr-defined]
        self.fields["groups"].initial = [name for name, _text in questions]
        if not questions:
            del self.fields["groups"]


class WithdrawForm(forms.Form):
    reason = forms.CharField(
        label=_("Reason"),
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_("Readers of the report get this reason by email, and it is shown where the report was."),
    )
