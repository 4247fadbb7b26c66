"""The receipt, what can be saved with it, and the page that checks it later."""

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import TRUTH, Asked, Respondent, Visit, inbox, wait_for_receipt_heading
from tests.privacy.conftest import MODULES, ROOT
from tests.product import Product

pytestmark = [pytest.mark.browser, pytest.mark.night(smaller="browser/test_journeys.py")]


def save_download(page: Page, button: str, folder: Path) -> Path:
    with page.expect_download() as download:
        page.get_by_role("button", name=button).click()
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    return path


def test_saved_receipt_can_be_checked(
    visit: Visit, product: Product, tmp_path: Path, fourteen: Asked
) -> None:
    page = visit().go(fourteen.address)
    respondent = Respondent(page)
    respondent.deliver(dict.fromkeys(range(14), 1))
    # Only the receipt itself is unfolded, by `arrived`.
    expect(page.locator("#screen details[open]")).to_have_count(1)
    expect(page.locator("#screen details[open] details[open]")).to_have_count(0)
    expect(page.locator("#screen pre:visible")).to_have_count(0)
    shown = page.locator("#screen .record:visible tbody tr")
    expect(shown).to_have_count(12)
    assert not [text for text in shown.all_inner_texts() if "not asked" in text]
    assert shown.first.inner_text().startswith("How old are you?")
    # Never an answer in one column and a mark in another; what does not apply has none.
    says = shown.locator("td:nth-child(2)").evaluate_all(
        "cells => cells.map(cell => [cell.querySelector('.mark')?.className ?? '', cell.innerText.trim()])"
    )
    marked = {"mark disguised": ", perhaps drawn at random", "mark plain": " not disguised"}
    ends = marked | {"": "does not apply"}
    assert [text for sign, text in says if not text.endswith(ends[sign])] == []
    assert {sign for sign, _text in says} == set(ends)
    page.get_by_text("Not asked: 2").click()
    unasked = page.locator("#screen details details[open] tbody tr")
    assert ["not asked" in text for text in unasked.all_inner_texts()] == [True, True]
    page.get_by_text("The record as text").click()
    assert json.loads(page.locator("#screen pre:visible").inner_text()) == respondent.receipt()
    expect(page.get_by_text("A random draw may have changed each answer")).to_be_visible()
    receipt, design = (
        save_download(page, "Save the receipt", tmp_path),
        save_download(page, "Save the design", tmp_path),
    )
    assert json.loads(receipt.read_text()) == respondent.receipt()
    # Neither key nor invitation.
    assert set(respondent.receipt()) == {"design", "group", "answers"}
    assert receipt.read_text() == page.locator("pre.bytes").first.text_content()
    assert inbox(product, fourteen) == [f"1{respondent.receipt()['answers']}"]
    visitor = visit()
    page = visitor.go("/a/receipt")
    page.wait_for_load_state("networkidle")
    page.context.set_offline(True)
    assert receipt_verdict(page, receipt, design) == "This is a possible record of the design."
    visitor.check()
    expect(page.locator("tbody tr")).to_have_count(14)


def test_thanks_come_first_and_codes_are_folded(visit: Visit, short: Asked) -> None:
    page = visit().go(short.address)
    Respondent(page).send(TRUTH)
    wait_for_receipt_heading(page)
    expect(page.get_by_text("Done. You can close this page.")).to_be_in_viewport()
    codes = page.get_by_text("These codes are exactly what was sent.")
    expect(codes).to_be_hidden()
    page.get_by_text("What was sent", exact=True).click()
    expect(codes).to_be_visible()


def test_receipt_hash_is_of_the_modules_in_use(visit: Visit, tmp_path: Path, fourteen: Asked) -> None:
    """The hash is of what the browser loads: of every module that disguises, in the order of the links."""
    page = visit().go(fourteen.address)
    page.get_by_text("Check this for yourself (technical)").locator("visible=true").click()
    assert save_download(page, "Save the design", tmp_path).read_bytes() == fourteen.design.canonical.encode()
    links = page.get_by_role("link", name="privacy/").locator("visible=true")
    addresses = links.evaluate_all("links => links.map(link => link.href)")
    served = [page.evaluate("async url => await (await fetch(url)).text()", url) for url in addresses]
    digest = sha256("".join(served).encode()).hexdigest()
    expect(page.get_by_text(digest).locator("visible=true")).to_have_count(1)
    assert served == [(ROOT / "privacy" / "static" / name).read_text() for name in links.all_inner_texts()]
    loaded = page.evaluate("performance.getEntriesByType('resource').map(e => e.name)")
    assert {name for name in loaded if "/privacy/" in name} == set(addresses)
    # A page inside a tool alone loads handed.js.
    assert len(addresses) == len(MODULES) - 1


def receipt_verdict(page: Page, receipt: Path, design: Path) -> str:
    page.set_input_files("#receipt", receipt)
    page.set_input_files("#design", design)
    result = page.locator("[role=status] .notice strong")
    result.wait_for()
    return result.inner_text()


IMPOSSIBLE: dict[str, dict[str, Any]] = {
    "fingerprint of another design": {"design": "0" * 64},
    "names no known group": {"group": 7},
    "codes do not fit": {"answers": "9" * 14},
    "more or fewer questions than are drawn": {"answers": "0" * 14},
    "does not apply, or the reverse": {"answers": "01" + "0" * 8 + "0022"},
}


def test_impossible_receipts_are_refused(visit: Visit, tmp_path: Path, fourteen: Asked) -> None:
    record = {"design": fourteen.design.fingerprint, "group": 1, "answers": "00" + "0" * 8 + "0022"}
    good, design = tmp_path / "good.json", tmp_path / "design.json"
    good.write_text(json.dumps(record))
    design.write_text(fourteen.design.canonical)
    page = visit().go("/a/receipt")
    assert receipt_verdict(page, good, design) == "This is a possible record of the design."
    for reason, change in IMPOSSIBLE.items():
        bad = tmp_path / f"{reason}.json"
        bad.write_text(json.dumps(record | change))
        page.set_input_files("#receipt", bad)
        page.get_by_text(reason).wait_for()
    rubbish, result = tmp_path / "rubbish.json", page.locator("[role=status] .notice strong")
    page.set_input_files("#receipt", good)
    for text in (b"\xff", b"", b"null", b"[]", b'"x"', b"{}", b'{"answers": 3}'):
        rubbish.write_bytes(text)
        for field, right in (("#receipt", good), ("#design", design)):
            expect(result).to_have_text("This is a possible record of the design.")
            page.set_input_files(field, rubbish)
            expect(result).to_have_text("This is not a record of that design.")
            page.set_input_files(field, right)
