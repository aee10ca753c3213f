"""`python -m observatory`."""

from observatory.main import main

main()
