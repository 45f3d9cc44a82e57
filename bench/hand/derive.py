#!/usr/bin/python3
"""Writes C for the Jacobian of a flat model, with `time` also df/dt as one more column: what a person would use who wants the Jacobian
of a model too large to be differentiated by hand. Independent of entrain: one pass over the equations in sorted order, then
elimination of the intermediate quantities from the linearised graph, cheapest first (Markowitz); gcc does the rest.

usage: derive.py model.mo function [time] > function.c"""
import ast
import re
import sys

FUNCTIONS = {  # value, derivative as C text of the argument a and the value v
    'sin': 'cos({a})', 'cos': '-sin({a})', 'tan': '1 + {v} * {v}', 'atan': '1 / (1 + {a} * {a})',
    'exp': '{v}', 'sqrt': '0.5 / {v}', 'tanh': '1 - {v} * {v}'}


def read(path):
    text = re.sub(r'//.*', '', open(path).read())
    text = re.sub(r'"[^"]*"', '', text)
    head, body = re.split(r'^equation\b', text, flags=re.M)
    parameters = re.findall(r'parameter Real (\w+)', head)
    states = re.findall(r'\bReal (\w+)\(start', head)
    equations = []
    for line in body.split(';'):
        found = re.match(r'\s*(der\((\w+)\)|\w+) = (.*)', line, re.S)
        if found: equations.append((found[1], found[3].strip().replace('^', '**')))
    return parameters, states, equations


def sort(equations, known):
    """Equations in an order in which everything is defined before it is used."""
    names = lambda e: set(re.findall(r'[A-Za-z_]\w*', e)) - set(FUNCTIONS) - {'time'}
    waiting, done, result = list(equations), set(known), []
    while waiting:
        ready = [e for e in waiting if names(e[1]) <= done]
        if not ready: sys.exit('derive.py: the equations contain a loop')
        result += ready
        done |= {e[0] for e in ready}
        waiting = [e for e in waiting if e not in ready]
    return result


class Tape:
    """Operations as C statements; arcs[i] = {argument: C text of the partial derivative}."""

    def __init__(self):
        self.lines, self.arcs, self.active, self.seen = [], [], [], {}

    def node(self, text, arcs):
        if text in self.seen: return self.seen[text]
        self.lines.append(text)
        self.arcs.append({a: d for a, d in arcs.items() if self.active[a]})
        self.active.append(bool(self.arcs[-1]))
        self.seen[text] = len(self.lines) - 1
        return self.seen[text]

    def leaf(self, text, active):
        i = self.node(text, {})
        self.active[i] = active
        return i

    def add_arc(self, arcs, i, d):
        arcs[i] = '%s + %s' % (arcs[i], d) if i in arcs else d

    def binary(self, op, a, b):
        A, B = 'v%d' % a, 'v%d' % b
        text = '%s %s %s' % (A, op, B)
        partial = {'+': ('1', '1'), '-': ('1', '-1'), '*': (B, A),
                   '/': ('1 / ' + B, '-v{me} * (1 / %s)' % B)}[op]
        arcs = {}
        self.add_arc(arcs, a, partial[0])
        self.add_arc(arcs, b, partial[1])
        return self.node(text, {k: d.replace('{me}', str(len(self.lines))) for k, d in arcs.items()})

    def expression(self, e, names):
        if isinstance(e, ast.Constant): return self.leaf(repr(float(e.value)), False)
        if isinstance(e, ast.Name): return names[e.id]
        if isinstance(e, ast.UnaryOp):
            a = self.expression(e.operand, names)
            return self.node('-v%d' % a, {a: '-1'})
        if isinstance(e, ast.Call):
            a = self.expression(e.args[0], names)
            d = FUNCTIONS[e.func.id].format(a='v%d' % a, v='v%d' % len(self.lines))
            return self.node('%s(v%d)' % (e.func.id, a), {a: d})
        if isinstance(e.op, ast.Pow):  # squares only
            a = self.expression(e.left, names)
            return self.node('v%d * v%d' % (a, a), {a: '2 * v%d' % a})
        op = {ast.Add: '+', ast.Sub: '-', ast.Mult: '*', ast.Div: '/'}[type(e.op)]
        return self.binary(op, self.expression(e.left, names), self.expression(e.right, names))


def eliminate(tape, sources, results, out):
    """Removes all inner vertices; what is left are the arcs from sources to results."""
    into = [dict() for _ in tape.lines]
    uses = [set() for _ in tape.lines]
    known = {}

    def name(text):  # a partial derivative gets a variable unless it is one already or a number
        if re.fullmatch(r'-?1|-?[dv]\d+', text): return text
        if text not in known:
            known[text] = 'd%d' % len(known)
            out.append('const double %s = %s;' % (known[text], text))
        return known[text]

    needed, stack = set(), list(results)
    while stack:
        i = stack.pop()
        if i not in needed:
            needed.add(i)
            stack += tape.arcs[i]
    for i in sorted(needed):
        for a, d in tape.arcs[i].items():
            into[i][a] = name(d)
            uses[a].add(i)

    def product(a, b):
        for x, y in ((a, b), (b, a)):
            if x == '1': return y
            if x == '-1': return y[1:] if y[0] == '-' else '-' + y
        sign = '-' if (a[0] == '-') != (b[0] == '-') else ''
        return sign + '%s * %s' % tuple(sorted((a.lstrip('-'), b.lstrip('-'))))

    inner = {i for i in needed if into[i] and uses[i]} - set(results) - set(sources)
    while inner:
        i = min(inner, key=lambda k: (len(into[k]) * len(uses[k]) - len(into[k]) - len(uses[k]), -k))
        for j in sorted(uses[i]):
            outer = into[j].pop(i)
            for a, d in sorted(into[i].items()):
                step = product(outer, d)
                into[j][a] = name('%s + %s' % (into[j][a], step) if a in into[j] else step)
                uses[a].add(j)
        for a in into[i]: uses[a].discard(i)
        into[i], uses[i] = {}, set()
        inner.discard(i)
    return into


def main():
    parameters, states, equations = read(sys.argv[1])
    tape, names = Tape(), {}
    for i, n in enumerate(parameters): names[n] = tape.leaf('p[%d]' % i, False)
    for i, n in enumerate(states): names[n] = tape.leaf('x[%d]' % i, True)
    by_time = sys.argv[3:] == ['time']
    names['time'] = tape.leaf('t', by_time)
    sources = [names[n] for n in states + ['time'] * by_time]
    for left, right in sort(equations, parameters + states):
        names[left] = tape.expression(ast.parse(right, mode='eval').body, names)
    # copies, because a derivative may itself be used in other equations, or be a state
    results = [tape.node('(v%d)' % names['der(' + n + ')'], {names['der(' + n + ')']: '1'}) for n in states]
    tail = []
    into = eliminate(tape, sources, results, tail)
    print('#include <math.h>\n\n#include "hand/vehicle14.h"\n')
    print('// Made by derive.py; not to be edited.')
    print('void %s(double t, const double *x, const double *p, double *J) {' % sys.argv[2])
    for i, text in enumerate(tape.lines): print('  const double v%d = %s;' % (i, text))
    for text in tail: print('  ' + text)
    for i, r in enumerate(results):
        for a, d in sorted(into[r].items()):
            print('  J[%d] = %s;' % (sources.index(a) * len(states) + i, d))
    print('}')


main()
