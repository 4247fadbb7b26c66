"""Phrases of surveys whose pages other sites may show in a frame."""

from django.utils.translation import gettext_lazy as _

from surveys.phrases.fixed_page_sentence import make_phrases, make_protection_phrases

FRAMED_SCREEN = make_phrases(
    framed_open=_("Open on its own page"),
    framed_hold=_("Hold this button for half a second, with a finger, the mouse or a key."),
    framed_look=_(
        "Not yet: this button has to be in full view for a moment, with nothing over it. Then press it again,"
        " or open the survey on its own page."
    ),
) | make_protection_phrases(
    framed_keep=_(
        "Inside another site this device cannot keep your record. Keep this page open until it has been sent."
    ),
)
"""Phrases that scripts need when the page is in a frame."""

FRAMED = FRAMED_SCREEN | make_protection_phrases(
    framed_about=_(
        "This page is inside another site, which can see when it loads, how large it is and when you finish,"
        " not your answers."
    ),
    framed_lasting=_(
        "You will type a code of your own. Type it only where the address bar shows the address of this"
        " survey, not inside another site."
    ),
    framed_exchanged=_(
        "Your browser exchanges your invitation and has to keep it until your record was sent. Inside another"
        " site it may not, so answer on a page of its own."
    ),
    framed_form=_(
        "If this page is inside another site, that site can see when it loads, how large it is and when you"
        " finish, not your answers."
    ),
    limit_framed=_(
        "Where this page is inside another site, that site learns that you took part and when, and could cover"
        " parts of the page. On its own page it cannot."
    ),
)
"""Phrases that are needed only if the design lists sites that may show the survey."""
