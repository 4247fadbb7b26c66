"""Phrases of surveys whose page another host serves, or whose page stands inside another tool, named as `site`."""

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

TOOL_SCREEN = make_phrases(
    tool_trial=_("Trial: your answers are not used."),
    tool_alone=_("Nothing can be answered here. This page belongs inside %(site)s: open it there."),
    tool_late=_("%(site)s has not answered yet. Try again, or go on there without waiting."),
    tool_left=_("You did not answer this part, and your answers are deleted here. Go on at %(site)s."),
) | make_protection_phrases(
    tool_delete=_("If you want your answers deleted, ask %(site)s."),
    tool_nothing_stays=_("Nothing of your answers stays on this computer after you go on."),
    tool_handed=_("Handed over to %(site)s. It is stored when you go on there."),
    tool_unproven=_("That %(site)s has stored it."),
)
"""Phrases that scripts need on a page inside a tool."""

TOOL = TOOL_SCREEN | make_protection_phrases(
    tool_about=_(
        "This page stands inside %(site)s. %(site)s gets your plain answers and the disguised record. It does not get"
        " your choices on disguised questions."
    ),
    tool_sees=_("%(site)s can see that you answered and when, beside everything else it knows about you."),
    tool_keeps=_(
        "%(site)s keeps your record beside your other answers. It is not mixed with other people's."
    ),
    tool_only=_("Only the random disguise of this one record protects your answers."),
    tool_go_on=_("You may go on without answering. %(site)s then sees that you did not answer this part."),
    tool_once=_("Answer this part once. Each further answer tells more about you."),
    tool_check=_("Whether you understood the disguise is a plain answer: %(site)s gets it as it is."),
)
"""Phrases that are needed only if the design names tools inside which the page stands."""
