"""The reference: a hybrid model integrated by Runge-Kutta with small fixed steps, straight from its tree.

Between events the discrete results (the signature) are kept. A step after which one of them would be another is halved
until the first change is found. There every discrete result is decided anew: by the position of its argument, and where
that stands on the limit, by where it goes from there; an argument that stays on the limit is compared literally.
"""
import math

from tree import RELATIONS, Compiled, solve_loop

EDGE = 1e-11   # how far an argument may pass its limit before that counts
NEAR = 1e-10   # an argument nearer to its limit than this stands on it
LOOK = 1e-4    # how far ahead the motion is followed to see where an argument goes
GONE = 1e-9    # an argument that is farther from the limit then has left it
INFINITY = math.inf


class Unclear(Exception):
    """The reference cannot tell what is right: the model is drawn again."""


class Chatter(Exception):
    """The signature at a point contradicts each motion that it leads to."""


def rk4(rhs, t, x, s, p, h):
    if not x:
        return x
    k1 = rhs(t, x, s, p)
    k2 = rhs(t + h/2, [a + h/2*b for a, b in zip(x, k1)], s, p)
    k3 = rhs(t + h/2, [a + h/2*b for a, b in zip(x, k2)], s, p)
    k4 = rhs(t + h, [a + h*b for a, b in zip(x, k3)], s, p)
    return [a + h/6*(b + 2*c + 2*d + e) for a, b, c, d, e in zip(x, k1, k2, k3, k4)]


class Decision:
    """The discrete results at (t, x), when the motion leads to (t + LOOK, ahead). Values are pairs: now, ahead."""

    def __init__(self, compiled, t, x, p, ahead, kept):
        self.compiled, self.t, self.kept = compiled, t, kept
        self.literal = ahead is None
        self.later = t if self.literal else t + LOOK
        self.values = dict(zip(compiled.model.states, zip(x, x if self.literal else ahead)))
        self.params = dict(zip(compiled.model.params, p))
        self.signature = [None]*len(compiled.operators)
        self.stays, self.leaves = False, set()  # operators whose literal result holds for this moment only
        for name, (kind, tree) in compiled.model.algs.items():
            self.values[name] = self.pair(tree)
        for start, tree in compiled.model.states.values():
            self.pair(tree)

    def side(self, tree, now, ahead):
        """-1, 0 or 1: below, on, above the limit 0."""
        if self.literal or self.compiled.has_fixed_argument(tree):
            return (now > 0) - (now < 0)
        scale = 1.0
        if abs(now) > NEAR*scale:
            return 1 if now > 0 else -1
        if abs(ahead) > GONE:
            side = 1 if ahead > 0 else -1
            self.kept.setdefault(('sides', tree.index), side)
            return side
        self.stays = True
        return self.kept.get(('sides', tree.index), 0) if self.kept.get('sticky') else 0

    def decide(self, tree, now, ahead):
        """The discrete result of an operator from its argument."""
        limit = 0
        if tree.kind in ('floor', 'integer', 'mod', 'ceil'):
            limit = round(now)
        side = self.side(tree, now - limit, ahead - limit)
        result = discrete(tree.kind, limit, side)
        if abs(now - limit) <= NEAR and result != discrete(tree.kind, limit, 0):
            self.leaves.add(tree.index)
        return result

    def pair(self, tree):
        kind = tree.kind
        if kind in ('num', 'true', 'false'):
            value = {'true': True, 'false': False}.get(kind, tree.value)
            return value, value
        if kind == 'par':
            return self.params[tree.value], self.params[tree.value]
        if kind == 'var':
            return self.values[tree.value]
        if kind == 'time':
            return self.t, self.later
        args = [self.pair(arg) for arg in tree.args]
        if tree.index is not None:
            now, ahead = (position(kind, [arg[i] for arg in args]) for i in (0, 1))
            self.signature[tree.index] = self.decide(tree, now, ahead)
            return tuple(result(kind, [arg[i] for arg in args], self.signature[tree.index]) for i in (0, 1))
        return tuple(plain(kind, [arg[i] for arg in args]) for i in (0, 1))


def discrete(kind, limit, side):
    """The discrete result of an operator whose argument is on this side of a limit."""
    if kind == 'ceil':
        return limit + (side > 0)
    if kind in ('floor', 'integer', 'mod'):
        return limit - (side < 0)
    if kind == 'sign':
        return side
    if kind in RELATIONS:
        return {'<': side < 0, '<=': side <= 0, '>': side > 0, '>=': side >= 0}[kind]
    return side <= 0 if kind == 'min' else side >= 0


def position(kind, args):
    if kind in RELATIONS + ('min', 'max'):
        return args[0] - args[1]
    if kind == 'mod':
        return args[0]/args[1]
    if kind == 'loop_max':
        return args[1] - 1
    return args[1] if kind == 'loop_abs' else args[0]


def result(kind, args, s):
    if kind == 'abs':
        return args[0] if s else -args[0]
    if kind in ('min', 'max'):
        return args[0] if s else args[1]
    if kind == 'mod':
        return args[0] - s*args[1]
    if kind == 'loop_abs':
        return args[1]/((1 + args[0]) if s else (1 - args[0]))
    if kind == 'loop_max':
        return (args[1] + args[0])/(1 + args[0]) if s else args[1]
    return s


def plain(kind, args):
    if kind == 'if':
        return args[1] if args[0] else args[2]
    if kind == '+':
        return args[0] + args[1]
    if kind == '-':
        return args[0] - args[1]
    if kind == '*':
        return args[0]*args[1]
    if kind == '/':
        return args[0]/args[1]
    if kind == 'and':
        return args[0] and args[1]
    if kind == 'or':
        return args[0] or args[1]
    if kind == 'not':
        return not args[0]
    if kind == 'neg':
        return -args[0]
    if kind == 'smooth':
        return args[1]
    if kind == 'pair':
        return (args[2] + args[0]*args[3])/(1 - args[0]*args[1])
    if kind.startswith('loop'):
        return solve_loop(kind, args[0], args[1])
    return getattr(math, kind)(args[0])


def bounds(compiled, s):
    """The range of each located argument in which its discrete result is right."""
    lo, hi = [], []
    for k in compiled.located:
        kind, r = compiled.operators[k].kind, s[k]
        if kind in ('floor', 'integer', 'mod'):
            low, high = r, r + 1
        elif kind == 'ceil':
            low, high = r - 1, r
        elif kind == 'sign':
            low, high = (0 if r >= 0 else -INFINITY), (0 if r <= 0 else INFINITY)
        else:
            above = r if kind not in ('<', '<=', 'min') else not r
            low, high = (0, INFINITY) if above else (-INFINITY, 0)
        lo.append(low - EDGE)
        hi.append(high + EDGE)
    return lo, hi


class Run:
    """rows[i]: values at times[i], or None where a state event is too near; events: (time, operators that changed)."""

    def __init__(self, compiled, params, times, per_unit, most_events=1000):
        self.compiled, self.p, self.times, self.most = compiled, params, times, most_events
        self.rows, self.events, self.chatter, self.slope = [None]*len(times), [], None, INFINITY
        self.left_out, self.before, self.per_unit = [False]*len(times), [0]*len(times), per_unit
        self.delicate = False
        space = Decision(compiled, times[0], [0.0]*len(compiled.model.states), params, None, {})
        self.x = [float(space.pair(start)[0]) for start, tree in compiled.model.states.values()]
        self.t, self.start, self.history = times[0], self.x, []  # history: all signatures
        self.begin()
        try:
            self.go()
        except Chatter:
            self.chatter = self.t

    def literal(self):
        return Decision(self.compiled, self.t, self.x, self.p, None, {}).signature

    def begin(self):
        self.s = self.literal()
        self.rows[0] = self.compiled.values(self.t, self.x, self.s, self.p)
        self.first = self.s

    def go(self):
        self.use(self.settle(self.s))
        if self.s != self.first:
            self.events.append((self.t, tuple(k for k in range(len(self.s)) if self.s[k] != self.first[k])))
        for i in range(1, len(self.times)):
            begin, end = self.times[i - 1], self.times[i]
            count = max(1, math.ceil((end - begin)*self.per_unit))
            for j in range(1, count + 1):
                self.advance(end if j == count else begin + (end - begin)*j/count)
            self.record(i)
        self.advance(self.times[-1] + 1e-6)  # an event at the very end

    def record(self, i, before=None):
        """A row; it is left out where an argument only touches its limit, so that its result is another for a moment."""
        if self.touches(before or self.s):
            self.left_out[i], self.rows[i] = True, None
        if self.left_out[i]:
            return
        self.rows[i] = self.compiled.values(self.t, self.x, self.s, self.p)
        self.before[i] = len(self.events)
        for value in self.rows[i]:
            if not abs(value) < 1e4:
                raise Unclear('too large')

    def touches(self, before):
        ahead = rk4(self.compiled.rhs, self.t, self.x, self.s, self.p, LOOK)
        leaves = Decision(self.compiled, self.t, self.x, self.p, ahead, {}).leaves
        return any(before[k] == self.s[k] for k in leaves)

    def use(self, s):
        self.s = s
        self.history.append(s)
        self.lo, self.hi = bounds(self.compiled, s)

    def settle(self, s):
        """The signature that agrees with the motion that it leads to."""
        kept = {}
        for attempt in (False, True):
            kept['sticky'] = attempt
            seen = []
            while s not in seen:
                seen.append(s)
                ahead = rk4(self.compiled.rhs, self.t, self.x, s, self.p, LOOK)
                decision = Decision(self.compiled, self.t, self.x, self.p, ahead, kept)
                if decision.signature == s:
                    self.delicate = self.delicate or decision.stays
                    return s
                s = decision.signature
        raise Chatter

    def at(self, t0, x0, t):
        return rk4(self.compiled.rhs, t0, x0, self.s, self.p, t - t0)

    def advance(self, end):
        while self.t < end:
            x = self.at(self.t, self.x, end)
            if self.compiled.inside(end, x, self.s, self.p, self.lo, self.hi):
                self.t, self.x = end, x
            else:
                self.event(end)

    def event(self, end):
        t0, x0, s0 = self.t, self.x, self.s

        def wrong(t):
            return not self.compiled.inside(t, self.at(t0, x0, t), s0, self.p, self.lo, self.hi)
        after = bisect(wrong, t0, end)
        g = self.compiled.arguments(after, self.at(t0, x0, after), s0, self.p)
        changed = [k for k in range(len(g)) if not self.lo[k] <= g[k] <= self.hi[k]]

        def beyond(t):
            g = self.compiled.arguments(t, self.at(t0, x0, t), s0, self.p)
            return any(not self.lo[k] + EDGE <= g[k] <= self.hi[k] - EDGE for k in changed)
        for t in (t0 if beyond(t0) else bisect(beyond, t0, after), after):
            self.move(t0, x0, t)
            s = self.settle(s0)
            if s != s0:
                break
        else:
            raise Unclear('an event without a change')
        self.slopes(s0, changed)
        self.use(s)
        self.note(s0)

    def move(self, t0, x0, t):
        for row in self.times:
            if abs(row - t) < 1e-10 and row >= t0:
                t = row
        self.t, self.x = t, self.at(t0, x0, t)

    def slopes(self, s, changed):
        ahead = rk4(self.compiled.rhs, self.t, self.x, s, self.p, LOOK)
        now = self.compiled.arguments(self.t, self.x, s, self.p)
        then = self.compiled.arguments(self.t + LOOK, ahead, s, self.p)
        for k in changed:
            self.slope = min(self.slope, abs(then[k] - now[k])/LOOK)

    def note(self, s0):
        changed = tuple(k for k in range(len(s0)) if s0[k] != self.s[k])
        self.events.append((self.t, changed))
        if len(self.events) > self.most:
            raise Unclear('too many events')
        timed = all(self.compiled.is_time[k] for k in changed)
        for i, row in enumerate(self.times):
            if i and abs(row - self.t) < (1e-9 if timed else 1e-7):
                if timed and not self.left_out[i]:
                    self.record(i, s0)
                else:
                    self.rows[i], self.left_out[i] = None, True


def bisect(holds, a, b):
    """The first time in (a, b] at which holds() is true; it is at b."""
    while b - a > 4e-16*max(1.0, abs(b)):
        middle = (a + b)/2
        if not a < middle < b:
            break
        if holds(middle):
            b = middle
        else:
            a = middle
    return b


class Expected:
    """What the reference says: times, columns, rows; None where nothing can be said."""


def close(a, b, tolerance):
    return abs(a - b) <= tolerance*(1 + max(abs(a), abs(b)))


def reference(model, times, coarse=100, fine=230):
    """The rows of a model, confirmed with two step sizes; raises Unclear."""
    compiled = Compiled(model)
    params = [float(v) if not isinstance(v, bool) else v for v in model.params.values()]
    first, second = (Run(compiled, params, times, n) for n in (coarse, fine))
    expected = Expected()
    expected.compiled, expected.params, expected.times, expected.columns = compiled, params, times, model.columns()
    expected.model = model
    if (first.chatter is None) != (second.chatter is None):
        raise Unclear('chatter at one step size only')
    expected.chatter = second.chatter
    if expected.chatter is None:
        if [e[1] for e in first.events] != [e[1] for e in second.events]:
            raise Unclear('other events')
        if second.slope < 3e-3:
            raise Unclear('an argument touches its limit')
    end = INFINITY if second.chatter is None else min(first.chatter, second.chatter) - 1e-6
    expected.rows, expected.errors = [], []
    for i, (a, b) in enumerate(zip(first.rows, second.rows)):
        if a is None or b is None or times[i] >= end:
            expected.rows.append(None)
            expected.errors.append(None)
            continue
        for u, v in zip(a, b):
            if not close(u, v, 1e-5):
                raise Unclear('step sizes disagree')
        expected.rows.append(b)
        expected.errors.append([abs(u - v) for u, v in zip(a, b)])
    expected.events, expected.delicate, expected.run = second.events, second.delicate, second
    return expected


def slide(expected, h=1e-3):
    """The states with small Euler steps and literal results: what remains to be said of a motion that chatters."""
    compiled, t, rows = expected.compiled, expected.times[0], []
    x = list(expected.run.start)
    for end in expected.times:
        while t < end - h/2:
            s = Decision(compiled, t, x, expected.params, None, {}).signature
            x = [a + h*b for a, b in zip(x, compiled.rhs(t, x, s, expected.params))]
            t += h
        rows.append(x)
    return rows


def sensitivities(expected, name):
    """Rows of derivatives by central differences with two sizes, None where they do not exist; None for all: unclear."""
    compiled, base = expected.compiled, expected.run
    index = list(compiled.model.params).index(name)
    d = 2e-4*max(0.5, abs(expected.params[index]))
    runs = []
    for delta in (d, -d, d/2, -d/2):
        params = list(expected.params)
        params[index] += delta
        try:
            run = Run(compiled, params, expected.times, base.per_unit)
        except Unclear:
            return None
        if run.chatter is not None or run.first != base.first or run.history != base.history:
            return None
        runs.append(run)
    rows = []
    for i in range(len(expected.times)):
        several = [run.rows[i] for run in runs]
        if expected.rows[i] is None or None in several or len({run.before[i] for run in runs + [base]}) > 1:
            rows.append(None)
            continue
        row = []
        for plus, minus, half_plus, half_minus in zip(*several):
            wide, narrow = (plus - minus)/(2*d), (half_plus - half_minus)/d
            row.append((4*narrow - wide)/3 if close(wide, narrow, 1e-5) else None)
        rows.append(row)
    return rows
