"""Checks of the served site: the survey page, the modules that disguise, other scripts, headers
and the clock."""

import re
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, timedelta
from email.utils import parsedate_to_datetime
from hashlib import sha256
from pathlib import Path

from django.test import RequestFactory

from config.javascript_bundler import ComposingError, composed_script
from config.static_files import is_page_script, shorten_script
from intake.pages.page_scripts import disguise_module_names, page_scripts_by_name
from intake.pages.respondent_views import survey as survey_view
from jobs import database
from proof.hosted_page import frozen_page_differences
from proof.models import Proof
from proof.outcome import Outcome, outcome_failed, outcome_held, outcome_unchecked
from proof.proof_context import COMPOSER, ProofContext
from proof.script_tokens import without_comments
from proof.site_client import ENCODINGS, FolderSite
from surveys.lifecycle.reviewer_approvals import approval_status
from surveys.phrases.own_wording import own_protection_sentences, texts_with_kind_words

DEVICE_SCRIPT = f"{COMPOSER}.js"
FIRST_SCRIPT = "intake/elsewhere.js"
SLOW = timedelta(minutes=2)
HASHED = re.compile(r"\.[0-9a-f]{12}(?=\.(?:js|css)\b)")
"""Pattern of the hash in the names of static files."""
STATIC_ROOTS = ("privacy/static", "intake/static", "static")

# --- what is served ---


def check_served_survey(context: ProofContext) -> Outcome:
    page = context.page
    shown = page.page_settings.get("fingerprint")
    if shown != context.design.fingerprint:
        return outcome_failed(
            f"another survey or another build answers there: it shows the fingerprint {shown}"
        )
    if page.page_settings.get("record") != context.record_address:
        return outcome_failed(f"the page sends records to {page.page_settings.get('record')}")
    if unlisted := set(disguise_module_names()) ^ set(page.modules):
        return outcome_failed(f"another build answers there: it differs in {', '.join(sorted(unlisted))}")
    return outcome_held(f"{context.page_site.address}{context.page_path} serves this survey")


def check_fingerprint(context: ProofContext) -> Outcome:
    """Checks that the design on the page, the fingerprint that it shows and the frozen design are the same.

    The frozen design's stored row is checked by its hash when it is read.
    """
    page = context.page
    served = sha256(page.design.encode()).hexdigest()
    frozen = context.design.fingerprint
    if context.survey.design_id != frozen or page.fingerprints != {frozen} or served != frozen:
        return outcome_failed(
            "the design on the page, the fingerprint that it shows, and the frozen design differ"
        )
    return outcome_held(f"the design on the page has the fingerprint {frozen}, which was frozen at opening")


def check_page_as_rendered(context: ProofContext) -> Outcome:
    """Checks that the served page is, letter for letter, what this program renders from the frozen design, or that the
    host serves every file of it as it was frozen."""
    if context.host:
        differences = frozen_page_differences(
            context.host, context.host_path, context.folder, context.design.host
        )
        if differences:
            return outcome_failed("; ".join(difference.sentence for difference in differences))
        return outcome_held(
            f"{context.host.address} serves each of {len(context.folder)} files as it was frozen"
        )
    request = RequestFactory().get(context.path)
    bodies = survey_view(request, context.survey.slug).content, context.page.answer.body
    ours, served = (HASHED.sub("", body.decode(errors="replace")).splitlines() for body in bodies)
    for number, (our_line, line) in enumerate(zip(ours, served, strict=False), 1):
        if our_line != line:
            return outcome_failed(
                f"line {number} of the page differs from what this program makes: {line[:160]!r}"
            )
    if len(ours) != len(served):
        return outcome_failed("the page has other lines than this program makes")
    if inline := [*context.page.inline, *("script" for _script in context.page.inline_scripts)]:
        return outcome_failed(f"the page has code or styles in its markup: {', '.join(inline)}")
    return outcome_held("each promise on the page is what this program says of the frozen design")


def check_words_of_protection(context: ProofContext) -> Outcome:
    """Names what the design says of the protection in other words than Candor's: a reviewer must have approved it, and
    no program can check what it means."""
    own = [f"{one.key} ({one.language})" for one in own_protection_sentences(context.design)]
    kind_words = [path for path, _language in texts_with_kind_words(context.design)]
    if not (own or kind_words):
        return outcome_held("every sentence about the protection is Candor's own")
    seen = (
        f"sentences about the protection that are not Candor's: {', '.join(own) or 'none'}; "
        f"texts with a word for the kind of a question: {', '.join(kind_words) or 'none'}"
    )
    status = approval_status(context.survey, "weak", context.design.fingerprint)
    if status.allowed and not status.is_rehearsal:
        return outcome_unchecked(f"a reviewer approved these words, not what they mean: {seen}")
    return outcome_failed(f"no reviewer approved these words: {seen}")


def check_modules_match_shown_hash(context: ProofContext) -> Outcome:
    digest = context.modules_digest
    if context.page.module_hashes != {digest}:
        return outcome_failed(
            f"the modules as served have the hash {digest}; the page shows {_join_names(context.page.module_hashes)}"
        )
    for name, path in context.page.modules.items():
        bodies = {encoding: context.page_site.get(path, encoding).body for encoding in ENCODINGS}
        if other := [encoding for encoding, body in bodies.items() if body != context.modules[name]]:
            return outcome_failed(f"{name} has other bytes where it is packed as {', '.join(other)}")
    return outcome_held(f"{len(context.modules)} modules have the hash {digest}, packed or not")


def check_script_composed_of_modules(context: ProofContext) -> Outcome:
    """Checks that the script that disguises is composed of exactly the modules that the page lists."""

    def read_script(name: str) -> bytes:
        return shorten_script(context.modules.get(name) or _read_from_source(context.source, name) or b"")

    try:
        composed = composed_script(DEVICE_SCRIPT, read_script)
    except ComposingError as error:
        return outcome_failed(f"the modules as served cannot be composed: {error}")
    served = HASHED.sub("", context.scripts[context.composer_path].decode()).encode()
    if served not in (composed, _read_from_source(context.source, DEVICE_SCRIPT)):
        return outcome_failed("what disguises on the page is not composed of the modules that it lists")
    return outcome_held("what disguises on the page is composed of the modules that it lists")


def check_published_source(context: ProofContext) -> Outcome:
    for name, body in context.modules.items():
        if _read_from_source(context.source, name) != body:
            return outcome_failed(f"{name} as served differs from the source in {context.source.name}")
    for path, body in context.scripts.items():
        name = HASHED.sub("", path).rpartition("/static/")[2]
        if name not in context.modules and HASHED.sub("", body.decode()).encode() not in _script_forms(
            context.source, name
        ):
            return outcome_failed(f"{name} as served is not what the source in {context.source.name} gives")
    for script in context.page.inline_scripts:
        if script.encode() not in _script_forms(context.source, FIRST_SCRIPT):
            return outcome_failed(
                f"the script in the page is not what the source in {context.source.name} gives"
            )
    return outcome_held(
        f"{len(context.scripts)} scripts are those of the source in the folder {context.source.name}"
    )


def _read_from_source(source: Path, name: str) -> bytes | None:
    if name in (scripts := page_scripts_by_name()):
        return scripts[name].encode()
    files = [source / root / name for root in STATIC_ROOTS]
    return next((file.read_bytes() for file in files if file.is_file()), None)


def _script_forms(source: Path, name: str) -> Iterator[bytes]:
    """Yields the bytes that a served script may have: as written, shortened, and composed of its modules."""
    raw = _read_from_source(source, name)
    if raw is None:
        return
    yield raw
    yield shorten_script(raw)
    if is_page_script(name):
        try:
            yield composed_script(name, lambda part: shorten_script(_read_from_source(source, part) or b""))
        except ComposingError:
            return


# --- what the scripts may do ---

FORBIDDEN = re.compile(
    r"XMLHttpRequest|sendBeacon|WebSocket|WebTransport|EventSource|RTC\w+|importScripts|Worker\b|\baddModule\b"
    r"|indexedDB|\bcaches\b|document\s*\.\s*cookie|\bImage\b|\beval\b|\bFunction\b|Math\s*\.\s*random"
    r"|Math\s*\[|globalThis|fetchLater|\bping\b|https?://(?!www\.w3\.org/|\")"
    # other windows, and other pages in this one
    r"|(?:Broadcast|Message)Channel|\b(?:requestS|s)ubmit\b|\bopen\s*(?:\?\.\s*)?\(|\bdefaultView\b"
    r"|(?<![\".\w$])(?:window|self|frames|parent|opener|navigation)\b(?!\s*:)|\btop\s*\.|(?m:^|[;{})])\s*name\s*=(?![=>])"
    r"|\blocation\b(?!\s*\.\s*(?:hash|host|hostname|href|origin|pathname|protocol|reload|search)\b"
    r"(?!\s*[-+*/%&|^?<>]*=(?!=)))"
)
ALLOWED = re.compile(
    r"\btypeof window ?(?:<|!==) ?\"u|\bwindow\.top !== window\)"
    r"|\bwindow\.(?:addEventListener|removeEventListener|performance|orientation|crypto|msCrypto|console)\b"
    r"|location\.replace\(to && navigator\.onLine \? to : NEUTRAL\)"
)
"""Code that asks whether another page shows this one, harmless parts of the page's own window, and code that leaves for
the page that the design names."""
HANDING = re.compile(r"\bparent(?=\.postMessage\()|\bsource === parent\b")
"""The window around a page that hands its record to a tool, which gets the message and alone answers it."""
FETCH = re.compile(r"\bfetch\s*\(\s*\w+, (?:options\)|\{\s*method: \"POST\")")
MANY_FETCHES = re.compile(r"\bfetch\s*(?:[(\[.=]|\?\.)")


def check_network_calls(context: ProofContext) -> Outcome:
    hands_over = bool(context.design.asked_at and context.design.asked_at.inside)
    inline = {
        f"script {i} in the page": text.encode() for i, text in enumerate(context.page.inline_scripts, 1)
    }
    if complaint := forbidden_call(context.scripts | inline, context.composer_path, hands_over=hands_over):
        return outcome_failed(complaint)
    if outside := [link for link in context.page.loaded if link[:1] != "/" or link[:2] == "//"]:
        return outcome_failed(f"the page loads something from elsewhere: {', '.join(outside)}")
    sent = "the exchange of the invitation and the record" if context.design.invitation_key else "the record"
    if hands_over:
        return outcome_held(
            f"of {len(context.scripts)} scripts one hands {sent} to the tool by a message, and nothing else leaves"
        )
    return outcome_held(
        f"of {len(context.scripts)} scripts one sends {sent}, and nothing else is fetched or sent"
    )


def forbidden_call(scripts: Mapping[str, bytes], composer_path: str, *, hands_over: bool) -> str:
    """Returns what scripts of a page do beside sending the record, or an empty string.

    `hands_over`: the page stands inside a tool and hands its record to it, by one `postMessage`.
    """
    fetches = messages = 0
    for path, body in scripts.items():
        code = ALLOWED.sub(" ", without_comments(path, body.decode(errors="replace")))
        if hands_over:
            code = HANDING.sub(" ", code)
        if match := FORBIDDEN.search(code):
            call = match[0].lstrip(";{}) \n")
            return f"{path} holds {call}, by which something else could leave the page"
        allowed = 0 if path == composer_path else len(FETCH.findall(code))
        if len(MANY_FETCHES.findall(code)) != allowed:
            return f"{path} asks the network for something else than to take the record"
        fetches += allowed
        messages += code.count("postMessage")
    if messages != int(hands_over):
        return f"the scripts of the page send messages to other windows in {messages} places, not in {int(hands_over)}"
    if fetches != 2:  # the call, and the network that is handed to it
        return f"the scripts of the page call the network in {fetches} places, not in the two that send the record"
    return ""


# --- headers, and who is told apart ---

PAGE_POLICY = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self' data:",
    "connect-src": "'self'",
    "form-action": "'none'",
    "base-uri": "'none'",
    "require-trusted-types-for": "'script'",
    "trusted-types": "'none'",
}
PAGE_HEADERS = {
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "cross-origin-opener-policy": "same-origin",
}


def check_headers(context: ProofContext) -> Outcome:
    page, sites, host = context.page.answer, context.design.sites, context.host
    expected: Mapping[str, str | None] = PAGE_HEADERS
    framing = {"frame-ancestors": " ".join(sites) or "'none'"}
    if host:
        # A host says in its headers what the markup cannot, and the markup the rest.
        digests = [f"'sha256-{_sha256_base64(script)}'" for script in context.page.inline_scripts]
        own = {"script-src": " ".join(["'self'", *digests]), "connect-src": context.record_address}
        if _directives(context.page.policy) != PAGE_POLICY | own or context.page.before_policy:
            return outcome_failed(
                f"the page has another policy in its markup, or a late one: {context.page.policy}"
            )
        if isinstance(host, FolderSite):
            return outcome_unchecked(
                "the policy in the page is right; a folder has no headers before a host serves it"
            )
        expected_policy = framing
    else:
        # Other sites may show the page if its design names them; the older header knows no list.
        expected = PAGE_HEADERS | {
            "referrer-policy": "no-referrer",
            "x-frame-options": None if sites else "DENY",
        }
        expected_policy = PAGE_POLICY | framing
    if wrong := [name for name, value in expected.items() if page.headers.get(name) != value]:
        return outcome_failed(f"the page has a wrong or no {', '.join(wrong)}")
    policy = page.headers.get("content-security-policy", "")
    if _directives(policy) != expected_policy:
        return outcome_failed(f"the page has another Content-Security-Policy: {policy}")
    if context.page_site.address.startswith("https:") and "strict-transport-security" not in page.headers:
        return outcome_failed("the page does not ask browsers for https")
    module = context.page_site.get(next(iter(context.page.modules.values())))
    if not host and module.headers.get("content-security-policy") != "default-src 'none'":
        return outcome_failed("a module that is opened as a page has no policy")
    answer = context.site.post(f"{context.path}/record", b"{}", Sec_Fetch_Site="same-origin")
    if answer.headers.get("cache-control") != "no-store":
        return outcome_failed("the answer to a record may be stored by a browser")
    if cookies := [
        cookie for response in (page, module, answer) if (cookie := response.headers.get("set-cookie"))
    ]:
        return outcome_failed(f"a cookie is set: {cookies[0].partition('=')[0]}")
    return outcome_held(
        "the policy of the page allows nothing from elsewhere and nothing inline, and no cookie is set"
    )


def _directives(policy: str) -> dict[str, str]:
    parts = [part.strip().partition(" ") for part in policy.split(";")]
    return {name: value for name, _space, value in parts}


def _sha256_base64(text: str) -> str:
    return b64encode(sha256(text.encode()).digest()).decode()


TELLTALE = {
    "Cookie": "{canary}=1",
    "User-Agent": "{canary}",
    "Referer": "https://{canary}.invalid/",
    "X-Forwarded-For": "198.51.100.7",
    "Accept": "text/html, {canary}/1",
}


def check_same_page_for_all(context: ProofContext) -> Outcome:
    canary = context.canary
    telltale = {name: value.format(canary=canary) for name, value in TELLTALE.items()}
    page = context.page.answer.body
    if context.page_site.get(context.page_path, **telltale).body != page:
        return outcome_failed("the page is another one for a browser that says who asks")
    asked = context.page_site.get(f"{context.page_path}?{canary}=1")
    # A host of files cannot redirect; its page drops what follows the ? itself.
    is_dropped = (asked.status, asked.headers.get("location")) == (302, context.path)
    if not (asked.body == page if context.host else is_dropped):
        return outcome_failed("what follows a ? in the link is not dropped")
    answers = [
        context.site.post(f"{context.path}/record", body, Sec_Fetch_Site="same-origin", **telltale)
        for body in (b"{}", f'{{"key":"{canary}"}}'.encode())
    ]
    texts = [str((answer.body, sorted(answer.headers.items()))) for answer in answers]
    if len({len(answer.body) for answer in answers}) > 1 or any(canary in text for text in texts):
        return outcome_failed("answers to a record differ in length, or repeat what was sent")
    return outcome_held("a cookie, an address and the name of a browser change nothing of what is served")


# --- the clock ---


def check_clocks_agree(context: ProofContext) -> Outcome:
    last = Proof.last_for_survey(context.survey.pk)
    if last is not None and last.made > context.now:
        return outcome_failed(
            f"the clock was set back: the last proof is of {last.made:%Y-%m-%d %H:%M}, later than now"
        )
    clocks = {"the database": database.now()}
    if date := context.site.get(context.path).headers.get("date", ""):
        clocks["the site"] = parsedate_to_datetime(date).astimezone(UTC)
    for whose, moment in clocks.items():
        if abs(moment - context.now) > SLOW:
            theirs, ours = (f"{time:%Y-%m-%d %H:%M}" for time in (moment, context.now))
            return outcome_failed(f"the clock of {whose} says {theirs}, and that of this machine {ours}")
    return outcome_held(f"the clocks of this machine, {' and '.join(clocks)} agree")


def _join_names(names: Iterable[str]) -> str:
    return ", ".join(sorted(names)) or "none"
