"""Sentences on who decided what is published; public pages show them too, so they are in all languages of
respondents.
"""

from collections.abc import Collection

from django.utils.translation import gettext as _

from surveys.permission import Basis
from ui.sentence_joining import join_sentences


def who_decided_text(reviewed: Collection[Basis]) -> str:
    """Returns the sentences on who decided about the publication.

    Reviewers named by an administrator are the rule and are not mentioned.
    """
    sentences = [_("Somebody who does not work on the survey decided what is published.")]
    if Basis.OWNER in reviewed:
        sentences = [
            _(
                "The owner of the survey took part in deciding what is published: on this site one person may do both."
            )
        ]
    if Basis.NAMED in reviewed:
        sentences.append(_("The owner of the survey chose a reviewer who decided."))
    return join_sentences(sentences)
