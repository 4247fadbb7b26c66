"""Views that import a questionnaire: upload a file, review the outcome of each row (the read-through), accept
the import."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _, gettext_lazy

from accounts.permission import PersonRequest
from importing import isolated_reader, signed_import_ticket
from importing.apply_sensitivity_choice import (
    dependents_by_question,
    make_unticked_sensitive,
    sensitivity_warnings,
)
from importing.faults import Fault, FileRefused
from importing.import_result import CAME, CHANGED, LEFT, MOST_BYTES, ImportedRow, ImportResult
from importing.missing_number_limits_entry import (
    EndsToAsk,
    apply_ends,
    editable_number_ends,
    incomplete_ends_by_question,
)
from importing.signed_import_ticket import TicketContent, TicketRefused
from privacy.designs.design import LEAST
from surveys import draft_json
from surveys.kinds.apply_protection_presets import apply_presets
from surveys.kinds.read_draft import read_questionnaire
from surveys.lifecycle import survey_creation
from surveys.lifecycle.survey_creation import create_survey_from_draft
from surveys.models import Survey
from surveys.questionnaire.problems_and_refusals import language_name
from surveys.questionnaire.questionnaire import Questionnaire
from surveys.signed_in_view import form_page, posting, takes_upload, upload_of_at_most
from surveys.tabs_and_warnings import url_or_empty

if TYPE_CHECKING:
    from accounts.models import Person

OUTCOMES = {
    CAME: ("done", gettext_lazy("came in")),
    CHANGED: ("waiting", gettext_lazy("changed")),
    LEFT: ("stopped", gettext_lazy("left out")),
}
"""Badge and label of each outcome of a row."""
DEFAULTS = {"minutes": draft_json.MINUTES, "least": LEAST, "expected": draft_json.EXPECTED}
"""Values of a new draft, for keys that the file leaves out."""


class FileForm(forms.Form):
    file = forms.FileField(
        label=gettext_lazy("File"),
        help_text=gettext_lazy(
            "A questionnaire of Candor (.json), an XLSForm (.xlsx or .csv) or ODK XForm (.xml), a survey of LimeSurvey"
            " (.lss, .lsa, .lsg, .lsq or .txt), Qualtrics (.qsf) or SurveyJS (.json), a data dictionary of REDCap"
            " (.csv), at most 5 megabytes and 500 questions."
        ),
        max_length=300,
        widget=forms.FileInput(attrs={"accept": ".json,.xlsx,.csv,.xml,.lss,.lsa,.lsg,.lsq,.tsv,.txt,.qsf"}),
    )


@takes_upload
@form_page
def import_questionnaire(request: PersonRequest) -> HttpResponse:
    if not survey_creation.may_create_surveys(request.user):
        raise PermissionDenied
    return _import_upload(request)


@upload_of_at_most(MOST_BYTES)
def _import_upload(request: PersonRequest) -> HttpResponse:
    posted = (request.POST, request.FILES) if request.method == "POST" else ()
    form, faults = FileForm(*posted), tuple[Fault, ...]()
    if form.is_bound and form.is_valid():
        file = form.cleaned_data["file"]
        try:
            taken = isolated_reader.read_questionnaire_file(file.read(), request.user.pk)
            return _render_import_preview(
                request, taken, signed_import_ticket.issue_ticket(request.user, taken)
            )
        except isolated_reader.ReadersBusy as busy:
            form.add_error("file", str(busy))
            return isolated_reader.busy_response(_render_upload_page(request, form, ()), busy)
        except FileRefused as refusal:
            faults = refusal.faults
            said = _("%(name)s was not imported, and nothing was stored. The problems are listed below.")
            form.add_error("file", said % {"name": file.name})
    return _render_upload_page(request, form, faults)


def _render_upload_page(request: PersonRequest, form: FileForm, faults: tuple[Fault, ...]) -> HttpResponse:
    status = 422 if form.errors else 200
    return render(request, "importing/import.html", {"form": form, "faults": faults}, status=status)


@dataclass(frozen=True)
class ReviewedRow:
    """An imported row on the read-through page.

    `tick`: number of its checkbox "plain", None if it needs none. `is_number`: the question asks for a
    number, so its checkbox is ticked at first. `ends`: the fields for the lowest and highest number.
    """

    line: ImportedRow
    tick: int | None
    is_number: bool
    lost_rules: str
    ends: EndsToAsk | None

    @property
    def badge(self) -> str:
        return OUTCOMES[self.line.outcome][0]

    @property
    def outcome(self) -> str:
        return str(OUTCOMES[self.line.outcome][1])


def _render_import_preview(request: PersonRequest, result: ImportResult, ticket: str) -> HttpResponse:
    """Renders the page with the outcome of each row, which the person sees before accepting the import."""
    draft = read_questionnaire(result.draft)
    rows = _reviewed_rows(draft, result.lines)
    counts = {outcome: sum(row.line.outcome == outcome for row in rows) for outcome in OUTCOMES}
    context: dict[str, Any] = {
        "ticket": ticket,
        "rows": rows,
        "numbers": any(row.is_number and row.tick is not None for row in rows),
        "remarks": result.remarks,
        "counts": counts,
        "ticks": sum(row.tick is not None for row in rows),
        "title": draft.text_with_fallback(draft.title, None),
        "questions": len(list(draft.all_questions)),
        "languages": [language_name(code) for code in draft.languages],
    }
    return render(request, "importing/read-through.html", context)


def _reviewed_rows(draft: Questionnaire, lines: Sequence[ImportedRow]) -> list[ReviewedRow]:
    rules, rows, ticks = dependents_by_question(draft), list[ReviewedRow](), 0
    ends = {asked.name: asked for asked in editable_number_ends(draft, incomplete_ends_by_question(lines))}
    numbers = {question.name for question in draft.all_questions if question.takes_number}
    for line in lines:
        names = dict.fromkeys(name for asked in line.questions for name in rules.get(asked, ()))
        asks = next((ends[asked] for asked in line.questions if asked in ends), None)
        tick, is_number = ticks if line.unmarked else None, not numbers.isdisjoint(line.questions)
        rows.append(ReviewedRow(line, tick, is_number, ", ".join(names), asks))
        ticks += line.unmarked
    return rows


@posting
def accept(request: PersonRequest) -> HttpResponse:
    """View: creates the survey from the submitted ticket, with the ticked plain questions and the entered
    number limits."""
    if not survey_creation.may_create_surveys(request.user):
        raise PermissionDenied
    try:
        waiting = signed_import_ticket.redeem_ticket(request.user, request.POST.get("ticket", ""))
    except TicketRefused:
        messages.error(
            request, _("This read-through is no longer valid. Upload the file again; nothing was stored.")
        )
        return redirect("importing:import")
    ticked = request.POST.getlist("plain")
    everything = range(len(waiting.unmarked)) if "all" in request.POST else ()
    plain = {number for number in range(len(waiting.unmarked)) if str(number) in ticked} | set(everything)
    survey, warnings = accept_import(request.user, waiting, plain, request.POST.dict(), timezone.now())
    messages.success(request, _("The questionnaire is there, as a draft of yours."))
    for warning in warnings:
        messages.error(request, warning)
    return redirect(url_or_empty("builder:edit", survey.pk) or survey)


def accept_import(
    person: "Person", waiting: TicketContent, plain: Collection[int], ends: Mapping[str, str], now: datetime
) -> tuple[Survey, list[str]]:
    """Creates the survey of an accepted import; returns it, and messages about decisions that could not be applied.

    `plain`: indices of the rows ticked as plain, among those whose file does not say whether they are sensitive.
    `ends`: the entered lowest and highest numbers, by form field.
    """
    sent = read_questionnaire(waiting.draft)
    draft, refused, left = apply_ends(sent, waiting.endless, ends)
    whole = make_unticked_sensitive(draft, waiting.unmarked, plain)
    warnings = sensitivity_warnings(draft, whole)
    if refused:
        words = _("These lowest and highest numbers do not fit, so those of the file stay: %(names)s.")
        warnings.append(words % {"names": ", ".join(refused)})
    if left:
        words = _("Left out, since their lowest and highest numbers are missing or do not fit: %(names)s.")
        warnings.append(words % {"names": ", ".join(left)})
        shown = [one.name for one in sent.all_questions if set(left) & one.show_if.keys()]
        if shown:
            words = _(
                "These questions were shown by such a number, and are now asked of everybody: %(names)s."
            )
            warnings.append(words % {"names": ", ".join(shown)})
    return create_imported_survey(person, whole, now), warnings


def create_imported_survey(person: "Person", draft: Questionnaire, now: datetime) -> Survey:
    """Creates a draft survey of this person from an imported draft; keys that the file lacks get defaults."""
    whole = {**DEFAULTS, **apply_presets(draft).as_json()}
    dated = draft_json.draft_for_copy(whole, timezone.localdate(now), rehearsal=draft.rehearsal)
    return create_survey_from_draft(person, dated, "surveys.imported", now)
