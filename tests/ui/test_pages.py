import re
from fractions import Fraction
from math import floor, log
from types import SimpleNamespace

import pytest
from django.test import Client

from privacy.guarantee.leakage import leakage
from privacy.kinds.grouped.law import SectionLaw
from tests import servers
from ui.statements import read_limits

pytestmark = pytest.mark.page
PUBLIC = ["/", "/app/method", "/app/limits"]


def test_a_public_page_opens_for_nobody_in_particular_and_reads_no_session(visitor: Client) -> None:
    for address in PUBLIC:
        answer = visitor.get(address)
        assert answer.status_code == 200
        assert "candor-session" not in answer.cookies


def test_every_page_has_one_main_heading_and_one_title_and_takes_no_post(staff: Client) -> None:
    for address in (*PUBLIC, "/app/styleguide/"):
        page = staff.get(address).content.decode()
        assert len(re.findall(r"<h1[ >]", page)) == 1, address
        assert re.search(r"<title>\s*\S.* · Candor</title>", page), address
        assert staff.post(address).status_code == 405, address


def test_the_home_page_of_a_visitor_leads_to_signing_in(visitor: Client) -> None:
    assert 'class="button primary" href="/app/account/sign-in"' in visitor.get("/").content.decode()


@pytest.mark.parametrize("both", [False, True])
def test_the_home_page_says_where_owners_may_review(
    visitor: Client, settings: SimpleNamespace, both: bool
) -> None:
    settings.ONE_PERSON_DOES_BOTH = both
    assert ("On this site the owner of a survey may be its reviewer." in visitor.get("/").text) is both


def test_the_home_page_is_the_same_for_all_and_no_form_has_a_token(visitor: Client, staff: Client) -> None:
    """No cookie comes to its address, so no token could be compared with one."""
    page = visitor.get("/").content.decode()
    assert "csrfmiddlewaretoken" not in page
    main = page.split("<main")[1]
    assert staff.get("/").content.decode().split("<main")[1] == main
    assert not visitor.get("/").cookies


FROM_HOME = "/app/account/preferences/from-home"
CHOICE = {"next": "/?language=zh-hans", "language": "zh-hans"}


def test_the_home_page_posts_the_language_that_a_visitor_chooses(visitor: Client) -> None:
    page = visitor.get("/").content.decode()
    form = f'<form method="post" action="{FROM_HOME}">'
    assert f'{form}<input type="hidden" name="next" value="/?language=zh-hans">' in page
    sent = visitor.post(FROM_HOME, CHOICE, headers={"origin": "http://testserver"})
    assert (sent.status_code, sent.headers["Location"]) == (302, "/?language=zh-hans")
    answer = visitor.get("/?language=zh-hans")
    assert answer.headers["Content-Language"] == "zh-hans"
    assert '<html lang="zh-hans"' in answer.content.decode()
    # On it goes in that language, and back again.
    page = visitor.get("/app/method").content.decode()
    assert '<html lang="zh-hans"' in page
    assert 'class="wordmark" href="/?language=zh-hans"' in page


def test_no_address_alone_no_other_site_and_no_language_that_there_is_not_changes_it(visitor: Client) -> None:
    """Anybody may put an address into a link, or a picture, of another site."""
    assert not visitor.get("/?language=zh-hans").cookies
    assert '<html lang="en"' in visitor.get("/app/method").content.decode()
    assert visitor.get(FROM_HOME, headers={"origin": "http://testserver"}).status_code == 405
    for origin in ("https://evil.example", "null", "https://testserver", ""):
        answer = visitor.post(FROM_HOME, CHOICE, headers={"origin": origin} if origin else {})
        assert answer.status_code == 403, origin
        assert not {"candor-language"} & answer.cookies.keys()
    for nonsense in ("tlh", "", "xx", "../../etc"):
        answer = visitor.get("/", {"language": nonsense})
        assert answer.headers["Content-Language"] == "en", nonsense
        assert not answer.cookies


def test_the_wordmark_leads_who_is_signed_in_to_their_own_page(
    visitor: Client, client_of_somebody: Client
) -> None:
    assert (
        'class="wordmark" href="/app/account/home"' in client_of_somebody.get("/app/method").content.decode()
    )
    assert 'class="wordmark" href="/"' in visitor.get("/app/method").content.decode()
    assert visitor.get("/app/account/home")["Location"] == "/app/account/sign-in?next=/app/account/home"
    assert client_of_somebody.get("/app/account/home").status_code == 200
    assert client_of_somebody.post("/app/account/home").status_code == 405


@pytest.mark.usefixtures("nothing_registered")
def test_somebody_without_a_role_is_told_who_gives_one(client_of_somebody: Client) -> None:
    page = client_of_somebody.get("/app/account/home").content.decode()
    assert "Ask your administrator to make you a researcher" in page
    assert "/app/admin/" not in page


def test_staff_find_their_places(staff: Client) -> None:
    page = staff.get("/app/account/home").content.decode()
    assert "Create people and give them their roles" in page
    assert 'href="/app/jobs/"' in page
    assert "Ask your administrator to make you a researcher" not in page


def test_only_who_may_create_people_is_told_to(staff: Client, reviewer: Client) -> None:
    add = "/app/admin/accounts/person/add/"
    for client, may in ((staff, True), (reviewer, False)):
        assert (client.get(add).status_code == 200) == may
    # The first account is not the only one any more.
    for client in (staff, reviewer):
        assert "Create people" not in client.get("/app/account/home").content.decode()


def test_the_styleguide_sends_nobody_to_sign_in_and_refuses_somebody(
    visitor: Client, client_of_somebody: Client
) -> None:
    answer = visitor.get("/app/styleguide/")
    assert (answer.status_code, answer["Location"]) == (302, "/app/account/sign-in?next=/app/styleguide/")
    assert client_of_somebody.get("/app/styleguide/").status_code == 403


def test_the_limits_page_shows_every_row_with_its_defence(visitor: Client) -> None:
    page = visitor.get("/app/limits").content.decode()
    keys = re.findall(
        r'^{% statement "(.+?)"',
        (servers.ROOT / "templates/ui/limits/stated-limits.html").read_text(),
        re.MULTILINE,
    )
    assert list(read_limits()) == keys
    for key, limit in read_limits().items():
        row = page[page.index(f'id="{key}"') :].split("</li>")[0]
        assert limit.title in row
        assert ("not defended" in row) == (not limit.defence)
        assert (limit.defence or limit.advice or "not defended") in row


def largest_keep(questions: int) -> str:
    """The largest p of four places with 1 + p / ((1 - p) Q) at most 19, Q = 2^-questions."""
    return f"{floor(18 / (2**questions + 18) * 10_000) / 10_000:.4f}".removeprefix("0")


def test_the_method_page_states_the_largest_keep_and_what_pooling_gets_wrong(visitor: Client) -> None:
    page = visitor.get("/app/method").content.decode()
    for questions in (3, 5, 8, 10):
        cells = f'<td class="number">{questions}</td><td class="number">{largest_keep(questions)}</td>'
        assert f"<tr>{cells}</tr>" in page
    gamma = 1 + 0.5 / (0.5 * 0.5**10)
    assert f"gamma {gamma:,.0f}, an epsilon of {log(gamma):.1f}" in page
    open_share, p, theta = 0.5, 0.3, 0.6
    observed = 0.5 * 0.10 + 0.5 * (p * 0.40 + (1 - p) * theta)
    pooled = (observed - (1 - open_share) * (1 - p) * theta) / (open_share + (1 - open_share) * p)
    assert f"the pooled form says {pooled:.1%}".replace("%", " %") in page


def test_the_method_page_states_the_bits_of_its_examples(visitor: Client) -> None:
    half = Fraction(1, 2)
    one = leakage(SectionLaw(half, ((Fraction(2, 5), Fraction(3, 5)),), 1), places=3)
    ten = leakage(SectionLaw(half, ((half, half),) * 10, 10), places=2)
    assert one
    assert ten
    assert (str(one.mutual_information), str(one.largest_distance)) == ("0.192", "0.236")
    assert str(ten.mutual_information) == "4.01"
    page = visitor.get("/app/method").content.decode()
    assert "a record holds .192 of the 1 bit of a yes/no answer, and at most .236 bits" in page
    assert "hold 4.01 of 10 bits" in page
