"""Template tag that renders the ready questionnaires: {% load ready_questionnaire_cards %}."""

from typing import Any

from django import template
from django.template import Context
from django.utils.translation import get_language

from importing.ready_questionnaires.questionnaires import QUESTIONNAIRES
from importing.ready_questionnaires.views import StartForm

register = template.Library()


@register.inclusion_tag("importing/ready_questionnaires/cards.html", takes_context=True)
def questionnaire_cards(context: Context) -> dict[str, Any]:
    """Returns the context of a form with a card and a button for each ready questionnaire."""
    language = get_language() or "en"
    cards = [(each, each.title(language)) for each in QUESTIONNAIRES.values()]
    return {"cards": cards, "form": StartForm(auto_id="start-%s"), "csrf_token": context.get("csrf_token")}
