"""Forms of the list of surveys, of a survey's settings, of opening, copying and deleting it, and of approvals."""

import unicodedata
from collections.abc import Sequence
from contextlib import suppress
from datetime import date, datetime, timedelta
from typing import Any

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.db.models import BigIntegerField, QuerySet
from django.utils import formats, timezone
from django.utils.translation import gettext as _, gettext_lazy

from surveys.lifecycle import token_signing_key
from surveys.lifecycle.save_draft import DraftSettings
from surveys.models import Survey
from surveys.questionnaire.closing_settings import EndSettings
from surveys.questionnaire.problems_and_refusals import Problem
from ui.context_processors import languages
from ui.number_format import format_count

ALL = "all"
LEAST_AT_ONCE, MOST_AT_ONCE = 60, 1_000_000


class DayAndTimeField(forms.DateTimeField):
    """Field for a day and a time in the site's time zone."""

    widget = forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M")

    def __init__(self, **options: Any) -> None:
        super().__init__(input_formats=["%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M"], **options)


class DayField(forms.DateField):
    widget = forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")

    def __init__(self, **options: Any) -> None:
        super().__init__(input_formats=["%Y-%m-%d"], **options)


class SurveyListFilterForm(forms.Form):
    """Form that filters the list of surveys by title and state."""

    search = forms.CharField(label=gettext_lazy("Title"), required=False, max_length=200)
    state = forms.ChoiceField(label=gettext_lazy("State"), required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["state"].choices = [  # type: ignore[attr-defined]
            ("", _("not deleted")),
            *Survey.State.choices,
            (ALL, _("all")),
        ]

    def filter_surveys(self, surveys: QuerySet[Survey]) -> QuerySet[Survey]:
        state, search = self.data.get("state", ""), self.data.get("search", "").strip().casefold()
        if state in Survey.State.values:
            surveys = surveys.filter(state=state)
        elif state != ALL:
            surveys = surveys.exclude(state=Survey.State.DESTROYED)
        if search:
            # In Python: SQLite stores the letters of most languages as numbers and finds none of them.
            titles = surveys.values_list("pk", "draft__title")
            texts = {pk: title.values() if isinstance(title, dict) else [title or ""] for pk, title in titles}
            matching = [pk for pk, words in texts.items() if search in "\n".join(map(str, words)).casefold()]
            surveys = surveys.filter(pk__in=matching)
        return surveys


class NewSurveyForm(forms.Form):
    title = forms.CharField(
        label=gettext_lazy("Title"), max_length=200, widget=forms.TextInput(attrs={"autofocus": True})
    )
    language = forms.ChoiceField(
        label=gettext_lazy("Main language"), help_text=gettext_lazy("You can add others later.")
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["language"].choices = languages()  # type: ignore[attr-defined]


COPIES = [
    ("rehearsal", gettext_lazy("A test run (rehearsal) with simulated answers")),
    ("survey", gettext_lazy("A new survey, to ask people again or to change the questions")),
    ("wave", gettext_lazy("A new wave: the same questions again, whose results are compared with these")),
]


class DuplicateSurveyForm(forms.Form):
    kind = forms.ChoiceField(label=gettext_lazy("What do you need?"), widget=forms.RadioSelect)

    def __init__(self, *args: Any, may_be_followed: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["kind"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = COPIES if may_be_followed else COPIES[:-1]


class EndSettingsForm(forms.Form):
    """Form for the settings that can still change after opening."""

    closes = DayAndTimeField(label=gettext_lazy("Closing time"), required=False)
    cap = forms.IntegerField(
        label=gettext_lazy("Maximum number of answers"), required=False, min_value=1, max_value=10**9
    )
    at_once = forms.IntegerField(
        label=gettext_lazy("Answers expected at once"),
        required=False,
        min_value=LEAST_AT_ONCE,
        max_value=MOST_AT_ONCE,
    )
    destroy_on = DayField(label=gettext_lazy("Deletion date"))

    def __init__(self, survey: Survey, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        zone, least = timezone.get_current_timezone_name(), format_count(survey.least)
        self.fields["closes"].help_text = _("In the time zone %(zone)s.") % {"zone": zone}
        self.fields["cap"].help_text = _("At least %(least)s, the minimum batch size.") % {"least": least}
        self.fields["at_once"].help_text = _(
            "The open link takes about so many within a minute. If more come, the others wait, and their answers are "
            "sent later. Left empty: %(standard)s."
        ) % {"standard": format_count(settings.RECORDS_PER_MINUTE)}
        for name in ("cap", "at_once") if survey.tools else ():  # a tool counts its own answers
            self.fields[name].widget = forms.HiddenInput()
        destroy_on = self.fields["destroy_on"]
        destroy_on.help_text = _("On this date all answers and results are deleted automatically.")
        tomorrow = timezone.localdate() + timedelta(days=1)
        destroy_on.widget.attrs["min"] = tomorrow.isoformat()
        if survey.destroy_on:
            destroy_on.widget.attrs["max"] = survey.destroy_on.isoformat()
            with suppress(ValueError):
                sent = date.fromisoformat(str(self.data.get(self.add_prefix("destroy_on"), "")))
                if tomorrow <= sent < survey.destroy_on:
                    self.fields["sure"] = _earlier_deletion_field(sent, survey.destroy_on)

    @property
    def end_settings(self) -> EndSettings:
        return EndSettings(
            self.cleaned_data["closes"],
            self.cleaned_data["cap"],
            self.cleaned_data["destroy_on"],
            self.cleaned_data["at_once"],
        )

    @property
    def conflicting_values(self) -> list[tuple[str, str]]:
        """Label and stored value of each field whose stored value differs from the sent one."""
        rows = []
        for name in self.changed_data:
            if name in self.initial:
                value = self.initial[name]
                if isinstance(value, datetime):
                    value = timezone.localtime(value)
                choices = dict(getattr(self.fields[name], "choices", ((True, _("Yes")), (False, _("No")))))
                text = _("nothing") if value is None else choices.get(value, formats.localize(value))
                rows.append((str(self[name].label), str(text)))
        return rows

    def add_problems(self, problems: Sequence[Problem]) -> None:
        for problem in problems:
            field = problem.path if problem.path in self.fields else None
            self.add_error(field, problem.sentence)


def _earlier_deletion_field(sooner: date, promised: date) -> forms.Field:
    """Returns a checkbox that confirms the earlier deletion date `sooner`, and no other date."""
    dates = {"sooner": formats.date_format(sooner), "promised": formats.date_format(promised)}
    mistaken = _("Confirm this date, or choose another.")
    help_text = _(
        "On %(sooner)s all answers, results and invitation links of this survey are deleted. This cannot be undone. The"
        " date was %(promised)s. Once it is earlier, you cannot make it later again."
    )
    return forms.MultipleChoiceField(
        label=_("Earlier deletion"),
        help_text=help_text % dates,
        choices=[(sooner.isoformat(), _("Yes, delete everything on %(sooner)s") % dates)],
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": mistaken, "invalid_choice": mistaken},
    )


WAYS_TO_INVITE = [
    (
        "exchanged",
        gettext_lazy(
            "Only people with a single-use invitation link; their browser exchanges it, so that nobody can tie it to"
            " their answers"
        ),
    ),
    (
        "yes",
        gettext_lazy(
            "Only people with a single-use invitation link; it is sent with the answers, also without JavaScript"
        ),
    ),
]


class DraftSettingsForm(EndSettingsForm):
    """Form for all settings of a draft."""

    least = forms.IntegerField(
        label=gettext_lazy("Fewest answers counted together (minimum batch size)"), max_value=10**9
    )
    invited = forms.ChoiceField(
        label=gettext_lazy("Who may answer?"),
        help_text=gettext_lazy(
            "Of the two ways to invite, the first in this list is the usual one for these questions. You cannot"
            " change it after opening."
        ),
        widget=forms.RadioSelect,
    )
    completion = forms.CharField(
        label=gettext_lazy("Completion code or address"),
        help_text=gettext_lazy(
            "Everybody gets the same code or link once their answers have been received. An address begins"
            " with https:// and has no parameters, but for the ID by which a panel knows a person: write {panel} in its"
            " place, such as https://panel.example.org/done?id={panel}. The browser fills it in; the page Invitations"
            " has the link for the panel. Write in the builder, under “About the completion code”,"
            " what the start page says of it. You cannot change it after opening."
        ),
        required=False,
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false", "dir": "ltr"}),
    )
    field_devices = forms.BooleanField(
        label=gettext_lazy("Field devices"),
        help_text=gettext_lazy(
            "Tablets that interviewers hand over, also where there is no network. They are set up once the survey is"
            " open. You cannot change it after opening."
        ),
        required=False,
    )
    field_order = [
        "invited",
        "field_devices",
        "completion",
        "closes",
        "cap",
        "at_once",
        "destroy_on",
        "least",
    ]

    def __init__(self, survey: Survey, *args: Any, **kwargs: Any) -> None:
        super().__init__(survey, *args, **kwargs)
        ways = (
            WAYS_TO_INVITE
            if token_signing_key.exchanges_invitations_by_default(survey.draft)
            else WAYS_TO_INVITE[::-1]
        )
        self.fields["invited"].choices = [("no", _("Anyone with the link")), *ways]  # type: ignore[attr-defined]
        self.fields["least"].min_value = settings.LEAST_FLOOR  # type: ignore[attr-defined]
        self.fields["least"].help_text = _(
            "Answers are shuffled and counted in batches of at least this many. "
            "Less than 100 needs a reviewer’s approval."
        )

    @property
    def draft_settings(self) -> DraftSettings:
        return DraftSettings(
            self.end_settings,
            self.cleaned_data["least"],
            self.cleaned_data["invited"] != "no",
            self.cleaned_data["completion"],
            self.cleaned_data["invited"] == "exchanged",
            self.cleaned_data["field_devices"],
        )

    def clean_least(self) -> int:
        least: int = self.cleaned_data["least"]
        if least < settings.LEAST_FLOOR:
            raise ValidationError(
                _("Must be at least %(floor)s here."), params={"floor": settings.LEAST_FLOOR}
            )
        return least


class OpenSurveyForm(forms.Form):
    """Form that opens a survey now or at a set time."""

    when = forms.ChoiceField(
        label=gettext_lazy("When?"),
        widget=forms.RadioSelect,
        initial="now",
        choices=[("now", gettext_lazy("Now")), ("later", gettext_lazy("At a set time"))],
    )
    opens = DayAndTimeField(label=gettext_lazy("Opening time, if later"), required=False)
    aware = forms.BooleanField(label=gettext_lazy("Open it although nothing will be counted"))

    def __init__(self, *args: Any, is_never_counted: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not is_never_counted:
            del self.fields["aware"]
        zone = timezone.get_current_timezone_name()
        self.fields["opens"].help_text = _(
            "In the time zone %(zone)s. It opens only if nobody changes the draft before."
        ) % {"zone": zone}

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if data.get("when") == "later" and not data.get("opens") and "opens" not in self.errors:
            self.add_error("opens", _("Give the date and the time."))
        return data


class DestroySurveyForm(forms.Form):
    """Form that confirms the deletion of a survey by typing its title."""

    typed = forms.CharField(
        label=gettext_lazy("Type the title of the survey"),
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )

    def __init__(self, survey: Survey, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.title = str(survey)

    def clean_typed(self) -> str:
        typed: str = self.cleaned_data["typed"]
        texts = [unicodedata.normalize("NFC", text).split() for text in (typed, self.title)]
        if texts[0] != texts[1]:
            raise ValidationError(_("That is not its title. It is: %(title)s"), params={"title": self.title})
        return typed


def last_seen_decision_field() -> forms.IntegerField:
    """Returns a hidden field for the number of the last decision shown on a reviewer's page; pages of older versions do
    not send it."""
    return forms.IntegerField(
        required=False, min_value=0, max_value=BigIntegerField.MAX_BIGINT, widget=forms.HiddenInput
    )


class ApprovalRequestForm(forms.Form):
    """Form for the reason with which an owner asks reviewers for an approval."""

    reason = forms.CharField(
        label=gettext_lazy("Why do you need it?"), max_length=1000, widget=forms.Textarea(attrs={"rows": 3})
    )


class ApprovalDecisionForm(forms.Form):
    """Form for a reviewer's decision on a request for approval; `fingerprint` names the design that the
    reviewer saw, `seen` the last decision on the page."""

    matter = forms.CharField(widget=forms.HiddenInput)
    fingerprint = forms.RegexField("^[0-9a-f]{64}$", widget=forms.HiddenInput)
    seen = last_seen_decision_field()
    allow = forms.TypedChoiceField(
        label=gettext_lazy("Your decision"),
        widget=forms.RadioSelect,
        choices=[("yes", gettext_lazy("Approve")), ("no", gettext_lazy("Refuse"))],
        coerce=lambda word: word == "yes",
    )
    reason = forms.CharField(
        label=gettext_lazy("Why"),
        help_text=gettext_lazy("Needed for a refusal: what should be different?"),
        required=False,
        max_length=1000,
        widget=forms.Textarea(attrs={"rows": 3}),
    )

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if data.get("allow") is False and not data.get("reason", "").strip():
            self.add_error("reason", _("Say why, so that its owner knows what to change."))
        return data
