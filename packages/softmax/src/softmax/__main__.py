"""`python -m softmax`."""

from softmax.main import main

if __name__ == "__main__":
    main()
