"""The phrases of the start page that say what is disguised, and with which chances."""

from django.utils.translation import gettext_lazy as _

from surveys.phrases.phrase import Phrase, Phrases

DISGUISE: Phrases = {
    "odds": Phrase(_("about %(m)s in %(n)s"), protects=True),
    "odds_people": Phrase(_("about %(m)s in %(n)s people"), protects=True),
    "odds_first": Phrase(_("About %(m)s in %(n)s"), protects=True),
    "disguise_title": Phrase(_("How your answers are protected"), protects=True),
    "disguise_some": Phrase(
        _(
            "<strong>Disguised:</strong> sensitive questions (%(n)s of %(questions)s). A random draw"
            " may change your answers before they leave this device."
        ),
        protects=True,
    ),
    "disguise_others": Phrase(
        _("<strong>Not disguised:</strong> all other questions. Every page tells you which kind it is."),
        protects=True,
    ),
    "disguise_draws": Phrase(
        _(
            "Your device makes the random draws before the first question. Nobody can see them. If"
            " you reload the page, it makes new draws for the same questions."
        ),
        protects=True,
    ),
    "by_chance": Phrase(_("So nobody can be sure that an answer is your true one."), protects=True),
}

NOTHING_DISGUISED: Phrases = {
    "disguise_nothing": Phrase(
        _(
            "The people who ask think that none of these questions is sensitive. Every answer is sent"
            " exactly as you give it. Taken together, your answers can point to you."
        ),
        protects=True,
    ),
}
"""Only where a survey asks nothing sensitive."""

GROUPED_CHANCES: Phrases = {
    "grouped_asked": Phrase(
        _("You will be asked %(asked)s of these %(all)s questions. Your device picks them at random.")
    ),
    "grouped_asked_each": Phrase(
        _(
            "In each of these parts you will be asked %(asked)s of %(all)s questions. Your device picks them"
            " at random."
        )
    ),
    "grouped_kept": Phrase(
        _("<strong>%(odds)s times</strong> (%(share)s), your true answers to this part are sent."),
        protects=True,
    ),
    "grouped_drawn": Phrase(
        _("The other times, none of your true answers is sent: your device sends random answers instead."),
        protects=True,
    ),
    "grouped_yes": Phrase(
        _("A random answer is “%(answer)s” <strong>%(odds)s times</strong> (%(share)s)."),
        protects=True,
    ),
    "grouped_rarest": Phrase(
        _(
            "So nobody can be sure that an answer is your true one. Even the rarest answer is sent for"
            " <strong>%(odds)s</strong> (%(share)s) who did not give it."
        ),
        protects=True,
    ),
}
"""Only where a survey asks sensitive questions with choices."""

NUMBER_CHANCES: Phrases = {
    "classes_about": Phrase(
        _(
            "For a number that you enter: the number itself is never sent. Your device draws %(cuts)s of the numbers"
            " %(limits)s at random. They divide all numbers into classes."
        ),
        protects=True,
    ),
    "classes_rest": Phrase(
        _(
            "<strong>%(odds)s times</strong> (%(share)s), it sends only a yes or no instead, disguised in the same way,"
            " that helps to find the average."
        ),
        protects=True,
    ),
    "classes_kept": Phrase(
        _("<strong>%(odds)s times</strong> (%(share)s), the class that your number is in is sent."),
        protects=True,
    ),
    "classes_drawn": Phrase(
        _("The other times, one of the classes is sent at random, each equally often."),
        protects=True,
    ),
    "window_about": Phrase(_("For a number that you enter:")),
    "window_kept": Phrase(
        _(
            "<strong>%(odds)s times</strong> (%(share)s), a number at most %(far)s away from yours is"
            " sent, each equally often. Counting goes round: after %(high)s comes %(low)s again."
        ),
        protects=True,
    ),
    "window_drawn": Phrase(
        _("The other times, any number from %(low)s to %(high)s is sent, drawn at random."),
        protects=True,
    ),
}
"""Only where a survey asks for a number."""

SET_CHANCES: Phrases = {
    "start_sets": Phrase(
        _("Of a question with many answers it sends several of them together, yours among them."),
        protects=True,
    ),
    "set_about": Phrase(
        _(
            "For one question your device sends %(size)s of the %(choices)s answers together, never one alone."
        ),
        protects=True,
    ),
    "set_kept": Phrase(
        _("<strong>%(odds)s times</strong> (%(share)s), your answer is one of those that are sent."),
        protects=True,
    ),
    "set_drawn": Phrase(
        _("The other times it is not: the answers that are sent are drawn from all others at random."),
        protects=True,
    ),
    "set_other": Phrase(
        _(
            "So nobody can be sure that one of them is your answer. Any answer is also sent for"
            " <strong>%(odds)s</strong> (%(share)s) who did not give it."
        ),
        protects=True,
    ),
}
"""Only where a survey sends sets of choices."""

PLACE_CHANCES: Phrases = {
    "place_about": Phrase(
        _(
            "For a place that you choose: each region on the list is sensitive. Your place may be"
            " inside one of them or outside."
        )
    ),
    "place_chances_inside": Phrase(
        _(
            "<strong>Inside the regions,</strong> a place inside them is sent, more often one near"
            " yours. Your record can make any one place inside the regions at most <strong>%(odds)s"
            " times</strong> as likely, compared with any other place."
        ),
        protects=True,
    ),
    "place_chances_level": Phrase(_("In %(regions)s: at most %(odds)s times."), protects=True),
    "place_chances_outside": Phrase(
        _(
            "<strong>Outside the regions, your place is not protected.</strong> Your exact place is sent"
            " <strong>%(odds)s times</strong> (%(share)s) and counts as not disguised. The other"
            " times, a place inside the regions is sent instead."
        ),
        protects=True,
    ),
    "start_sure_outside": Phrase(
        _(
            "Your browser disguises private answers. <strong>Nobody can be sure of them, except a place"
            " outside the sensitive regions.</strong>"
        ),
        protects=True,
    ),
    "arms_sure_outside": Phrase(
        _(
            "If your answers are disguised, <strong>nobody can be sure of them, except a place outside"
            " the sensitive regions.</strong>"
        ),
        protects=True,
    ),
    "together_inside": Phrase(_("Only inside the sensitive regions."), protects=True),
    "inside_only": Phrase(
        _(
            "<strong>Who is protected:</strong> the protection of all answers together is for people"
            " whose place is inside the sensitive regions. For people outside them the place is not"
            " protected."
        ),
        protects=True,
    ),
}
"""Only where a survey asks for a place."""


# --- how it works
# The phrases of the start page that explain the disguise in sight, and of what a visitor can try there.

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
