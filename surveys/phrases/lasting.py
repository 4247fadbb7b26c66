"""The phrases of a disguise that lasts over rounds, and of the code by which the device remembers it."""

from django.utils.translation import gettext_lazy as _

from surveys.phrases.phrase import Phrase, Phrases

LASTING_SCREEN: Phrases = {
    "code_title": Phrase(_("Your code")),
    "code_why": Phrase(
        _(
            "Your code lets any device disguise the same answers in the same way in every round. It stays on this"
            " page: it is not sent and not stored."
        ),
        protects=True,
    ),
    "code_made": Phrase(
        _(
            "Write it down and show it to nobody. It says nothing about your answers; but somebody who has it and"
            " recognises your records learns more. One person, one code."
        ),
        protects=True,
    ),
    "code_back": Phrase(_("Type it from your paper")),
    "code_have": Phrase(_("Your code from an earlier round, or from before you reloaded this page")),
    "code_hint": Phrase(_("18 letters and digits. Spaces, hyphens and small letters do not matter.")),
    "code_wrong": Phrase(_("This is not a code of this study. Compare it with what you wrote down.")),
    "code_other": Phrase(_("This is not the code above. Compare it with what you wrote down.")),
    "code_none": Phrase(_("If you have no code")),
    "code_lost": Phrase(
        _(
            "Without your code this is a new start: then all rounds together make any answers of yours at most"
            " %(times)s times as likely as any others that stay the same."
        ),
        protects=True,
    ),
    "code_make": Phrase(_("Make a new code")),
    "code_set": Phrase(_("Your code is on this page until you send your answers or leave.")),
    "code_insecure": Phrase(
        _(
            "This page cannot make or check a code, because its address does not begin with https. Nothing can be"
            " sent from here. Tell the people who run this survey."
        )
    ),
}
"""What the scripts say of the code."""

LASTING: Phrases = {
    **LASTING_SCREEN,
    "lasting_title": Phrase(_("All rounds together")),
    "lasting_same": Phrase(
        _(
            "Your answers are disguised once for good by your own code, and again in every round: as long as they stay"
            " the same, all rounds together make any answers of yours at most <strong>%(times)s times</strong> as"
            " likely as any others that stay the same."
        ),
        protects=True,
    ),
    "lasting_change": Phrase(
        _(
            "A round in which they differ can multiply this by %(times)s once more, and somebody who could recognise"
            " your records might notice the change."
        ),
        protects=True,
    ),
    "lasting_some": Phrase(
        _(
            "This is for the questions whose disguise lasts. Other disguised questions are disguised anew in each"
            " round, which reveals more each time."
        ),
        protects=True,
    ),
    "lasting_open": Phrase(
        _("If you answer openly once, that says much about your other rounds."), protects=True
    ),
    "limit_code": Phrase(
        _(
            "Two codes of one person, or one code of two persons, reveal more than this page says. Nobody can give"
            " you your code again."
        ),
        protects=True,
    ),
}
"""Only where the disguise of a section lasts."""
