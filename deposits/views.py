"""Page on which an owner describes and downloads a deposit. The typed metadata are never stored."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.http import content_disposition_header
from django.utils.text import slugify
from django.utils.translation import gettext as _, gettext_lazy

from accounts.models import Person
from accounts.permission import PersonRequest, needs_recent_proof
from deposits.bundle import Deposit, approved_releases
from deposits.ddi_codebook import method_texts
from deposits.metadata import DOI, LICENCES, Creator, Metadata, parse_creator
from intake.pages.language_negotiation import native_language_name
from reports.exports.file_format_writers import plan_file
from reports.review.report_page_data import ReportPage, page_to_share
from reports.texts.design_sentences import say
from surveys.lifecycle import reviewer_approvals
from surveys.questionnaire.problems_and_refusals import NotAllowed
from surveys.questionnaire.question_count import count_design_questions
from surveys.signed_in_view import form_page
from ui.number_format import format_count
from ui.sentence_joining import join_sentences

MOST_CREATORS = 50
EARLIEST, LATEST = 2000, 2200


class DepositForm(forms.Form):
    title = forms.CharField(label=gettext_lazy("Title"), max_length=300)
    creators = forms.CharField(
        label=gettext_lazy("Creators"),
        max_length=5_000,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=gettext_lazy(
            "One person a line, as Family name, Given name; ORCID. The ORCID may be left out. The first is the "
            "contact. Check the order of a name that is filled in."
        ),
    )
    contact = forms.EmailField(label=gettext_lazy("Email of the contact"), max_length=200)
    publisher = forms.CharField(
        label=gettext_lazy("Repository or publisher"),
        max_length=200,
        help_text=gettext_lazy("As it is cited: Zenodo, OSF, Harvard Dataverse, your university."),
    )
    year = forms.IntegerField(label=gettext_lazy("Year"), min_value=EARLIEST, max_value=LATEST)
    licence = forms.ChoiceField(
        label=gettext_lazy("Licence"),
        choices=[(key, f"{key}: {licence.name}") for key, licence in LICENCES.items()],
    )
    language = forms.ChoiceField(label=gettext_lazy("Language of the texts"))
    doi = forms.CharField(
        label=gettext_lazy("DOI"),
        max_length=200,
        required=False,
        help_text=gettext_lazy("If the repository has reserved one, as 10.5281/zenodo.1234."),
    )
    records = forms.BooleanField(
        label=gettext_lazy("With the records"),
        required=False,
        help_text=gettext_lazy(
            "One row for each record, as in the record file. What a repository publishes cannot be taken back."
        ),
    )

    def __init__(self, languages: Sequence[str], *args: Any, offers_records: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["language"].choices = [(code, native_language_name(code)) for code in languages]  # type: ignore[attr-defined]
        if not offers_records:
            del self.fields["records"]

    def clean_creators(self) -> tuple[Creator, ...]:
        creators = []
        lines = [line.strip() for line in self.cleaned_data["creators"].splitlines() if line.strip()]
        if len(lines) > MOST_CREATORS:
            raise ValidationError(_("At most %(most)s creators."), params={"most": MOST_CREATORS})
        for line in lines:
            try:
                creators.append(parse_creator(line))
            except ValueError as error:
                raise ValidationError(
                    _("“%(line)s” is not a name, or a name with an ORCID. Check the digits."),
                    params={"line": line},
                ) from error
        return tuple(creators)

    def clean_doi(self) -> str:
        doi: str = self.cleaned_data["doi"].strip().removeprefix("https://doi.org/")
        if doi and not DOI.fullmatch(doi):
            raise ValidationError(_("A DOI begins with 10. and has a slash, as 10.5281/zenodo.1234."))
        return doi


@form_page
@needs_recent_proof
def deposit_page(request: PersonRequest, pk: int) -> HttpResponseBase:
    """Shows the form of a deposit and, once it is filled in, returns the zip file.

    Only for the owner, who decides that the world may read the report.
    """
    report = page_to_share(request.user, pk)
    survey = report.survey
    offers_records = survey.may(request.user, "deposit")
    data, initial = request.POST if request.method == "POST" else None, proposed_metadata(report)
    form = DepositForm(report.design.languages, data, initial=initial, offers_records=offers_records)
    if request.method == "POST" and form.is_valid():
        with_records = form.cleaned_data.pop("records", False)
        try:
            pieces = hand_over_deposit(report, request.user, form, with_records, timezone.now())
        except NotAllowed as refusal:
            messages.error(request, str(refusal))
            return redirect("deposits:deposit", pk)
        response = StreamingHttpResponse(pieces, content_type="application/zip")
        title = slugify(report.title, allow_unicode=True)[:60] or "survey"
        name = f"{title}-deposit-{report.review.run.number}.zip"
        response["Content-Disposition"] = content_disposition_header(True, name) or ""
        return response
    context = {
        "report": report,
        "tabs": report.tabs("exports"),
        "form": form,
        "offers_records": offers_records,
        "answer": reviewer_approvals.deposit_approval_status(survey),
        "has_files": survey.may(request.user, "download"),
        "has_plan": bool(plan_file(report)),
        "releases": approved_releases(survey, request.user),
    }
    return render(request, "deposits/deposit.html", context, status=422 if form.errors else 200)


def proposed_metadata(report: ReportPage) -> dict[str, Any]:
    """Returns the initial values of the metadata form."""
    return {
        "title": report.title,
        "creators": str(report.survey.owner),
        "contact": report.survey.owner.email,
        "year": report.require_publication().when.year,
        "licence": "CC-BY-4.0",
        "language": report.design.languages[0],
    }


def hand_over_deposit(
    report: ReportPage, person: Person, form: DepositForm, with_records: bool, now: datetime
) -> Iterator[bytes]:
    """Returns the zip in pieces, with the metadata of a valid form; raises NotAllowed if an approval is missing."""
    about = Metadata(**form.cleaned_data, description=_abstract_text(report))
    return Deposit(report, about, person, with_records).hand_over(now)


def _abstract_text(report: ReportPage) -> str:
    about, design = report.about, report.design
    numbers = {
        "records": format_count(about.records),
        "questions": format_count(sum(count_design_questions(design))),
    }
    words = _("Results of a survey: %(records)s records, %(questions)s questions. Made with Candor.")
    rehearsal = _("It is a rehearsal: the answers are simulated.") if about.rehearsal else ""
    return join_sentences([words % numbers, rehearsal, *method_texts(design), say("lead", report)])
