"""`python -m observatory.database MESSAGE` writes a migration from what changed in the tables since the last one."""

import sys

from observatory.database.migrate import write_revision

write_revision(" ".join(sys.argv[1:]))
