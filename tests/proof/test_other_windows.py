"""No script of a page reaches another window or another page, but for the one message of a page that hands over."""

from unittest.mock import Mock

import pytest

from privacy.designs.asked_at import AskedAt
from proof.checks.page import check_network_calls, forbidden_call
from proof.outcome import Result
from tests.servers import ROOT

SENDING = """
const network = { fetch: (url, options) => fetch(url, options) };
export const send = (url, body) => fetch(url, { method: "POST", body });
"""
"""The two places in which a page may call the network."""
HANDING = "const hand = (record, origin) => parent.postMessage({ candor: 1, record }, origin);\n"


def complaint(code: str, *, hands_over: bool = False) -> str:
    return forbidden_call(
        {"/send.js": SENDING.encode(), "/page.js": code.encode()}, "", hands_over=hands_over
    )


@pytest.mark.parametrize(
    ("call", "name"),
    [
        ('new SharedWorker("/x.js")', "Worker"),
        ('new BroadcastChannel("x")', "BroadcastChannel"),
        ("new MessageChannel()", "MessageChannel"),
        ('window.open("/x")', "window"),
        ('open("/x")', "open("),
        ('document.open("/x", "", "")', "open("),
        ('top.open("/x")', "top."),
        ("window.name = answers", "window"),
        ("name = answers", "name ="),
        ("parent.answers = answers", "parent"),
        ("document.defaultView.name = answers", "defaultView"),
        ('location.href = "/x"', "location"),
        ('location.href += "?x"', "location"),
        ('location = "/x"', "location"),
        ('location["href"] = "/x"', "location"),
        ('location.assign("/x")', "location"),
        ('location.replace("/x")', "location"),
        ('navigation.navigate("/x")', "navigation"),
        ("document.forms[0].submit()", "submit"),
        ("form.requestSubmit()", "requestSubmit"),
    ],
)
def test_a_call_that_reaches_another_window_or_page_is_named(call: str, name: str) -> None:
    assert f"/page.js holds {name}" in complaint(f"const answers = [];\n{call};\n")


@pytest.mark.parametrize(
    "code",
    [
        "const name = 1; const told = (voice, name = 2) => name === 1;",
        "const open = records.filter(({ old }) => !old); open.find(Boolean); // window.open",
        "if (location.hash === hash && location.href) location.reload();",
        "const laws = { window: 1 }; const near = question.window; const top = 1;",
    ],
)
def test_names_that_only_look_like_such_a_call_are_allowed(code: str) -> None:
    assert complaint(code) == ""


def test_no_script_of_the_products_pages_is_refused_for_what_it_holds() -> None:
    folders = ("intake/static/intake", "privacy/static/privacy", "privacy/static/privacy/kinds")
    paths = [path for folder in folders for path in (ROOT / folder).glob("*.js")]
    for path in (*paths, ROOT / "static/vendor/blindrsa.min.js"):
        assert " holds " not in complaint(path.read_text(), hands_over="postMessage" in path.read_text()), (
            path
        )


def test_the_design_says_whether_its_page_hands_over() -> None:
    scripts = {"/send.js": SENDING.encode(), "/page.js": HANDING.encode()}
    for asked_at, held in ((AskedAt(inside=("https://tool.example.com",)), True), (None, False)):
        page, design = Mock(inline_scripts=[], loaded=[]), Mock(asked_at=asked_at, invitation_key="")
        context = Mock(scripts=scripts, composer_path="", page=page, design=design)
        assert (check_network_calls(context).result == Result.HELD) is held


def test_one_message_is_allowed_to_a_page_that_hands_over_and_none_to_others() -> None:
    assert complaint(HANDING, hands_over=True) == ""
    assert "in 0 places, not in 1" in complaint("", hands_over=True)
    assert "in 2 places, not in 1" in complaint(2 * HANDING, hands_over=True)
    assert "in 1 places, not in 0" in complaint(HANDING.replace("parent.", ""))
    assert "holds parent" in complaint(HANDING)


def test_the_page_inside_a_tool_holds_its_one_message_and_no_other_page_holds_any() -> None:
    """The scripts as they are served, but for maps and those of field devices."""
    folder = ROOT / "intake/static/intake"
    scripts = {f"/{path.name}": path.read_bytes() for path in folder.glob("*.js")}
    # A classic script, of pages from another host alone.
    scripts.pop("/elsewhere.js", None)
    assert forbidden_call(scripts, "/device.js", hands_over=True) == ""
    twice = scripts | {"/more.js": b"parent.postMessage(answers, origin);\n"}
    assert "in 2 places, not in 1" in forbidden_call(twice, "/device.js", hands_over=True)
    handing = scripts.pop("/handing.js")
    assert forbidden_call(scripts, "/device.js", hands_over=False) == ""
    assert "holds parent" in forbidden_call(
        scripts | {"/handing.js": handing}, "/device.js", hands_over=False
    )
