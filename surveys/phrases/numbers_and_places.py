"""The phrases of the respondents' scripts about numbers and places."""

from django.utils.translation import gettext_lazy as _

from surveys.phrases.phrase import Phrase, Phrases

RECORDED_NUMBERS: Phrases = {
    "number_at_least": Phrase(_("at least %(low)s")),
    "number_below": Phrase(_("less than %(high)s")),
    "number_between": Phrase(_("at least %(low)s and less than %(high)s")),
    "number_inside": Phrase(_("a yes or no for the average: %(answer)s")),
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
            "Your device sends %(times)s a number at most %(far)s away from yours. Otherwise it sends"
            " any number from %(low)s to %(high)s, drawn at random. Counting goes round: after"
            " %(high)s comes %(low)s again."
        ),
        protects=True,
    ),
    "number_exact": Phrase(
        _(
            "Your device sends your number %(times)s. Otherwise it sends any number from %(low)s to"
            " %(high)s, drawn at random."
        ),
        protects=True,
    ),
    "number_classes": Phrase(
        _(
            "Your number stays on this device. It draws %(cuts)s of the numbers %(limits)s at random; these make"
            " %(classes)s classes."
        ),
        protects=True,
    ),
    "number_class": Phrase(_("It sends the class that your number is in."), protects=True),
    "number_class_sent": Phrase(
        _(
            "It sends the class that your number is in %(times)s, otherwise one of the classes at random."
            " Nobody can tell which happened."
        ),
        protects=True,
    ),
    "number_rest": Phrase(
        _(
            "In %(rest)s of twenty cases it sends only a yes or no instead, disguised in the same way, that helps"
            " to find the average."
        ),
        protects=True,
    ),
    "number_rest_open": Phrase(
        _("In %(rest)s of twenty cases it sends only a yes or no instead, that helps to find the average."),
        protects=True,
    ),
    "number_sends_near": Phrase(
        _("What could be sent: a number near it, or any number."),
        protects=True,
    ),
    "number_sends_class": Phrase(
        _("What could be sent: between which of some numbers, drawn at random, it lies."),
        protects=True,
    ),
    "throw_near": Phrase(_("This time a number near yours would be sent.")),
    "throw_any": Phrase(_("This time any number would be sent, drawn at random.")),
    "throws_near": Phrase(_("A number near yours sent in %(kept)s of %(throws)s tries so far.")),
}
"""Only where a survey asks for a number."""

PLACES: Phrases = {
    "search": Phrase(_("Search")),
    "places_shown": Phrase(_("Places shown: %(shown)s of %(total)s")),
    "places_none": Phrase(_("No place matches the search.")),
    "places_more": Phrase(_("Show more places")),
    "places_outside": Phrase(_("Outside the regions")),
    "place_chosen": Phrase(_("Chosen")),
    "choose_place": Phrase(_("Select a place from the list")),
    "place_disguised": Phrase(
        _(
            "Sensitive area: we may send a neighbouring place instead. Elsewhere: your place may be sent as"
            " it is."
        ),
        protects=True,
    ),
    "place_inside": Phrase(
        _(
            "If your place is inside the regions, a place inside them is sent, more often one near"
            " yours. Your record can make any one place inside the regions at most %(odds)s times as"
            " likely, compared with any other place."
        ),
        protects=True,
    ),
    "place_level": Phrase(_("In %(regions)s: at most %(odds)s times."), protects=True),
    "place_outside": Phrase(
        _(
            "If your place is outside the regions, it is not protected. Your exact place is"
            " sent %(times)s and counts as not disguised. Otherwise a place inside the regions is sent"
            " instead."
        ),
        protects=True,
    ),
    "place_sends_inside": Phrase(
        _("What could be sent: a place near it, or any place inside the regions."),
        protects=True,
    ),
    "place_sends_outside": Phrase(
        _(
            "What could be sent: this place, which then counts as not disguised, or any place inside"
            " the regions."
        ),
        protects=True,
    ),
    "place_caution": Phrase(
        _(
            "A place outside the sensitive regions is different: if your record names such a place,"
            " it is yours."
        ),
        protects=True,
    ),
    "throw_place": Phrase(_("This time your place, or one near it, would be sent.")),
    "throw_exact": Phrase(_("This time your exact place would be sent.")),
    "throw_anywhere": Phrase(_("This time any place inside the regions would be sent, drawn at random.")),
    "throws_place": Phrase(_("Your place, or one near it, sent in %(kept)s of %(throws)s tries so far.")),
    "throws_exact": Phrase(_("Your exact place sent in %(kept)s of %(throws)s tries so far.")),
    "map": Phrase(_("Map")),
    "map_chosen": Phrase(_("Chosen:")),
    "map_none": Phrase(_("No place is chosen.")),
    "map_help": Phrase(_("The list does all that the map does. Arrow keys move the map; + and − zoom.")),
    "zoom_in": Phrase(_("Zoom in")),
    "zoom_out": Phrase(_("Zoom out")),
}
"""Only where a survey asks for a place."""
