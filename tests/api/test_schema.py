"""Requests drawn from the OpenAPI document: no server error, and every response as the document says."""

import pytest
import schemathesis
from schemathesis.specs.openapi import checks

pytestmark = [pytest.mark.django_db, pytest.mark.page, pytest.mark.usefixtures("read_here")]
CHECKS = [
    schemathesis.checks.not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_headers_conformance,
    checks.response_schema_conformance,
]
EXAMPLES = 8
