"""Which random words a respondent's page has drawn, so that the Python twin can throw the same coins."""

from playwright.sync_api import Page

from privacy.mechanisms.coins import RandomWords

NOTE = """() => {
  const real = crypto.getRandomValues.bind(crypto);
  window.words = [];
  crypto.getRandomValues = array => { real(array); window.words.push(...array); return array; };
}"""


def notes(page: Page) -> None:
    """From its next load on this page remembers which words it draws, in its memory."""
    page.add_init_script(f"({NOTE})()")


def noted(page: Page) -> RandomWords:
    """The words that this page has drawn since it was loaded."""
    return RandomWords(32, iter(page.evaluate("window.words")).__next__)
