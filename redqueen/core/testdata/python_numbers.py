"""For every line of input, two lines: what int() and what float() make of it, or "none"."""
import math
import sys

for line in sys.stdin.buffer.read().decode("ascii").split("\n")[:-1]:
    try:
        # The limit on digits holds for text to int, as it does where answers are read.
        value = int(line)
        sys.set_int_max_str_digits(0)
        print(value)
        sys.set_int_max_str_digits(4300)
    except ValueError:
        print("none")
    try:
        real = float(line)
        print(f"{real:.17g}" if math.isfinite(real) else "none")
    except ValueError:
        print("none")
