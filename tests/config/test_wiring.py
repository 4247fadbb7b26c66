"""The one list of hooks between the rooms."""

import ast

import pytest
from django.dispatch import Signal
from django.utils.module_loading import import_string

from tests.product import ROOMS
from tests.test_imports import ROOT, modules

pytestmark = pytest.mark.page


def defined_signals() -> list[str]:
    """The names, with their modules, to which the rooms assign `Signal()`."""
    return [
        f"{module}.{target.id}"
        for module, path in modules().items()
        for node in ast.parse(path.read_text()).body
        if isinstance(node, ast.Assign) and ast.unparse(node.value) == "Signal()"
        for target in node.targets
        if isinstance(target, ast.Name)
    ]


def test_only_config_acts_when_django_is_ready() -> None:
    ready = {
        str(path.relative_to(ROOT))
        for room in ROOMS
        for path in (ROOT / room).rglob("apps.py")
        if "def ready" in path.read_text()
    }
    assert ready == {"config/apps.py"}


def test_every_signal_is_connected_in_the_wiring_list() -> None:
    listed = (ROOT / "config" / "wiring.py").read_text()
    names = defined_signals()
    assert "surveys.lifecycle.state_changes.survey_destroyed" in names
    for name in names:
        signal = import_string(name)
        assert isinstance(signal, Signal)
        assert signal.receivers, name
        assert listed.count(f"    {name.rpartition('.')[2]}.connect(") == len(signal.receivers), name
