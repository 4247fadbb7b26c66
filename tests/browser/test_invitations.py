"""A questionnaire from a file, people invited to it, and its record files."""

import json
import re
from collections.abc import Iterator
from email import message_from_bytes, policy
from pathlib import Path
from zipfile import ZipFile

import pytest
from playwright.sync_api import Page, Route, expect

from importing import xlsform
from surveys.kinds.read_draft import read_questionnaire
from tests.browser.conftest import Visit
from tests.browser.visiting import Visitor, attach, collect_requests, download, shell
from tests.importing.flow.made_files import HEADER, form
from tests.product import Product, product as start_product
from tests.surveys.drafts import bilingual

pytestmark = [pytest.mark.browser, pytest.mark.night(smaller="browser/test_journeys.py")]
OPENED = """
surveys = {
    "draft": Survey.objects.create(owner=robin, draft=drafts.bilingual()),
    "bilingual": opened(draft=drafts.bilingual()),
    "open": opened(draft=drafts.complete()),
    "invited": opened(draft=drafts.complete(), invited=True),
}
print(json.dumps({name: f"/app/surveys/{survey.pk}" for name, survey in surveys.items()}))
"""
SEALED = """
import numpy as np
from surveys.lifecycle import reviewer_approvals
from privacy.records.batch_bit_columns import pack_batch
from intake.models import Batch
survey = Survey.objects.get(pk=%d)
design = survey.design.content
# Every other person answered openly.
answers = np.random.default_rng(1).integers(0, 2, (len(design.questions), 100), np.uint8)
columns = pack_batch(design, np.tile(np.array([0, 1], np.uint8), 50), answers)
Batch.objects.create(survey=survey, first=1, last=1, n=100, columns=columns)
reviewer_approvals.decide_approval(survey, Person.objects.get(username="demo-reviewer"), "records", survey.design_id,
    allow=True, reason="For the analysis plan.", now=timezone.now())
"""


@pytest.fixture(scope="module")
def letters_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("letters")


@pytest.fixture(scope="module")
def product(tmp_path_factory: pytest.TempPathFactory, letters_folder: Path) -> Iterator[Product]:
    """The product with a mail server that puts every letter into a folder."""
    with start_product(tmp_path_factory.mktemp("product"), MAIL_URL=f"file://{letters_folder}") as running:
        yield running


@pytest.fixture(scope="module")
def surveys(product: Product) -> dict[str, str]:
    """The addresses of a draft and of open surveys: with an open address, by invitation."""
    made: dict[str, str] = json.loads(shell(product, OPENED))
    return made


def send(page: Page, said: str) -> None:
    page.get_by_role("button", name="Send", exact=True).click()
    expect(page.get_by_text(said)).to_be_visible()


def test_questionnaire_is_imported_and_exported_as_files(robin: Visitor) -> None:
    page = robin.go_and_check("/app/surveys/import")
    attach(page, "wrong.xlsx", form(["text", "why", "Why?"], ["geopoint", "home", "Where?"]))
    page.click("main form .primary")
    expect(page.get_by_text("sheet survey, row 3")).to_be_visible()
    robin.check()
    attach(page, "right.xlsx", xlsform.write(read_questionnaire(bilingual())))
    page.click("main form .primary")
    page.get_by_role("button", name="Accept: make the draft").click()
    page.wait_for_url(re.compile(r"/app/surveys/\d+/edit"))
    page.goto(page.url.replace("/edit", "/export"))
    robin.check()
    file = download(page.locator("text=Download XLSForm").first)
    assert xlsform.read(file.read_bytes()).draft["title"]["zh-hans"] == "工作与健康"


def test_open_link_has_a_qr_code_and_a_poster(visit: Visit, surveys: dict[str, str]) -> None:
    visitor, survey = visit("researcher"), surveys["bilingual"]
    page = visitor.go_and_check(f"{surveys['draft']}/invitations")
    visitor.go_and_check(f"{surveys['invited']}/invitations")
    visitor.go_and_check(f"{survey}/invitations")
    address = page.input_value("#link")
    visitor.go_and_check(f"{survey}/invitations/poster")
    assert address in page.inner_text(".sheet-address")
    page.emulate_media(media="print")
    # More words than usual make the code smaller, and no second sheet.
    lengthen = "why => { why.textContent = 'To learn how common theft is. '.repeat(8) }"
    page.locator(".sheet-why").first.evaluate(lengthen)
    for paper in ("A4", "Letter"):
        printed = page.pdf(format=paper, print_background=True)
        assert len(re.findall(rb"/Type\s*/Page\b", printed)) == 1, paper


def test_a_long_list_goes_out_in_parts_and_stays_in_the_browser(
    robin: Visitor, product: Product, letters_folder: Path, surveys: dict[str, str]
) -> None:
    page = robin.go_and_check(f"{surveys['invited']}/invitations/mail")
    field = page.locator("#id_addresses")
    field.fill("a1@example.org")
    send(page, "The list is too short")
    people = [f"a{number}@example.org" for number in range(119)]
    field.fill("\n".join([*people[:60], "nobody at home", "A3@example.org", *people[60:]]))
    requests = collect_requests(page)
    send(page, "Emails sent: 119 of 120")
    robin.check()
    assert [request.method for request in requests].count("POST") == 3
    wrong = ["61", "nobody at home", "This is not an email address."]
    assert page.locator("[data-outcome] td").all_inner_texts() == wrong
    assert field.input_value() == "nobody at home"
    field.fill("nobody@example.org")
    send(page, "Emails sent: 1 of 1")
    field.fill("another@example.org")
    send(page, "The list is too short")
    everybody = [message_from_bytes(each, policy=policy.default) for each in letter_parts(letters_folder)]
    sent = [letter for letter in everybody if str(letter["To"]) in people]
    assert len(sent) == 119
    assert {str(letter["To"]) for letter in sent} == set(people)
    links = [re.search(r"http://\S+#([0-9a-f]{32})", letter.get_content()) for letter in sent]
    tokens = {link[1] for link in links if link}
    assert len(tokens) == 119
    kept = b"".join(path.read_bytes() for path in product.var.glob("*.sqlite3*")) + product.logs().encode()
    assert b"intake_token" in kept
    assert not [each for each in [*people, *tokens] if each.encode() in kept]


def test_after_a_network_failure_the_unsent_rest_stays_listed(visit: Visit, surveys: dict[str, str]) -> None:
    visitor = visit("researcher")
    page = visitor.go(f"{surveys['open']}/invitations/mail")
    people = [f"c{number}@example.org" for number in range(120)]
    page.fill("#id_addresses", "\n".join(people))
    parts: list[Route] = []

    def abort_second_part(route: Route) -> None:
        parts.append(route)
        if len(parts) == 2:
            route.abort()
        else:
            route.continue_()

    page.route("**/invitations/mail", abort_second_part)
    send(page, "Emails sent: 50 of 120")
    expect(page.get_by_text("nobody knows whether the emails were sent")).to_be_visible()
    assert page.locator("[data-outcome] li").all_inner_texts() == people[50:100]
    assert page.input_value("#id_addresses").splitlines() == people[100:]
    assert len(parts) == 2
    visitor.check()
    page.click("text=Put them back into the list")
    assert page.input_value("#id_addresses").splitlines() == people[100:] + people[50:100]
    expect(page.get_by_text("nobody knows whether the emails were sent")).to_have_count(0)
    send(page, "Emails sent: 70 of 70")


def test_rest_of_the_list_stays_when_the_mail_server_pauses(robin: Visitor, surveys: dict[str, str]) -> None:
    page = robin.go(f"{surveys['open']}/invitations/mail")
    people = [f"d{number}@example.org" for number in range(120)]
    page.fill("#id_addresses", "\n".join(people))
    words = "The email server takes no more emails for now (421)."
    put_off = "The email server takes it later (450)."
    receipts = [[position, f"{position:032x}"] for position in range(1, 21)]
    failed = [{"position": 3, "reason": put_off}]
    answer = {"sent": 19, "failed": failed, "sitting": "", "receipts": receipts, "pause": words}
    parts: list[Route] = []

    def pauses(route: Route) -> None:
        parts.append(route)
        route.fulfill(json=answer)

    page.route("**/invitations/mail", pauses)
    send(page, "Emails sent: 19 of 120")
    expect(page.get_by_text(f"{words} Emails not yet sent are left in the list.")).to_be_visible()
    expect(page.get_by_text(put_off)).to_be_visible()
    assert page.input_value("#id_addresses").splitlines() == [people[2], *people[20:]]
    assert len(parts) == 1
    robin.check()


def letter_parts(letters: Path) -> list[bytes]:
    parts = (part.strip() for path in letters.iterdir() for part in path.read_bytes().split(b"-" * 79))
    return [*filter(None, parts)]


def test_record_files_include_a_codebook(visit: Visit, product: Product, surveys: dict[str, str]) -> None:
    visitor, survey = visit("researcher"), surveys["open"]
    page = visitor.go_and_check(f"{survey}/records")
    shell(product, SEALED % int(survey.rpartition("/")[2]))
    page.reload()
    visitor.check()
    with ZipFile(download(page.locator("main form .primary").first)) as bundle:
        # Of open people no record leaves before the survey is finished.
        assert len(bundle.read("records.csv").splitlines()) == 51
        assert "P(S) = " in bundle.read("codebook.md").decode()
        assert json.loads(bundle.read("design.json"))["format"] == "candor-design/1"


CHOICES = [
    ["list_name", "name", "label::English (en)", "label::العربية"],
    ["ages", "young", "18 to 39", "١٨–٣٩"],
    ["ages", "old", "40 or older", "٤٠"],
    ["yes_no", "yes", "Yes", "نعم"],
    ["yes_no", "no", "No", "لا"],
]
FORM = form(
    ["start", "start"],
    ["begin_group", "g", "**About** you"],
    ["select_one ages", "age", "How old are you?", "yes"],
    ["end_group"],
    ["select_one yes_no", "theft", "Have you ever taken something from work?", "yes", "${age} = 'old'"],
    ["select_one yes_no", "fit", "Do you feel fit?", "yes", "${age} > 3"],
    ["text", "why", "Why is that, in your own words?"],
    header=[*HEADER, "label::العربية"],
    choices=CHOICES,
)


def test_imported_form_is_read_through_and_accepted_by_keyboard(robin: Visitor) -> None:
    page = robin.go("/app/surveys/import")
    attach(page, "form.xlsx", FORM)
    page.locator("main form .primary").press("Enter")
    expect(page.get_by_role("heading", name="Read the import through")).to_be_visible()
    expect(page.get_by_text("Candor keeps nothing of that")).to_be_visible()
    expect(page.get_by_text("Its markup was turned into plain text.")).to_be_visible()
    robin.check()
    expect(page.get_by_role("checkbox", name="not disguised: How old are you?")).to_be_visible()
    page.get_by_role("checkbox", name="All of them may be sent as they are; none is sensitive").press("Space")
    page.get_by_role("button", name="Accept: make the draft").press("Enter")
    page.wait_for_url(re.compile(r"/app/surveys/\d+/edit"))
    expect(page.get_by_text("The questionnaire is there, as a draft of yours.")).to_be_visible()
    expect(page.get_by_text("Have you ever taken something from work?").first).to_be_visible()
