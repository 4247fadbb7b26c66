"""Each planted fault makes the check of its name fail, and without it every check holds."""

import logging
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from django.conf import settings
from django.core.checks import Warning as CheckWarning
from django.db import connection
from django.db.models import QuerySet

from accounts.activity_log import log_activity
from config import logs as product_logs
from intake.disclosure.models import Disclosure, DisclosureKind, Population
from intake.endpoint.epochs import epoch_at
from intake.hosted.check_page import Answer
from mining.disclosure.attacker import AttackResult, SmallestCount
from mining.engines.row_comparison import Difference
from mining.json_codec import node_to_json
from privacy.designs import Texts
from privacy.kinds.grouped.law import SectionLaw
from privacy.kinds.number.window.law import WindowLaw
from privacy.mechanisms.permanent_draws import person_code_text, study_fingerprint
from privacy.mechanisms.random_draws import seeded_words
from privacy.records import DISGUISED, Envelope, Record
from proof.browser_visit import SentRequest, Visit
from proof.checks import browser_requests, stored_data
from proof.models import Proof
from proof.outcome import Result
from proof.proof_context import ProofContext
from proof.run_checks import CHECKS, run_check
from reports.models import Review
from runs.mlxtend_check import CheckResult
from runs.models import EngineCheck, Run
from tests.proof.conftest import CANARY, LASTING, SECTIONS, ClientSite, static

pytestmark = [pytest.mark.page, pytest.mark.django_db]
Plant = Callable[[ProofContext, pytest.MonkeyPatch], Any]
BY_NAME = {check.name: check for check in CHECKS}
OWN_PHRASES = (("decide_once", Texts((("en-gb", "Answer as often as you like."),))),)
DEVICE, INTAKE = "/static/privacy/", "/static/intake/"


def site(context: ProofContext) -> ClientSite:
    assert isinstance(context.site, ClientSite)
    return context.site


# --- ways to plant ---


def change_answer(context: ProofContext, where: str, answer: Answer, **changed: Any) -> None:
    site(context).changed[where] = replace(answer, **changed)


def script(path: str, old: str, new: str, folder: str = DEVICE) -> Plant:
    """Another script is served, in every packing; the page knows nothing of it."""

    def plant_fault(context: ProofContext, _patch: pytest.MonkeyPatch) -> None:
        answer = static(folder + path)
        assert answer.body.decode().count(old) == 1, old
        change_answer(context, folder + path, answer, body=answer.body.replace(old.encode(), new.encode()))

    return plant_fault


def change_packed_module(path: str, encoding: str) -> Plant:
    """Another module for the browsers that take this packing, which are all of them."""

    def plant_fault(context: ProofContext, _patch: pytest.MonkeyPatch) -> None:
        answer = static(DEVICE + path)
        change_answer(context, f"{DEVICE}{path} {encoding}", answer, body=answer.body + b"\n")

    return plant_fault


def page(old: str, new: str) -> Plant:
    def plant_fault(context: ProofContext, _patch: pytest.MonkeyPatch) -> None:
        answer = context.site.get(context.path)
        old_bytes = old.format(fingerprint=context.design.fingerprint).encode()
        assert old_bytes in answer.body, old
        change_answer(context, context.path, answer, body=answer.body.replace(old_bytes, new.encode()))

    return plant_fault


def header(name: str, value: str, path: str = "") -> Plant:
    def plant_fault(context: ProofContext, _patch: pytest.MonkeyPatch) -> None:
        where = context.path + path
        answer = context.site.post(where, b"{}") if path else context.site.get(where)
        change_answer(context, where, answer, headers={**answer.headers, name: value})

    return plant_fault


def sql(sqlite: str, postgresql: str = "") -> Plant:
    def plant_fault(_context: ProofContext, _patch: pytest.MonkeyPatch) -> None:
        with connection.cursor() as cursor:
            cursor.execute(postgresql if connection.vendor == "postgresql" and postgresql else sqlite)

    return plant_fault


def change_visit(**change: Any) -> Plant:
    def plant_fault(context: ProofContext, _patch: pytest.MonkeyPatch) -> None:
        context.visit = replace(honest_visit(context), **change)

    return plant_fault


def honest_visit(context: ProofContext) -> Visit:
    """What a browser would report of a visit in which these words were drawn and everybody's first answer was given."""
    source = seeded_words(7)
    words = tuple(source.draw() for _ in range(200))
    truth = tuple(0 for _question in context.design.questions)
    _coins, _key, code = browser_requests.coins_key_and_code(context.design, words)
    shown = person_code_text(code, study_fingerprint(context.design)) if code else ""
    first = SentRequest("GET", f"{context.site.address}{context.path}")
    # Of what was sent the twin takes the month alone.
    month = Envelope("0" * 32, Record(context.design.fingerprint, DISGUISED, ""), epoch=epoch_at(context.now))
    said = SentRequest("POST", first.url, month.json)
    found = Visit((first, said), 1, True, {}, words, truth, code=shown)
    envelope = browser_requests.expected_request(context, found)
    record = SentRequest("POST", f"{context.site.address}{context.path}/record", envelope.json)
    return replace(found, requests=(first, record), receipt=envelope.record.json, request_shown=envelope.json)


def plant_another_request(url: str, body: str = "") -> Plant:
    """One request more than the record."""

    def plant_fault(context: ProofContext, _patch: pytest.MonkeyPatch) -> None:
        visit = honest_visit(context)
        context.visit = replace(
            visit, requests=(*visit.requests, SentRequest("GET", url.format(site=context.site.address), body))
        )

    return plant_fault


def sends_truth(context: ProofContext, _patch: pytest.MonkeyPatch) -> None:
    visit = honest_visit(context)
    answers = browser_requests.expected_request(context, visit).record.answers
    changed = replace(visit.requests[-1], body=visit.requests[-1].body.replace(answers, "0" * len(answers)))
    context.visit = replace(visit, requests=(visit.requests[0], changed))


def attribute(of: Any, name: str, value: Any) -> Plant:
    return lambda _context, patch: patch.setattr(of, name, value)


def other_source(context: ProofContext, patch: pytest.MonkeyPatch) -> None:
    context.source = settings.VAR / "empty"


def later_proof(context: ProofContext, _patch: pytest.MonkeyPatch) -> None:
    tomorrow = context.now + timedelta(days=1)
    Proof.objects.create(survey=context.survey, made=tomorrow, result="held", document={})


def earlier_now(context: ProofContext, _patch: pytest.MonkeyPatch) -> None:
    context.now -= timedelta(hours=1)


def in_a_file(context: ProofContext, _patch: pytest.MonkeyPatch) -> None:
    (settings.VAR / "log").mkdir()
    (settings.VAR / "log" / "web.log").write_text(f"GET /a/x {CANARY}\n")


def in_a_row(context: ProofContext, _patch: pytest.MonkeyPatch) -> None:
    log_activity(None, "surveys.opened", context.survey, note=CANARY, when=context.now)


def add_disclosure(
    context: ProofContext, number: int, door: DisclosureKind = DisclosureKind.REPORT, **more: Any
) -> None:
    row: dict[str, Any] = {"door": door, "key": f"run {number}", "when": context.now, "last_batch": 1}
    row |= {"survey": context.survey, "number": number, "population": Population.DISGUISED}
    Disclosure.objects.create(**row | more, digest=str(number))


def delete_disclosure(context: ProofContext, _patch: pytest.MonkeyPatch) -> None:
    add_disclosure(context, 1)
    add_disclosure(context, 2)
    QuerySet(Disclosure).filter(number=1).delete()


def test_unreadable_file_is_not_reported_as_searched(
    context: ProofContext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for log in (tmp_path, tmp_path / "mistyped.log"):
        outcome = stored_data.check_logs(replace(context, logs=(log,)))
        assert outcome.result == Result.UNCHECKED
        assert outcome.seen.startswith(f"the log {log.name} cannot be read")
    (tmp_path / "kept.txt").write_text("nothing")
    unreadable = PermissionError(13, "Permission denied")
    for error, result in ((FileNotFoundError(), Result.HELD), (unreadable, Result.UNCHECKED)):
        monkeypatch.setattr(stored_data, "does_file_contain", Mock(side_effect=error))
        assert stored_data.check_canary_traces(context).result == result


def test_provoked_error_of_the_log_check_is_not_printed(
    context: ProofContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = product_logs.RepeatCountingHandler(stream=StringIO())
    terminal.addFilter(product_logs.RespondentRequestFilter())
    monkeypatch.setattr(logging.getLogger(), "handlers", [terminal])
    assert stored_data.check_logs(context).result == Result.HELD
    assert terminal.stream.getvalue() == ""
    logging.getLogger("django.request").error("another one")
    assert terminal.stream.getvalue() == "another one\n"


def test_ledger_check_states_that_it_skips_full_quotas(context: ProofContext) -> None:
    combined = "from all 1 reports, models and releases together"
    add_disclosure(context, 1)
    seen = stored_data.check_combined_disclosures(context).seen
    assert combined in seen
    assert "quota" not in seen
    add_disclosure(context, 2, door=DisclosureKind.QUOTA)
    seen = stored_data.check_combined_disclosures(context).seen
    assert combined in seen
    assert "1 full quotas, which are published with noise, are not part of this check" in seen


def published_in_doubt(context: ProofContext, _patch: pytest.MonkeyPatch) -> None:
    survey, over = context.survey, {"created": context.now, "finished": context.now, "state": "done"}
    run = Run.objects.create(
        survey=survey, number=1, through=1, records=1, design=survey.design_id or "", **over
    )
    Review.objects.create(run=run, state=Review.State.PUBLISHED, since=context.now)
    found = CheckResult(1, False, 1, 0, "0.25.0", 1.0, difference=Difference((1,), (), 0.5, 0.4))
    EngineCheck.objects.create(run=run, result=node_to_json(found), **over)


def in_the_log_file(context: ProofContext, _patch: pytest.MonkeyPatch) -> None:
    file = settings.VAR / "proxy.log"
    file.write_text(f'198.51.100.7 "{CANARY}"\n')
    context.logs = (file,)


def told_apart(context: ProofContext, _patch: pytest.MonkeyPatch) -> None:
    """Whoever sends a cookie gets another page."""
    honestly = site(context).get

    def get(path: str, encoding: str = "identity", **headers: str) -> Any:
        answer = honestly(path, encoding, **headers)
        return replace(answer, body=answer.body + b" ") if "Cookie" in headers else answer

    context.page  # noqa: B018 - the page of somebody unknown is read first
    _patch.setattr(site(context), "get", get)


BEGIN = "export function begin("
NINE = AttackResult(SmallestCount(9, "all", (), 1, 1))
UNSAFE = CheckWarning("Other accounts of this machine can open the files.", id="candor.W007")
GROUPED, NUMBER, PLACE, SUBSET = (f"kinds/{name}.js" for name in ("grouped", "number", "place", "subset"))
FAULTS: dict[str, dict[str, Plant]] = {
    "coins": {
        "modulo instead of rejection": script("coins.js", "while (word >= limit) word = words.draw();", ""),
        "one side never drawn": script(
            "coins.js", "return word % n;", "return Math.min(word % n, n - 1 || 0) || (n > 2 ? 1 : 0);"
        ),
    },
    "law": {
        "keep + .01": script(GROUPED, "[section.keep]) === 0", '["0.1000", section.keep]) !== -1'),
        "one coin for all questions": script(GROUPED, "shuffles(section) + 1 + j]", "shuffles(section) + 1]"),
        "the last question never randomised": script(
            GROUPED, "return isOpen ||", "return isOpen || j === section.questions.length - 1 ||"
        ),
        "the keep coin ignored": script(GROUPED, "=== 0,", "=== 0 || true,"),
        "the shift one too far": script(NUMBER, "truth + coins[1] -", "truth + coins[1] + 1 -"),
        "never any number": script(NUMBER, "near : coins[2]", "near : truth"),
        "never a bit": script(NUMBER, "kind < rest", "kind < 0"),
        "an own cell never sent": script(
            PLACE, "truth).slice(0, home.near)", "truth).slice(1, 1 + home.near)"
        ),
        "the true choice always in the set": script(SUBSET, "subset.kept(section, coins, pick) ?", "true ?"),
        "fewer coins": script(
            GROUPED, "...section.questions.map(() => modulus)]", "...section.questions.map(() => 1)]"
        ),
        "the group ignored": script(GROUPED, "return isOpen || grouped", "return grouped"),
    },
    "twin": {
        "a key that is no key": script("coins.js", "length: 16", "length: 15"),
        "more in the envelope": script("envelope.js", "${invitation}}`", '${invitation},"at":1}`'),
    },
    "guarantee": {
        "a smaller bound for groups": attribute(SectionLaw, "gamma", property(lambda self: 1 + self.keep)),
        "a smaller bound for windows": attribute(WindowLaw, "gamma", property(lambda self: 2)),
    },
    "hash": {
        "another module": script("draws.js", "export const PARTS = 10000;", "export const PARTS = 10000; "),
        "another module for gzip": change_packed_module("draws.js", "gzip"),
        "another module for brotli": change_packed_module(GROUPED, "br"),
        "another hash on the page": page('<code class="hash">', '<code class="hash">0'),
    },
    "composition": {
        "a module that is listed and not run": script(
            "device.js", 'from "../privacy/kinds/grouped.js"', 'from "../privacy/kinds/plain.js"', INTAKE
        )
    },
    "source": {
        "a script that is not published": script(
            "sending.js", "LONGEST_PAUSE = 30", "LONGEST_PAUSE = 31", INTAKE
        ),
        "a source without the modules": other_source,
    },
    "fingerprint": {
        "another design on the page": page("candor-design/1", "candor-design/2"),
        "another design in the row": lambda of, patch: patch.setattr(of.survey, "design_id", "0" * 64),
    },
    "address": {
        "another fingerprint": page("{fingerprint}", "0" * 64),
        "records to somewhere else": page('/record"', '/other"'),
    },
    "words": {
        "a sentence of its own": lambda of, patch: patch.setattr(
            of, "design", replace(of.design, phrases=OWN_PHRASES)
        ),
        "a title that names a kind": lambda of, patch: patch.setattr(
            of, "design", replace(of.design, title=Texts((("en", "Disguised"),)))
        ),
    },
    "page": {"a promise of more": page("<h1", "<p>Nobody can ever learn anything.</p><h1")},
    "one-request": {
        "a second fetch": script("journey.js", BEGIN, f'fetch("/x");\n{BEGIN}', INTAKE),
        "a beacon": script("journey.js", BEGIN, f'navigator.sendBeacon("/x");\n{BEGIN}', INTAKE),
        "a fetch behind a comment": script("journey.js", BEGIN, f'fetch/**/("/x");\n{BEGIN}', INTAKE),
        "a fetch if there is one": script("journey.js", BEGIN, f'fetch?.("/x");\n{BEGIN}', INTAKE),
        "a fetch in other letters": script("journey.js", BEGIN, f'f\\u0065tch("/x");\n{BEGIN}', INTAKE),
        "a worker": script("journey.js", BEGIN, f'new/**/Worker("/x.js");\n{BEGIN}', INTAKE),
        "a worker that pages share": script(
            "journey.js", BEGIN, f'new SharedWorker("/x.js");\n{BEGIN}', INTAKE
        ),
        "another window": script("journey.js", BEGIN, f'window.open("/x");\n{BEGIN}', INTAKE),
        "a worklet": script("journey.js", BEGIN, f'CSS.paintWorklet.addModule("/x.js");\n{BEGIN}', INTAKE),
        "an import while it runs": script("journey.js", BEGIN, f'import("/x.js");\n{BEGIN}', INTAKE),
        "an import between two texts": script(
            "journey.js", BEGIN, f'const n = ["/*", import("/x.js"), "*/"];\n{BEGIN}', INTAKE
        ),
        "a fetch in the device": script(GROUPED, "const shuffles =", 'fetch("/x");\nconst shuffles ='),
        "a picture from elsewhere": page("<h1", '<img src="https://x.invalid/"><h1'),
    },
    "submission": {
        "a request while answering": plant_another_request("{site}/a/x"),
        "a request to another site": plant_another_request("https://x.invalid/"),
        "the truth is sent": sends_truth,
        "a cookie is left": change_visit(left_behind=("candor=1",)),
        "the policy stopped something": change_visit(complaints=("script-src stopped inline",)),
        "other scripts for browsers": change_visit(scripts={"/static/privacy/coins.js": b""}),
    },
    "receipt": {
        "a receipt of another record": change_visit(receipt='{"design":"","group":1,"answers":""}'),
        "a receipt of another request": change_visit(request_shown="{}"),
    },
    "headers": {
        "scripts from elsewhere allowed": header("content-security-policy", "default-src *"),
        "inline scripts allowed": header(
            "content-security-policy", "default-src 'none'; script-src 'unsafe-inline'"
        ),
        "a page that is cached": header("cache-control", "public"),
        "a referrer": header("referrer-policy", "unsafe-url"),
        "a cookie on the page": header("set-cookie", "candor=1"),
        "a cookie for a record": header("set-cookie", "candor=1", "/record"),
    },
    "same-for-all": {"another page for some": told_apart},
    "other-origins": {
        "records from every page": header("access-control-allow-origin", "*", "/record"),
        "a page that others read": header("access-control-allow-origin", "*"),
    },
    "traces": {
        "a file with the visitor": in_a_file,
        "a row with the visitor": in_a_row,
        "bytes with the visitor": lambda of, _patch: add_disclosure(of, 1, classes=CANARY.encode()),
    },
    "logs": {
        "a log with the visitor": attribute(
            product_logs.RespondentRequestFilter, "filter", lambda _self, _record: True
        ),
        "a proxy's log with the visitor": in_the_log_file,
    },
    "triggers": {
        "a design that can be changed": sql(
            "DROP TRIGGER surveys_design_no_update", "DROP TRIGGER surveys_design_no_change ON surveys_design"
        )
    },
    "storage": {
        "a time of arrival": sql("ALTER TABLE intake_inbox ADD COLUMN arrived text"),
        "settings that are unsafe": attribute(stored_data, "run_checks", lambda **_options: [UNSAFE]),
    },
    "ledger": {
        "a gap in the ledger": delete_disclosure,
        "a count of nine that follows": attribute(
            stored_data, "attack_all_disclosures", lambda _survey: NINE
        ),
    },
    "engines": {"a report in doubt": published_in_doubt},
    "clock": {"a clock that was set back": later_proof, "a clock that is an hour behind": earlier_now},
}
"""By the check that fails."""
MUTANTS = {name: (check, plant) for check, plants in FAULTS.items() for name, plant in plants.items()}


WINDOW, CLASSES, HOME, DRUG = ((section,) for section in SECTIONS[3:])
ALONE = {
    "the shift one too far": WINDOW, "never any number": WINDOW, "never a bit": CLASSES,
    "an own cell never sent": HOME, "the true choice always in the set": DRUG,
}  # fmt: skip
"""What a fault of the law of one section is seen in; the check would try the coins of those before it, too."""


@pytest.mark.at_push(30)
@pytest.mark.parametrize(
    ("name", "rehearsal"),
    [(name, ALONE.get(name, SECTIONS)) for name in MUTANTS],
    indirect=["rehearsal"],
    ids=MUTANTS,
)
def test_a_planted_fault_makes_the_check_of_its_name_fail(
    name: str, context: ProofContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    check, plant = MUTANTS[name]
    plant(context, monkeypatch)
    outcome = run_check(BY_NAME[check], context)
    assert outcome.result == Result.FAILED, outcome.seen


def test_at_least_thirty_faults_are_planted_and_each_check_has_one() -> None:
    assert len(MUTANTS) >= 30
    assert {check for check, _plant in MUTANTS.values()} == set(BY_NAME)


# --- where a disguise lasts ---


def sends_code(context: ProofContext, _patch: pytest.MonkeyPatch) -> None:
    visit = honest_visit(context)
    first = replace(visit.requests[0], url=f"{visit.requests[0].url}?{visit.code}")
    context.visit = replace(visit, requests=(first, *visit.requests[1:]))


PERMANENT = "permanent.js"
ROTATING = "another lasting draw in each round"
"""Seen where not every question is asked."""
KEPT = "const permanent = { ...once, keep: lasting };"
LASTING_FAULTS: dict[str, dict[str, Plant]] = {
    "law": {
        ROTATING: script(PERMANENT, "values.splice(coin, shuffles, ...own);", ""),
        "kept for life more often": script(PERMANENT, KEPT, KEPT.replace("lasting", '"0.9900"')),
        "never kept for life": script(PERMANENT, KEPT, KEPT.replace("lasting", '"0.0001"')),
        "the truth in place of the lasting draw": script(
            PERMANENT, "if (asked[place + j]) replaced[place + j] = answer;", ""
        ),
    },
    "twin": {
        "one draw for all true answers": script(
            PERMANENT, '"answers", codes, subtle)', '"answers", [], subtle)'
        ),
        "the lasting draws of another study": script(
            PERMANENT, "...bytesOf(study), section,", "...bytesOf(study), section + 1,"
        ),
    },
    "submission": {
        "another code than the one that is shown": change_visit(code="000000-000000-000000"),
        "the code in a request": sends_code,
    },
}
LASTING_MUTANTS = {
    name: (check, plant) for check, plants in LASTING_FAULTS.items() for name, plant in plants.items()
}


@pytest.mark.at_push(3)
@pytest.mark.parametrize(
    ("name", "lasting_context"),
    [(name, LASTING[2:3] if name == ROTATING else LASTING) for name in LASTING_MUTANTS],
    indirect=["lasting_context"],
    ids=LASTING_MUTANTS,
)
def test_a_fault_of_lasting_draws_makes_the_check_of_its_name_fail(
    name: str, lasting_context: ProofContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    check, plant = LASTING_MUTANTS[name]
    plant(lasting_context, monkeypatch)
    outcome = run_check(BY_NAME[check], lasting_context)
    assert outcome.result == Result.FAILED, outcome.seen


def test_lasting_survey_passes_the_checks_of_its_draws(lasting_context: ProofContext) -> None:
    lasting_context.visit = honest_visit(lasting_context)
    names = ("hash", "composition", "law", "twin", "guarantee", "submission", "receipt", "traces")
    outcomes = {name: run_check(BY_NAME[name], lasting_context) for name in names}
    assert [outcome for outcome in outcomes.values() if outcome.result != Result.HELD] == []
