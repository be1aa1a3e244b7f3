"""SymPy's view of expressions, for expression_sympy_test.cc.

Reads JSON lines {"text": expression in x, "points": [x, ...]} from the file named first and writes to the file named
second, for each: {"values": [...], "slopes": [...], "forms": [...], "others": [...]}, or {"refused": true}.
values, slopes: of the expression and of its derivative at the points; null where SymPy finds no finite real number.
forms: other ways to write the expression. others: expressions that differ from it.
"""

import json
import re
import sys

import mpmath
import sympy

x = sympy.Symbol("x", real=True)
mpmath.mp.dps = 30
NAMES = set(
    "x pi E sin cos tan cot sec csc asin acos atan sinh cosh tanh asinh acosh atanh exp log ln sqrt Abs abs sign".split()
)


def real(function, point):
    try:
        value = mpmath.mpmathify(function(mpmath.mpf(point)))
    except (ZeroDivisionError, ValueError, OverflowError, TypeError, NameError, AttributeError):
        return None
    if isinstance(value, mpmath.mpc):
        if value.imag != 0:
            return None
        value = value.real
    return float(value) if mpmath.isfinite(value) and abs(value) < 1e100 else None


def at(expression, points):
    # A step's slope is 0 beside the step.
    flat = expression.replace(sympy.DiracDelta, lambda *_: sympy.Integer(0))
    try:
        function = sympy.lambdify(x, flat, "mpmath")
    except (NotImplementedError, ValueError):
        return [None] * len(points)
    return [real(function, point) for point in points]


def view(request):
    # SymPy drops unknown functions that cancel, takes "* *" for "**", knows // and refuses leading zeros.
    text = re.sub(r"(?<![\d.])0+(?=\d)", "", request["text"])
    names = re.findall(r"[A-Za-z_]\w*", re.sub(r"\d[eE][-+]?\d", "", text))
    if not NAMES.issuperset(names) or re.search(r"\* +\*|//", text):
        return {"refused": True}
    try:
        f = sympy.sympify(text, rational=True, locals={"x": x})
    except Exception:
        return {"refused": True}
    if not isinstance(f, sympy.Expr) or f.has(sympy.zoo, sympy.nan, sympy.I):
        return {"refused": True}
    values = at(f, request["points"])
    rewritten = [sympy.expand(f, force=False), sympy.together(f), f.rewrite(sympy.exp, deep=False)]
    forms = {str(form) for form in rewritten if not form.has(sympy.I, sympy.zoo, sympy.nan)}
    others = [f * (1 + sympy.Rational(1, 10**12))] if f != 0 else []
    if all(value is not None and abs(value) < 1000 for value in values):
        others += [f + x / 10**9, f + sympy.sin(x) / 10**20]
    return {
        "values": values,
        "slopes": at(sympy.diff(f, x), request["points"]),
        "forms": sorted(forms),
        "others": [str(other) for other in others],
    }


def main():
    with open(sys.argv[1]) as requests, open(sys.argv[2], "w") as answers:
        for line in requests:
            answers.write(json.dumps(view(json.loads(line))) + "\n")


main()
