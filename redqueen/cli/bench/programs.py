# Programs as language models write them when they are asked for a function f and an input: what the sandbox's benchmark
# runs besides a trivial one (programs.h). A line that begins with "#> " begins a program: the arguments of its f.
#> 'the cat and the dog and the bird'
from collections import Counter

def f(text):
    counts = Counter(text.lower().split())
    return counts.most_common(3)
#> 20
from fractions import Fraction

def f(n):
    return sum(Fraction(1, k) for k in range(1, n + 1))
#> '2'
from decimal import Decimal, getcontext

def f(x):
    getcontext().prec = 50
    return str(Decimal(x).sqrt())
#> [3, 1, 4, 1, 5, 9, 2, 6]
import statistics

def f(xs):
    return statistics.mean(xs), statistics.median(xs), round(statistics.stdev(xs), 6)
#> [10, 20, 30]
from dataclasses import dataclass, field

@dataclass
class Account:
    owner: str
    balance: float = 0
    log: list = field(default_factory=list)

    def deposit(self, amount):
        self.balance += amount
        self.log.append(('deposit', amount))

def f(amounts):
    account = Account('ann')
    for a in amounts:
        account.deposit(a)
    return account.balance, len(account.log)
#> ['RED', 'BLUE']
from enum import Enum

class Color(Enum):
    RED = 1
    GREEN = 2
    BLUE = 3

def f(names):
    return [Color[n].value for n in names]
#> 15
def f(n):
    if n < 2:
        return n
    return f(n - 1) + f(n - 2)
#> 90
from functools import lru_cache

def f(n):
    @lru_cache(maxsize=None)
    def fib(k):
        return k if k < 2 else fib(k - 1) + fib(k - 2)
    return fib(n)
#> [[1, 2, 3], [4, 5, 6], [7, 8, 9]]
def f(matrix):
    return [list(row) for row in zip(*matrix[::-1])]
#> {'a': [('b', 1), ('c', 4)], 'b': [('c', 2)]}, 'a'
import heapq

def f(graph, start):
    dist = {start: 0}
    queue = [(0, start)]
    while queue:
        d, u = heapq.heappop(queue)
        if d > dist[u]:
            continue
        for v, w in graph.get(u, []):
            nd = d + w
            if v not in dist or nd < dist[v]:
                dist[v] = nd
                heapq.heappush(queue, (nd, v))
    return dist
#> 300
import math

def f(n):
    return str(math.factorial(n))[-60:]
#> 3, 10 ** 40, 2 ** 127 - 1
def f(base, exponent, modulus):
    result = 1
    base %= modulus
    while exponent:
        if exponent & 1:
            result = result * base % modulus
        base = base * base % modulus
        exponent >>= 1
    return result
#> 'abcd', 3
import itertools

def f(items, k):
    return [''.join(p) for p in itertools.permutations(items, k)][:10]
#> 'Hello, World! This is a test.'
import re

def f(text):
    words = re.findall(r'[A-Za-z]+', text)
    return {w.lower(): len(w) for w in words}
#> [1, 2, 3, 4]
class Node:
    def __init__(self, value, next=None):
        self.value = value
        self.next = next

class LinkedList:
    def __init__(self):
        self.head = None

    def push(self, value):
        self.head = Node(value, self.head)

    def reverse(self):
        prev, node = None, self.head
        while node:
            node.next, prev, node = prev, node, node.next
        self.head = prev

    def to_list(self):
        out, node = [], self.head
        while node:
            out.append(node.value)
            node = node.next
        return out

def f(values):
    items = LinkedList()
    for v in values:
        items.push(v)
    items.reverse()
    return items.to_list()
#> 1000
def f(n):
    sieve = [True] * (n + 1)
    sieve[:2] = [False, False]
    for i in range(2, int(n ** 0.5) + 1):
        if sieve[i]:
            sieve[i * i::i] = [False] * len(sieve[i * i::i])
    return sum(sieve)
#> ['eat', 'tea', 'tan', 'ate', 'nat', 'bat']
from collections import defaultdict

def f(words):
    groups = defaultdict(list)
    for word in words:
        groups[''.join(sorted(word))].append(word)
    return sorted(map(sorted, groups.values()))
#> [[0, 0, 1], [1, 0, 0], [1, 1, 0]]
from collections import deque

def f(grid):
    rows, cols = len(grid), len(grid[0])
    queue = deque([(0, 0, 0)])
    seen = {(0, 0)}
    while queue:
        r, c, d = queue.popleft()
        if (r, c) == (rows - 1, cols - 1):
            return d
        for dr, dc in ((0, 1), (1, 0), (0, -1), (-1, 0)):
            nr, nc = r + dr, c + dc
            if 0 <= nr < rows and 0 <= nc < cols and grid[nr][nc] == 0 and (nr, nc) not in seen:
                seen.add((nr, nc))
                queue.append((nr, nc, d + 1))
    return -1
#> 'AGGTABQWERTY', 'GXTXAYBQERTZ'
def f(a, b):
    table = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            best = max(table[i][j + 1], table[i + 1][j])
            table[i + 1][j + 1] = table[i][j] + 1 if x == y else best
    return table[-1][-1]
#> '{"b": [3, 1], "a": [2, 0]}'
import json

def f(text):
    data = json.loads(text)
    return json.dumps({k: sorted(v) for k, v in data.items()}, sort_keys=True)
#> 42
import random

def f(seed):
    rng = random.Random(seed)
    return [rng.randint(1, 100) for _ in range(10)]
#> [2, 7, 11, 15], 26
from typing import List, Optional

def f(nums: List[int], target: int) -> Optional[List[int]]:
    seen = {}
    for i, n in enumerate(nums):
        if target - n in seen:
            return [seen[target - n], i]
        seen[n] = i
    return None
#> 5
def f(n):
    def solve(row, cols, d1, d2):
        if row == n:
            return 1
        return sum(solve(row + 1, cols | {c}, d1 | {row + c}, d2 | {row - c})
                   for c in range(n) if c not in cols and row + c not in d1 and row - c not in d2)
    return solve(0, frozenset(), frozenset(), frozenset())
#> '{[()]}([])'
def f(s):
    stack, pairs = [], {')': '(', ']': '[', '}': '{'}
    for ch in s:
        if ch in '([{':
            stack.append(ch)
        elif not stack or stack.pop() != pairs[ch]:
            return False
    return not stack
#> [5, 3, 9, 12, 7]
from functools import reduce
import operator

def f(xs):
    return reduce(operator.xor, xs), reduce(operator.mul, xs, 1)
#> [10, 9, 2, 5, 3, 7, 101, 18]
import bisect

def f(xs):
    tails = []
    for x in xs:
        i = bisect.bisect_left(tails, x)
        tails[i:i + 1] = [x]
    return len(tails)
#> 'attack at dawn', 3
import string

def f(text, shift):
    letters = string.ascii_lowercase
    table = {c: letters[(i + shift) % 26] for i, c in enumerate(letters)}
    return ''.join(table.get(c, c) for c in text)
#> [[1, 1], [1, 0]], 50
class Matrix:
    def __init__(self, rows):
        self.rows = rows

    def __matmul__(self, other):
        columns = list(zip(*other.rows))
        return Matrix([[sum(a * b for a, b in zip(r, c)) for c in columns] for r in self.rows])

    def __eq__(self, other):
        return self.rows == other.rows

    def __repr__(self):
        return f'Matrix({self.rows})'

def f(rows, n):
    result = Matrix([[int(i == j) for j in range(len(rows))] for i in range(len(rows))])
    base = Matrix(rows)
    for _ in range(n):
        result = result @ base
    return result.rows
#> 200
def f(n):
    def collatz(k):
        while k != 1:
            yield k
            k = k // 2 if k % 2 == 0 else 3 * k + 1
        yield 1
    return max(range(1, n), key=lambda k: sum(1 for _ in collatz(k)))
#> ['a', 'b']
from contextlib import contextmanager

log = []

@contextmanager
def step(name):
    log.append(f'begin {name}')
    try:
        yield name.upper()
    finally:
        log.append(f'end {name}')

def f(names):
    log.clear()
    out = []
    for name in names:
        with step(name) as upper:
            out.append(upper)
    return out, list(log)
#> [1, (2, 3), 4]
from abc import ABC, abstractmethod

class Shape(ABC):
    @abstractmethod
    def area(self):
        ...

class Square(Shape):
    def __init__(self, side):
        self.side = side

    def area(self):
        return self.side ** 2

class Rectangle(Square):
    def __init__(self, a, b):
        super().__init__(a)
        self.b = b

    def area(self):
        return self.side * self.b

def f(sizes):
    shapes = [Square(s) if isinstance(s, int) else Rectangle(*s) for s in sizes]
    return sum(s.area() for s in shapes)
#> 'aaabbcddddd'
def f(text):
    out, count = [], 1
    for a, b in zip(text, text[1:] + '\0'):
        if a == b:
            count += 1
        else:
            out.append(a + (str(count) if count > 1 else ''))
            count = 1
    return ''.join(out)
#> 2 ** 200, 36
def f(value, base):
    digits = '0123456789abcdefghijklmnopqrstuvwxyz'
    if value == 0:
        return '0'
    out = ''
    while value:
        value, r = divmod(value, base)
        out = digits[r] + out
    return out
#> 'the quick brown fox jumps over the lazy dog', 12
import textwrap

def f(text, width):
    return textwrap.fill(text, width).split('\n')
#> {'children': [{'children': []}, {'children': [{}]}]}
import copy

def f(tree):
    def depth(node):
        return 1 + max((depth(c) for c in node.get('children', [])), default=0)
    clone = copy.deepcopy(tree)
    clone['depth'] = depth(clone)
    return clone
#> [(1, 1), (3, 4), (4, 5), (5, 7)], 7
def f(items, capacity):
    best = [0] * (capacity + 1)
    for weight, value in items:
        for c in range(capacity, weight - 1, -1):
            best[c] = max(best[c], best[c - weight] + value)
    return best[capacity]
#> [1, None, None, 2]
class Stack:
    def __init__(self):
        self._items = []

    def push(self, item):
        self._items.append(item)

    def pop(self):
        if not self._items:
            raise IndexError('pop from an empty stack')
        return self._items.pop()

def f(ops):
    stack, out = Stack(), []
    for op in ops:
        try:
            out.append(stack.pop() if op is None else stack.push(op))
        except IndexError as error:
            out.append(str(error))
    return out
#> '3 + 4 * ( 2 - 1 )'
def f(expression):
    precedence = {'+': 1, '-': 1, '*': 2, '/': 2}
    out, ops = [], []
    for token in expression.split():
        if token.isdigit():
            out.append(token)
        elif token == '(':
            ops.append(token)
        elif token == ')':
            while ops[-1] != '(':
                out.append(ops.pop())
            ops.pop()
        else:
            while ops and ops[-1] != '(' and precedence[ops[-1]] >= precedence[token]:
                out.append(ops.pop())
            ops.append(token)
    return ' '.join(out + ops[::-1])
#> 2024, 2, 28, 366
from datetime import date, timedelta

def f(year, month, day, n):
    return str(date(year, month, day) + timedelta(days=n))
#> 200
from math import gcd, isqrt

def f(limit):
    triples = []
    for m in range(2, isqrt(limit) + 1):
        for n in range(1, m):
            if (m - n) % 2 and gcd(m, n) == 1:
                a, b, c = m * m - n * n, 2 * m * n, m * m + n * n
                if a + b + c <= limit:
                    triples.append(tuple(sorted((a, b, c))))
    return sorted(triples)
