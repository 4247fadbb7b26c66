"""Who decided what a report says; also on public pages, so in the languages of everybody (config/catalogue.py)."""

from collections.abc import Collection

from django.utils.translation import gettext as _

from surveys.permission import Basis


def who_decided_text(reviewed: Collection[Basis]) -> str:
    """Who decided what is published; a reviewer whom an administrator made one is the rule and needs no mention."""
    sentences = [_("Somebody who does not work on the survey decided what is published.")]
    if Basis.OWNER in reviewed:
        sentences = [
            _(
                "The owner of the survey took part in deciding what is published: on this site one person may do both."
            )
        ]
    if Basis.NAMED in reviewed:
        sentences.append(_("The owner of the survey chose a reviewer who decided."))
    return " ".join(sentences)
