# attempt: burns CPU beyond the CPU limit
# expect: cpu
# limits: wall=60 cpu=0.2

while True:
    pass
