"""Endpoints for drafts: read, change and check a questionnaire."""

import json
from hashlib import sha256
from math import isfinite
from typing import Annotated

from django.http import HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.http import parse_etags
from django.utils.translation import gettext as _
from ninja import Header, Router
from ninja.errors import HttpError

from accounts.permission import get_permitted
from api.endpoints.operation_base import JSON, TokenRequest, body_schema, existing_surveys, operation_options
from api.models import Scope
from api.schemas import Checks, Draft, DraftWarning, Margin, PersonGuarantee, Place, Saved
from builder.editing import save_edit
from builder.protection.summary import ProtectionSummary
from importing import candor_format, isolated_reader
from importing.faults import Fault, FileRefused
from importing.loose_json import parse_object_or_empty
from privacy.grammar.input_error import InputError
from surveys import draft_json
from surveys.kinds.grouped.guarantee_and_errors import ItemsetMargin
from surveys.kinds.read_draft import read_questionnaire
from surveys.lifecycle import asked_at, opening, state_changes
from surveys.models import Survey
from surveys.questionnaire import hypotheses
from surveys.questionnaire.problems_and_refusals import NotAllowed, reason_text
from surveys.questionnaire.questionnaire import Questionnaire

router = Router(tags=["Drafts"])
KEPT_KEYS = (*sorted(draft_json.KEYS_NOT_COPIED), "rehearsal")
"""Keys of a stored draft that a draft sent by a program does not change."""


def parse_draft(request: TokenRequest) -> draft_json.Draft:
    """Returns the draft in a request's body; raises FileRefused if the body is no draft.

    It is parsed in a separate process, as an imported file is. Its plan, where it is one, has the hypotheses.
    """
    data, given = request.body, parse_object_or_empty(request.body)
    if not given:
        raise FileRefused([Fault("design", _("must be an object of JSON"))])
    plan = given.get(hypotheses.KEY)
    if not isinstance(plan, dict):
        return isolated_reader.read_questionnaire_file(data, request.auth.person.pk).draft
    try:
        hypotheses.read_plan(plan)
    except InputError as refusal:
        raise FileRefused([Fault(refusal.path, reason_text(refusal))]) from None
    data = json.dumps({key: value for key, value in given.items() if key != hypotheses.KEY}).encode()
    draft = isolated_reader.read_questionnaire_file(data, request.auth.person.pk).draft
    return {**draft, hypotheses.KEY: plan}


def draft_version(draft: Questionnaire) -> str:
    """Returns a digest of the draft, for the headers ETag and If-Match."""
    return sha256(json.dumps(draft.as_json(), sort_keys=True).encode()).hexdigest()[:32]


def creation_response(survey: Survey, response: HttpResponse) -> Saved:
    """Returns a new survey's id and version; sets the response's Location header to the survey's address."""
    response["Location"] = reverse("v1:survey", args=[survey.pk])
    return Saved(id=survey.pk, version=draft_version(save_edit.load_questionnaire(survey)))


@router.get("/surveys/{int:pk}/draft", url_name="draft", **operation_options(Scope.READ_SURVEYS, Draft))
def read_draft(request: TokenRequest, pk: int) -> HttpResponse:
    """The questionnaire of a survey as JSON, the same as the file of its page; of an opened survey its fixed design,
    byte for byte. ETag is the version of a draft, for If-Match."""
    survey = get_permitted(existing_surveys(), request.auth.person, pk)
    if not survey.questionnaire:
        raise HttpError(404, _("Nothing is left of this draft."))
    data = survey.design.json.encode() if survey.design else candor_format.write(survey.questionnaire)
    version = survey.design_id or draft_version(save_edit.load_questionnaire(survey))
    return HttpResponse(data, content_type="application/json", headers={"ETag": f'"{version}"'})


@router.put(
    "/surveys/{int:pk}/draft",
    **operation_options(
        Scope.WRITE_SURVEYS, Saved, 409, 412, 428, body_media_type=JSON, requestBody=body_schema("Draft")
    ),
)
def change_draft(
    request: TokenRequest,
    response: HttpResponse,
    pk: int,
    if_match: Annotated[str, Header(alias="If-Match")] = "",
) -> Saved:
    """Replace the questionnaire of a draft, unless somebody has changed it since the version in If-Match. Hypotheses
    stay as they are unless `plan` is a candor-plan/1; so do the survey that it repeats, and whether it is a rehearsal.
    Settings of protection are set by hand afterwards."""
    survey = get_permitted(existing_surveys(), request.auth.person, pk, "edit")
    if not if_match:
        raise HttpError(428, _("Send If-Match with the ETag of the draft that you have changed."))
    given = parse_draft(request)
    if given.get(hypotheses.KEY):
        get_permitted(existing_surveys(), request.auth.person, pk, "hypotheses")
    kept = [key for key in KEPT_KEYS if key != hypotheses.KEY or not given.get(key)]
    sent = asked_at.with_own_record_address(
        survey, {key: value for key, value in given.items() if key not in kept}
    )

    def replace(stored: Questionnaire) -> Questionnaire:
        if f'"{draft_version(stored)}"' not in parse_etags(if_match):
            raise HttpError(412, _("Somebody has changed this draft since. Read it again."))
        before = stored.as_json()
        return read_questionnaire({**sent, **{key: before[key] for key in kept if key in before}})

    version = draft_version(save_edit.apply_edit(survey, request.auth.person, replace, timezone.now()))
    response["ETag"] = f'"{version}"'
    return Saved(id=survey.pk, version=version)


@router.get("/surveys/{int:pk}/checks", **operation_options(Scope.READ_SURVEYS, Checks, 409))
def check_draft(request: TokenRequest, pk: int) -> Checks:
    """Check a draft: what it needs before it can be opened, its guarantee for each person, and the expected errors of
    estimates."""
    survey = get_permitted(existing_surveys(), request.auth.person, pk, "edit")
    if survey.state != Survey.State.DRAFT:
        raise NotAllowed(
            state_changes.state_change_refusal_text(Survey.State(survey.state), Survey.State.OPEN)
        )
    checklist = opening.opening_checklist(survey, timezone.now(), reader=request.auth.person)
    missing, weak = (
        [Place(path=problem.path, reason=problem.reason) for problem in problems]
        for problems in (checklist.problems, checklist.weak)
    )
    summary = ProtectionSummary(save_edit.load_questionnaire(survey))
    person = summary.person_protection
    guarantee = (
        PersonGuarantee(
            gamma=float(person.gamma),
            epsilon=float(person.epsilon),
            prior=float(person.prior),
            posterior=person.posterior,
        )
        if person
        else None
    )
    return Checks(
        ready=checklist.is_ready_to_open,
        missing=missing,
        weak=weak,
        weak_allowed=checklist.answer.allowed,
        guarantee=guarantee,
        margins=[_margin_schema(expectation) for expectation in summary.itemset_margins],
        warnings=[
            DraftWarning(code=each.kind, section=each.section, text=each.words) for each in summary.warnings
        ],
    )


def _margin_schema(expected: ItemsetMargin) -> Margin:
    width = expected.half_width
    is_estimated = width is not None and isfinite(width) and expected.has_enough_answers
    return Margin(
        answers=expected.length,
        margin=width if is_estimated else None,
        asked=expected.respondents_of_rarest_itemset,
        enough=expected.has_enough_answers,
        text=expected.margin_text,
    )
