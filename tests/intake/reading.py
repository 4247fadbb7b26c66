"""What of a page is in sight before anything is tapped, and how hard it is to read."""

import re
from html.parser import HTMLParser

VOID = frozenset({"br", "hr", "img", "input", "link", "meta", "path"})
SENTENCE_ENDS = frozenset({"p", "li", "h1", "h2", "h3", "dt", "dd", "summary", "button", "div"})
OUT_OF_SIGHT = frozenset({"head", "script", "noscript", "svg"})


class InSight(HTMLParser):
    """The words that a person with a script sees; each element of its own ends a sentence.

    A closed `details` shows its summary only. `data-needs-script` is hidden until the script is there, and
    `data-waiting` until then only. `skipped` are the classes of what the researcher writes.
    """

    def __init__(self, page: str, skipped: frozenset[str] = frozenset()) -> None:
        super().__init__()
        self.skipped = skipped
        self.hidden: list[bool] = []
        self.open: list[str] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        if tag in VOID:
            return
        given = dict(attributes)
        classes = set((given.get("class") or "").split())
        is_hidden = (
            tag in OUT_OF_SIGHT
            or ("hidden" in given and "data-needs-script" not in given)
            or "data-waiting" in given
            or bool(classes & self.skipped)
            or (bool(self.open) and self.open[-1] == "details" and tag != "summary")
        )
        self.hidden.append(is_hidden or (bool(self.hidden) and self.hidden[-1]))
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in VOID:
            return
        if tag in SENTENCE_ENDS and not self.hidden[-1]:
            self.text += "\n"
        self.hidden.pop()
        self.open.pop()

    def handle_data(self, data: str) -> None:
        if not (self.hidden and self.hidden[-1]):
            self.text += data

    @property
    def words(self) -> list[str]:
        return words(self.text)

    @property
    def sentences(self) -> list[str]:
        return [found for part in re.split(r"[.!?:\n]", self.text) if words(found := part.strip())]


def words(text: str) -> list[str]:
    return re.findall(r"[A-Za-z0-9][A-Za-z0-9'’-]*", text)


def syllables(word: str) -> int:
    """Groups of vowels; a silent e at the end is none, and every word has one."""
    lower = re.sub(r"[^a-z]", "", word.lower())
    groups = len(re.findall(r"[aeiouy]+", lower))
    is_silent = lower.endswith("e") and not lower.endswith(("le", "ee")) and groups > 1
    is_past = lower.endswith("ed") and not lower.endswith(("ted", "ded")) and groups > 1
    return max(groups - is_silent - is_past, 1)


def grade(sentences: list[str]) -> float:
    """The Flesch-Kincaid grade: 0.39 words per sentence + 11.8 syllables per word - 15.59 (Kincaid et al., 1975)."""
    found = [word for sentence in sentences for word in words(sentence)]
    return 0.39 * len(found) / len(sentences) + 11.8 * sum(map(syllables, found)) / len(found) - 15.59
