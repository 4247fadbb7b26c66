"""The phrases of the respondents' scripts about numbers and places."""

from django.utils.translation import gettext_lazy as _

from surveys.phrases.phrase import Phrase, Phrases

RECORDED_NUMBERS: Phrases = {
    "number_at_least": Phrase(_("at least %(number)s: %(answer)s")),
    "number_at_least_about": Phrase(_("at least about %(number)s: %(answer)s")),
}

NUMBERS: Phrases = {
    **RECORDED_NUMBERS,
    "number_range": Phrase(_("A whole number from %(low)s to %(high)s.")),
    "number_steps": Phrase(_("A whole number from %(low)s to %(high)s, in steps of %(step)s.")),
    "number_ends": Phrase(_("If yours is less, enter %(low)s; if it is more, enter %(high)s.")),
    "number_more": Phrase(_("If yours is more, enter %(high)s.")),
    "number_empty": Phrase(_("Enter a number.")),
    "number_unread": Phrase(_("This is not a number in digits.")),
    "number_decimal": Phrase(_("This is not a whole number.")),
    "number_small": Phrase(_("This number is too small.")),
    "number_large": Phrase(_("This number is too large.")),
    "number_between": Phrase(_("This number lies between two steps.")),
    "number_near": Phrase(
        _(
            "What goes out is %(times)s a number at most %(far)s away from yours, otherwise any"
            " number from %(low)s to %(high)s, drawn by chance. Counting goes round: after %(high)s"
            " comes %(low)s again."
        ),
        protects=True,
    ),
    "number_exact": Phrase(
        _(
            "What goes out is %(times)s your number, otherwise any number from %(low)s to %(high)s,"
            " drawn by chance."
        ),
        protects=True,
    ),
    "number_thresholds": Phrase(
        _(
            "Your number itself does not go out. Chance picks one of the numbers %(thresholds)s, and"
            " what goes out is whether yours is at least that."
        ),
        protects=True,
    ),
    "number_moved": Phrase(
        _(
            "Before that, chance replaces your number by the one next below or next above it among"
            " %(points)s, more often by the nearer one."
        ),
        protects=True,
    ),
    "number_toss": Phrase(
        _("This goes out as it is %(times)s; otherwise the toss of a coin answers."), protects=True
    ),
    "number_sends_near": Phrase(_("What goes out is a number near it, or any number."), protects=True),
    "number_sends_whether": Phrase(
        _("What goes out is whether it is at least a number that chance picks."), protects=True
    ),
    "throw_near": Phrase(_("This time a number near yours goes out.")),
    "throw_any": Phrase(_("This time any number goes out, drawn by chance.")),
    "throws_near": Phrase(_("A number near yours in %(kept)s of %(throws)s throws so far.")),
}
"""Only where a survey asks for a number."""

PLACES: Phrases = {
    "search": Phrase(_("Search")),
    "places_shown": Phrase(_("Places shown: %(shown)s of %(total)s")),
    "places_none": Phrase(_("No place matches the search.")),
    "places_more": Phrase(_("Show more places")),
    "places_outside": Phrase(_("Outside the regions")),
    "place_chosen": Phrase(_("Chosen")),
    "choose_place": Phrase(_("Choose a place from the list")),
    "place_inside": Phrase(
        _(
            "If your place is inside the regions, a place inside them goes out, more often one near"
            " yours. The record can make any one place inside the regions at most %(odds)s times as"
            " likely, compared with any other place."
        ),
        protects=True,
    ),
    "place_level": Phrase(_("In %(regions)s: at most %(odds)s times."), protects=True),
    "place_outside": Phrase(
        _(
            "If your place is outside the regions, nothing is promised to you. Your exact place goes"
            " out %(times)s and counts as a plain answer; otherwise a place inside the regions goes"
            " out instead."
        ),
        protects=True,
    ),
    "place_sends_inside": Phrase(
        _("What goes out is a place near it, or any place inside the regions."), protects=True
    ),
    "place_sends_outside": Phrase(
        _(
            "What goes out is this place, which then counts as a plain answer, or any place inside"
            " the regions."
        ),
        protects=True,
    ),
    "place_caution": Phrase(
        _(
            "This is not so for a place outside the sensitive regions: if its record names the place,"
            " that is yours."
        ),
        protects=True,
    ),
    "throw_place": Phrase(_("This time your place, or one near it, goes out.")),
    "throw_exact": Phrase(_("This time your exact place goes out.")),
    "throw_anywhere": Phrase(_("This time any place inside the regions goes out, drawn by chance.")),
    "throws_place": Phrase(_("Your place, or one near it, in %(kept)s of %(throws)s throws so far.")),
    "throws_exact": Phrase(_("Your exact place in %(kept)s of %(throws)s throws so far.")),
    "map": Phrase(_("Map")),
    "map_chosen": Phrase(_("Chosen:")),
    "map_none": Phrase(_("No place is chosen.")),
    "map_help": Phrase(_("The list does all that the map does. Arrow keys move the map; + and − zoom.")),
    "zoom_in": Phrase(_("Zoom in")),
    "zoom_out": Phrase(_("Zoom out")),
}
"""Only where a survey asks for a place."""
