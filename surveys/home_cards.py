"""Items of the home page: a card for each survey, with a finding or a forecast; and waiting approvals and
invitations."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import get_language_bidi, gettext as _, npgettext

from surveys.kinds.protection_page_elements import percentage_points_text
from surveys.kinds.read_draft import read_stored_questionnaire
from surveys.kinds.registry import get_kind_if_known
from surveys.lifecycle import record_counts, reviewer_approvals, survey_people
from surveys.lifecycle.next_step import next_steps
from surveys.lifecycle.record_counts import ShownCounts
from surveys.models import Survey
from surveys.questionnaire.protection import PRIOR
from surveys.tabs_and_warnings import url_or_empty
from ui.home_page_items import SurveyCard, TodoItem
from ui.interval_pictures import Interval, Scale, draw_intervals
from ui.number_format import format_count, format_percent

if TYPE_CHECKING:
    from accounts.models import Person

SHOWN = 5
TAKES_NO_MORE = (Survey.State.CLOSED, Survey.State.FINISHED)
SUPPOSED = 0.3
"""Where on its scale a forecast draws the expected interval."""


class Finding(NamedTuple):
    """A finding of a published report as a sentence, with its picture."""

    sentence: SafeString
    picture: SafeString | str


FindingsOf = Callable[[Collection[Survey], "Person"], Mapping[int, Finding]]
_get_findings: list[FindingsOf] = []


def register_findings_getter(get_findings: FindingsOf) -> None:
    """Registers the function of `reports` that returns the findings of surveys for a person, by survey."""
    _get_findings[:] = [get_findings]


def published_findings(surveys: Collection[Survey], person: "Person") -> Mapping[int, Finding]:
    """Returns the findings of those of these surveys that have a published report which this person may read."""
    return _get_findings[0]([each for each in surveys if each.design_id], person) if _get_findings else {}


def folded_rehearsals(
    surveys: Collection[Survey], findings: Mapping[int, Finding]
) -> dict[int, list[Survey]]:
    """Returns the rehearsals that stand under their survey, by its id: the last one before it of the same owner and
    title. Those with a published report stand alone."""
    real: dict[tuple[int | None, str], list[int]] = defaultdict(list)
    folded: dict[int, list[Survey]] = defaultdict(list)
    for survey in sorted(surveys, key=attrgetter("pk")):
        of_title = real[survey.owner_id, str(survey)]
        if not survey.is_rehearsal:
            of_title.append(survey.pk)
        elif of_title and survey.pk not in findings:
            folded[of_title[-1]].append(survey)
    return folded


def newest_survey_cards(person: "Person") -> Iterator[SurveyCard]:
    """Yields a card for each of the newest surveys that this person may see."""
    visible = Survey.objects.visible_to(person).exclude(state=Survey.State.DESTROYED)
    # Only the numbers are sorted: whole rows hold drafts.
    chosen = list(visible.values_list("pk", flat=True)[: SHOWN * SHOWN])
    newest = list(visible.filter(pk__in=chosen).select_related("owner", "design"))
    rehearsals, others = ([one for one in newest if one.is_rehearsal is kind] for kind in (True, False))
    findings = published_findings([*rehearsals, *others[:SHOWN]], person)
    hidden = {one.pk for each in folded_rehearsals(newest, findings).values() for one in each}
    surveys, now = [survey for survey in newest if survey.pk not in hidden][:SHOWN], timezone.now()
    received = record_counts.shown_counts_of_surveys(surveys)
    steps = next_steps(surveys, person, received, now)
    for survey in surveys:
        shown = received[survey.pk]
        sentence, drawing = findings.get(survey.pk) or _forecast_sentence_and_picture(survey, shown)
        state, step = _state_text(survey, shown), steps[survey.pk]
        url = survey.get_absolute_url()
        yield SurveyCard(str(survey), url, state, sentence, drawing, step.words, step.url)


def waiting_invitation_items(person: "Person") -> Iterator[TodoItem]:
    """Yields a to-do item for each invitation to work on a survey or to review it that this person has not answered."""
    for invitation in survey_people.pending_invitations_to_account(person, timezone.now()):
        values = {"who": invitation.by, "survey": invitation.survey}
        if invitation.part == invitation.InvitedRole.REVIEWER:
            title = _("%(who)s asks you to review a survey")
        else:
            title = _("%(who)s asks you to work on a survey")
        url = url_or_empty("surveys:invitation-to-me", invitation.pk)
        yield TodoItem(title % values, str(invitation.survey), url, _("Answer"))


def waiting_approval_items(person: "Person") -> Iterator[TodoItem]:
    """Yields a to-do item for each approval that this reviewer has been asked for."""
    for request in reviewer_approvals.waiting_approvals(person):
        title = {
            "weak": _("Decide on weaker protection"),
            "records": _("Decide on files of the disguised records"),
            "deposit": _("Decide on records in a deposit for the world"),
        }[request.matter]
        url = url_or_empty("surveys:review", request.survey.pk) + reviewer_approvals.review_query_string(
            request.matter
        )
        yield TodoItem(title, str(request.survey), url, _("Read the request"))


def _state_text(survey: Survey, shown: ShownCounts) -> str:
    state = str(survey.get_state_display())
    if survey.is_rehearsal:
        state = _("rehearsal, %(state)s") % {"state": state}
    if survey.state == Survey.State.DRAFT or not shown.sealed:
        return state
    words = npgettext("number of a survey", "%(count)s answer", "%(count)s answers", shown.sealed)
    answers = words % {"count": format_count(shown.sealed)}
    return f"{state}, {answers}"


def _forecast_sentence_and_picture(
    survey: Survey, shown: ShownCounts
) -> tuple[SafeString | str, SafeString | str]:
    """Returns a sentence and a picture that show how wide the interval of a share will be; both empty if
    nothing is disguised.

    The forecast uses the number of received answers if the survey accepts no more, else the expected number.
    """
    has_all = survey.state in TAKES_NO_MORE and bool(shown.sealed)
    n = (shown.sealed or 0) if has_all else survey.expected
    if not n:
        return "", ""
    questionnaire = read_stored_questionnaire(survey.questionnaire)
    disguised, margins = questionnaire.disguised_among(n), list[float]()
    for section in questionnaire.sections:
        kind = get_kind_if_known(section)
        if kind and (protection := kind.protection(section, disguised, PRIOR)):
            margins += protection.share_margins
    if not any(margins):
        return "", ""
    margin = max(margins)
    if questionnaire.direct:
        words = _(
            "With about {} disguised answers the interval of a share is about this wide: <b>±{} points</b>."
        )
    elif has_all:
        words = _("With its {} answers the interval of a share is about this wide: <b>±{} points</b>.")
    else:
        words = _("With {} answers the interval of a share will be about this wide: <b>±{} points</b>.")
    points = percentage_points_text(margin)
    sentence = format_html(words, format_count(disguised), points)
    low, high = max(0.0, SUPPOSED - margin), min(1.0, SUPPOSED + margin)
    forecast = Interval(low=low, high=high, estimate=SUPPOSED, state="dashed", label=f"±{points}")
    scale, mirrored = Scale.covering([high], most=1.0), get_language_bidi()
    return sentence, draw_intervals(
        [forecast], scale, "sentence", format_percent(scale.end, 0), mirrored=mirrored
    )
