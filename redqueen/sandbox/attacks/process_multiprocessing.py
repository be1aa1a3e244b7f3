# attempt: starts a pool of processes
# expect: error

import multiprocessing
multiprocessing.Process(target=print).start()
print('ESCAPED')
