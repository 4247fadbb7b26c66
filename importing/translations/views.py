"""Views for a draft's translations as files: download, upload, preview of the changes, and applying them.

Between upload and applying, the content is kept as signed text in the person's page; the server stores
nothing.
"""

from hashlib import sha256

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import content_disposition_header
from django.utils.text import slugify
from django.utils.translation import gettext as _, gettext_lazy, ngettext

from accounts.permission import PersonRequest
from builder.editing import save_edit
from builder.editing.http_responses import command_response, editable_draft_view, refusal_response
from builder.pages.translations import TranslationFileForm, TranslationsPage, render_translations_page
from builder.protection.summary import opening_problems_sentence
from importing import isolated_reader, signed_import_ticket
from importing.faults import FileRefused
from importing.import_result import MOST_BYTES
from importing.translations.comparison import Comparison
from importing.translations.draft_texts import source_language, texts_in_translation_file, texts_of_draft
from importing.translations.reading import TranslationFile
from importing.translations.writing import write_csv, write_xliff
from mining.json_codec import node_from_json, node_to_json
from surveys.models import Survey
from surveys.questionnaire.problems_and_refusals import NotAllowed
from surveys.questionnaire.question_block_editing import undo_data_for_draft
from surveys.questionnaire.questionnaire import CommandResult, Questionnaire, Sent
from surveys.signed_in_view import posting, reading, takes_upload, upload_of_at_most

SALT = "surveys.translations"
MOST_ROWS = 1_000
"""Highest number of rows in each table of the page; a file of another survey has one for every text."""


class TextsChanged(NotAllowed):
    """Raised if the draft has changed since it was compared with the file."""


@reading
@editable_draft_view
def download(request: PersonRequest, survey: Survey) -> HttpResponse:
    """View: sends an XLIFF file into the language of the address (`?to=`), or a table of all languages without it."""
    draft, target = save_edit.load_questionnaire(survey), request.GET.get("to", "")
    texts, source = texts_of_draft(draft), draft.first_language
    if target:
        source = source_language(draft, target)
        texts = texts_in_translation_file(texts, source, target) if target in draft.languages else []
    if not texts:
        raise NotAllowed(
            _("There is nothing to translate yet. Write the questionnaire first, and add a language.")
        )
    if target:
        data, kind, end = (
            write_xliff(texts, source, target),
            "application/xliff+xml",
            f"{source}-{target}.xlf",
        )
    else:
        data, kind, end = write_csv(texts, draft.languages), "text/csv; charset=utf-8", "translations.csv"
    response = HttpResponse(data, content_type=kind)
    name = slugify(str(survey), allow_unicode=True)[:60] or "questionnaire"
    response["Content-Disposition"] = content_disposition_header(True, f"{name}-{end}") or ""
    return response


@takes_upload
@posting
@upload_of_at_most(
    MOST_BYTES,
    title=gettext_lazy("This file is too large for translations"),
    advice=gettext_lazy(
        "A file of translations has at most 5 megabytes. Split it by language. Nothing was changed."
    ),
)
@editable_draft_view
def upload(request: PersonRequest, survey: Survey) -> HttpResponse:
    """View: shows the changes that an uploaded file would make."""
    form = TranslationFileForm(request.POST, request.FILES)
    if form.is_valid():
        try:
            file = isolated_reader.read_translations(form.cleaned_data["file"].read(), request.user.pk)
            ticket = signed_import_ticket.sign(SALT, [request.user.pk, survey.pk, node_to_json(file)])
            comparison = Comparison(save_edit.load_questionnaire(survey), file)
            return _render_comparison(request, survey, comparison, ticket)
        except isolated_reader.ReadersBusy as busy:
            form.add_error("file", str(busy))
            return isolated_reader.busy_response(_render_refusal(request, survey, form), busy)
        except FileRefused as refusal:
            form.add_error("file", _("Nothing was changed. %(reasons)s") % {"reasons": refusal.in_words()})
    return _render_refusal(request, survey, form)


def _render_refusal(request: PersonRequest, survey: Survey, form: TranslationFileForm) -> HttpResponse:
    draft = save_edit.load_questionnaire(survey)
    page = TranslationsPage(draft, draft.languages[min(1, len(draft.languages) - 1)])
    return render_translations_page(request, survey, page, file_form=form, status=422)


@posting
@editable_draft_view
def apply_translations(request: PersonRequest, survey: Survey) -> HttpResponse:
    """View: applies the displayed translations, of doubtful ones only those that are ticked; if the draft has changed
    since, displays the changes again."""
    ticket, shown = request.POST.get("ticket", ""), request.POST.get("shown", "")
    ticked = request.POST.getlist("tick")
    page = reverse("builder:translations", args=[survey.pk])
    file = _redeem_ticket(request, survey, ticket)
    if file is None:
        words = _("This comparison is no longer valid. Upload the file again; nothing was changed.")
        return refusal_response(request, survey, words, page)

    def apply_ticked_changes(draft: Questionnaire, _sent: Sent) -> CommandResult:
        comparison = Comparison(draft, file)
        if comparison.digest != shown:
            raise TextsChanged(_("The draft was changed meanwhile"))
        after, count = comparison.draft_with_accepted_changes(ticked)
        words = ngettext(
            "%(count)s translation is taken over.", "%(count)s translations are taken over.", count
        )
        return CommandResult(after, words % {"count": count}, removed=undo_data_for_draft(draft, after))

    # The same page sent twice is one command.
    key = sha256(f"{ticket} {shown} {sorted(ticked)}".encode()).hexdigest()[:32]
    try:
        draft, result = save_edit.run_command(
            survey, request.user, apply_ticked_changes, {}, timezone.now(), key
        )
    except TextsChanged:
        survey.refresh_from_db()
        comparison = Comparison(save_edit.load_questionnaire(survey), file)
        return _render_comparison(request, survey, comparison, ticket, is_conflict=True)
    language = next((code for code in file.languages if code != draft.first_language), "")
    return command_response(request, survey, redirect(f"{page}?to={language}"), result)


def _redeem_ticket(request: PersonRequest, survey: Survey, ticket: str) -> TranslationFile | None:
    """Returns the file in a signed ticket; None if the ticket is expired, altered, or of another person or survey."""
    person, pk, file = signed_import_ticket.unsign(SALT, ticket) or (None, None, {})
    return node_from_json(TranslationFile, file) if (person, pk) == (request.user.pk, survey.pk) else None


def _render_comparison(
    request: PersonRequest, survey: Survey, comparison: Comparison, ticket: str, *, is_conflict: bool = False
) -> HttpResponse:
    context = {
        "survey": survey,
        "here": "translations",
        "lacking": opening_problems_sentence(comparison.draft),
        "comparison": comparison,
        "rows": comparison.rows[:MOST_ROWS],
        "more_rows": max(0, len(comparison.rows) - MOST_ROWS),
        "changes": comparison.changes[:MOST_ROWS],
        "more_changes": max(0, len(comparison.changes) - MOST_ROWS),
        "ticket": ticket,
        "is_conflict": is_conflict,
    }
    status = 409 if is_conflict else 200
    return render(request, "importing/translation-comparison.html", context, status=status)
