"""The phrases of the start page that explain the disguise in sight, and of what a visitor can try there."""

from django.utils.translation import gettext_lazy as _

from surveys.phrases.phrase import Phrase, Phrases

HOW_IT_WORKS: Phrases = {
    "start_sure": Phrase(
        _(
            "Some questions are private. <strong>Nobody can be sure what you answered:</strong>"
            " your browser disguises it before sending."
        ),
        protects=True,
    ),
    "together_limit": Phrase(
        _(
            "All answers together: somebody %(before)s sure beforehand can become at most"
            " <strong>%(after)s sure.</strong>"
        ),
        protects=True,
    ),
    "start_title": Phrase(_("How it works")),
    "start_coin": Phrase(_("Your device makes a hidden random draw."), protects=True),
    "start_heads": Phrase(_("With probability %(share)s it sends your true answers."), protects=True),
    "share_range": Phrase(_("%(low)s to %(high)s"), protects=True),
    "start_tails": Phrase(_("Otherwise random answers."), protects=True),
    "start_yes": Phrase(
        _("<strong>A yes in your record does not mean that you said yes.</strong>"), protects=True
    ),
    "start_common": Phrase(_("Researchers can still work out how common something is."), protects=True),
    "limit_likely": Phrase(
        _("Your record is no proof, but it does make some answers more likely than others."), protects=True
    ),
    "toy_title": Phrase(_("Try it with a made-up question")),
}
"""Only where a survey asks something sensitive."""

NEAR_HEADS: Phrases = {
    "start_heads_near": Phrase(
        _("With probability %(share)s it sends your true answers. Numbers and places are made less exact."),
        protects=True,
    ),
}
"""Only where a survey asks for a number or a place."""

TOY: Phrases = {
    "toy_about": Phrase(
        _("Your device flips a fair coin ten times. Nothing that you select here is sent or kept."),
        protects=True,
    ),
    "toy_question": Phrase(_("Do you sing in the shower?")),
    "toy_kept": Phrase(_("Heads: your true answer")),
    "toy_random": Phrase(_("Tails: a random answer")),
    "toy_result": Phrase(
        _(
            "“Yes” would be sent in %(yes)s of 10 flips, “No” in %(no)s. From one record alone, nobody can tell"
            " what you answered."
        ),
        protects=True,
    ),
    "quiz_question": Phrase(_("Check yourself: your record says yes. Does that prove that you said yes?")),
    "quiz_right": Phrase(
        _("That is right. The yes may be a random answer, and nobody can tell."), protects=True
    ),
    "quiz_wrong": Phrase(
        _(
            "Many people think so at first, but it does not. The yes may be a random answer, and nobody can tell."
        ),
        protects=True,
    ),
}
"""What the scripts of such a survey say there."""
