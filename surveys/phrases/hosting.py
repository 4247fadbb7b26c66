"""Phrases of surveys whose page another host serves, while this site gets the records."""

from django.utils.translation import gettext_lazy as _

from surveys.phrases.fixed_page_sentence import make_phrases, make_protection_phrases

HOSTED_SCREEN = make_phrases(
    hosted_waiting=_("No answer from %(site)s. The next try is in %(seconds)s seconds."),
)
"""Phrases that scripts need on a page of another host."""

HOSTED = HOSTED_SCREEN | make_protection_phrases(
    hosted_about=_(
        "This page comes from %(host)s. Your record goes to %(site)s, which serves no page that asks."
    ),
    hosted_elsewhere=_(
        "Nothing can be answered here. This page belongs at %(host)s; at another address, or opened as a file, somebody"
        " else may have changed it. Open it there."
    ),
    hosted_trying=_("For trying only: one of these is on somebody’s own machine."),
    hosted_leads=_("This survey is asked at %(host)s. This site gets the records and asks nothing."),
    hosted_digest=_("SHA-256 of the list of the page’s files (SHA256SUMS), which %(host)s serves unchanged:"),
    limit_hosted=_(
        "%(host)s supplies this page and its program, and learns who comes and when. It gets no record as long as it"
        " serves them unchanged; it could serve different ones, to one person too."
    ),
    limit_both=_(
        "%(site)s gets the records and supplies no page. %(host)s and %(site)s together could do what one operator of"
        " both can."
    ),
)
"""Phrases that are needed only if the design names a host that serves the page."""
