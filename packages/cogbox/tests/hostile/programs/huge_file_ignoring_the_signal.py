"""The same with SIGXFSZ ignored: every write fails, and the program continues with the next file."""

from kit import done

for index in range(40):
    try:
        with open(f"big{index}", "wb", buffering=0) as file:
            while True:
                file.write(b"x" * (1 << 20))
    except OSError as error:
        print("refused", error)
done()
