# Ends with 0 while eight fast programs go on flooding both streams.
for _ in 1 2 3 4; do yes & yes >&2 & done
exit 0
