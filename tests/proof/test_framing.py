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
def framed_context(owner: Person) -> ProofContext:
    survey = asked.survey(asked.make_design(SECTIONS[0], sites=LISTED, rehearsal=True), owner=owner)
    return context_of(survey, None)  # type: ignore[arg-type]


def served_with(context: ProofContext, **headers: str) -> ProofContext:
    answer, site = context.site.get(context.path), context.site
    assert isinstance(site, ClientSite)
    changed = {name.replace("_", "-"): value for name, value in headers.items()}
    site.changed[context.path] = replace(answer, headers={**answer.headers, **changed})
    return context


def test_framing_check_passes_for_a_survey_with_sites(framed_context: ProofContext) -> None:
    for check in (
        page.check_headers,
        page.check_network_calls,
        page.check_published_source,
        page.check_page_as_rendered,
        page.check_same_page_for_all,
    ):
        assert check(framed_context).result == Result.HELD, check.__name__


@pytest.mark.parametrize(
    "sites", ["https://a.example", "'none'", "https://a.example https://*.b.example https://c.example", "*"]
)
def test_framing_check_fails_for_another_list_of_sites(framed_context: ProofContext, sites: str) -> None:
    policy = framed_context.site.get(framed_context.path).headers["content-security-policy"]
    other = policy.replace(" ".join(LISTED), sites)
    assert (
        page.check_headers(served_with(framed_context, content_security_policy=other)).result == Result.FAILED
    )


def test_framing_check_fails_for_an_older_header_forbidding_frames(framed_context: ProofContext) -> None:
    assert page.check_headers(served_with(framed_context, x_frame_options="DENY")).result == Result.FAILED


def test_framing_check_fails_if_an_unlisted_survey_may_be_framed(owner: Person) -> None:
    survey = asked.survey(asked.make_design(SECTIONS[0]), owner=owner)
    assert page.check_headers(context_of(survey, None)).result == Result.HELD  # type: ignore[arg-type]
    context = context_of(survey, None)  # type: ignore[arg-type]
    policy = context.site.get(context.path).headers["content-security-policy"]
    other = policy.replace("frame-ancestors 'none'", "frame-ancestors https://a.example")
    assert page.check_headers(served_with(context, content_security_policy=other)).result == Result.FAILED
