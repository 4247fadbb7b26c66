import sys

from mining.reports.bundle import main

sys.exit(main())
