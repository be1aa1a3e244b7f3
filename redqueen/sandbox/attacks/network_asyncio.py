# attempt: opens a connection through an event loop
# expect: error

import asyncio
asyncio.run(asyncio.open_connection('127.0.0.1', 22))
print('ESCAPED')
