"""The pages of a field device: a browser that is set up for one survey and asks many people without a network.

The device fetches all of them once, and each page is the same for everybody who fetches it: none depends on a cookie or
on the language that a browser asks for.
"""

import json
from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.templatetags.static import static
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext as _

from intake.disclosure.count_and_publish_full_quotas import full_quotas
from intake.endpoint.accept_record import PublicSurvey, find_public_survey
from intake.pages import frame_policy
from intake.pages.field_device_texts import KEEPER_WORDS
from intake.pages.language_negotiation import language_settings
from intake.pages.page_file_hashes import loaded_file_hashes
from intake.pages.page_scripts import page_settings_json
from intake.pages.respondent_views import for_respondents, load_survey_page, page_response
from privacy.designs import Design
from surveys.phrases.languages import SHIPPED
from surveys.phrases.phrase_rendering import PhraseRenderer
from ui.errors import problem_page

FieldView = Callable[[HttpRequest, PublicSurvey], HttpResponse]
APP_SCRIPT = "intake/field/keeper.js"
STORE_WORKER = "intake/field/store_worker.js"
BLIND_WORKER = "intake/field/blind_worker.js"
ICON = "ui/mark.svg"
WORKER_POLICY = "default-src 'none'; script-src 'self'"
"""Content-Security-Policy of a dedicated worker, which imports its modules and fetches nothing."""
SERVICE_WORKER = """// Answers from the one cache that `current` names; what is not in it goes to the network.
const name = "candor-field %(slug)s";
async function answer(request) {
  // What the page fetches anew is the server's.
  if (request.cache === "reload" && request.mode !== "navigate") return fetch(request);
  const entry = await (await caches.open(name)).match("/current");
  const cache = entry && (await caches.open(await entry.text()));
  const key = request.mode === "navigate" ? new URL(request.url).pathname : request;
  return (await cache?.match(key, { ignoreVary: true })) ?? fetch(request);
}
addEventListener("fetch", (event) => {
  if (event.request.method === "GET") event.respondWith(answer(event.request));
});
"""
"""Script of the service worker. It names no file and no version, so it changes only with this program."""


def for_field_devices(view: FieldView) -> Callable[..., HttpResponse]:
    """Decorator: passes the view an opened survey that has field devices; else shows a page that there is none."""

    @wraps(view)
    def wrapped(request: HttpRequest, slug: str) -> HttpResponse:
        public = find_public_survey(slug)
        if public is not None and public.design.has_field_devices:
            return view(request, public)
        return problem_page(
            request,
            404,
            _("No device can be set up at this address"),
            _(
                "This survey has no field devices. Compare the whole address with the set-up link you received."
            ),
        )

    return for_respondents(wrapped)


@for_field_devices
def app(request: HttpRequest, public: PublicSurvey) -> HttpResponse:
    """View: shows the app that sets a device up, hands it to respondents, and lists the waiting records for
    its keeper."""
    address = reverse("intake:field", args=[public.slug])
    page = {
        **_app_settings(public.design, public.slug),
        "workers": {name: _worker_address(public, name) for name in ("service", "store", "blind")},
        "interview": reverse("intake:field-interview", args=[public.slug]),
        "files": [],
    }
    speaker = PhraseRenderer(public.design.languages[0], dict(public.design.phrases))
    context = {
        "design": public.design,
        "script": APP_SCRIPT,
        "manifest": reverse("intake:field-manifest", args=[public.slug]),
        "page_json": "",
    }
    bare = page_response(request, "intake/field/app.html", context, speaker)
    others = [page["interview"], page["workers"]["store"], page["workers"]["blind"]]
    page["files"] = [
        {"path": path, "sha256": digest}
        for path, digest in loaded_file_hashes(bare.content, address, others).items()
    ]
    context["page_json"] = page_settings_json(page)
    response = page_response(request, "intake/field/app.html", context, speaker)
    response["Content-Security-Policy"] = frame_policy.KEEPER
    return response


def _worker_address(public: PublicSurvey, worker: str) -> str:
    return reverse(f"intake:field-{worker}-worker", args=[public.slug])


def _app_settings(design: Design, slug: str) -> dict[str, Any]:
    """Returns the survey's settings for the app, with the texts for the device's keeper in every shipped language."""
    words = {}
    for language in SHIPPED:
        with translation.override(language):
            words[language] = {key: str(text) for key, text in KEEPER_WORDS.items()}
    speakers = [PhraseRenderer(code, dict(design.phrases)) for code in design.languages]
    return {
        "slug": slug,
        "fingerprint": design.fingerprint,
        "width": design.width,
        "token_key": design.token_key,
        "sealing_key": design.sealing_key,
        "title": design.title.as_json(),
        "offered": [
            language_settings(speaker) | {"begin": speaker.say_phrase("field_begin")} for speaker in speakers
        ],
        "language": SHIPPED[0],
        "languages": [language_settings(PhraseRenderer(code)) for code in SHIPPED],
        "words": words,
    }


@for_field_devices
def interview(request: HttpRequest, public: PublicSurvey) -> HttpResponse:
    """View: shows the respondents' page of the survey, for the frame inside the app."""
    page = load_survey_page(public.design, "answer", full_quotas=full_quotas(public), is_field=True)
    response = page_response(request, "intake/answer.html", {"page": page}, page.speaker)
    response["Content-Security-Policy"] = frame_policy.policy_for_sites(frame_policy.PAGE, ["'self'"])
    response["X-Frame-Options"] = "SAMEORIGIN"
    return response


@for_field_devices
def service_worker(request: HttpRequest, public: PublicSurvey) -> HttpResponse:
    return _script_response(
        SERVICE_WORKER % {"slug": public.slug}, frame_policy.policy_for_sites(frame_policy.PAGE)
    )


@for_field_devices
def storage_worker_script(request: HttpRequest, public: PublicSurvey) -> HttpResponse:
    return _script_response(f'import "{static(STORE_WORKER)}";\n', WORKER_POLICY)


@for_field_devices
def blinding_worker_script(request: HttpRequest, public: PublicSurvey) -> HttpResponse:
    return _script_response(f'import "{static(BLIND_WORKER)}";\n', WORKER_POLICY)


def _script_response(text: str, policy: str) -> HttpResponse:
    response = HttpResponse(text, content_type="text/javascript; charset=utf-8")
    response["Content-Security-Policy"] = policy
    return response


@for_field_devices
def manifest(request: HttpRequest, public: PublicSurvey) -> HttpResponse:
    """View: returns the web app manifest, which a home screen shows."""
    address = reverse("intake:field", args=[public.slug])
    title = next(iter(public.design.title.as_json().values()), "Candor")
    content = {
        "name": title,
        "short_name": title[:12],
        "start_url": address,
        "scope": address,
        "display": "standalone",
        "background_color": "#f8f5ed",
        "theme_color": "#f8f5ed",
        "icons": [{"src": static(ICON), "sizes": "any", "type": "image/svg+xml"}],
    }
    return HttpResponse(json.dumps(content), content_type="application/manifest+json")
