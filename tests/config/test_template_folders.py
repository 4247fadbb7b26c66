from pathlib import Path

from django.conf import settings

SHARED = {"admin", "components", "django"}


def test_a_template_folder_bears_the_name_of_the_package_that_renders_it() -> None:
    root = Path(settings.BASE_DIR)
    folders = {path.name for path in (root / "templates").iterdir() if any(path.glob("**/*.*"))}
    assert {name for name in folders - SHARED if not (root / name / "__init__.py").exists()} == set()
