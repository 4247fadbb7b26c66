"""The page that takes a table as a CSV file, which is kept in memory and in the database only."""

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt, csrf_protect

from look.errors import problem_page
from people.permission import PersonRequest
from releases import uploading
from releases.forms import UploadForm
from surveys import create
from surveys.pages import form_page, is_too_long
from surveys.refused import Refused


@csrf_exempt  # the token stands in the body, which is not read before its length is known
@form_page
def new(request: PersonRequest) -> HttpResponse:
    if not create.may_begin(request.user):
        raise PermissionDenied
    if is_too_long(request, uploading.MOST_BYTES):
        return problem_page(request, 413)
    return _new(request)


@csrf_protect
def _new(request: PersonRequest) -> HttpResponse:
    posted = (request.POST, request.FILES) if request.method == "POST" else ()
    form = UploadForm(*posted)
    if form.is_bound and form.is_valid():
        file = form.cleaned_data["file"]
        try:
            before = form.cleaned_data["before"]
            release = uploading.store_upload(request.user, file.name, file.read(), timezone.now(), before)
        except Refused as refused:
            form.add_error("file", str(refused))
        else:
            messages.success(request, _("The table is here. Check what each column is."))
            return redirect("releases:columns", release.pk)
    return render(request, "releases/new.html", {"form": form}, status=422 if form.errors else 200)
