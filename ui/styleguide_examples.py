"""Example data for the components of the styleguide."""

from dataclasses import dataclass
from datetime import UTC, datetime

from django import forms
from django.core.paginator import Paginator
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from ui.interval_pictures import Interval, Scale

MOMENT = datetime(2026, 3, 1, 12, tzinfo=UTC)


class ExampleForm(forms.Form):
    name = forms.CharField(
        label=_("Name of the survey"), help_text=_("Only you and your collaborators see it."), max_length=80
    )
    mail = forms.EmailField(label=_("Contact"), required=False)
    questions = forms.IntegerField(label=_("Questions asked of each person"), min_value=1, max_value=40)
    closes = forms.DateField(label=_("Closes on"), widget=forms.DateInput(attrs={"type": "date"}))
    language = forms.ChoiceField(
        label=_("Language"), choices=[("en", _("English")), ("zh-hans", _("Simplified Chinese"))]
    )
    protection = forms.ChoiceField(
        label=_("Protection"),
        help_text=_("You cannot change this once the survey is open."),
        choices=[
            ("strong", _("Strong: 5 % never becomes 50 %")),
            ("weak", _("Weak: needs a reviewer’s approval")),
        ],
        widget=forms.RadioSelect,
    )
    parts = forms.MultipleChoiceField(
        label=_("Sections"),
        choices=[("work", _("Work")), ("health", _("Health")), ("money", _("Money"))],
        widget=forms.CheckboxSelectMultiple,
        required=False,
    )
    records = forms.FileField(label=_("Records"), help_text=_("A CSV file of at most two megabytes."))
    why = forms.CharField(label=_("Why you ask"), widget=forms.Textarea(attrs={"rows": 3}))
    fixed = forms.CharField(label=_("Fingerprint"), initial="3f9a…c204", disabled=True)
    agree = forms.BooleanField(label=_("I have read what Candor cannot do"))


@dataclass(frozen=True)
class ExampleRow:
    rule: str
    support: float
    low: float
    high: float
    confidence: float


ROWS = [
    ExampleRow("theft=yes → late=yes", 0.182, 0.141, 0.226, 0.71),
    ExampleRow("late=yes → theft=yes", 0.182, 0.141, 0.226, 0.44),
    ExampleRow("cash=yes → theft=yes", 0.093, 0.052, 0.136, 0.38),
]
SCALE = Scale(end=0.8, step=0.2)
INTERVALS = [
    (_("accepted"), [Interval(0.49, 0.59, 0.54, base=0.38, label="54 %", base_label="38 %")]),
    (_("undecided"), [Interval(0.26, 0.49, 0.38, base=0.37, state="hollow", label="38 %")]),
    (_("truth"), [Interval(0.23, 0.3, 0.26, received=0.43, truth=0.25, received_label="43 %")]),
    (_("queued"), [Interval(0.21, 0.39, state="dashed")]),
]
COLOURS = [
    ("ground", _("the page")),
    ("paper", _("what lies on it")),
    ("sunk", _("what lies below")),
    ("ink", _("text, lines, data")),
    ("soft", _("what is said beside")),
    ("edge", _("borders of controls")),
    ("rule", _("lines that only divide")),
    ("next", _("the one thing to do next")),
    ("focus", _("what the keyboard acts on")),
    ("iv", _("95 % interval")),
    ("error", _("errors, nothing else")),
]


def example_context(request: HttpRequest) -> dict[str, object]:
    answers = {
        "name": "",
        "mail": "nobody",
        "questions": "80",
        "closes": "soon",
        "language": "en",
        "why": "…",
    }
    wrong = ExampleForm({f"wrong-{field}": answer for field, answer in answers.items()}, prefix="wrong")
    pages = Paginator(range(95), 10)
    return {
        "fresh": ExampleForm(prefix="fresh"),
        "form_with_errors": wrong,
        "rows": ROWS,
        "intervals": INTERVALS,
        "scale": SCALE,
        "end_label": "80 %",
        "colours": COLOURS,
        "moment": MOMENT,
        "tall": range(1, 25),
        "page": pages.get_page(request.GET.get("page")),
    }
