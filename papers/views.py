"""Serves the stored pages of the documents, and their list."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import get_language
from django.views.decorators.http import require_safe

from papers import site_build
from papers.document_structure import DOCUMENTS, document_title


@require_safe
def documents(request: HttpRequest) -> HttpResponse:
    body = site_build.stored_body(site_build.INDEX, get_language() or "en")
    return render(request, "papers/documents-page.html", {"body": body})


@require_safe
def document(request: HttpRequest, name: str) -> HttpResponse:
    if name not in DOCUMENTS:
        raise Http404
    body = site_build.stored_body(name, get_language() or "en")
    return render(
        request, "papers/document-page.html", {"body": body, "name": name, "title": document_title(name)}
    )
