"""Endpoint for questionnaire files: reports how each row was read, and makes a draft on request."""

from typing import Any, cast

from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _
from ninja import Router, Status
from pydantic import ValidationError

from accounts.models import Person
from api.endpoints.drafts import creation_response
from api.endpoints.operation_base import FORM, REF, TokenRequest, body_schema, operation_options
from api.models import Scope
from api.schemas import ImportChoices, ImportedRowOut, ReadThrough
from importing import isolated_reader
from importing.faults import Fault, FileRefused
from importing.import_views import accept_import
from importing.missing_number_limits_entry import editable_number_ends
from importing.signed_import_ticket import TicketContent
from surveys.kinds.read_draft import read_questionnaire
from surveys.lifecycle import survey_creation
from surveys.models import Survey
from surveys.questionnaire.questionnaire import Questionnaire

router = Router(tags=["Imports"])
BODY = body_schema(
    "ImportChoices",
    FORM,
    type="object",
    required=["file"],
    properties={
        "file": {"type": "string", "format": "binary"},
        "choices": {"$ref": f"{REF}ImportChoices"},
    },
)


@router.post(
    "/imports",
    **operation_options(
        Scope.WRITE_SURVEYS, ReadThrough, 409, other_successes=[201], body_media_type=FORM, requestBody=BODY
    ),
)
def import_questionnaire(request: TokenRequest, response: HttpResponse) -> Status[ReadThrough]:
    """Read a questionnaire file of any format that the import page takes, and say how each row was read. `choices`, in
    JSON, decides what the file leaves open; with `draft` a survey of yours is made of it (201)."""
    person = request.auth.person
    if not survey_creation.may_create_surveys(person):
        raise PermissionDenied
    file = request.FILES.get("file")
    if file is None:
        raise FileRefused([Fault("file", _("required"))])
    choices = _parse_choices(request.POST.get("choices") or "{}")
    result = isolated_reader.read_questionnaire_file(file.read(), person.pk)
    draft, waiting = read_questionnaire(result.draft), TicketContent.from_result(result)
    saved, warnings = None, list[str]()
    if choices.draft:
        survey, warnings = _create_imported_draft(person, draft, waiting, choices)
        saved = creation_response(survey, response)
    read_through = ReadThrough(
        title=draft.text_with_fallback(draft.title, None),
        languages=list(draft.languages),
        questions=len(list(draft.all_questions)),
        remarks=list(result.remarks),
        rows=[
            ImportedRowOut(
                place=line.location,
                words=line.words,
                outcome=cast("Any", line.outcome),
                remarks=list(line.remarks),
                questions=list(line.questions),
                unmarked=line.unmarked,
                lacks_ends=bool(line.asks),
            )
            for line in result.lines
        ],
        survey=saved,
        warnings=warnings,
    )
    return Status(201 if saved else 200, read_through)


def _parse_choices(text: str) -> ImportChoices:
    try:
        return ImportChoices.model_validate_json(text)
    except ValidationError as error:
        faults = error.errors(include_url=False, include_context=False, include_input=False)
        places = [Fault(".".join(map(str, ("choices", *fault["loc"]))), fault["msg"]) for fault in faults]
        raise FileRefused(places) from None


def _create_imported_draft(
    person: Person, draft: Questionnaire, waiting: TicketContent, choices: ImportChoices
) -> tuple[Survey, list[str]]:
    """Creates a draft survey from an imported file with these choices; returns the survey, and warnings.

    Raises FileRefused if a choice names a question that needs none.
    """
    asked = {ends.name: ends.number for ends in editable_number_ends(draft, waiting.endless)}
    unmarked = {name for row in waiting.unmarked for name in row}
    unknown = [("plain", name) for name in choices.plain if name not in unmarked]
    unknown += [("ends", name) for name in choices.ends if name not in asked]
    if unknown:
        raise FileRefused(
            [Fault(f"choices.{key}.{name}", _("this question does not ask for it")) for key, name in unknown]
        )
    plain = {row for row, names in enumerate(waiting.unmarked) if not {*names}.isdisjoint(choices.plain)}
    ends = {f"{end}-{asked[name]}": str(value) for name, ends in choices.ends.items() for end, value in ends}
    return accept_import(person, waiting, plain, ends, timezone.now())
