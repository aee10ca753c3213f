"""`python -m bitworld`"""

import sys

from bitworld.program import main

sys.exit(main())
