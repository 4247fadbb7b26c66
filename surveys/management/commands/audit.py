import json
from fractions import Fraction
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from privacy.designs.parsing import parse
from privacy.designs.refusal import Refusal
from privacy.guarantee.audit import audit, probability


class Command(BaseCommand):
    help = "State what the sensitive sections of a design reveal at most, as JSON."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("design", metavar="DESIGN", type=Path)
        parser.add_argument("--prior", type=probability, default=probability(".05"))
        parser.add_argument("--rho1", type=probability, default=probability(".05"))
        parser.add_argument("--rho2", type=probability, default=probability(".5"))

    def handle(
        self, *, design: Path, prior: Fraction, rho1: Fraction, rho2: Fraction, **_options: Any
    ) -> None:
        if rho1 >= rho2:
            raise CommandError("--rho1 must be less than --rho2", returncode=2)
        try:
            found = audit(parse(design.read_bytes()), prior, rho1, rho2)
        except OSError as error:
            raise CommandError(f"{design}: {error.strerror}") from None
        except Refusal as refusal:
            raise CommandError(f"{design}: {refusal}") from None
        if found.described:
            self.stderr.write(f"Sensitive, in this order: {found.described}")
        self.stdout.write(json.dumps(found.as_json(), indent=2))
