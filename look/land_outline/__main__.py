import sys

from look.land_outline import main

sys.exit(main())
