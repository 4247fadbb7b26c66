"""Ready-made answer scales.

Their labels become content of a survey, so they are translated to the survey's languages, not the page's.
"""

import re
from collections.abc import Mapping
from itertools import pairwise

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from privacy.kinds.number.classes.section import MOST_LIMITS
from surveys.questionnaire.draft_question import DraftQuestion


class AnswerScale:
    """A ready-made scale; `points` has the labels from low to high, one text for each language."""

    def __init__(self, title: str | Promise, points: Mapping[str, str]) -> None:
        self.title = title
        self.points = {code: tuple(words.split("; ")) for code, words in points.items()}


SCALES = {
    "agreement-5": AnswerScale(
        _("Agreement, five points"),
        {
            "en": "Strongly disagree; Disagree; Neither agree nor disagree; Agree; Strongly agree",
            "zh-hans": "非常不同意; 不同意; 既不同意也不反对; 同意; 非常同意",
            "de": "Stimme überhaupt nicht zu; Stimme nicht zu; Teils, teils; Stimme zu; Stimme voll und ganz zu",
            "fr": "Pas du tout d’accord; Pas d’accord; Ni d’accord ni pas d’accord; D’accord; Tout à fait d’accord",
            "es": "Totalmente en desacuerdo; En desacuerdo; Ni de acuerdo ni en desacuerdo; "
            "De acuerdo; Totalmente de acuerdo",
            "ar": "لا أوافق بشدة; لا أوافق; لا أوافق ولا أعارض; أوافق; أوافق بشدة",
        },
    ),
    "agreement-7": AnswerScale(
        _("Agreement, seven points"),
        {
            "en": "Strongly disagree; Disagree; Somewhat disagree; Neither agree nor disagree; "
            "Somewhat agree; Agree; Strongly agree",
            "zh-hans": "非常不同意; 不同意; 有点不同意; 既不同意也不反对; 有点同意; 同意; 非常同意",
            "de": "Stimme überhaupt nicht zu; Stimme nicht zu; Stimme eher nicht zu; Teils, teils; "
            "Stimme eher zu; Stimme zu; Stimme voll und ganz zu",
            "fr": "Pas du tout d’accord; Pas d’accord; Plutôt pas d’accord; Ni d’accord ni pas d’accord; "
            "Plutôt d’accord; D’accord; Tout à fait d’accord",
            "es": "Totalmente en desacuerdo; En desacuerdo; Algo en desacuerdo; Ni de acuerdo ni en desacuerdo; "
            "Algo de acuerdo; De acuerdo; Totalmente de acuerdo",
            "ar": "لا أوافق بشدة; لا أوافق; لا أوافق إلى حد ما; لا أوافق ولا أعارض; "
            "أوافق إلى حد ما; أوافق; أوافق بشدة",
        },
    ),
    "frequency-5": AnswerScale(
        _("How often, five points"),
        {
            "en": "Never; Rarely; Sometimes; Often; Always",
            "zh-hans": "从不; 很少; 有时; 经常; 总是",
            "de": "Nie; Selten; Manchmal; Oft; Immer",
            "fr": "Jamais; Rarement; Parfois; Souvent; Toujours",
            "es": "Nunca; Rara vez; A veces; A menudo; Siempre",
            "ar": "أبدًا; نادرًا; أحيانًا; غالبًا; دائمًا",
        },
    ),
    "satisfaction-5": AnswerScale(
        _("Satisfaction, five points"),
        {
            "en": "Very dissatisfied; Dissatisfied; Neither satisfied nor dissatisfied; Satisfied; Very satisfied",
            "zh-hans": "非常不满意; 不满意; 一般; 满意; 非常满意",
            "de": "Sehr unzufrieden; Unzufrieden; Weder zufrieden noch unzufrieden; Zufrieden; Sehr zufrieden",
            "fr": "Très insatisfait(e); Insatisfait(e); Ni satisfait(e) ni insatisfait(e); "
            "Satisfait(e); Très satisfait(e)",
            "es": "Muy insatisfecho/a; Insatisfecho/a; Ni satisfecho/a ni insatisfecho/a; "
            "Satisfecho/a; Muy satisfecho/a",
            "ar": "غير راضٍ جدًا; غير راضٍ; لا راضٍ ولا غير راضٍ; راضٍ; راضٍ جدًا",
        },
    ),
    "likelihood-5": AnswerScale(
        _("How likely, five points"),
        {
            "en": "Very unlikely; Unlikely; Neither likely nor unlikely; Likely; Very likely",
            "zh-hans": "非常不可能; 不太可能; 不确定; 比较可能; 非常可能",
            "de": "Sehr unwahrscheinlich; Unwahrscheinlich; Weder wahrscheinlich noch unwahrscheinlich; "
            "Wahrscheinlich; Sehr wahrscheinlich",
            "fr": "Très improbable; Improbable; Ni probable ni improbable; Probable; Très probable",
            "es": "Muy improbable; Improbable; Ni probable ni improbable; Probable; Muy probable",
            "ar": "مستبعد جدًا; مستبعد; لا محتمل ولا مستبعد; محتمل; محتمل جدًا",
        },
    ),
    "importance-5": AnswerScale(
        _("Importance, five points"),
        {
            "en": "Not at all important; Slightly important; Moderately important; "
            "Very important; Extremely important",
            "zh-hans": "完全不重要; 不太重要; 一般; 很重要; 极其重要",
            "de": "Überhaupt nicht wichtig; Etwas wichtig; Mäßig wichtig; Sehr wichtig; Äußerst wichtig",
            "fr": "Pas du tout important; Un peu important; Moyennement important; "
            "Très important; Extrêmement important",
            "es": "Nada importante; Poco importante; Moderadamente importante; Muy importante; Sumamente importante",
            "ar": "غير مهم إطلاقًا; قليل الأهمية; متوسط الأهمية; مهم جدًا; بالغ الأهمية",
        },
    ),
    "quality-5": AnswerScale(
        _("Quality, five points"),
        {
            "en": "Very poor; Poor; Fair; Good; Very good",
            "zh-hans": "很差; 较差; 一般; 较好; 很好",
            "de": "Sehr schlecht; Schlecht; Mittelmäßig; Gut; Sehr gut",
            "fr": "Très mauvais; Mauvais; Moyen; Bon; Très bon",
            "es": "Muy malo; Malo; Regular; Bueno; Muy bueno",
            "ar": "سيئ جدًا; سيئ; مقبول; جيد; جيد جدًا",
        },
    ),
}


FEWEST_STEPS = 3
WHOLE = re.compile(r"-?[0-9]{1,9}", re.ASCII)


def scale_values(question: DraftQuestion) -> list[int]:
    """Returns the numbers of a numeric scale in rising order; empty for any other question.

    Empty also for a line of a battery, and for a scale with an answer that is no number, fewer than three numbers, too
    many, or no rising order.
    """
    labels = [{*choice.label.values()} or {choice.name} for choice in question.choices]
    words = [next(iter(label)) if len(label) == 1 else "" for label in labels]
    if question.form != "scale" or question.of or not all(map(WHOLE.fullmatch, words)):
        return []
    values = list(map(int, words))
    is_rising = all(below < above for below, above in pairwise(values))
    return values if is_rising and FEWEST_STEPS <= len(values) <= MOST_LIMITS + 1 else []
