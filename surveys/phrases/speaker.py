"""Says the phrases of one survey in one of its languages."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from fractions import Fraction
from functools import cache, cached_property

from django.utils.html import escape, format_html
from django.utils.safestring import SafeString, mark_safe

from privacy.designs import Texts
from surveys.phrases import shipped
from surveys.phrases.every import PHRASES
from surveys.phrases.phrase import ENGLISH, escaped, filled
from surveys.phrases.shipped import NumberStyle
from ui.numbers import odds


@dataclass(frozen=True)
class Speaker:
    """`own` are the phrases of a design; a phrase that it lacks is said in our words.

    A page takes the design's text first, so that an opened survey says what it said when it was opened. Where the
    product's phrase has other placeholders by now, the design's text cannot be filled in and the shipped one is said.
    """

    language: str
    own: Mapping[str, Texts] = field(default_factory=dict)

    @cached_property
    def around(self) -> str:
        """The language of the page around the survey's texts; English where we have no words in the survey's."""
        if any(self.language in dict(texts.entries) for texts in self.own.values()):
            return self.language
        return shipped.shipped_for(self.language) or ENGLISH

    @property
    def direction(self) -> str:
        return shipped.direction(self.around)

    @property
    def numbers(self) -> NumberStyle:
        return shipped.number_style(self.around)

    def of_design(self, key: str) -> str | None:
        """The design's own text in this language, where it can be said."""
        text = dict(self.own[key].entries).get(self.language) if key in self.own else None
        return text if text and PHRASES[key].is_fitted_by(text) else None

    def template(self, key: str) -> tuple[str, str]:
        """The text with its placeholders, and the language that it is in."""
        if (text := self.of_design(key)) is not None:
            return text, self.language
        language = shipped.shipped_for(self.language) or ENGLISH
        text = shipped_text(key, language)
        return text, self.around if shipped.shipped_for(self.around) == language else language

    def say(self, key: str, **values: object) -> str:
        return filled(self.template(key)[0], values)

    def html(self, key: str, **values: object) -> SafeString:
        """Escaped but for bold words, and marked with its language where that is not the one around it."""
        text, language = self.template(key)
        safe = {name: escape(str(value)) for name, value in values.items()}
        said = mark_safe(filled(escaped(text), safe))  # noqa: S308 - the text and the values are escaped
        if language == self.around:
            return said
        return format_html('<span lang="{}" dir="{}">{}</span>', language, shipped.direction(language), said)

    def words(self, keys: Iterable[str]) -> dict[str, str]:
        """The phrases that a script does not find in the design."""
        return {key: self.template(key)[0] for key in keys if self.of_design(key) is None}

    def odds(self, share: float, key: str = "odds") -> str:
        """The words for a share: "about 7 in 10". Empty at or beyond 0 and 1, where there are no odds."""
        rounded = odds(share)
        if rounded is None:
            return ""
        return self.say(key, m=self.numbers.count(rounded[0]), n=self.numbers.count(rounded[1]))

    def percent(self, share: float, places: int) -> str:
        return self.say("percent", number=self.numbers.decimal(round(share * 100, places) + 0.0, places))

    def percent_range(self, shares: Iterable[tuple[float, int]]) -> str:
        """The lowest and the highest of some shares, each with its decimals; one where all are equal."""
        said = list(dict.fromkeys(self.percent(*share) for share in sorted(shares)))
        return self.say("share_range", low=said[0], high=said[-1]) if len(said) > 1 else "".join(said)

    def count(self, number: int) -> str:
        return self.numbers.count(number)

    def factor(self, times: Fraction) -> str:
        """In tenths, of which `times` holds a whole number."""
        whole, tenths = divmod(round(times * 10), 10)
        return self.count(whole) + (f"{self.numbers.point}{tenths}" if tenths else "")

    def day(self, when: date) -> str:
        return shipped.day(when, self.around)

    def moment(self, when: datetime) -> str:
        return shipped.moment(when, self.around)


@cache
def shipped_text(key: str, language: str) -> str:
    return PHRASES[key].shipped(language)
