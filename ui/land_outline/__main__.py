import sys

from ui.land_outline import main

sys.exit(main())
