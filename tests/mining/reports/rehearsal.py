"""A rehearsal that simulated respondents have answered and a run has mined: what a browser's tests look at."""

import secrets
from typing import Any

from django.utils import timezone

from jobs.work import attempt
from mining.parameters import Parameters
from mining.reports import publishing
from mining.reports.models import Review
from mining.runs import starting
from people.models import Person
from surveys import lifecycle, opening
from surveys.intake import simulating
from surveys.models import Survey
from tests.surveys import drafts
from tests.surveys.drafts import said

SENSITIVE = {
    "theft": said(
        "Have you taken something home from work that was not yours to take?",
        "您是否从单位带走过不该带走的东西？",
    ),
    "sick": said("Have you called in sick when you were well?", "您是否在身体健康时请过病假？"),
    "drink": said("Do you drink more than is good for you?", "您是否饮酒过量？"),
    "debt": said("Do you owe money that you cannot pay back?", "您是否有无力偿还的债务？"),
    "cash": said("Have you worked for cash without telling the tax office?", "您是否打过未报税的现金工？"),
    "lonely": said("Do you feel lonely most days?", "您是否大多数日子感到孤独？"),
}
VOTES = {
    "left": said("Left", "左派"),
    "right": said("Right", "右派"),
    "none": said("Did not vote", "没有投票"),
}
WORK = {
    "full": said("full time", "全职"),
    "part": said("part time", "兼职"),
    "none": said("not at all", "不工作"),
}


def question(
    name: str, text: dict[str, str], choices: dict[str, dict[str, str]], **more: Any
) -> dict[str, Any]:
    listed = [{"name": key, "label": label} for key, label in choices.items()]
    return {"name": name, "form": "one", "text": text, "choices": listed, **more}


def draft() -> dict[str, Any]:
    noise = ["0.6000", "0.4000"]
    sensitive = [
        {
            "name": name,
            "form": "yes-no",
            "text": text,
            "choices": [{"name": "no"}, {"name": "yes"}],
            "noise": noise,
        }
        for name, text in SENSITIVE.items()
    ]
    vote = question("vote", said("How did you vote in the last election?", "您在上次选举中投给了谁？"), VOTES)
    work = question("work", said("Do you work?", "您工作吗？"), WORK, role="quasi")
    sections = [
        {"kind": "plain", "questions": [work]},
        {"kind": "unrelated-question", "keep": "0.4000", "asked": 3, "questions": sensitive},
        {"kind": "unrelated-question", "keep": "0.3000", "questions": [vote]},
    ]
    both = {
        "languages": ["en", "zh-hans"],
        "title": said("Work, health and honesty", "工作、健康与诚实"),
        "asker": said("The works council", "工会"),
        "why": said("To learn how common it is.", "了解情况。"),
        "consent": said("I take part of my own free will.", "我自愿参加。"),
    }
    return drafts.complete(sections=sections, rehearsal=True, **both)


def report(owner: Person, respondents: int = 3000, min_support: float = 0.05) -> Review:
    """It waits for a reviewer."""
    now = timezone.now()
    survey = Survey.objects.create(owner=owner, draft=draft())
    opening.open_now(survey, owner, now)
    simulating.simulate(survey, respondents, seed=4)
    lifecycle.close(survey, owner, now)
    run = starting.start(survey, owner, Parameters(min_support, 0.3), now)
    attempt(run.label, str(run.pk), token=secrets.token_hex(16), worker="rehearsal")
    publishing.take_in(now)
    return Review.objects.get(run=run)
