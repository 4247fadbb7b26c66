"""Serves the stored pages of the documents, and their list."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import get_language
from django.views.decorators.http import require_safe

from candor import __version__
from papers import site_build
from papers.document_structure import DOCUMENTS, document_title
from papers.pages_folder import INDEX


@require_safe
def documents(request: HttpRequest) -> HttpResponse:
    """Shows the list of documents; while a page has not been made, a sentence says how, with the status 404."""
    body = site_build.stored_body(INDEX, get_language() or "en")
    return render(request, "papers/documents-page.html", {"body": body}, status=200 if body else 404)


@require_safe
def document(request: HttpRequest, name: str, version: str = __version__) -> HttpResponse:
    """Shows the page of a document; at the address of another version, a sentence that says how to get its page."""
    if name not in DOCUMENTS:
        raise Http404
    permanent = request.build_absolute_uri(reverse("papers:document_version", args=[name, __version__]))
    more = {"title": document_title(name), "name": name, "version": __version__, "permanent": permanent}
    other_version = version if version != __version__ else ""
    body = None if other_version else site_build.stored_body(name, get_language() or "en")
    context = {"body": body, "other_version": other_version, **more}
    return render(request, "papers/document-page.html", context, status=200 if body else 404)
