"""Decides which surveys can be answered on a page without JavaScript: those in which the device has no task.

Without a script, a check of understanding would send each try, so that an observer of the network could count
the tries. A quota ends a survey before its first sensitive question, and that page asks all questions at
once.
"""

from privacy.designs import Design
from privacy.grammar.json_node import PARTS


def can_be_answered_without_script(design: Design) -> bool:
    """True if a page without JavaScript can ask this design, since the device has no task.

    Tasks are: a choice between open and disguised answers, a direct arm, coins, drawn questions, show-if rules, random
    order, an exchange of invitations, quotas before sensitive questions, and a check of understanding.
    """
    return (
        # This site asks nothing of a survey whose page comes from elsewhere.
        design.asked_at is None
        and not (design.has_group_open or design.drawn or design.invitation_key or design.understanding)
        and not any(
            section.sides_of_coins(PARTS) or section.presentation.random_order for section in design.sections
        )
        and not (design.quotas and any(section.sensitive for section in design.sections))
        and not any(question.show_if for question in design.questions)
    )
