"""What the API sends and takes."""

from datetime import date, datetime
from typing import Any, Literal

from ninja import Field, Schema

from mining.parameters import MAX_SIZE
from runs.pages.forms import LARGEST

SurveyState = Literal["draft", "open", "closed", "finished", "destroyed"]
RunState = Literal["queued", "running", "done", "failed", "cancelled"]


class Place(Schema):
    """A place in a draft or a request, and what is wrong there."""

    path: str
    reason: str


class Problem(Schema):
    """An error, by RFC 9457. `errors` are there where places of what was sent are at fault."""

    type: str
    title: str
    status: int
    detail: str
    errors: list[Place] | None = None
    request: str | None = Field(None, description="The number of the request in the log of the site.")


class SurveyOut(Schema):
    id: int
    title: str
    state: SurveyState
    paused: bool
    rehearsal: bool
    invited: bool = Field(description="Only people with an invitation link can answer.")
    languages: list[str]
    address: str | None = Field(description="Where people answer it; null before it was opened.")
    closes: datetime | None
    closed_at: date | None = Field(description="The day, by the time zone of the site.")
    destroy_on: date | None


class SurveyList(Schema):
    items: list[SurveyOut]
    page: int
    pages: int


class Draft(Schema):
    """A questionnaire: docs/formats.md, Design. What is missing in a draft may be left out."""

    model_config = {"extra": "allow"}

    format: Literal["candor-design/1"]
    sections: list[dict[str, Any]]


class Saved(Schema):
    id: int
    version: str = Field(description="As in ETag, for If-Match of the next change.")


class Counts(Schema):
    """Answers as the survey's page tells them: those that wait are told in steps, never exactly."""

    sealed: int = Field(
        description="Answers that can be counted; rounded down where open answers are possible."
    )
    least: int = Field(description="The smallest batch.")
    waiting_at_least: int
    waiting_at_most: int | None = Field(description="null: a batch is due, and no limit is told.")
    received_at_least: int


class PersonGuarantee(Schema):
    """What all disguised answers of one person tell together."""

    gamma: float
    epsilon: float
    prior: float
    posterior: float = Field(description="What a suspicion of `prior` can become at most.")


class Margin(Schema):
    """The margin of error of shares of so many answers together, at the expected number of answers."""

    answers: int
    margin: float | None = Field(description="Half the width of the 95 % interval; null: not estimated.")
    asked: int | None = Field(description="At least so many people are asked all of them.")
    enough: bool
    text: str


class Checks(Schema):
    """What the builder says of a draft."""

    ready: bool = Field(description="It can be opened now.")
    missing: list[Place]
    weak: list[Place] = Field(
        description="Settings that protect less than usual: a reviewer must allow them."
    )
    weak_allowed: bool
    guarantee: PersonGuarantee | None
    margins: list[Margin]
    warnings: list[str]


class RunIn(Schema):
    model_config = {"extra": "forbid"}

    min_support: float = Field(0.1, gt=0, le=1)
    min_confidence: float = Field(0.6, gt=0, le=1)
    max_size: int = Field(MAX_SIZE, ge=1, le=LARGEST)
    absences: bool = Field(False, description="Count “no” and “prefer not to say” as answers of their own.")
    exact: bool = Field(False, description="Miss nothing, provably.")


class RunOut(Schema):
    id: int
    number: int
    survey: int
    state: RunState
    created: datetime
    day: date = Field(description="The day in the site’s time zone by which its answers were sealed.")
    report: int | None = Field(description="Its report, once it is published.")


class RunList(Schema):
    items: list[RunOut]
    page: int
    pages: int


class ReportOut(Schema):
    id: int
    survey: int
    title: str
    run: int
    since: datetime


class ReportList(Schema):
    items: list[ReportOut]
    page: int
    pages: int


class ReportDocument(Schema):
    """The published report, as the JSON file of its page: mining/document/candor-report-1.schema.json."""

    model_config = {"extra": "allow"}

    format: str
    title: str
    design: dict[str, Any]
    report: dict[str, Any]


class ReleaseOut(Schema):
    id: int
    survey: int | None = Field(description="null: made of an uploaded table.")
    title: str
    since: datetime


class ReleaseList(Schema):
    items: list[ReleaseOut]
    page: int
    pages: int
