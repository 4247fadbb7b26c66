"""The page without JavaScript as a browser asks for it, and what it sends."""

import secrets
from typing import Any
from urllib.parse import urlencode

from intake.pages import form_body
from privacy.designs import Design
from surveys.models import Survey
from tests.browser.questionnaires import AGE, PAIR, crosswise
from tests.intake import asked
from tests.intake.asked import CLIENT, as_they_lie, written

LANGUAGES = {"languages": ["en", "zh-hans"]}
PLAIN = {"kind": "plain", "questions": [AGE]}
WIDE = {"name": "wide", "choices": [f"c{code}" for code in range(12)]}
USED = [{"name": name, "form": "many", "of": "used", "choices": ["no", "yes"]} for name in ("pills", "wine")]
MIXED = written({"kind": "plain", "questions": [AGE, WIDE, *USED]}, crosswise(PAIR), **LANGUAGES)


def opened(design: Design = MIXED, **values: Any) -> Survey:
    return asked.survey(design, **values)


def shown(survey: Survey, **headers: str) -> str:
    return str(CLIENT.get(f"/a/{survey.slug}/form", headers=headers).content.decode())


def body(*values: str, key: str = "", token: str = "") -> str:
    answers = {form_body.field(place): value for place, value in enumerate(values)}
    return urlencode({"key": key or secrets.token_hex(16)} | answers | ({"token": token} if token else {}))


def send(survey: Survey, what: str, **headers: str) -> Any:
    return CLIENT.post(
        f"/a/{survey.slug}/form",
        what,
        content_type="application/x-www-form-urlencoded",
        headers={"Sec-Fetch-Site": "same-origin"} | headers,
    )


def records() -> list[str]:
    return [record.decode() for record in as_they_lie("intake_inbox", bytes)]


FILLED = ("1", "07", "0", "1", "1")
