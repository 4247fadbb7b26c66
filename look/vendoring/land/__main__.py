import sys

from look.vendoring.land import main

sys.exit(main())
