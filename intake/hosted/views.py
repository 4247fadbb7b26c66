"""The page of the folder for another host: freeze it, download it, and look whether the host serves it."""

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.permission import PersonRequest, get_permitted
from intake.hosted import frozen_page
from surveys.lifecycle import asked_at
from surveys.models import Survey
from surveys.questionnaire.problems_and_refusals import InputRefused, NotAllowed
from surveys.signed_in_view import posting, reading


@reading
def page(request: PersonRequest, pk: int) -> HttpResponse:
    survey = get_permitted(Survey.objects, request.user, pk)
    host = survey.host
    if not host:
        raise Http404
    folder = asked_at.current_folder(survey)
    context = {
        "survey": survey,
        "host": host,
        "folder": folder,
        "files": len(frozen_page.files_of(folder)) if folder else 0,
        "is_draft": survey.state == Survey.State.DRAFT,
        "may_open": survey.may(request.user, "open"),
    }
    return render(request, "intake/hosted/page.html", context)


@posting
def freeze(request: PersonRequest, pk: int) -> HttpResponse:
    survey = get_permitted(Survey.objects, request.user, pk, "open")
    try:
        frozen_page.freeze_page(survey, request.user, timezone.now())
        messages.success(request, _("The page is frozen. Give the folder to its host."))
    except InputRefused as wrong:
        messages.error(request, "; ".join(problem.sentence for problem in wrong.problems))
    except NotAllowed as refused:
        messages.error(request, str(refused))
    return redirect("hosted:page", survey.pk)


@posting
def look(request: PersonRequest, pk: int) -> HttpResponse:
    survey = get_permitted(Survey.objects, request.user, pk, "open")
    folder = asked_at.current_folder(survey)
    if folder is None:
        raise Http404
    address = request.POST.get("address") or survey.host
    try:
        differences = frozen_page.look_at_host(folder, address, request.user, timezone.now())
        if differences:
            names = ", ".join(difference.name or "/" for difference in differences[:5])
            words = _("%(count)s files are not there as they were frozen: %(names)s")
            messages.error(request, words % {"count": len(differences), "names": names})
        else:
            messages.success(request, _("The host serves every file, byte for byte."))
    except NotAllowed as refused:
        messages.error(request, str(refused))
    return redirect("hosted:page", survey.pk)


@reading
def download(request: PersonRequest, pk: int) -> HttpResponse:
    survey = get_permitted(Survey.objects, request.user, pk)
    folder = asked_at.current_folder(survey)
    if folder is None:
        raise Http404
    return archive_response(bytes(folder.content), survey.slug)


def archive_response(content: bytes, slug: str) -> HttpResponse:
    response = HttpResponse(content, content_type="application/zip")
    response["Content-Disposition"] = f'attachment; filename="page-{slug}.zip"'
    return response
