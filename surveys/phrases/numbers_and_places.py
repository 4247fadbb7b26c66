"""Phrases of the respondents' scripts about numbers and places."""

from django.utils.translation import gettext_lazy as _

from surveys.phrases.fixed_page_sentence import make_phrases, make_protection_phrases

RECORDED_NUMBERS = make_phrases(
    number_at_least=_("at least %(low)s"),
    number_below=_("less than %(high)s"),
    number_within=_("at least %(low)s and less than %(high)s"),
    number_inside=_("a yes or no for the average: %(answer)s"),
)

TYPED_NUMBERS = make_phrases(
    number_range=_("A whole number from %(low)s to %(high)s."),
    number_steps=_("A whole number from %(low)s to %(high)s, in steps of %(step)s."),
    number_ends=_("If yours is less, enter %(low)s; if it is more, enter %(high)s."),
    number_more=_("If yours is more, enter %(high)s."),
    number_empty=_("Enter a number."),
    number_unread=_("This is not a number in digits."),
    number_decimal=_("This is not a whole number."),
    number_small=_("This number is too small."),
    number_large=_("This number is too large."),
    number_between=_("This number lies between two steps."),
)
"""Phrases that are needed wherever people type a number."""

BANDS = TYPED_NUMBERS | make_protection_phrases(
    number_banded=_("Your number stays on this device. Only its band is sent, not disguised: %(bands)s."),
    bands_only=_("Of a number that you enter, only its band is sent."),
)
"""Phrases that are needed only where a survey asks for a number that it records in bands."""

NUMBERS = (
    RECORDED_NUMBERS
    | TYPED_NUMBERS
    | make_phrases(
        throw_near=_("This time a number near yours would be sent."),
        throw_any=_("This time any number would be sent, drawn at random."),
        throws_near=_("A number near yours sent in %(kept)s of %(throws)s tries so far."),
        throw_class=_("This time what is sent would depend on your number."),
        throws_class=_("What is sent depended on your number in %(kept)s of %(throws)s tries so far."),
    )
    | make_protection_phrases(
        number_near=_(
            "Your device sends %(times)s a number at most %(far)s away from yours. Otherwise it sends any"
            " number from %(low)s to %(high)s, drawn at random. Counting goes round: after %(high)s comes"
            " %(low)s again."
        ),
        number_exact=_(
            "Your device sends your number %(times)s. Otherwise it sends any number from %(low)s to %(high)s,"
            " drawn at random."
        ),
        number_classes=_(
            "Your number stays on this device. It draws %(cuts)s of the numbers %(limits)s at random; these"
            " make %(classes)s classes."
        ),
        number_classes_all=_(
            "Your number stays on this device. All numbers are divided at %(limits)s into %(classes)s classes."
        ),
        number_class=_("It sends the class that your number is in."),
        number_class_open=_("Not disguised: the class that your number is in is sent"),
        number_class_sent=_(
            "It sends the class that your number is in %(times)s, otherwise one of the classes at random."
            " Nobody can tell which happened."
        ),
        number_step_sent=_(
            "Your device sends the number that you choose %(times)s, otherwise one of the %(steps)s numbers"
            " at random. Nobody can tell which happened."
        ),
        number_rest=_(
            "In %(rest)s of twenty cases it sends only a yes or no instead, disguised in the same way, that"
            " helps to find the average."
        ),
        number_rest_open=_(
            "In %(rest)s of twenty cases it sends only a yes or no instead, that helps to find the average."
        ),
        number_sends_near=_("What could be sent: a number near it, or any number."),
        number_sends_class=_("What could be sent: a class of numbers, whose limits are drawn at random."),
        number_sends_own_class=_("What could be sent: the class that it is in."),
        number_sends_step=_("What could be sent: this number, or any other one, drawn at random."),
    )
)
"""Phrases that are needed only where a survey asks for a sensitive number."""

PLACES = make_phrases(
    search=_("Search"),
    places_shown=_("Places shown: %(shown)s of %(total)s"),
    places_none=_("No place matches the search."),
    places_more=_("Show more places"),
    places_outside=_("Outside the regions"),
    place_chosen=_("Chosen"),
    choose_place=_("Select a place from the list"),
    throw_place=_("This time your place, or one near it, would be sent."),
    throw_exact=_("This time your exact place would be sent."),
    throw_anywhere=_("This time any place inside the regions would be sent, drawn at random."),
    throws_place=_("Your place, or one near it, sent in %(kept)s of %(throws)s tries so far."),
    throws_exact=_("Your exact place sent in %(kept)s of %(throws)s tries so far."),
    map=_("Map"),
    map_chosen=_("Chosen:"),
    map_none=_("No place is chosen."),
    map_help=_("The list does all that the map does. Arrow keys move the map; + and − zoom."),
    zoom_in=_("Zoom in"),
    zoom_out=_("Zoom out"),
) | make_protection_phrases(
    place_disguised=_(
        "Sensitive area: we may send a neighbouring place instead. Elsewhere: your place may be sent as it"
        " is."
    ),
    place_inside=_(
        "If your place is inside the regions, a place inside them is sent, more often one near yours. Your"
        " record can make any one place inside the regions at most %(odds)s times as likely, compared with"
        " any other place."
    ),
    place_level=_("In %(regions)s: at most %(odds)s times."),
    place_outside=_(
        "If your place is outside the regions, it is not protected. Your exact place is sent %(times)s and"
        " counts as not disguised. Otherwise a place inside the regions is sent instead."
    ),
    place_sends_inside=_("What could be sent: a place near it, or any place inside the regions."),
    place_sends_outside=_(
        "What could be sent: this place, which then counts as not disguised, or any place inside the regions."
    ),
    place_caution=_(
        "A place outside the sensitive regions is different: if your record names such a place, it is yours."
    ),
)
"""Phrases that are needed only where a survey asks for a place."""
