"""Empty files without end in /tmp: names cost memory too."""

import os
import time

from kit import TMP, done

count = 0
try:
    while count < 20_000:
        open(os.path.join(TMP, str(count)), "w").close()
        count += 1
except OSError as error:
    print("refused", error, count)
else:
    time.sleep(2)
    print("ESCAPED made", count)
done()
