"""Makes a failing model smaller as long as it fails in the same way."""
import collections
import random

import reference
from tree import RELATIONS, Node, modelica, num


def is_flag(model, tree):
    if tree.kind == 'if':
        return is_flag(model, tree.args[1])
    if tree.kind == 'var':
        return model.algs.get(tree.value, ('Real',))[0] == 'Boolean'
    return tree.kind in RELATIONS + ('and', 'or', 'not', 'true', 'false')


def size(model):
    trees = list(model.roots()) + [start for start, tree in model.states.values()]
    return sum(1 for tree in trees for part in tree.walk()) + 3*len(model.algs) + 3*len(model.states) + len(model.params)


def copied(tree):
    return Node(tree.kind, [copied(arg) for arg in tree.args], tree.value)


def smaller(model, tree):
    """Simpler trees for a tree: parts of it, numbers, and the same with one simpler part."""
    flag = is_flag(model, tree)
    for arg in tree.args:
        if is_flag(model, arg) == flag:
            yield copied(arg)
    if tree.kind == 'var' and tree.value in model.algs:
        inner = model.algs[tree.value][1]
        if not inner.kind.startswith('loop') and inner.kind != 'pair' and model.algs[tree.value][0] != 'input':
            yield copied(inner)
    if flag and tree.kind not in ('true', 'false'):
        yield Node('true')
        yield Node('false')
    if not flag and tree.kind != 'num':
        if tree.kind == 'par':
            yield num(float(model.params[tree.value]))
        else:
            yield num(0)
            yield num(1)
    if tree.kind.startswith('loop') or tree.kind == 'pair':
        return
    for i, arg in enumerate(tree.args):
        for other in smaller(model, arg):
            args = [copied(a) for a in tree.args]
            args[i] = other
            yield Node(tree.kind, args, tree.value)


def used(model, name, kind):
    trees = list(model.roots()) + [start for start, tree in model.states.values()]
    return any(part.kind == kind and part.value == name or part.kind == 'pair' and part.value == name
               for tree in trees for part in tree.walk())


def without(model, group, name):
    other = model.copy()
    del getattr(other, group)[name]
    return other


def candidates(model):
    for group, kind in (('algs', 'var'), ('params', 'par')):
        for name in getattr(model, group):
            if not used(model, name, kind):
                yield without(model, group, name)
    for name in model.states:
        other = without(model, 'states', name)
        if not used(other, name, 'var'):
            yield other
    for name, (start, tree) in model.states.items():
        for other_tree in smaller(model, tree):
            other = model.copy()
            other.states[name] = (start, other_tree)
            yield other
        for other_start in smaller(model, start):
            other = model.copy()
            other.states[name] = (other_start, tree)
            yield other
    for name, (kind, tree) in model.algs.items():
        if kind == 'input':
            continue
        if tree.kind == 'pair':
            other = model.copy()
            other.algs[name], other.algs[tree.value] = (kind, tree.args[2]), ('Real', tree.args[3])
            yield other
            continue
        for other_tree in smaller(model, tree):
            other = model.copy()
            other.algs[name] = (kind, other_tree)
            yield other


def shrink(arguments, judge, derivatives_of, model, verdict, why, source, expected, most=300):
    """The smallest failing model that a greedy search finds."""
    trials, progress = 0, True
    while progress and trials < most:
        progress = False
        for other in sorted(candidates(model), key=size):
            if size(other) >= size(model) or trials >= most:
                continue
            trials += 1
            try:
                found = reference.reference(other, expected.times)
                found.solver = expected.solver
                tables = derivatives_of(other, found, arguments.sensitivities, collections.Counter()) \
                    if verdict == 'wrong sensitivities' else {}
            except Exception:  # whatever a cut model does: it is no candidate
                continue
            text = modelica(other, 'Small', random.Random(1))
            new_verdict, new_why = judge(arguments, text, found, tables)
            if new_verdict == verdict:
                model, why, source, expected, progress = other, new_why, text, found, True
                break
    return source, verdict, why, expected
