"""`python -m coworld`."""

from coworld.main import run

if __name__ == "__main__":
    run()
