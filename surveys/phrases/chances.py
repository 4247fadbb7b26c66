"""The phrases of the start page that say what is disguised, and with which chances."""

from django.utils.translation import gettext_lazy as _

from surveys.phrases.phrase import Phrase, Phrases

DISGUISE: Phrases = {
    "odds": Phrase(_("about %(m)s in %(n)s"), protects=True),
    "odds_first": Phrase(_("About %(m)s in %(n)s"), protects=True),
    "percent": Phrase(_("%(number)s %")),
    "disguise_title": Phrase(_("What is disguised, and how"), protects=True),
    "disguise_some": Phrase(
        _(
            "<strong>Disguised:</strong> %(n)s of %(questions)s questions. Chance may change an"
            " answer before it leaves this device."
        ),
        protects=True,
    ),
    "disguise_others": Phrase(
        _("<strong>Sent as you answer it:</strong> the others. Each page says which it is."), protects=True
    ),
    "disguise_draws": Phrase(
        _(
            "Your device makes the random draws before the first question and stores them nowhere."
            " Nobody can see them. If you reload the page, it makes new draws for the same"
            " questions."
        ),
        protects=True,
    ),
    "by_chance": Phrase(_("So every answer can have come by chance."), protects=True),
}

NOTHING_DISGUISED: Phrases = {
    "disguise_nothing": Phrase(
        _(
            "Nothing. None of these questions is sensitive to whoever asks; every answer is sent as"
            " you give it, and together they can single a person out."
        ),
        protects=True,
    ),
}
"""Only where a survey asks nothing sensitive."""

GROUPED_CHANCES: Phrases = {
    "grouped_asked": Phrase(
        _("Of its %(all)s questions you are asked %(asked)s; chance picks them on this device.")
    ),
    "grouped_kept": Phrase(
        _("<strong>%(odds)s times</strong> (%(share)s) your true answers go out, all of them together."),
        protects=True,
    ),
    "grouped_drawn": Phrase(
        _("The other times none of them does: chance draws every one anew."), protects=True
    ),
    "grouped_yes": Phrase(
        _("What it draws is a yes <strong>%(odds)s times</strong> (%(share)s)."), protects=True
    ),
    "grouped_rarest": Phrase(
        _(
            "So every answer can have come by chance: even the one that chance favours least goes"
            " out <strong>%(odds)s times</strong> (%(share)s) from people whose answer is another."
        ),
        protects=True,
    ),
}
"""Only where a survey asks sensitive questions with choices."""

NUMBER_CHANCES: Phrases = {
    "thresholds_about": Phrase(
        _(
            "For a number that you enter: the number itself does not go out. Chance picks one of"
            " the numbers %(thresholds)s, and what goes out is whether yours is at least that."
        ),
        protects=True,
    ),
    "thresholds_moved": Phrase(
        _(
            "Before that, chance replaces your number by one of the two next to it among these"
            " numbers and the lowest that can be entered, more often by the nearer one."
        ),
        protects=True,
    ),
    "thresholds_kept": Phrase(
        _("<strong>%(odds)s times</strong> (%(share)s) this goes out as it is."), protects=True
    ),
    "thresholds_drawn": Phrase(
        _("The other times the toss of a coin answers: at least that, or not, equally often."), protects=True
    ),
    "window_about": Phrase(_("For a number that you enter:")),
    "window_kept": Phrase(
        _(
            "<strong>%(odds)s times</strong> (%(share)s) a number at most %(far)s away from yours"
            " goes out, each equally often. Counting goes round: after %(high)s comes %(low)s again."
        ),
        protects=True,
    ),
    "window_drawn": Phrase(
        _("The other times any number from %(low)s to %(high)s goes out, drawn by chance."), protects=True
    ),
}
"""Only where a survey asks for a number."""

PLACE_CHANCES: Phrases = {
    "place_about": Phrase(
        _(
            "For a place that you choose. Each region on the list is sensitive; your place may be"
            " inside one of them or outside."
        )
    ),
    "place_chances_inside": Phrase(
        _(
            "<strong>Inside the regions</strong> a place inside them goes out, more often one near"
            " yours. The record can make any one place inside the regions at most <strong>%(odds)s"
            " times</strong> as likely, compared with any other place."
        ),
        protects=True,
    ),
    "place_chances_level": Phrase(_("In %(regions)s: at most %(odds)s times."), protects=True),
    "place_chances_outside": Phrase(
        _(
            "<strong>Outside the regions nothing is promised.</strong> Your exact place goes out"
            " <strong>%(odds)s times</strong> (%(share)s) and counts as a plain answer; the other"
            " times a place inside the regions goes out instead."
        ),
        protects=True,
    ),
    "inside_only": Phrase(
        _(
            "<strong>For whom this holds:</strong> the protection of all answers together is for"
            " people whose place is inside the sensitive regions. To somebody outside them nothing"
            " is promised about the place."
        ),
        protects=True,
    ),
}
"""Only where a survey asks for a place."""
