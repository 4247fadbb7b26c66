"""A questionnaire in every language that Candor ships for respondents."""

from typing import Any

from surveys.phrases.shipped import SHIPPED


def six(*texts: str) -> dict[str, str]:
    return dict(zip(SHIPPED, texts, strict=True))


YES_NO = ["no", "yes"]
AGES = [
    {
        "name": "18-39",
        "label": six("18 to 39", "18至39岁", "18 bis 39", "18 à 39 ans", "18 a 39", "من 18 إلى 39"),
    },
    {
        "name": "40+",
        "label": six("40 or older", "40岁以上", "40 oder älter", "40 ans ou plus", "40 o más", "40 أو أكثر"),
    },
]
QUESTIONS = [
    six(
        "Have you ever claimed a benefit that you had no right to?",
        "您是否曾领取无权领取的补助？",
        "Haben Sie jemals eine Leistung bezogen, die Ihnen nicht zustand?",
        "Avez-vous déjà touché une aide à laquelle vous n’aviez pas droit ?",
        "¿Ha cobrado alguna vez una ayuda a la que no tenía derecho?",
        "هل حصلت يومًا على إعانة لا تستحقها؟",
    ),
    six(
        "Have you left income out of your last tax return?",
        "您上一次报税时是否漏报收入？",
        "Haben Sie in Ihrer letzten Steuererklärung Einkommen verschwiegen?",
        "Avez-vous omis des revenus dans votre dernière déclaration ?",
        "¿Omitió ingresos en su última declaración de la renta?",
        "هل أغفلت دخلًا في إقرارك الضريبي الأخير؟",
    ),
    six(
        "Have you worked without declaring it this year?",
        "今年您是否做过未申报的工作？",
        "Haben Sie in diesem Jahr schwarzgearbeitet?",
        "Avez-vous travaillé au noir cette année ?",
        "¿Ha trabajado sin declararlo este año?",
        "هل عملت هذا العام دون تصريح؟",
    ),
]
SIX_LANGUAGES = {
    "format": "candor-design/1",
    "languages": list(SHIPPED),
    "title": six(
        "Taxes and benefits",
        "税收与补助",
        "Steuern und Sozialleistungen",
        "Impôts et prestations sociales",
        "Impuestos y prestaciones",
        "الضرائب والإعانات",
    ),
    "asker": six(*["Institute for Social Research"] * 6),
    "why": six(
        "To learn how common this is.",
        "了解这种情况有多普遍。",
        "Um zu erfahren, wie häufig das ist.",
        "Pour savoir si cela est fréquent.",
        "Para saber si es frecuente.",
        "لمعرفة مدى شيوع ذلك.",
    ),
    "consent": six(
        "I take part of my own free will.",
        "我自愿参加。",
        "Ich nehme freiwillig teil.",
        "Je participe de mon plein gré.",
        "Participo por mi propia voluntad.",
        "أشارك بمحض إرادتي.",
    ),
    "contact": "survey@exampleton.example",
    "minutes": 2,
    "retention": "2099-12-31",
    "open_answers": True,
    "sections": [
        {
            "kind": "plain",
            "questions": [
                {
                    "name": "age",
                    "text": six(
                        "How old are you?",
                        "您多大年纪？",
                        "Wie alt sind Sie?",
                        "Quel âge avez-vous ?",
                        "¿Cuántos años tiene?",
                        "كم عمرك؟",
                    ),
                    "choices": AGES,
                }
            ],
        },
        {
            "kind": "unrelated-question",
            "keep": "0.5",
            "asked": 2,
            "questions": [
                {"name": f"q{number}", "form": "yes-no", "choices": YES_NO, "text": text}
                for number, text in enumerate(QUESTIONS)
            ],
        },
    ],
}


def in_languages(node: Any, *codes: str) -> Any:
    """The questionnaire, or a part of it, in these of its languages alone."""
    if isinstance(node, list):
        return [in_languages(each, *codes) for each in node]
    if not isinstance(node, dict):
        return node
    if node.keys() == set(SHIPPED):
        return {code: node[code] for code in codes}
    found = {key: in_languages(each, *codes) for key, each in node.items()}
    return found | ({"languages": list(codes)} if "languages" in found else {})


BY_LANGUAGES = {
    "six languages": {"design": SIX_LANGUAGES},
    **{
        f"first in {code}": {"design": in_languages(SIX_LANGUAGES, code, "en" if code != "en" else "zh-hans")}
        for code in SHIPPED
    },
}
"""Surveys by name: in all six, and in two of them. The second is English, or beside English Chinese."""
