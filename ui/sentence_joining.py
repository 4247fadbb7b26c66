"""Joins sentences as the reader's language does: in Chinese no space stands between them."""

from collections.abc import Iterable

from django.utils.translation import pgettext


def join_sentences(sentences: Iterable[str]) -> str:
    """Joins the sentences that are not empty."""
    joined, template = "", pgettext("two sentences", "%(first)s %(second)s")
    for sentence in filter(None, sentences):
        joined = template % {"first": joined, "second": sentence} if joined else sentence
    return joined
