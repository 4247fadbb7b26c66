"""What is said when something is not accepted: where it stands and why."""

SHOWN = 60


class Refusal(ValueError):
    """A place and a reason, on one line. `template` and `values` let a page say the reason in its language."""

    def __init__(self, path: str, template: str, **values: object) -> None:
        self.path = printable(path)
        self.template = template
        self.values = values
        self.reason = template % values if values else template
        super().__init__(f"{self.path}: {self.reason}")

    def within(self, path: str) -> "Refusal":
        """The same refusal, its place described from further out."""
        return Refusal(f"{path}: {self.path}", self.template, **self.values)


def marked(message: str) -> str:
    """Marks a message for the catalogue (xgettext finds `_`); this room itself speaks English only."""
    return message


def printable(text: str) -> str:
    """A name on one line of characters that can be seen; what cannot is written as Python writes it."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in text)


def shown(value: object) -> str:
    """A hostile value on one printable line."""
    text = repr(value)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"
