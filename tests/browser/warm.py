"""`visit` in a warm profile, for tests of respondents' pages that neither look for what is left behind nor go offline:
that a process has no network holds for all of its tabs."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import pytest

from tests.browser.conftest import Visit, Visitor
from tests.browser.profiles import Profiles
from tests.product import Product


@pytest.fixture
def visit(visit: Visit, profiles: Profiles, product: Product) -> Iterator[Visit]:
    """Open a profile that others have used and left empty."""
    with ExitStack() as respondents:
        yield (
            lambda role=None, **options: (
                visit(role, **options)
                if role
                else respondents.enter_context(respondent(profiles, product, **options))
            )
        )


@contextmanager
def respondent(profiles: Profiles, product: Product, **options: object) -> Iterator[Visitor]:
    page = profiles.emptied(**options)
    visitor = Visitor(page, product)
    try:
        yield visitor
    finally:
        profiles.leave(page)
    assert (visitor.strangers, visitor.complaints) == ([], [])
