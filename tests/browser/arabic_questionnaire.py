"""A questionnaire in a language that runs from right to left."""


def arabic(text: str, english: str) -> dict[str, str]:
    return {"ar": text, "en": english}


ARABIC = {
    "format": "candor-design/1",
    "languages": ["ar", "en"],
    "title": arabic("العمل والصحة", "Work and health"),
    "asker": arabic("معهد البحوث الاجتماعية", "Institute for Social Research"),
    "why": arabic("لمعرفة مدى شيوع السرقة في العمل.", "To learn how common theft at work is."),
    "consent": arabic("أشارك بمحض إرادتي.", "I take part of my own free will."),
    "contact": "survey@exampleton.example",
    "minutes": 4,
    "retention": "2099-12-31",
    "sections": [
        {
            "kind": "plain",
            "questions": [
                {
                    "name": "age",
                    "text": arabic("كم عمرك؟", "How old are you?"),
                    "choices": [
                        {"name": "18-39", "label": arabic("من 18 إلى 39", "18 to 39")},
                        {"name": "40+", "label": arabic("40 أو أكثر", "40 or older")},
                    ],
                }
            ],
        },
        {
            "kind": "unrelated-question",
            "keep": "0.6",
            "questions": [
                {
                    "name": name,
                    "form": "yes-no",
                    "choices": ["no", "yes"],
                    "text": arabic(text, english),
                }
                for name, text, english in (
                    ("stolen", "هل أخذت شيئًا من العمل؟", "Have you taken something from work?"),
                    ("sick", "هل ادعيت المرض يومًا؟", "Have you ever called in sick without being ill?"),
                )
            ],
        },
        {
            "kind": "number",
            "keep": "0.7142",
            "questions": [
                {
                    "name": "debt",
                    "law": "classes",
                    "text": arabic("كم عليك من الديون؟", "How much do you owe?"),
                    "low": 0,
                    "high": 10000,
                    "limits": [500, 1000, 2000, 5000],
                    "cuts": 1,
                }
            ],
        },
    ],
}
