"""Expression trees of random hybrid models, as Modelica text and as Python code.

A model has parameters, states and algebraic variables. Each algebraic variable stands after those that it uses, so that
one pass computes all of them. An operator with a discrete result (a relation, floor, the branch of abs, ...) keeps that
result between events; the results of all of them are the signature of a model.
"""
import math

RELATIONS = ('<', '<=', '>', '>=')
DISCRETE = RELATIONS + ('floor', 'ceil', 'integer', 'mod', 'sign', 'abs', 'min', 'max', 'loop_abs', 'loop_max')
STEPS = ('floor', 'ceil', 'integer', 'sign') + RELATIONS  # constant between events
FUNCTIONS = ('sin', 'cos', 'exp', 'tanh')
RANK = {'or': 1, 'and': 2, 'not': 3, '+': 5, '-': 5, '*': 6, '/': 6}
RANK.update((relation, 4) for relation in RELATIONS)


class Node:
    __slots__ = ('kind', 'args', 'value', 'index')

    def __init__(self, kind, args=(), value=None):
        self.kind, self.args, self.value, self.index = kind, tuple(args), value, None

    def walk(self):
        for arg in self.args:
            yield from arg.walk()
        yield self


def num(value):
    return Node('num', value=value)


def var(name):
    return Node('var', value=name)


def node(kind, *args):
    return Node(kind, [num(arg) if isinstance(arg, (int, float)) else arg for arg in args])


class Model:
    """params: name -> value; states: name -> (start, derivative); algs: name -> (type, expression), in order.

    An input is an algebraic variable of the type input, with the expression that its samples mean.
    """

    def __init__(self):
        self.params, self.states, self.algs, self.inputs, self.interpolation = {}, {}, {}, {}, 'hold'
        self.start, self.stop, self.kind = 0.0, 4.0, ''

    def copy(self):
        other = Model()
        other.params, other.states, other.algs = dict(self.params), dict(self.states), dict(self.algs)
        other.inputs, other.interpolation = dict(self.inputs), self.interpolation
        other.start, other.stop, other.kind = self.start, self.stop, self.kind
        return other

    def roots(self):
        for kind, tree in self.algs.values():
            yield tree
        for start, tree in self.states.values():
            yield tree

    def columns(self):
        return list(self.states) + [name for name, (kind, tree) in self.algs.items() if kind != 'input']

    def input_table(self):
        """The samples of all inputs as CSV; all inputs have the same times."""
        names = [name for name, (kind, tree) in self.algs.items() if kind == 'input']
        lines = ['time,' + ','.join(names)]
        for rows in zip(*(self.inputs[name] for name in names)):
            lines.append(','.join([repr(rows[0][0])] + [repr(row[1]) for row in rows]))
        return '\n'.join(lines) + '\n' if names else ''


# --- Modelica text

def number(value):
    if value == int(value) and abs(value) < 1e9:
        return str(int(value))
    return repr(value)


def text(tree, rank=0):
    kind, args = tree.kind, tree.args
    if kind == 'num':
        return number(tree.value) if tree.value >= 0 or not rank else '(%s)' % number(tree.value)
    if kind in ('par', 'var'):
        return tree.value
    if kind in ('time', 'true', 'false'):
        return kind
    if kind == 'if':
        word = 'if %s then %s' % (text(args[0]), text(args[1]))
        rest = args[2]
        while rest.kind == 'if':
            word += ' elseif %s then %s' % (text(rest.args[0]), text(rest.args[1]))
            rest = rest.args[2]
        return '(%s else %s)' % (word, text(rest)) if rank else '%s else %s' % (word, text(rest))
    if kind == 'not':
        return ('(not %s)' if rank > 3 else 'not %s') % text(args[0], 4.5)
    if kind == 'neg':
        return ('(-%s)' if rank else '-%s') % text(args[0], 7)
    if kind in RELATIONS and tree.value:
        return scaled_relation(tree, rank)
    if kind in RANK:
        own = RANK[kind]
        left, right = text(args[0], own + (own == 4) * 0.5), text(args[1], own + (kind not in ('+', 'and', 'or')) * 0.5)
        word = '%s%s%s' % (left, kind if own == 6 else ' %s ' % kind, right)
        return '(%s)' % word if own < rank else word
    return '%s(%s)' % (kind, ', '.join(text(arg) for arg in args))


def scaled_relation(tree, rank):
    """The same relation in other units: factor*(a + shift) < factor*(b + shift)."""
    factor, shift = tree.value
    left, right = ('%s*(%s + %s)' % (number(factor), text(arg, 5), number(shift)) for arg in tree.args)
    word = '%s %s %s' % (left, tree.kind, right)
    return '(%s)' % word if rank > 4 else word


def any_form(left, tree, rng):
    """left = tree, or the same written in another way."""
    form = rng.random()
    if form < 0.1:
        return '%s = %s' % (text(tree, 1), left)
    if form < 0.2:
        return '%s - %s = 0' % (left, text(tree, 5.5))
    if form < 0.25:
        return '2*%s = 2*%s' % (left, text(tree, 6.5))
    return '%s = %s' % (left, text(tree))


def equation(name, tree, kind, rng):
    if kind == 'Real' and not tree.kind.startswith('loop') and tree.kind != 'pair':
        return any_form(name, tree, rng)
    kind, args = tree.kind, tree.args
    if kind == 'loop_sin':
        return '%s + %s*sin(%s) = %s' % (name, text(args[0], 6), name, text(args[1]))
    if kind == 'loop_tanh':
        return '%s = %s + %s*tanh(%s)' % (name, text(args[1], 5), text(args[0], 6), name)
    if kind == 'loop_abs':
        return '%s + %s*abs(%s) = %s' % (name, text(args[0], 6), name, text(args[1]))
    if kind == 'loop_max':
        return '%s + %s*max(%s - 1, 0) = %s' % (name, text(args[0], 6), name, text(args[1]))
    if kind == 'pair':  # own = a*other + e; value: the other's name
        return '%s = %s*%s + %s' % (name, text(args[0], 6), tree.value, text(args[2], 5))
    return '%s = %s' % (name, text(tree))


def modelica(model, name, rng):
    """The text of a model; its equations stand in random order."""
    lines = ['model %s' % name]
    for param, value in model.params.items():
        if isinstance(value, bool):
            lines.append('  parameter Boolean %s = %s;' % (param, str(value).lower()))
        elif isinstance(value, int):
            lines.append('  parameter Integer %s = %d;' % (param, value))
        else:
            lines.append('  parameter Real %s = %s;' % (param, number(value)))
    equations = []
    for state, (start, tree) in model.states.items():
        lines.append('  Real %s(start = %s, fixed = true);' % (state, text(start)))
        equations.append('  %s;' % any_form('der(%s)' % state, tree, rng))
    for alg, (kind, tree) in model.algs.items():
        if kind == 'input':
            lines.append('  input Real %s;' % alg)
        elif tree.kind.startswith('loop') or tree.kind == 'pair' or rng.random() < 0.5:
            lines.append('  %s %s;' % (kind, alg))
            equations.append('  %s;' % equation(alg, tree, kind, rng))
        else:
            lines.append('  %s %s = %s;' % (kind, alg, text(tree)))
    rng.shuffle(equations)
    return '\n'.join(lines + (['equation'] if equations else []) + equations + ['end %s;' % name, ''])


def sampled(samples, interpolation):
    """The expression that the samples of an input mean."""
    tree = num(samples[-1][1])
    for (t0, v0), (t1, v1) in reversed(list(zip(samples, samples[1:]))):
        piece = num(v0)
        if interpolation == 'linear' and v1 != v0:
            piece = node('+', v0, node('*', (v1 - v0)/(t1 - t0), node('-', Node('time'), t0)))
        tree = node('if', node('<', Node('time'), t1), piece, tree)
    return tree


# --- Python code

def solve_loop(kind, c, e):
    y = e
    for i in range(50):
        if kind == 'loop_sin':
            step = (y + c*math.sin(y) - e)/(1 + c*math.cos(y))
        else:
            w = math.tanh(y)
            step = (y - c*w - e)/(1 - c*(1 - w*w))
        y -= step
        if abs(step) < 1e-15*(1 + abs(y)):
            break
    return y


def argument(tree):
    """The code of the quantity whose position decides the result of a discrete operator."""
    args = [code(arg) for arg in tree.args]
    if tree.kind in RELATIONS + ('min', 'max'):
        return '(%s - %s)' % (args[0], args[1])
    if tree.kind == 'mod':
        return '(%s/%s)' % (args[0], args[1])
    if tree.kind == 'loop_abs':
        return args[1]
    if tree.kind == 'loop_max':
        return '(%s - 1)' % args[1]
    return args[0]


def code(tree):
    """Python code of an expression with the discrete results of the signature s."""
    kind = tree.kind
    if kind == 'num':
        return '(%r)' % float(tree.value)
    if kind == 'par':
        return 'p_%s' % tree.value
    if kind == 'var':
        return tree.value
    if kind in STEPS:
        return 's[%d]' % tree.index
    args = [code(arg) for arg in tree.args]
    if kind == 'time':
        return 't'
    if kind in ('true', 'false'):
        return kind.capitalize()
    if kind == 'if':
        return '(%s if %s else %s)' % (args[1], args[0], args[2])
    if kind in ('+', '-', '*', '/', 'and', 'or'):
        return '(%s %s %s)' % (args[0], kind, args[1])
    if kind == 'not':
        return '(not %s)' % args[0]
    if kind == 'smooth':
        return args[1]
    if kind == 'neg':
        return '(-%s)' % args[0]
    if kind in FUNCTIONS:
        return '%s(%s)' % (kind, args[0])
    if kind == 'abs':
        return '(%s if s[%d] else -%s)' % (args[0], tree.index, args[0])
    if kind in ('min', 'max'):
        return '(%s if s[%d] else %s)' % (args[0], tree.index, args[1])
    if kind == 'mod':
        return '(%s - s[%d]*%s)' % (args[0], tree.index, args[1])
    if kind == 'loop_abs':
        return '(%s/((1 + %s) if s[%d] else (1 - %s)))' % (args[1], args[0], tree.index, args[0])
    if kind == 'loop_max':
        return '((%s + %s)/(1 + %s) if s[%d] else %s)' % (args[1], args[0], args[0], tree.index, args[1])
    if kind == 'pair':
        return '((%s + %s*%s)/(1 - %s*%s))' % (args[2], args[0], args[3], args[0], args[1])
    return "solve_loop('%s', %s, %s)" % (kind, args[0], args[1])


class Compiled:
    """A model as Python functions, with what is known of its discrete operators."""

    def __init__(self, model):
        self.model = model
        self.operators = []
        for root in model.roots():
            for tree in root.walk():
                if tree.kind in DISCRETE:
                    tree.index = len(self.operators)
                    self.operators.append(tree)
        self.fixed, self.timed = {}, {}  # of algebraic variables: constant between events; no state behind them
        for name, (kind, tree) in model.algs.items():
            self.fixed[name], self.timed[name] = self.is_fixed(tree), self.is_timed(tree)
        self.located = [op.index for op in self.operators if not self.has_fixed_argument(op)]
        self.is_time = [self.is_timed(op) for op in self.operators]
        self.functions = {}
        names = [tree for start, tree in model.states.values()]
        self.rhs = self.function('rhs', names, 't, x, s, p', '(%s)' % ''.join(code(tree) + ', ' for tree in names))
        located = [self.operators[k] for k in self.located]
        self.arguments = self.function('arguments', located, 't, x, s, p',
                                       '(%s)' % ''.join(argument(op) + ', ' for op in located))
        self.inside = self.function(
            'inside', located, 't, x, s, p, lo, hi',
            ' and '.join('lo[%d] <= %s <= hi[%d]' % (k, argument(op), k) for k, op in enumerate(located)) or 'True')
        everything = [tree for kind, tree in model.algs.values()]
        self.values = self.function('values', everything, 't, x, s, p',
                                    '(%s)' % ''.join(name + ', ' for name in model.columns()), list(model.algs))

    def function(self, name, trees, parameters, result, wanted=()):
        needed = set(wanted)
        pending = [leaf.value for tree in trees for leaf in tree.walk() if leaf.kind == 'var'] + list(wanted)
        while pending:
            alg = pending.pop()
            if alg in self.model.algs:
                needed.add(alg)
                pending += [leaf.value for leaf in self.model.algs[alg][1].walk()
                            if leaf.kind == 'var' and leaf.value not in needed]
        lines = ['def %s(%s):' % (name, parameters)]
        if self.model.states:
            lines.append('  %s, = x' % ', '.join(self.model.states))
        if self.model.params:
            lines.append('  %s, = p' % ', '.join('p_' + param for param in self.model.params))
        lines += ['  %s = %s' % (alg, code(tree)) for alg, (kind, tree) in self.model.algs.items() if alg in needed]
        lines.append('  return ' + result)
        space = {function: getattr(math, function) for function in FUNCTIONS}
        space['solve_loop'] = solve_loop
        exec('\n'.join(lines), space)
        return space[name]

    def is_fixed(self, tree):
        if tree.kind in STEPS + ('num', 'par', 'true', 'false'):
            return True
        if tree.kind == 'time':
            return False
        if tree.kind == 'var':
            return self.fixed.get(tree.value, False)
        return all(self.is_fixed(arg) for arg in tree.args)

    def has_fixed_argument(self, op):
        return all(self.is_fixed(arg) for arg in op.args)

    def is_timed(self, tree):
        if tree.kind == 'var':
            return self.timed.get(tree.value, False)
        return all(self.is_timed(arg) for arg in tree.args)
