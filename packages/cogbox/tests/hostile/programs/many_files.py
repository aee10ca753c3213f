"""Empty files without end."""

count = 0
while True:
    open(f"file-{count}", "w").close()
    count += 1
