"""Phrases of surveys whose page stands inside another tool, which gets the record; `site` is the tool's address."""

from django.utils.translation import gettext_lazy as _

from surveys.phrases.fixed_page_sentence import make_phrases, make_protection_phrases

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
