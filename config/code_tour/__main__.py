"""./run tour: prints the functions that one answer passes through, traced in one device and one process.

A line is a folder that a stage enters (of the device a module) with the first public function called there, its file
and line. Later calls in the same folder are folded into that line. "↑ from" marks calls of a higher layer.
"""

import os
import sys
import tempfile
from pathlib import Path

import django

from config.code_tour.call_trace import ROOT


def main(node: str) -> None:
    with tempfile.TemporaryDirectory(prefix="candor-tour-") as folder:
        kernels = ROOT / "var" / "numba"
        kernels.mkdir(parents=True, exist_ok=True)
        (Path(folder) / "numba").symlink_to(kernels)
        os.environ.update(VAR=folder, DATABASE_URL="", MAIL_URL=f"file://{folder}/mail", LOG_LEVEL="WARNING")
        os.environ.update(ALLOWED_HOSTS="testserver", SITE_URL="")
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
        django.setup()
        from django.conf import settings  # late for Django
        from django.utils import timezone  # late for Django

        from config.code_tour.answer_path import trace_answer  # late for Django
        from config.start import demo_content, start_preparation  # late for Django
        from mining import compile_kernels  # late for Django

        start_preparation.migrate()
        start_preparation.collect_static(settings.VAR, with_brotli=False)
        # Compiling calls thousands of functions that no answer goes through.
        compile_kernels.load_all_kernels()
        now = timezone.now()
        people = demo_content.create_demo_content(now, empty=True).people
        stages = trace_answer(node, people["researcher"], people["reviewer"], now)
        for number, (stage, steps) in enumerate(stages.items(), 1):
            print(f"{number} {stage}", *(f"  {step}" for step in steps), sep="\n")


if __name__ == "__main__":
    main(sys.argv[1])
