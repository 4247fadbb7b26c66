"""Every page of ours in the bracketed language."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from tests import bracketed
from tests.config import study_walk
from tests.config.walk import PASSWORD, RULED, STATES, Walk, numbers

pytestmark = pytest.mark.slow
INCOMPLETE: list[dict[str, Any]] = [{"asker": {}}, {"least": 20}, {"sections": []}]
ACTS: list[dict[str, str]] = [
    {"do": do, "key": key, "section": "0"}
    for key in ("1", "9")
    for do in (
        "up",
        "down",
        "duplicate",
        "delete",
        "move",
        "add",
        "section-up",
        "section-delete",
        "undo",
        "0",
    )
]
REPORT_PAGES = [
    f"reports:{page}" for page in ("shares", "groups", "itemsets", "rules", "pictures", "exports")
]
RELEASE_PAGES = [f"releases:{page}" for page in ("release", "outcome", "table", "report")]
RELEASE_STATES = ("draft", "running", "checked", "approved", "refused", "withdrawn")
Visits = Callable[[Walk], list[Any]]
# Route, or routes of pages about one thing -> the answers to read: the page itself, and what it says to a mistake.
ROUTES: dict[str, Visits] = {
    "look:home": lambda w: [w.get("look:home"), w.as_staff().get("look:home")],
    "look:signed-in-home": lambda w: [w.as_staff().get("look:signed-in-home")],
    "look:method": lambda w: [w.get("look:method")],
    "look:limits": lambda w: [w.get("look:limits")],
    "look:styleguide": lambda w: [w.as_staff().get("look:styleguide")],
    "people:account": lambda w: [
        w.as_staff().get("people:account"),
        w.post("people:account"),
        w.post("people:account", email="1", name="0"),
    ],
    "people:sign-in": lambda w: [
        w.get("people:sign-in"),
        w.post("people:sign-in"),
        w.post("people:sign-in", username="007", password="1"),
    ],
    "people:sign-out": lambda w: [w.as_staff().post("people:sign-out")],
    "people:preferences": lambda w: [
        w.post("people:preferences", theme="dark"),
        w.post("people:preferences"),
    ],
    "people:history": lambda w: [w.as_staff().get("people:history")],
    "people:password-change": lambda w: [
        w.as_staff().get("people:password-change"),
        w.post("people:password-change"),
        w.post("people:password-change", old_password=PASSWORD, new_password1="7", new_password2="8"),
        w.post("people:password-change", old_password=PASSWORD, new_password1="7", new_password2="7"),
    ],
    "people:password-reset": lambda w: [w.get("people:password-reset"), w.post("people:password-reset")],
    "people:password-reset-done": lambda w: [w.get("people:password-reset-done")],
    "people:password-reset-complete": lambda w: [w.get("people:password-reset-complete")],
    "people:password-reset-confirm": lambda w: [w.get("people:password-reset-confirm", "MQ", "1-1")],
    "people:invitation": lambda w: [w.get("people:invitation", "MQ", "1-1")],
    "jobs:background": lambda w: [w.as_staff().get("jobs:background"), w.post("jobs:background", steps="0")],
    "jobs:progress": lambda w: [w.as_staff().get("jobs:progress", "jobs.trial", pk) for pk in w.trials()],
    "jobs:cancel": lambda w: [w.as_staff().post("jobs:cancel", "jobs.trial", pk) for pk in w.trials()],
    "intake:receipt": lambda w: [w.get("intake:receipt")],
    "intake:form": study_walk.form,
    "intake:survey": lambda w: [
        *(w.get("intake:survey", w.survey(state, language="xx").slug) for state in STATES),
        w.get("intake:survey", "0"),
    ],
    "invitations:invitations": lambda w: [
        *w.everywhere("invitations:invitations", *STATES),
        *w.invited("invitations:invitations"),
    ],
    "invitations:invitation-file": lambda w: w.invited("invitations:invitation-file", n="1"),
    "invitations:invitation-mail": lambda w: [
        *w.everywhere("invitations:invitation-mail", "open", "closed", subject="1", addresses="1"),
        *w.invited("invitations:invitation-mail", subject="1", message="{link}", addresses="1,1,2@3.45"),
        w.get("invitations:invitation-mail", w.survey("open", language="xx").pk, kind="reminder"),
    ],
    "invitations:poster": lambda w: [
        *(w.as_staff().get("invitations:poster", w.survey(state, language="xx").pk) for state in STATES),
        *w.invited("invitations:poster"),
    ],
    "recordfiles:records": lambda w: w.everywhere("recordfiles:records", *STATES) + w.allowed(),
    "importing:import": lambda w: [
        w.as_staff().get("importing:import"),
        w.post("importing:import"),
        w.uploaded(),
    ],
    "importing:import-accept": lambda w: [
        w.read_through(),
        w.accepted(),
        w.post("importing:import-accept", ticket="1"),
    ],
    "importing:export": lambda w: [
        *w.everywhere("importing:export", "draft", "open"),
        w.get("importing:export", w.survey(sections=RULED).pk),
    ],
    "surveys:index": lambda w: [
        w.as_staff().get("surveys:index"),
        w.listed(),
        w.get("surveys:index", q="0", state="closed"),
    ],
    "surveys:new": lambda w: [w.as_staff().get("surveys:new"), w.post("surveys:new")],
    "importing:start": lambda w: [w.as_staff().post("importing:start")],
    "surveys:queue": lambda w: [w.as_staff().get("surveys:queue")],
    "surveys:survey": lambda w: w.everywhere("surveys:survey", *STATES),
    "surveys:settings": lambda w: w.everywhere("surveys:settings", *STATES, cap="0", closes_0="1"),
    "surveys:people": lambda w: w.everywhere("surveys:people", "draft", username="9"),
    "surveys:collaborator": lambda w: [w.as_staff().post("surveys:collaborator", w.survey().pk, w.staff.pk)],
    "surveys:history": lambda w: w.everywhere("surveys:history", *STATES),
    "surveys:open": lambda w: [
        *w.everywhere("surveys:open", "draft"),
        *(w.get("surveys:open", w.survey(**less).pk) for less in INCOMPLETE),
    ],
    "surveys:unschedule": lambda w: w.everywhere("surveys:unschedule", "draft"),
    "surveys:close": lambda w: w.everywhere("surveys:close", "open", "draft"),
    "surveys:reopen": lambda w: w.everywhere("surveys:reopen", "closed", "open"),
    "surveys:pause": lambda w: w.everywhere("surveys:pause", "open", "draft"),
    "surveys:resume": lambda w: w.everywhere("surveys:resume", "open", "draft"),
    "surveys:archive": lambda w: w.everywhere("surveys:archive", "closed", "open"),
    "surveys:destroy": lambda w: w.everywhere("surveys:destroy", "draft", "closed", "open", typed="0"),
    "surveys:duplicate": lambda w: w.everywhere("surveys:duplicate", "draft", "open"),
    "surveys:edit": lambda w: [*w.edited(), *w.everywhere("surveys:edit", "open")],
    "surveys:edit-act": lambda w: w.edited(*ACTS),
    "surveys:edit-save": lambda w: w.everywhere(
        "surveys:edit-save", "draft", part="=start", minutes="0.5", **{"in": "en"}
    ),
    "surveys:edit-number": lambda w: w.edited_numbers(),
    "importing:edit-cells": lambda w: w.edited_places(),
    "surveys:edit-copy": lambda w: w.everywhere("surveys:edit-copy", "draft", section="0"),
    "surveys:protection": lambda w: (
        [
            *w.everywhere("surveys:protection", "draft"),
            w.get("surveys:protection", w.survey(least=500, sections=RULED).pk, rho1="9", rho2="8"),
        ]
    ),
    "surveys:protection-live": lambda w: w.everywhere(
        "surveys:protection-live", "draft", expected="9", **{"keep-1": "50"}
    ),
    "surveys:protection-save": lambda w: w.everywhere("surveys:protection-save", "draft", expected="0"),
    "surveys:translations": lambda w: [
        w.as_staff().get("surveys:translations", w.survey(languages=languages, sections=RULED).pk)
        for languages in (["en"], ["en", "fr"])
    ],
    "surveys:translations-save": lambda w: w.everywhere("surveys:translations-save", "draft", part="=start"),
    "surveys:translations-phrase": lambda w: w.phrases_translated(),
    "surveys:translations-act": lambda w: w.everywhere(
        "surveys:translations-act", "draft", do="language-add", code="fr"
    ),
    "surveys:preview": lambda w: w.everywhere("surveys:preview", "draft", "open"),
    "surveys:preview-page": lambda w: [
        w.as_staff().get("surveys:preview-page", w.survey(language="xx", rehearsal=True).pk)
    ],
    "surveys:study": study_walk.builder,
    "surveys:study-save": lambda w: w.everywhere("surveys:study-save", "draft", "open", part="follows"),
    "surveys:hypotheses": study_walk.read_hypotheses,
    "surveys:ask": lambda w: w.reviewed("weak", verdict="yes"),
    "surveys:review": lambda w: w.reviewed("records"),
    "rehearsal:rehearse": lambda w: [
        w.get("rehearsal:rehearse", w.rehearsed().pk),
        *w.everywhere("rehearsal:rehearse", "open", "closed", n="0"),
    ],
    "mining:runs": lambda w: [
        *w.everywhere("mining:runs", *STATES),
        w.get("mining:runs", w.run().survey_id),
        w.post("mining:runs", w.rehearsed().pk, min_support="200", min_confidence="0"),
    ],
    "mining:margins": study_walk.margins,
    "models:of_run": study_walk.models,
    "models:model": lambda w: study_walk.model(w, "models:model"),
    "models:outcome": lambda w: study_walk.model(w, "models:outcome"),
    "mining:forecast": lambda w: [
        w.get("mining:forecast", w.rehearsed().pk, min_support="10", min_confidence="50", max_size="2")
    ],
    "mining:run": lambda w: [w.get("mining:run", w.run(state).pk) for state in ("queued", "done")],
    "mining:outcome": lambda w: [w.get("mining:outcome", w.run(state).pk) for state in ("queued", "done")],
    "mining:repeat": lambda w: [w.post("mining:repeat", w.run().pk)],
    "mining:compare": lambda w: [
        w.get("mining:compare", pk, other=str(pk)) for pk in (w.run().pk, w.report("published").pk)
    ],
    " ".join(REPORT_PAGES): lambda w: [
        w.get(page, pk)
        for pk in [w.report(state).pk for state in ("waiting", "published")]
        for page in REPORT_PAGES
    ],
    "reports:numbers": lambda w: [
        w.get("reports:numbers", w.report(state, respondents=respondents, sections=numbers("xx")).pk)
        for state, respondents in (("waiting", 1_400), ("published", 400))
    ],
    "reports:places": lambda w: [
        w.get("reports:places", w.placed(state).pk) for state in ("waiting", "published")
    ],
    "reports:study": lambda w: [w.get("reports:study", study_walk.report(w, "published").pk)],
    "reports:models": study_walk.report_models,
    "reports:index": lambda w: [
        w.as_staff().get("reports:index"),
        w.published_index(),
    ],
    "reports:rule": lambda w: [w.get("reports:rule", w.report("published").pk, 1)],
    "releases:index": lambda w: [
        w.as_staff().get("releases:index"),
        w.every_release(),
    ],
    "releases:of_survey": lambda w: [
        *w.everywhere("releases:of_survey", *STATES),
        w.get("releases:of_survey", w.draft_of_survey().source.survey_id),
    ],
    "releases:new": lambda w: [
        w.as_staff().get("releases:new"),
        w.post("releases:new"),
        w.client.post(reverse("releases:new"), {"file": SimpleUploadedFile("1.2", b"1,2\n3\n")}),
    ],
    " ".join(RELEASE_PAGES): lambda w: [
        w.get(page, pk) for pk in [w.released(state).pk for state in RELEASE_STATES] for page in RELEASE_PAGES
    ],
    "releases:columns": lambda w: [
        w.get("releases:columns", w.table().pk),
        w.get("releases:columns", w.draft_of_survey().pk),
        w.post("releases:columns", w.table().pk),
    ],
    "releases:column": lambda w: [
        *(w.get("releases:column", pk, number) for pk in [w.table().pk] for number in (0, 1, 2, 3)),
        w.post("releases:column", w.table().pk, 1, order="1\n1"),
        w.post("releases:column", w.table().pk, 2, hierarchy="given"),
        w.post("releases:column", w.table().pk, 2, hierarchy="given", groups="1\n   2\n 3"),
    ],
    "releases:move": lambda w: [w.post("releases:move", w.table().pk, 1, up="1")],
    "releases:criteria": lambda w: [
        w.get("releases:criteria", w.table().pk),
        w.get("releases:criteria", w.table(sensitive=[], l=None).pk),
        w.get("releases:criteria", w.draft_of_survey().pk),
        w.post("releases:criteria", w.table().pk, k="1", l_kind="recursive", rho1="2"),
    ],
    "releases:start": lambda w: [w.post("releases:start", w.table().pk)],
    "releases:stop": lambda w: [w.post("releases:stop", w.table().pk)],
    "releases:compare": lambda w: [
        w.get("releases:compare", w.table().pk),
        w.get("releases:compare", w.compared().pk),
        w.post("releases:compare", w.table().pk),
    ],
    "releases:compared": lambda w: [w.get("releases:compared", w.compared().pk)],
    "releases:download": lambda w: [w.post("releases:download", w.released("draft").pk, kind="csv")],
    "releases:approve": lambda w: [
        w.get("releases:approve", w.released("checked").pk),
        w.get("releases:approve", w.to_review().pk),
    ],
    "releases:refuse": lambda w: [w.post("releases:refuse", w.to_review().pk)],
    "releases:withdraw": lambda w: [w.post("releases:withdraw", w.to_review("approved").pk)],
    "releases:discard": lambda w: [w.get("releases:discard", w.table().pk)],
}
FILES = {
    "invitations:qr",
    "importing:export-file",
    "surveys:plan",
    "reports:picture",
    "reports:picture_csv",
    "reports:map_svg",
    "reports:map_csv",
    "reports:waves_csv",
    "reports:download",
}
NO_PAGE = {"intake:record"} | FILES


def routes(patterns: list[URLPattern | URLResolver] | None = None, space: str = "") -> Iterator[str]:
    for pattern in patterns if patterns is not None else get_resolver().url_patterns:
        if isinstance(pattern, URLResolver):
            if pattern.namespace != "admin":
                yield from routes(
                    pattern.url_patterns, f"{pattern.namespace}:" if pattern.namespace else space
                )
        elif pattern.name:
            yield space + pattern.name


def test_every_route_is_walked() -> None:
    assert set(routes()) == {route for each in ROUTES for route in each.split()} | NO_PAGE


@pytest.mark.parametrize("route", ROUTES)
def test_no_word_was_forgotten(walk: Walk, route: str) -> None:
    for answer in ROUTES[route](walk):
        assert answer.status_code < 500
        assert answer["Content-Language"] == "xx"
        said = answer.content.decode()
        assert bracketed.forgotten(said) == [], f"{answer.request['PATH_INFO']} ({answer.status_code})"


def test_a_forgotten_word_is_noticed() -> None:
    page = '<p>⟦Yes⟧ No</p><p title="⟦a⟧">⟦%s⟧</p><code>x</code>'
    assert bracketed.forgotten(page) == ["No"]
    assert bracketed.forgotten('<a aria-label="Close">⟦x⟧</a>') == ["Close"]
