"""Remarks shared by several readers about parts that they change or leave out."""

from django.utils.translation import gettext_lazy as _

SWITCHED_OFF = _("is switched off")
BECAME_BATTERY = _("It is a table: its rows became a battery, questions with the same answers on one screen.")
SHOWN_BEFORE_NEXT = _("Its words are shown before the next question.")
NOTE_CONDITION = _("has a condition, and words between questions are read by everybody")
SHOWN_AS_THANKS = _("Words below the last question are shown after answering, as thanks.")
ENDS_MISSING = _(
    "Its lowest and highest numbers are not known. Write both here; without them this question is left out."
)
BANDS_PROPOSED = _("It is recorded in bands, which are only proposed.")
BANDS_OF_CONDITIONS = _(
    "Its answers were made of conditions: a band begins at each number at which one of them changes."
)
ENDS_UNKNOWN = _(
    "takes a number, and its ends are not known: write them into the column constraint, as in . >= 0 and . <= 100."
    " It is then asked by classes, disguised. Or ask for one of several bands (select_one), such as 18 to 39"
)
CONSTRAINT_UNREAD = _(
    "constraint of a number says only its lowest and its highest, as in . >= 0 and . <= 100"
)
MARKUP_REMOVED = _("Its markup was turned into plain text.")
NO_TEXT = _("It has no words in the form: write them in the draft.")
FEW_ANSWERS = _("It has fewer than two answers: add some in the draft.")
DIFFERENT_QUESTIONS = _(
    "joins different questions by or; a rule can ask for one of several answers to each question, and"
    " then all of it must hold"
)
