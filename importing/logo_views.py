"""View that receives the upload of a survey's logo, from the builder's page Logo and colour."""

from django.http import HttpResponse
from django.utils.translation import gettext_lazy as _

from accounts.permission import PersonRequest
from builder.editing import save_edit
from builder.editing.http_responses import editable_draft_view
from builder.pages import appearance
from builder.pages.appearance import LogoForm
from importing import isolated_reader
from importing.faults import FileRefused
from importing.logo_reencoding import MOST_BYTES
from surveys.models import Logo, Survey
from surveys.signed_in_view import posting, takes_upload, upload_of_at_most


@takes_upload
@posting
@upload_of_at_most(
    MOST_BYTES,
    title=_("This file is too large for a logo"),
    advice=_("A logo has at most 2 megabytes. Save it as a smaller picture. Nothing was changed."),
)
@editable_draft_view
def upload_logo(request: PersonRequest, survey: Survey) -> HttpResponse:
    form = LogoForm(save_edit.load_questionnaire(survey), request.POST, request.FILES)
    if not form.is_valid():
        return appearance.render_appearance_page(request, survey, logo_form=form, status=422)
    file, fingerprint = form.cleaned_data["file"], ""
    if file:
        try:
            fingerprint = Logo.store_picture(isolated_reader.read_logo(file.read(), request.user.pk))
        except FileRefused as refusal:
            form.add_error("file", " ".join(map(_fault_sentence, refusal.faults)))
            return appearance.render_appearance_page(request, survey, logo_form=form, status=422)
        except isolated_reader.ReadersBusy as busy:
            form.add_error("file", str(busy))
            page = appearance.render_appearance_page(request, survey, logo_form=form)
            return isolated_reader.busy_response(page, busy)
    return appearance.save_logo(request, survey, fingerprint, form.alternative_texts)


def _fault_sentence(fault: tuple[str, str]) -> str:
    """Returns a fault as a sentence, such as “The file is damaged or incomplete; save the picture again.”"""
    words = " ".join(fault)
    return f"{words[0].upper()}{words[1:]}."
