"""Prints blocks of numpy's Philox: five words a line of input give one line of output.

Input line: counter0 counter1 counter2 counter3 key0 key1.
"""
import sys

import numpy

for line in sys.stdin:
    words = [int(word) for word in line.split()]
    # numpy adds one to the counter before it makes the first block.
    counter = (sum(word << (64 * i) for i, word in enumerate(words[:4])) - 1) % (1 << 256)
    generator = numpy.random.Philox(counter=counter, key=words[4] + (words[5] << 64))
    print(*generator.random_raw(4))
