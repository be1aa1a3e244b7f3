# attempt: source that claims another encoding
# expect: ok error

# -*- coding: utf-7 -*-
x = 1
+AAo-print('ESCAPED')
