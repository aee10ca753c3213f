"""`python -m cogames`."""

from cogames.main import main

if __name__ == "__main__":
    main()
