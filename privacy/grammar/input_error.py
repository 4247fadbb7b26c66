"""The refusal of a wrong input: its place and the reason."""

SHOWN = 60


class InputError(ValueError):
    """Refusal of an input: the place and the reason, on one line. `template` and `values` are for a page that
    translates the reason."""

    def __init__(self, path: str, template: str, **values: object) -> None:
        self.path = escape_invisible(path)
        self.template = template
        self.values = values
        self.reason = template % values if values else template
        super().__init__(f"{self.path}: {self.reason}")

    def within(self, path: str) -> "InputError":
        """The same refusal, its place prefixed with the outer place `path`."""
        return InputError(f"{path}: {self.path}", self.template, **self.values)


def marked(message: str) -> str:
    """Marks a message for translation without translating it: xgettext finds `_`, and this package knows no Django."""
    return message


def escape_invisible(text: str) -> str:
    """The text on one line, with invisible characters escaped as in Python."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in text)


def quote_value(value: object) -> str:
    """The repr of a value, at most SHOWN characters, on one printable line."""
    text = repr(value)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"
