"""Template tags that render the phrases of respondents' pages by the context's `speaker`: {% load phrases
%}."""

from collections.abc import Sequence
from typing import Protocol

from django import template
from django.template import Context
from django.utils.safestring import SafeString

from surveys.phrases.phrase_rendering import PhraseRenderer

register = template.Library()
register.filter("localized", PhraseRenderer.count_text)
register.filter("factor", PhraseRenderer.factor_text)
register.filter("day", PhraseRenderer.day_text)
register.filter("moment_in_words", PhraseRenderer.day_and_time_text)


class Share(Protocol):
    @property
    def value(self) -> float: ...
    @property
    def places(self) -> int: ...


@register.simple_tag(takes_context=True)
def phrase(context: Context, key: str, **values: object) -> SafeString:
    """Renders a phrase as HTML with its placeholders filled in; the values are escaped."""
    speaker: PhraseRenderer = context["speaker"]
    return speaker.phrase_html(key, **values)


@register.simple_tag(takes_context=True)
def phrase_text(context: Context, key: str) -> str:
    """Returns a phrase as text without markup, for a title or an attribute."""
    speaker: PhraseRenderer = context["speaker"]
    return speaker.say_phrase(key)


@register.filter
def odds_in_words(speaker: PhraseRenderer, chance: Share) -> str:
    """Returns a probability as odds, "about 7 in 10"."""
    return speaker.odds_text(chance.value)


@register.filter
def odds_of_people(speaker: PhraseRenderer, chance: Share) -> str:
    """Returns a share of people as "about 7 in 10 people"."""
    return speaker.odds_text(chance.value, "odds_people")


@register.filter
def odds_first(speaker: PhraseRenderer, chance: Share) -> str:
    """Returns a probability as "About 7 in 10", for the beginning of a sentence."""
    return speaker.odds_text(chance.value, "odds_first")


@register.filter
def share(speaker: PhraseRenderer, chance: Share) -> str:
    """Returns a probability as a percentage."""
    return speaker.percent_text(chance.value, chance.places)


@register.filter
def localized_list(speaker: PhraseRenderer, numbers: Sequence[int]) -> str:
    return speaker.number_style.between.join(map(speaker.count_text, numbers))
