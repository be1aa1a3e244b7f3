# attempt: starts an executor
# expect: error

import concurrent.futures
with concurrent.futures.ThreadPoolExecutor() as e:
    print('ESCAPED', e.submit(id, 1).result())
