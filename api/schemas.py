"""What the API sends and takes."""

from datetime import date, datetime
from typing import Any, Literal

from ninja import Field, Schema

from deposits.metadata import LICENCES
from intake.invitations.researcher_views import MOST_LINKS
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

    type: str = Field(description="“about:blank”, or an address on this page that says more than the status.")
    title: str
    status: int
    detail: str
    instance: str = Field(description="The path that was asked for.")
    errors: list[Place] | None = None
    request: str | None = Field(None, description="The number of the request in the log of the site.")


class ListOut(Schema):
    """A page of a list, and the addresses of the pages beside it; null where the list ends."""

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
    """The published report, as the JSON file of its page: mining/report/candor-report-1.schema.json."""

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
    """The lowest and the highest number that a question takes."""

    low: int
    high: int


class ImportChoices(Schema):
    """Decisions that a read-through asks for. Unmarked questions become sensitive unless they are named as plain."""

    model_config = {"extra": "forbid"}

    draft: bool = Field(False, description="Create a draft. Without it nothing is stored.")
    plain: list[str] = Field([], description="Names of unmarked questions that are not sensitive.")
    ends: dict[str, Ends] = Field({}, description="Of number questions, by name.")


class ImportedRowOut(Schema):
    """A row of an imported file, and what became of it."""

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
    """What a questionnaire file holds; with `draft` also the survey made of it."""

    title: str
    languages: list[str]
    questions: int
    remarks: list[str]
    rows: list[ImportedRowOut]
    survey: Saved | None
    warnings: list[str] = Field(description="What could not come in as decided.")


class RehearsalOut(Schema):
    """Simulated people who answer a copy of a draft, from which a first run is made."""

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
    """Totals. Who was invited, and which link is used, is not stored."""

    made: int
    sent: int = Field(description="By email, from the site.")


class DepositIn(Schema):
    """What a repository asks for; what is left out is as the form of the page proposes it."""

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
