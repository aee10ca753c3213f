"""Run the Python program in the first argument, as `python -W error -c` does; for `tests.warm`."""

import sys
import warnings

if __name__ == "__main__":
    program = sys.argv.pop(1)
    warnings.simplefilter("error")
    exec(compile(program, "<string>", "exec"), {"__name__": "__main__", "__builtins__": __builtins__})
