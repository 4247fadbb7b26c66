"""Schemas of the API's requests and responses."""

from datetime import date, datetime
from typing import Any, Literal

from ninja import Field, Schema

from deposits.metadata import LICENCES
from intake.invitations.researcher_views import MOST_LINKS
from mining.parameters import MAX_SIZE
from runs.pages.start_and_forecast_forms import LARGEST

SurveyState = Literal["draft", "open", "closed", "finished", "destroyed"]
RunState = Literal["queued", "running", "done", "failed", "cancelled"]


class Place(Schema):
    """A faulty place in a draft or a request, and what is wrong with it."""

    path: str
    reason: str


class Problem(Schema):
    """An error as problem details (RFC 9457). `errors` lists the faulty places of the request, if there are any."""

    type: str = Field(description="“about:blank”, or an address on this page that says more than the status.")
    title: str
    status: int
    detail: str
    instance: str = Field(description="The path that was asked for.")
    errors: list[Place] | None = None
    request: str | None = Field(None, description="The number of the request in the log of the site.")


class ListOut(Schema):
    """One page of a list, with the addresses of the next and the previous page; null where there is none."""

    page: int
    pages: int
    next: str | None
    previous: str | None


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


class SurveyList(ListOut):
    items: list[SurveyOut]


class Draft(Schema):
    """A questionnaire as a JSON object: docs/formats.md, Design. In a draft, parts that are still missing may be left
    out."""

    model_config = {"extra": "allow"}

    format: Literal["candor-design/1"]
    sections: list[dict[str, Any]]


class Saved(Schema):
    id: int
    version: str = Field(description="As in ETag, for If-Match of the next change.")


class Counts(Schema):
    """Numbers of answers as the survey's page shows them: answers that wait for sealing are counted in steps, never
    exactly."""

    sealed: int = Field(
        description="Answers that can be counted; rounded down where open answers are possible."
    )
    least: int = Field(description="The smallest batch.")
    waiting_at_least: int
    waiting_at_most: int | None = Field(description="null: a batch is due, and no limit is told.")
    received_at_least: int


class PersonGuarantee(Schema):
    """The bound on what all disguised answers of one person together can reveal."""

    gamma: float
    epsilon: float
    prior: float
    posterior: float = Field(description="What a suspicion of `prior` can become at most.")


class Margin(Schema):
    """The margin of error of the shares of combinations of `answers` answers, at the expected number of disguised
    answers."""

    answers: int
    margin: float | None = Field(description="Half the width of the 95 % interval; null: not estimated.")
    asked: int | None = Field(description="At least so many people are asked all of them.")
    enough: bool
    text: str


class DraftWarning(Schema):
    """A warning about a draft's settings; `section` counts from 0, null: about all answers of a person."""

    code: str
    section: int | None
    text: str


class Checks(Schema):
    """The check of a draft: what is missing, which settings are weak, the guarantee, and the expected errors."""

    ready: bool = Field(description="It can be opened now.")
    missing: list[Place]
    weak: list[Place] = Field(
        description="Settings that protect less than usual: a reviewer must allow them."
    )
    weak_allowed: bool
    guarantee: PersonGuarantee | None
    margins: list[Margin]
    warnings: list[DraftWarning]


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


class RunList(ListOut):
    items: list[RunOut]


class ReportOut(Schema):
    id: int
    survey: int
    title: str
    run: int
    since: datetime


class ReportList(ListOut):
    items: list[ReportOut]


class ReportDocument(Schema):
    """A published report, the same JSON as the file of its page: mining/nodes/candor-report-1.schema.json."""

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


class ReleaseList(ListOut):
    items: list[ReleaseOut]


class Ends(Schema):
    """The lowest and the highest number that a number question accepts."""

    low: int
    high: int


class ImportChoices(Schema):
    """Decisions on what an imported file leaves open. Unmarked questions become sensitive unless they are named as
    plain."""

    model_config = {"extra": "forbid"}

    draft: bool = Field(False, description="Create a draft. Without it nothing is stored.")
    plain: list[str] = Field([], description="Names of unmarked questions that are not sensitive.")
    ends: dict[str, Ends] = Field({}, description="Of number questions, by name.")


class ImportedRowOut(Schema):
    """A row of an imported file, and how it was imported."""

    place: str
    words: str
    outcome: Literal["came", "changed", "left"]
    remarks: list[str]
    questions: list[str] = Field(description="Names of the questions made of it.")
    unmarked: bool = Field(description="The file does not say whether they are sensitive.")
    lacks_ends: bool = Field(
        description="A lowest or highest number is missing: without `ends` it is left out."
    )


class ReadThrough(Schema):
    """How a questionnaire file was read; with `draft`, also the survey made of it."""

    title: str
    languages: list[str]
    questions: int
    remarks: list[str]
    rows: list[ImportedRowOut]
    survey: Saved | None
    warnings: list[str] = Field(description="What could not come in as decided.")


class RehearsalOut(Schema):
    """The state of a rehearsal: how many simulated people have answered, and the newest run over their answers."""

    survey: int = Field(description="The rehearsal itself, which is a survey.")
    state: RunState | None = Field(description="Of the job that simulates; null before one was started.")
    people: int = Field(description="Simulated so far, of all jobs.")
    until: int = Field(description="So many there will be.")
    run: int | None = Field(description="The newest run over their answers.")


class InvitationsIn(Schema):
    model_config = {"extra": "forbid"}

    n: int = Field(ge=1, le=MOST_LINKS, description="At least the smallest batch of the survey.")


class InvitationsMade(Schema):
    made: int
    links: list[str] | None = Field(
        description="Each for one answer. Shown once: null if the reply is given again."
    )


class InvitationCounts(Schema):
    """Total numbers of invitation links. Who was invited, and which link is used, is not stored."""

    made: int
    sent: int = Field(description="By email, from the site.")


class DepositIn(Schema):
    """What a repository asks for. A member that is left out gets the value that the form of the page proposes."""

    model_config = {"extra": "forbid"}

    publisher: str = Field(description="The repository as it is cited, such as Zenodo.")
    title: str | None = None
    creators: list[str] | None = Field(
        None, description="Each “Family name, Given name; ORCID”; the ORCID may be left out."
    )
    contact: str | None = Field(None, description="Email address of the first creator.")
    year: int | None = None
    licence: str | None = Field(None, description=f"One of {', '.join(LICENCES)}.")
    language: str | None = Field(None, description="Of the texts: one of the survey.")
    doi: str = Field("", description="If the repository has reserved one.")
    records: bool = Field(False, description="With the records, if a reviewer has approved that.")
