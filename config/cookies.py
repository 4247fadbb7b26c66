"""Cookies that do not reach the respondents' pages: one for each other path instead of one for all paths."""

from collections.abc import Iterator

from ui.addresses import WITH_COOKIES


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
