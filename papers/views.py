"""Serves the stored pages of the documents, and their list."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import get_language
from django.views.decorators.http import require_safe

from papers import site_build
from papers.document_structure import DOCUMENTS, document_title
from papers.pages_folder import INDEX


@require_safe
def documents(request: HttpRequest) -> HttpResponse:
    return _render_stored_page(request, "papers/documents-page.html", INDEX)


@require_safe
def document(request: HttpRequest, name: str) -> HttpResponse:
    if name not in DOCUMENTS:
        raise Http404
    return _render_stored_page(request, "papers/document-page.html", name, title=document_title(name))


def _render_stored_page(request: HttpRequest, template: str, name: str, **more: str) -> HttpResponse:
    """Renders a stored page; while it has not been made, a sentence that says how, with the status 404."""
    body = site_build.stored_body(name, get_language() or "en")
    return render(request, template, {"body": body, **more}, status=200 if body else 404)
