"""The tab of attacks in a real browser: an upload with a register of people, then the release that is made of it."""

import pytest
from playwright.sync_api import Page, expect

from tests import servers
from tests.browser.conftest import Visit, Visitor
from tests.browser.test_releases import overview, upload
from tests.product import Product
from tests.releases.page_uploads import table

pytestmark = pytest.mark.browser
SPECIFIED = """
import json
from django.utils import timezone
from accounts.models import Person
from releases.specification import specifying
from releases.models import Release
release = Release.objects.get(pk={release})
said = {{
    "format": "candor-release/1", "k": 8, "seconds": 0, "identifiers": ["name"], "sensitive": ["illness"],
    "quasi_identifiers": [
        {{"name": "age", "kind": "number"}},
        {{"name": "education", "kind": "category"}},
        {{"name": "town", "kind": "category"}},
    ],
}}
person = Person.objects.get(username="demo-researcher")
specifying.save_specification(release, person, json.dumps(said), timezone.now())
"""


def attack(visitor: Visitor, button: str, register: bytes) -> Page:
    page = visitor.page
    page.set_input_files(
        "input[type=file]", {"name": "register.csv", "mimeType": "text/csv", "buffer": register}
    )
    page.get_by_role("button", name=button).click()
    return page


@pytest.mark.page
def test_people_of_a_register_are_found_in_an_upload_and_not_in_the_release_of_it(
    visit: Visit, product: Product
) -> None:
    register = b"".join(line.rsplit(b",", 1)[0] + b"\n" for line in table(40).splitlines())
    robin, ruth = visit("researcher"), visit("reviewer")
    page = robin.go("/releases/new")
    # The same table as another test's would count as released before.
    upload(page, 420)
    address = overview(page)
    servers.manage(
        product.env, "shell", "--verbosity=0", "-c", SPECIFIED.format(release=address.split("/")[-2])
    )
    page.goto(f"{address}attacks")
    expect(page.get_by_role("heading", name="as it is?")).to_be_visible()
    robin.check()
    robin.shoot("attacks-upload-empty")
    attack(robin, "Attack this table", register)
    expect(page.get_by_text("of the 40 people in the register are found: person")).to_be_visible()
    robin.check()
    robin.shoot("attacks-upload")
    page.goto(address)
    page.get_by_role("button", name="Make table").click()
    expect(page.get_by_text("A reviewer decides next")).to_be_visible()
    theirs = ruth.go(f"{address.removeprefix(product.url)}attacks")
    expect(theirs.get_by_text("classes keep the criteria.")).to_be_visible()
    ruth.check()
    ruth.shoot("attacks-release")
    attack(ruth, "Look for these people", b"name,age\nAda,thirty\n")
    expect(theirs.get_by_text("register.csv:2: age: this cannot be read.")).to_be_visible()
    ruth.check()
    ruth.shoot("attacks-refused")
    attack(ruth, "Look for these people", register)
    expect(theirs.get_by_text("None of the 40 people in the register is found.")).to_be_visible()
    ruth.check()
    ruth.shoot("attacks-register")
