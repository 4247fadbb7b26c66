import sys

from look.vendoring.vega import main

sys.exit(main())
