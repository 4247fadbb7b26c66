"""Cookies that do not reach the respondents' pages: one for each other path instead of one for all paths."""

import re
from collections.abc import Iterator
from http.cookies import CookieError, SimpleCookie

from look.addresses import WITH_COOKIES

# Earlier versions set these for all paths, so that they went to the respondents' pages too. Other programs on the
# same host may use the same names; their values look different.
KEY = re.compile(r"[a-zA-Z0-9]{32}")
EARLIER = {
    "session": KEY,
    "csrf": KEY,
    "__Host-session": KEY,
    "__Host-csrf": KEY,
    "language": re.compile(r"en|zh-hans"),
    "theme": re.compile(r"light|dark"),
    "messages": re.compile(r"\A\.?[\w-]+:[\w-]+:[\w-]+\Z"),
}


def for_each_path(cookie: str) -> Iterator[str]:
    """The Set-Cookie values for this one: one for each path with cookies, unless it names a path itself."""
    parts = cookie.split("; ")
    attributes = {part.partition("=")[0].lower(): part.partition("=")[2] for part in parts[1:]}
    if attributes.get("path", "/") != "/":
        yield cookie
        return
    # Ten of each must fit into the four kilobytes of headers that a proxy may allow; Max-Age says it shorter.
    left_out = {"path", "expires"} if "max-age" in attributes else {"path"}
    pieces = [parts[0], *(part for part in parts[1:] if part.partition("=")[0].lower() not in left_out)]
    for path in WITH_COOKIES:
        yield "; ".join([*pieces, f"Path={path}"])


def expired(header: str) -> Iterator[str]:
    """Set-Cookie values that remove what an earlier version left, where the request brought it."""
    try:
        brought = SimpleCookie(header)
    except CookieError:
        return
    for name, value in EARLIER.items():
        if name in brought and value.fullmatch(brought[name].value):
            secure = "; Secure" if name.startswith("__Host-") else ""
            yield f"{name}=; Max-Age=0; Path=/{secure}"
