"""`visit` in a warm profile, for tests of respondents' pages that neither look for what is left behind nor go offline:
that a process has no network holds for all of its tabs."""

import pytest

from tests.browser.conftest import Visit


@pytest.fixture
def visit(visit: Visit) -> Visit:
    """Open a profile that others have used and left empty."""
    return lambda role=None, **options: visit(role, used=True, **options)
