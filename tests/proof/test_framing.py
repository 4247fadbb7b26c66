"""The proof knows which sites may show a survey: these and no others hold."""

from dataclasses import replace

import pytest

from accounts.models import Person
from proof.checks import page
from proof.outcome import Result
from proof.proof_context import ProofContext
from tests.intake import asked
from tests.proof.conftest import SECTIONS, ClientSite, context_of

pytestmark = [pytest.mark.django_db, pytest.mark.page]
LISTED = ["https://a.example", "https://*.b.example"]


@pytest.fixture
def framed(owner: Person) -> ProofContext:
    survey = asked.survey(asked.written(SECTIONS[0], sites=LISTED, rehearsal=True), owner=owner)
    return context_of(survey, None)  # type: ignore[arg-type]


def served_with(context: ProofContext, **headers: str) -> ProofContext:
    answer, site = context.site.get(context.path), context.site
    assert isinstance(site, ClientSite)
    changed = {name.replace("_", "-"): value for name, value in headers.items()}
    site.changed[context.path] = replace(answer, headers={**answer.headers, **changed})
    return context


def test_a_survey_with_sites_holds(framed: ProofContext) -> None:
    for check in (
        page.check_headers,
        page.check_network_calls,
        page.check_published_source,
        page.check_page_as_rendered,
        page.check_same_page_for_all,
    ):
        assert check(framed).result == Result.HELD, check.__name__


@pytest.mark.parametrize(
    "sites", ["https://a.example", "'none'", "https://a.example https://*.b.example https://c.example", "*"]
)
def test_another_list_fails(framed: ProofContext, sites: str) -> None:
    policy = framed.site.get(framed.path).headers["content-security-policy"]
    other = policy.replace(" ".join(LISTED), sites)
    assert page.check_headers(served_with(framed, content_security_policy=other)).result == Result.FAILED


def test_an_older_header_that_forbids_all_frames_fails(framed: ProofContext) -> None:
    assert page.check_headers(served_with(framed, x_frame_options="DENY")).result == Result.FAILED


def test_a_survey_without_sites_that_some_site_may_show_fails(owner: Person) -> None:
    survey = asked.survey(asked.written(SECTIONS[0]), owner=owner)
    assert page.check_headers(context_of(survey, None)).result == Result.HELD  # type: ignore[arg-type]
    context = context_of(survey, None)  # type: ignore[arg-type]
    policy = context.site.get(context.path).headers["content-security-policy"]
    other = policy.replace("frame-ancestors 'none'", "frame-ancestors https://a.example")
    assert page.check_headers(served_with(context, content_security_policy=other)).result == Result.FAILED
