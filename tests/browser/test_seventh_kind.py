"""The seventh kind on the respondents' page of the whole product, in a browser: asked, disguised, sent, checked."""

import json
import re
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest

from tests.browser.conftest import Respondent, Visit, fix_words
from tests.browser.test_answering_receipt import receipt_verdict, save_download
from tests.browser.visiting import shell
from tests.privacy.questionnaires import WORK, plain
from tests.product import Product, product as start_product
from tests.seventh.conftest import forced_section

pytestmark = [pytest.mark.browser, pytest.mark.night(smaller="browser/test_journeys.py")]
SECTIONS = [plain(WORK), forced_section(text="Have you stolen?")]
DESIGN = {"format": "candor-design/1", "title": {"en": "Work"}, "sections": SECTIONS}
MAKE = """
from tests.intake import asked
print(asked.survey(parse_design(json.dumps(%r))).address)
"""


@pytest.fixture(scope="session")
def product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    var = tmp_path_factory.mktemp("seventh")
    with start_product(var, DJANGO_SETTINGS_MODULE="tests.seventh.settings") as running:
        yield running


def test_forced_response_question_is_asked_sent_and_its_receipt_checked(
    visit: Visit, product: Product, tmp_path: Path
) -> None:
    """The keep coin is 9,999 of 10,000, so that the answer coin's yes goes out for a no."""
    address = shell(product, MAKE % DESIGN)
    visitor = visit()
    fix_words(visitor.page, [9_999, 1])
    page = visitor.go(address)
    listed = dict.fromkeys(re.findall(r'href="(/static/privacy/[^"]+)" target', page.content()))
    assert sum("kinds/forced." in name for name in listed) == 1
    source = "".join(product.ask("GET", name).text for name in listed)
    assert f'<code class="hash">{sha256(source.encode()).hexdigest()}</code>' in page.content()
    assert "(60 %)" in page.content()
    respondent = Respondent(page)
    *asked, _check = respondent.screens({0: 1, 1: 0})
    assert "Have you stolen?" in asked[1]
    assert "No" in page.locator(".summary > div").all_inner_texts()[1]
    respondent.deliver()
    record = respondent.receipt()
    assert (record["group"], record["answers"]) == (1, "11")
    receipt, design = (
        save_download(page, "Save the receipt", tmp_path),
        save_download(page, "Save the design", tmp_path),
    )
    assert json.loads(Path(design).read_text())["sections"][1]["kind"] == "forced"
    page = visit().go("/a/receipt")
    assert receipt_verdict(page, receipt, design) == "This is a possible record of the design."
