"""Compiles the kernels of the default method: `python -m privacy.anonymity.compile_kernels FOLDER`."""

import os
import sys
from pathlib import Path

from privacy.anonymity.methods import load_default_kernels

POLITE = 10
"""Added to the niceness, since nobody waits for the kernels until the first release is made."""

if __name__ == "__main__":
    os.nice(POLITE)
    load_default_kernels(Path(sys.argv[1]))
