"""Phrases of surveys with field devices: one device is handed from one respondent to the next."""

from django.utils.translation import gettext_lazy as _

from surveys.phrases.fixed_page_sentence import make_phrases, make_protection_phrases

FIELD_SCREEN = make_phrases(
    field_finish=_("Finish"),
    field_hand_back=_("Hand the device back"),
    field_there=_("Are you still there?"),
    field_still=_("Yes, go on"),
    field_practised=_("Practice is over. Nothing was kept."),
    field_failed=_(
        "Your answers could not be locked on this device. Try once more, or hand the device back: then they are"
        " deleted."
    ),
) | make_protection_phrases(
    field_practice=_("Practice, nothing is kept"),
    field_lapse=_("In %(seconds)s seconds your answers are deleted."),
    field_closes=_("In %(seconds)s seconds this page closes. Your locked answers stay."),
    field_check=_("Your answers exist only on this page. Nothing is kept until you press Finish."),
    field_done=_("Your answers are locked"),
    field_done_about=_(
        "Only the server of this survey can open them. Nobody can read them on this device, whoever has it."
    ),
)
"""Phrases of the scripts of an interview."""

FIELD = (
    FIELD_SCREEN
    | make_phrases(field_begin=_("Begin"))
    | make_protection_phrases(
        field_about=_(
            "<strong>This device belongs to the people who ask.</strong> When you finish, it locks your answers for the"
            " server of this survey and sends them later. It keeps no order and no time of those who answered."
        ),
        field_unsent=_("Nothing is kept until you press Finish."),
        limit_field=_(
            "Whoever watches or records the screen while you answer sees your answers. So does a program on this device"
            " that reads what you touch or type."
        ),
    )
)
"""Phrases that are needed only where a survey has field devices."""
