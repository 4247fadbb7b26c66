"""Checks that the served modules send what the server's Python program computes, and that a browser sends nothing
else."""

from collections.abc import Iterable
from urllib.parse import urlsplit

from intake.endpoint.epochs import epoch_at, newest_epoch
from privacy.blind_signatures.tokens import is_token_signed
from privacy.designs import Design
from privacy.mechanisms.disguise_by_given_coins import arm_from_coins, disguise
from privacy.mechanisms.permanent_draws import draw_person_code, person_code_text, study_fingerprint
from privacy.mechanisms.random_draws import Coins, RandomWords, draw_below, draw_coins, seeded_words
from privacy.records import DISGUISED, OPEN, Envelope, parse_envelope
from privacy.records.record import read_record
from proof.browser_visit import Visit, person_code_texts
from proof.outcome import CheckFailed, Outcome, outcome_failed, outcome_held, outcome_unchecked
from proof.proof_context import ProofContext
from proof.record_probabilities import number_of_true_codes

TWINS = 150


def check_same_request_in_python(context: ProofContext) -> Outcome:
    """Checks that the served modules and the server's Python program build the same request from the
    same random words."""
    if context.device is None:
        return outcome_unchecked(context.why)
    design, people, expected_envelopes = context.design, [], []
    questions = [question for section in context.design_json["sections"] for question in section["questions"]]
    source = seeded_words(1)
    for person in range(TWINS):
        truth = [draw_below(number_of_true_codes(question), source) for question in questions]
        words: list[int] = []

        def draw_word(words: list[int] = words) -> int:
            words.append(source.draw())
            return words[-1]

        coins = draw_coins(design, noting := RandomWords(source.bits, draw_word))
        arm = arm_from_coins(design, coins)
        group = OPEN if design.open_answers and person % 3 == 0 else DISGUISED
        code = draw_person_code(source) if design.lasting_sections else None
        record = disguise(design, coins, group if arm is None else arm, truth, code)
        key = "".join(f"{draw_below(256, noting):02x}" for _ in range(16))
        people.append({"group": group, "answers": truth, "words": words, "code": code and list(code)})
        expected_envelopes.append(Envelope(key, record, epoch=epoch_at(context.now)))
    replies = context.run_operation(
        "requests",
        design=context.design_json,
        fingerprint=design.fingerprint,
        study=study_fingerprint(design),
        bits=source.bits,
        epoch=epoch_at(context.now),
        people=people,
    )
    for reply, envelope in zip(replies, expected_envelopes, strict=True):
        if reply != {"body": envelope.json, "receipt": envelope.record.json, "wrong": None}:
            return outcome_failed(
                "from the same words the modules as served make another request than the server's twin"
            )
        read_record(design, parse_envelope(reply["body"].encode()).record)
    return outcome_held(
        f"{TWINS} simulated people get the same request, byte for byte, from the browser's program and the server's"
    )


# --- one visit with a real browser ---


def check_submission(context: ProofContext) -> Outcome:
    visit = context.visit
    if visit is None:
        return outcome_unchecked(context.why)
    if visit.complaints:
        return outcome_failed(f"the browser complained: {visit.complaints[0]}")
    addresses = [urlsplit(request.url) for request in visit.requests]
    origins = {f"{address.scheme}://{address.netloc}" for address in addresses}
    if foreign := origins - {context.page_site.address}:
        return outcome_failed(f"the page asked another site: {', '.join(sorted(foreign))}")
    served = {path: body for path, body in visit.scripts.items() if context.scripts.get(path) != body}
    if served:
        return outcome_failed(
            f"the browser got another script than this program: {', '.join(sorted(served))}"
        )
    if visit.left_behind:
        return outcome_failed(f"the page leaves something on the device: {', '.join(visit.left_behind)}")
    later = visit.requests[visit.loaded :]
    if not visit.is_sent:
        if later:
            return outcome_failed(f"before Send was pressed the page asked for {later[0].url}")
        return outcome_held(
            "answered in a real browser up to the last page and not sent: the page asked for nothing"
        )
    codes = person_code_texts(visit.code, context.design)
    key = context.design.invitation_key
    posted = [(request.method, urlsplit(request.url).path) for request in later]
    if posted != [("POST", f"{context.path}/{name}") for name in (*(["exchange"] if key else []), "record")]:
        return outcome_failed(f"the page sent {len(later)} requests, not the record alone")
    if later[-1].body != expected_request(context, visit).json:
        return outcome_failed("what was sent is not what the drawn words make of the answers")
    if any(form in f"{request.url} {request.body}" for form in codes for request in visit.requests):
        return outcome_failed("the person's code left the browser")
    if not key:
        return outcome_held(
            "answered and sent in a real browser: one request left it, the record that the drawn words make"
        )
    token = parse_envelope(later[-1].body).token or ""
    if not is_token_signed(key, token) or any(part in later[0].body for part in (token[:43], token[43:])):
        return outcome_failed(
            "the token of the record was not signed by this survey, or was seen at the exchange"
        )
    return outcome_held(
        "answered and sent in a real browser: two requests left it, the exchange of the invitation and the record that"
        " the drawn words make, with a token that the exchange did not hold"
    )


def expected_request(context: ProofContext, visit: Visit) -> Envelope:
    """Returns the request that the server's Python program builds from the browser's random words and answers."""
    coins, key, code = coins_key_and_code(context.design, visit.words)
    if code and visit.code != person_code_text(code, study_fingerprint(context.design)):
        raise CheckFailed("the page shows another code than the one that it drew")
    arm = arm_from_coins(context.design, coins)
    record = disguise(context.design, coins, DISGUISED if arm is None else arm, visit.truth, code)
    if context.survey.invited:
        # The token does not come from these words: it is an invitation, or was drawn as bytes and signed.
        return Envelope(key, record, parse_envelope(visit.requests[-1].body).token)
    # Of the month that is everybody's: of the next one if it has just begun.
    next_month = Envelope(key, record, epoch=newest_epoch(context.now))
    is_next = visit.requests[-1].body == next_month.json
    return next_month if is_next else Envelope(key, record, epoch=epoch_at(context.now))


def coins_key_and_code(design: Design, drawn_words: Iterable[int]) -> tuple[Coins, str, bytes | None]:
    """Splits a page's random words into the coins, the submission key and, for a lasting disguise,
    the person's code."""
    words = RandomWords(32, iter(drawn_words).__next__)
    coins = draw_coins(design, words)
    key = "".join(f"{draw_below(256, words):02x}" for _ in range(16))
    return coins, key, draw_person_code(words) if design.lasting_sections else None


def check_receipt_equals_sent(context: ProofContext) -> Outcome:
    visit = context.visit
    if visit is None:
        return outcome_unchecked(context.why)
    if not visit.is_sent:
        return outcome_held(
            "nothing was sent, so there is no receipt; a proof of a rehearsal of this survey checks it"
        )
    body = visit.requests[-1].body
    if visit.request_shown != body:
        return outcome_failed("the receipt shows another request than the one that left the browser")
    if (
        visit.receipt != expected_request(context, visit).record.json
        or f'"record":{visit.receipt}' not in body
    ):
        return outcome_failed("the receipt shows another record than the one that was sent")
    return outcome_held("the receipt shows the record and the request, letter for letter as they were sent")
