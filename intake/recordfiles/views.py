"""Pages of record files: their content, risks, approval and download."""

from typing import Any

from django import forms
from django.contrib import messages
from django.http import StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.http import content_disposition_header
from django.utils.text import slugify
from django.utils.translation import get_language, gettext_lazy

from accounts.permission import PersonRequest, get_permitted, needs_recent_proof
from intake.disclosure.record_selection import get_finishing_row
from intake.recordfiles.download import RecordFileSize, hand_over_file, record_file_size, too_large_message
from intake.recordfiles.record_file_rows import has_rules_that_reveal_plain
from surveys.lifecycle import reviewer_approvals
from surveys.lifecycle.record_counts import records_that_fill_a_batch
from surveys.models import Survey
from surveys.questionnaire.problems_and_refusals import NotAllowed
from surveys.signed_in_view import form_page


class RecordFileForm(forms.Form):
    kind = forms.ChoiceField(
        label=gettext_lazy("File"),
        widget=forms.RadioSelect,
        initial="csv",
        choices=[
            ("csv", gettext_lazy("CSV, for everything")),
            ("parquet", gettext_lazy("Parquet, for R, Python and large files")),
            ("sav", gettext_lazy("SPSS (.sav), with labels")),
            ("dta", gettext_lazy("Stata (.dta), with labels")),
        ],
    )

    def __init__(self, offered: RecordFileSize, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not offered.fits_spss_and_stata:
            self.fields["kind"].help_text = too_large_message()


@form_page
@needs_recent_proof
def record_file_page(request: PersonRequest, pk: int) -> HttpResponseBase:
    is_download = request.method == "POST"
    survey = get_permitted(Survey.objects, request.user, pk, "download" if is_download else "see")
    offered = record_file_size(survey)
    form = RecordFileForm(offered, request.POST if is_download else None)
    if is_download and form.is_valid():
        kind = form.cleaned_data["kind"]
        try:
            language, now = get_language() or "", timezone.now()
            pieces = hand_over_file(survey, request.user, kind, language, now, permission="download")
        except NotAllowed as refused:
            messages.error(request, str(refused))
            return redirect("recordfiles:records", survey.pk)
        response = StreamingHttpResponse(pieces, content_type="application/zip")
        name = f"{slugify(str(survey), allow_unicode=True)[:60] or 'survey'}-records-{kind}.zip"
        response["Content-Disposition"] = content_disposition_header(True, name) or ""
        return response
    # All records of a rehearsal are used.
    is_chosen = survey.state == Survey.State.FINISHED and not survey.is_rehearsal
    context = {
        "survey": survey,
        "design": survey.design and survey.design.content,
        "rules_tell": bool(survey.design) and has_rules_that_reveal_plain(survey.design.content),
        "form": form,
        "offer": offered,
        "answer": reviewer_approvals.record_files_approval_status(survey),
        "may_download": survey.may(request.user, "download"),
        "may_ask": survey.may(request.user, "edit") and not survey.is_rehearsal,
        "first_batch": records_that_fill_a_batch(survey.least),
        "no_open": is_chosen and not get_finishing_row(survey).kept["kept"],
        "could_leave": bool(reviewer_approvals.current_fingerprint(survey, "records")),
    }
    return render(request, "intake/recordfiles/records.html", context, status=422 if form.errors else 200)
