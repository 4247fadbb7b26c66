"""The folder of a survey whose page another host serves, or that stands inside a tool: everything that a web server of
files needs, and nothing that depends on the moment or on this site.

The same design, on the same version of Candor with the same earlier surveys, gives the same bytes.
"""

import re
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from urllib.parse import urljoin
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from django.conf import settings
from django.template.loader import render_to_string
from django.templatetags.static import static
from django.urls import reverse
from django.utils import translation
from django.utils.safestring import SafeString, mark_safe

from intake.hosted import check_page
from intake.hosted.check_page import DESIGN, PAGE, SUMS
from intake.pages.frame_policy import hosted_policy
from intake.pages.page_file_hashes import IMPORTED, loaded_files, served_content
from intake.pages.page_scripts import disguise_module_names
from intake.pages.respondent_views import receipt_context
from intake.pages.survey_page import SurveyPage
from privacy.designs import Design

RECEIPT, README = "receipt.html", "README.txt"
FIRST_SCRIPT = "intake/elsewhere.js"
LOADED = re.compile(
    r'<(?:script(?: type="module")? src|link rel="(?:stylesheet|modulepreload)" href)="\./([^"]+)"'
)
"""Pattern of the elements whose files the browser checks by a digest (SRI)."""
FIRST_MODULE = '<link rel="modulepreload"'
EARLIEST = (1980, 1, 1, 0, 0, 0)

Folder = Mapping[str, bytes]
"""The files of a folder by name."""


@dataclass(frozen=True)
class HostedFrame:
    """What the frame of a page needs if another host serves it: the script that is written into it, and its policy.

    `host`: the only origin at which the page may be answered; empty inside a tool, where any origin will do.
    """

    host: str
    fingerprint: str
    policy: str
    first_script: SafeString


def hosted_folder(page: SurveyPage) -> dict[str, bytes]:
    """Returns the files of the folder by name; the page's design names the host or the tools."""
    design = page.design
    with translation.override("en"):
        frame = _frame(design)
        answer = _render("intake/answer.html", frame, {"page": page, "speaker": page.speaker})
        receipt = _render("intake/receipt.html", frame, receipt_context("en"))
        modules = [static(name) for name in disguise_module_names()]
        loaded = loaded_files(answer.encode(), "/", modules) | loaded_files(receipt.encode(), "/")
        files = {_name_in_folder(path): content for path, content in loaded.items()}
        files |= {
            PAGE: _with_integrity(_relative(answer), files).encode(),
            RECEIPT: _with_integrity(_relative(receipt), files).encode(),
            DESIGN: design.canonical.encode(),
            Path(check_page.__file__).name: Path(check_page.__file__).read_bytes(),
        }
        ancestors = " ".join(design.inside) or "'none'"
        words = {"design": design, "fingerprint": design.fingerprint, "ancestors": ancestors}
        files[README] = render_to_string("intake/hosted/readme.txt", words).encode()
    return files | {SUMS: sums_text(files).encode()}


def sums_text(files: Folder) -> str:
    """Returns the list of files as `sha256sum` writes it."""
    return "".join(f"{sha256(files[name]).hexdigest()}  {name}\n" for name in sorted(files) if name != SUMS)


def folder_digest(files: Folder) -> str:
    """Returns the SHA-256 of the list of files, which names the digest of each."""
    return sha256(files[SUMS]).hexdigest()


def zip_folder(files: Folder) -> bytes:
    buffer = BytesIO()
    with ZipFile(buffer, "w", ZIP_DEFLATED) as archive:
        for name in sorted(files):
            entry = ZipInfo(name, EARLIEST)
            entry.compress_type, entry.external_attr = ZIP_DEFLATED, 0o644 << 16
            archive.writestr(entry, files[name])
    return buffer.getvalue()


def unzip_folder(content: bytes) -> dict[str, bytes]:
    with ZipFile(BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def _frame(design: Design) -> HostedFrame:
    assert design.asked_at
    # No comment of ours ends the element; the shortened script is served under its own name, too.
    script = served_content(static(FIRST_SCRIPT)).decode()
    policy = hosted_policy(_sha256_base64(script.encode()), design.asked_at.record or "'none'")
    return HostedFrame(design.host, design.fingerprint, policy, mark_safe(script))  # noqa: S308 - our own file


def _render(template: str, frame: HostedFrame, context: Mapping[str, object]) -> str:
    return render_to_string(template, {**context, "hosted": frame})


def _name_in_folder(path: str) -> str:
    """Returns the name that a file at an address of this site has in the folder."""
    return path.removeprefix(reverse("intake:receipt").removesuffix("receipt")).lstrip("/")


def _relative(html: str) -> str:
    """Returns the page with its addresses on this site as addresses in the folder."""
    answers = reverse("intake:receipt").removesuffix("receipt")
    html = html.replace(f'"{reverse("intake:receipt")}"', f'"./{RECEIPT}"')
    html = html.replace(f'"{settings.STATIC_URL}', f'".{settings.STATIC_URL}')
    return html.replace(f'"{answers}', '"./')


def _with_integrity(html: str, files: Folder) -> str:
    """Returns the page with the digest of each file beside its address, those that modules import included."""
    named = set(LOADED.findall(html))
    waiting, imported = [name for name in named if name.endswith(".js")], list[str]()
    while waiting:
        name = waiting.pop()
        others = [urljoin(f"/{name}", other.decode()).lstrip("/") for other in IMPORTED.findall(files[name])]
        more = [other for other in others if other not in named and other not in imported]
        imported += more
        waiting += more
    links = "".join(f'<link rel="modulepreload" href="./{name}">\n  ' for name in sorted(set(imported)))
    at = html.find(FIRST_MODULE)
    at = html.index('<script type="module"') if at < 0 else at
    html = html[:at] + links + html[at:]
    return LOADED.sub(lambda match: f'{match[0]} integrity="sha256-{_sha256_base64(files[match[1]])}"', html)


def _sha256_base64(content: bytes) -> str:
    return b64encode(sha256(content).digest()).decode()
