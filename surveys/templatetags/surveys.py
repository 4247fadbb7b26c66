"""Template tags of the pages about surveys: {% load surveys %}."""

from collections.abc import Iterable, Iterator, Sequence

from django import template
from django.template import Context
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from surveys.lifecycle.quota_states import QuotaState, quota_states
from surveys.models import Survey
from surveys.questionnaire.problems_and_refusals import Problem, language_name, path_in_words, paths_in_words
from surveys.tabs_and_warnings import TabLink, tab_url, url_or_empty, visible_tab_links
from ui.templatetags.ui import badge, join_names

register = template.Library()
register.filter("language_words", language_name)
BADGES = {
    "draft": "waiting",
    "open": "active",
    "closed": "done",
    "finished": "stopped",
    "destroyed": "stopped",
}
IN_SETTINGS = ("least", "retention", "closes", "cap", "at_once", "completion")
IN_APPEARANCE = ("logo", "logo_alt", "accent")


@register.filter
def language_names(codes: Iterable[str]) -> str:
    """Joins the names of these languages with the comma of the reader's language."""
    return join_names(map(language_name, codes))


@register.simple_tag
def state_badge(survey: Survey) -> SafeString:
    """Renders the survey's state as a badge."""
    if survey.is_paused:
        return badge("stopped", _("paused"))
    return badge(BADGES[survey.state], str(Survey.State(survey.state).label))


@register.inclusion_tag("surveys/quotas.html")
def survey_quotas(survey: Survey) -> dict[str, list[QuotaState]]:
    """Renders the quotas of an opened survey, and which of them the public page tells as full."""
    return {"quotas": quota_states(survey)}


@register.simple_tag(takes_context=True)
def survey_tabs(context: Context, survey: Survey) -> list[TabLink]:
    request = context["request"]
    return visible_tab_links(survey, request.user, request.path)


@register.simple_tag(takes_context=True)
def problems_with_links(
    context: Context, survey: Survey, problems: Sequence[Problem]
) -> Iterator[tuple[Problem, str, str]]:
    """Yields each problem with its position in words and the URL of the page where this person can fix it, empty if
    they may not."""
    person = context["request"].user
    edit = tab_url("edit", survey, person)
    settings = url_or_empty("surveys:settings", survey.pk) if survey.may(person, "edit") else ""
    paths = paths_in_words((problem.path for problem in problems), survey.questionnaire)
    for problem, path in zip(problems, paths, strict=True):
        yield problem, path, _repair_url(problem, survey, edit, settings)


def _repair_url(problem: Problem, survey: Survey, edit: str, settings: str) -> str:
    if problem.path in IN_SETTINGS:
        field = "destroy_on" if problem.path == "retention" else problem.path
        return f"{settings}#id_{field}" if settings else ""
    if edit and problem.path.startswith("phrases."):
        language = problem.path.removeprefix("phrases.")
        return f"{url_or_empty('builder:translations', survey.pk)}?to={language}#{problem.anchor}"
    if edit and problem.path.partition(".")[0] in IN_APPEARANCE:
        return f"{url_or_empty('builder:appearance', survey.pk)}#{problem.anchor}"
    if edit and problem.path.startswith("quotas"):
        return url_or_empty("builder:quotas", survey.pk)
    return f"{edit}#{problem.anchor}" if edit else ""


@register.filter
def problem_path(problem: Problem, survey: Survey) -> str:
    """Returns the position of the problem in words."""
    return path_in_words(problem.path, survey.questionnaire)
