# attempt: runs an event loop
# expect: error

import asyncio
asyncio.run(asyncio.sleep(0))
print('ESCAPED')
