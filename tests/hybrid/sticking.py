"""Random systems whose motion sticks: dry friction between bodies and to the ground, belts, relays, stops, backlash.

A system is x' = f(t, x) + sum_j b_j(t, x) s_j with s_j in Sign(w_j), where each w_j is a sum of states and a wave of time. The
reference keeps a state of each contact: slips forward, slips backward, sticks. A contact that sticks has the force that
keeps its speed, also one above that of rubbing where it has a limit of its own; where no forces within their limits do so, and where a contact comes to rest, the accelerations are those
of the complementarity problem  s_j = sign of w_j', or w_j' = 0 and |s_j| <= 1  of the contacts at rest, by projected
Gauss-Seidel. Runge-Kutta with small fixed steps between; nothing is shared with entrain.
"""
import math
import re

from reference import Expected, Unclear, bisect, close

REST = 1e-11   # a speed nearer to 0 than this is rest
AHEAD = 1e-6   # so far ahead it is seen which contacts stick
FREE = 1e-10   # a contact that is faster then has begun to slip


def dead_zone(x, gap):
    return x - gap if x > gap else x + gap if x < -gap else 0.0


SPACE = {name: getattr(math, name) for name in ('sin', 'cos', 'exp', 'tanh', 'sqrt')}
SPACE.update(dead_zone=dead_zone, abs=abs, max=max, min=min)


class Contact:
    """w = sum of states by factors, less the wave; pushes: state -> expression that s multiplies. limit: a parameter, of |s| while it sticks; s is
    +-1 while it slips. Only for contacts that are the only ones of their state."""

    def __init__(self, speed, pushes, wave=None, limit=None):
        self.speed, self.pushes, self.wave, self.limit = speed, pushes, wave, limit  # wave: (mean, size, frequency)

    def text(self):
        word = ' + '.join(name if factor == '1' else '(%s)*%s' % (factor, name) for name, factor in self.speed)
        return word + (' - (%s + %s*sin(%s*time))' % self.wave if self.wave else '')

    def wave_rate(self):
        return ' - %s*%s*cos(%s*time)' % (self.wave[1], self.wave[2], self.wave[2]) if self.wave else ''


class Stop:
    """Where side*state reaches the level, the speed becomes -e times what it was."""

    def __init__(self, state, speed, level, side, e):
        self.state, self.speed, self.level, self.side, self.e = state, speed, level, side, e


class System:
    def __init__(self, kind):
        self.kind, self.params, self.states, self.rates, self.contacts, self.stops = kind, {}, {}, {}, [], []
        self.kinks = []  # where one of these is 0, the slopes of f jump
        self.start, self.stop, self.inputs, self.interpolation = 0.0, 4.0, {}, 'hold'

    def columns(self):
        return list(self.states)

    def input_table(self):
        return ''

    def compile(self):
        """rhs(t, x, p), pushes(t, x, p)[j][i], and the rates of w by x and t."""
        head = '  %s, = x\n  %s, = p\n' % (', '.join(self.states), ', '.join(self.params))
        names = list(self.states)

        def make(name, result):
            space = dict(SPACE)
            exec('def %s(time, x, p):\n%s  return %s' % (name, head, result), space)
            return space[name]
        self.rhs = make('rhs', '[%s]' % ', '.join(self.rates[name] for name in names))
        self.push = make('push', '[%s]' % ', '.join(
            '[%s]' % ', '.join(c.pushes.get(name, '0.0') for name in names) for c in self.contacts))
        self.gaps = make('gaps', '[%s]' % ', '.join(c.text() for c in self.contacts))
        self.by = make('by', '[%s]' % ', '.join(
            '[%s]' % ', '.join(dict(c.speed).get(name, '0.0') for name in names) for c in self.contacts))
        self.drift = make('drift', '[%s]' % ', '.join('0.0' + c.wave_rate() for c in self.contacts))
        self.limit = make('limit', '[%s]' % ''.join(
            '(%d*%s - %s), ' % (s.side, s.state, s.level) for s in self.stops))
        self.kink = make('kink', '[%s]' % ''.join('(%s), ' % kink for kink in self.kinks))
        self.limits = make('limits', '[%s]' % ', '.join(c.limit or '1.0' for c in self.contacts))
        self.bounce = make('bounce', '[%s]' % ''.join('(%s), ' % s.e for s in self.stops))


# --- Modelica text

def relation_text(rng, w):
    """s for one speed: the forms in which people write it."""
    form = rng.randrange(7)
    if form <= 2:
        return 'sign(%s)' % w
    if form == 3:
        return '(if %s > 0 then 1 elseif %s < 0 then -1 else 0)' % (w, w)
    if form == 4:
        return '(if %s > 0 then 1 else -1)' % w
    if form == 5:
        return '(if 0 <= %s then 1 else -1)' % w
    return '(if 2*%s < 0 then -1 elseif 3*(%s) > 0 then 1 else 0)' % (w, w)


def held_text(rng, w, held):
    """The same with a value of its own where w is 0."""
    form = rng.randrange(5)
    if form == 0:
        return '(if abs(%s) > 0 then sign(%s) else %s)' % (w, w, held)
    if form == 1:
        return '(if 0 >= (%s)^2 then %s else sign(%s))' % (w, held, w)
    if form == 2:
        return '(if %s < 0 then -1 elseif not %s > 0 then %s else 1)' % (w, w, held)
    return '(if %s > 0 then 1 elseif %s < 0 then -1 else %s)' % (w, w, held)


def plain_text(rng, tree):
    def zone(match):
        x, gap = match.groups()
        return rng.choice(('(if %s > %s then %s - %s elseif %s < -%s then %s + %s else 0)' % ((x, gap)*4),
                           '(max(%s - %s, 0) + min(%s + %s, 0))' % ((x, gap)*2)))
    return re.sub(r'dead_zone\((\w+), (\w+)\)', zone, tree)


def modelica(system, name, rng):
    lines, equations = ['model %s' % name], []
    for param, value in system.params.items():
        lines.append('  parameter Real %s = %r;' % (param, value))
    for state, start in system.states.items():
        lines.append('  Real %s(start = %s, fixed = true);' % (state, start))
    forces = {state: [plain_text(rng, system.rates[state])] for state in system.states}
    for j, contact in enumerate(system.contacts):
        w, lost = contact.text(), rng.random()
        if lost < 0.6 or len(contact.speed) > 1 or contact.wave:
            lines.append('  Real w%d;' % (j + 1))
            equations.append('w%d = %s' % (j + 1, w))
            w = 'w%d' % (j + 1)
        s = relation_text(rng, w)
        if contact.limit:
            (state, push), = contact.pushes.items()
            load = '-(%s)/(%s)' % (forces[state][0], push)
            if rng.random() < 0.2:
                load = '3e4 + (%s) - 3e4' % load  # a preload, which leaves rounding errors
            s = held_text(rng, w, 'max(-%s, min(%s, %s))' % (contact.limit, contact.limit, load))
            if rng.random() < 0.3:
                lines.append('  Real turn%d;' % (j + 1))
                equations.append('turn%d = sign(%s)' % (j + 1, w))
        if rng.random() < 0.5:
            lines.append('  Real s%d;' % (j + 1))
            equations.append('s%d = %s' % (j + 1, s))
            s = 's%d' % (j + 1)
        for state, push in contact.pushes.items():
            forces[state].append('(%s)*%s' % (plain_text(rng, push), s))
    for state, terms in forces.items():
        if rng.random() < 0.2 and len(terms) > 1:  # the force is solved for together with the acceleration
            lines += ['  Real f_%s;' % state]
            equations += ['2*der(%s) + f_%s = 2*(%s) - f_%s' % (state, state, terms[0], state),
                          'f_%s + 0.5*(der(%s) - (%s)) = -0.5*(%s)' % (state, state, terms[0], ' + '.join(terms[1:]))]
        else:
            equations.append('der(%s) = %s' % (state, ' + '.join(terms)))
    rng.shuffle(equations)
    clauses = []
    if system.stops:  # all act on the same speed
        stop = system.stops[0]
        meets = ['%s %s' % (s.state, '> %s' % s.level if s.side > 0 else '< -%s' % s.level) for s in system.stops]
        clauses.append('when %s then reinit(%s, -%s*pre(%s)); end when' % (
            meets[0] if len(meets) == 1 else '{%s}' % ', '.join(meets), stop.speed, stop.e, stop.speed))
    if rng.random() < 0.3:  # a clock makes it a hybrid system, and changes nothing else
        lines.append('  discrete Real strikes(start = 0, fixed = true);')
        clauses.append('when time > %.3f then strikes = pre(strikes) + 1; end when' % rng.uniform(0.5, 20))
    return '\n'.join(lines + ['equation'] + ['  %s;' % e for e in equations + clauses] + ['end %s;' % name, ''])


# --- systems

class Draw:
    def __init__(self, rng, kind):
        self.rng, self.system = rng, System(kind)

    def chance(self, p):
        return self.rng.random() < p

    def param(self, name, lo, hi):
        self.system.params[name] = round(self.rng.uniform(lo, hi), 3)
        return name

    def state(self, name, lo=0.0, hi=0.0):
        start = round(self.rng.uniform(lo, hi), 3)
        self.system.states[name], self.system.rates[name] = repr(start), '0.0'
        return name

    def add(self, state, term):
        self.system.rates[state] += ' + ' + term if self.system.rates[state] != '0.0' else ''
        if self.system.rates[state] == '0.0':
            self.system.rates[state] = term

    def body(self, i, still=0.5):
        x, v = self.state('x%d' % i, -1, 1), self.state('v%d' % i)
        if not self.chance(still):
            self.system.states[v] = repr(round(self.rng.uniform(-1, 1), 3))
        self.param('m%d' % i, 0.5, 2)
        self.add(x, v)
        return x, v

    def force(self, v, m, term):
        self.add(v, '(%s)/%s' % (term, m))

    def drive(self, i, lo=1, hi=4):
        a, w = self.param('A%d' % i, lo, hi), self.param('om%d' % i, 0.7, 3)
        self.force('v%d' % i, 'm%d' % i, '%s*sin(%s*time)' % (a, w))

    def size(self, name, w, lo, hi):
        """Of the force: Coulomb's, or one that falls with the speed, or with the load."""
        fc = self.param(name, lo, hi)
        kind = self.rng.randrange(5)
        if kind == 0:
            return '%s*(0.6 + 0.4*exp(-abs(%s)))' % (fc, w)
        if kind == 1:
            return '%s*(1 + 0.5*exp(-(%s)*(%s)/0.3))' % (fc, w, w)
        return fc

    def rub(self, name, i, j=None, lo=0.3, hi=1.5, wave=None):
        """Friction on body i, from the ground or from body j."""
        speed = [('v%d' % i, '1')] + ([('v%d' % j, '-1')] if j else [])
        contact = Contact(speed, {}, wave)
        size = self.size(name, contact.text(), lo, hi)
        contact.pushes['v%d' % i] = '-(%s)/m%d' % (size, i)
        if j:
            contact.pushes['v%d' % j] = '(%s)/m%d' % (size, j)
        self.system.contacts.append(contact)
        return contact

    def stiction(self):
        """Each body is held by more than what rubs on it."""
        n = self.rng.randrange(1, 4)
        for i in range(1, n + 1):
            self.body(i)
        for i in range(1, n + 1):
            if self.chance(0.8) or i == 1:
                self.drive(i)
            if self.chance(0.5) or n == 1:
                self.spring('k%d' % i, i)
            if i < n:
                self.spring('c%d' % i, i, i + 1)
        for i in range(1, n + 1):
            push = '-%s/m%d' % (self.param('F%d' % i, 0.3, 1.5), i)
            self.system.contacts.append(Contact([('v%d' % i, '1')], {'v%d' % i: push}, None, self.param('R%d' % i, 1.1, 1.8)))

    def rest(self):
        """Bodies at rest on each other and on the ground, more contacts than bodies, and a force that grows."""
        n = self.rng.randrange(2, 4)
        for i in range(1, n + 1):
            x, v = self.body(i, 1)
            self.system.states[x] = '0.0'
            self.force(v, 'm%d' % i, self.param('P%d' % i, -0.5, 0.5))
            self.rub('F%d' % i, i, None, 0.6, 1.2)
            if i > 1:
                self.rub('G%d' % i, i, i - 1, 0.6, 1.2)
        self.force('v1', 'm1', '%s*sin(%s*time)' % (self.param('A', 1, 4), self.param('om', 0.7, 2)))

    def spring(self, name, i, j=None):
        k, kind = self.param(name, 1, 6), self.rng.randrange(6)
        gap = 'x%d - x%d' % (i, j) if j else 'x%d' % i
        term = '%s*(%s)' % (k, gap)
        if kind == 0 and not j:
            term = '%s*dead_zone(x%d, %s)' % (k, i, self.param('gap', 0.1, 0.4))
            self.system.kinks += ['x%d - gap' % i, 'x%d + gap' % i]
        elif kind == 1:
            self.system.kinks += ['%s - 1.5' % term, '%s + 1.5' % term]
            term = 'max(-1.5, min(1.5, %s))' % term
        elif kind == 2:
            term += ' + 2*(%s)*(%s)*(%s)' % (gap, gap, gap)
        self.force('v%d' % i, 'm%d' % i, '-(%s)' % term)
        if j:
            self.force('v%d' % j, 'm%d' % j, term)

    def chain(self):
        n = self.rng.randrange(1, 5)
        for i in range(1, n + 1):
            self.body(i)
        for i in range(1, n + 1):
            if self.chance(0.7) or i == 1:
                self.drive(i)
            if self.chance(0.5) or n == 1:
                self.spring('k%d' % i, i)
            if i < n and self.chance(0.8):
                self.spring('c%d' % i, i, i + 1)
            if self.chance(0.7) or i == 1:
                self.rub('F%d' % i, i)
            if i < n and self.chance(0.4):
                self.rub('G%d' % i, i, i + 1)
            if self.chance(0.4):
                self.force('v%d' % i, 'm%d' % i, '-%s*v%d' % (self.param('d%d' % i, 0.1, 0.6), i))

    def belt(self):
        self.body(1)
        self.spring('k1', 1)
        wave = (self.param('vb', 0.2, 0.8), self.param('wb', 0.1, 0.6) if self.chance(0.5) else '0', '1.7')
        self.rub('F1', 1, None, 0.5, 2, wave)
        if self.chance(0.5):
            self.body(2)
            self.spring('k2', 1, 2)
            self.rub('F2', 2, None, 0.3, 1.5, wave if self.chance(0.5) else None)

    def stack(self):
        """Bodies on each other; only friction moves the upper ones."""
        n = self.rng.randrange(2, 5)
        for i in range(1, n + 1):
            self.body(i, 0.8)
        self.drive(1, 2, 6)
        if self.chance(0.6):
            self.rub('F0', 1)
        for i in range(1, n):
            self.rub('F%d' % i, i, i + 1)
        if self.chance(0.5):
            self.spring('k%d' % n, n)

    def relay(self):
        """A relay holds a sum of states on a wave."""
        n = self.rng.randrange(1, 4)
        names = [self.state('x%d' % (i + 1), -1, 1) for i in range(n)]
        for a, b in zip(names, names[1:]):
            self.add(a, b)
        last = names[-1]
        self.add(last, '%s*sin(x1) + 0.4*cos(2.2*time)' % self.param('a', -1, 1))
        speed = [(name, self.param('c%d' % (i + 1), 0.5, 2)) for i, name in enumerate(names[:-1])] + [(last, '1')]
        wave = (self.param('r', -0.3, 0.3), self.param('q', 0.1, 0.5), '1.3') if self.chance(0.6) else None
        size = self.param('K', 1.5, 4)
        if self.chance(0.3):
            size += '*(1 + 0.5*x1*x1)'
        self.system.contacts.append(Contact(speed, {last: '-' + size}, wave))
        if self.chance(0.5):  # a second state that the relay drives, too
            other = self.state('z', -1, 1)
            self.add(other, '-z')
            self.system.contacts[0].pushes[other] = self.param('kz', -1, 1)

    def load(self):
        """The normal force depends on the place and on the speed."""
        self.body(1)
        self.drive(1)
        self.spring('k1', 1)
        mu, kind = self.param('mu', 0.1, 0.4), self.rng.randrange(3)
        normal = ('4 + x1*x1', '3 + sin(2*x1) + v1*v1', 'max(0.5, 3 + 2*x1)')[kind]
        if kind == 2:
            self.system.kinks.append('2.5 + 2*x1')
        self.system.contacts.append(Contact([('v1', '1')], {'v1': '-%s*(%s)/m1' % (mu, normal)}))

    def stopped(self):
        """Friction and hard stops."""
        self.body(1)
        self.drive(1, 2, 5)
        self.rub('F1', 1)
        for side in (1, -1)[:self.rng.randrange(1, 3)]:
            level = self.param('L%d' % (side + 2), 1.05, 1.5)
            self.system.stops.append(Stop('x1', 'v1', level, side, self.param('e', 0.3, 0.8)))
        if self.chance(0.5):
            self.body(2)
            self.rub('F2', 1, 2) if self.chance(0.5) else self.spring('k2', 1, 2)
            self.rub('F3', 2)


SYSTEMS = ('chain', 'chain', 'chain', 'belt', 'stack', 'relay', 'load', 'stopped', 'stiction', 'rest')


def draw(rng):
    drawn = Draw(rng, 'sticking')
    name = rng.choice(SYSTEMS)
    getattr(drawn, name)()
    system = drawn.system
    system.kind = 'sticking ' + name
    system.stop = rng.choice((3.0, 4.0, 6.0, 8.0))
    if rng.random() < 0.2:  # as if in other units
        system.start, system.stop = -1.0, system.stop - 1.0
    return system


# --- the reference

def eliminate(G, b, count):
    """One solution of G s = b, others 0 where rows depend on each other; None: contradictory."""
    A = [row[:] + [value] for row, value in zip(G, b)]
    size = max([abs(value) for row in G for value in row] + [1e-300])
    pivots, used = [], []
    for c in range(count):
        rows = [r for r in range(count) if r not in used]
        r = max(rows, key=lambda row: abs(A[row][c]), default=None)
        if r is None or abs(A[r][c]) < 1e-10*size:
            continue
        used.append(r)
        pivots.append((r, c))
        for other in range(count):
            if other != r and A[other][c]:
                by = A[other][c]/A[r][c]
                A[other] = [a - by*p for a, p in zip(A[other], A[r])]
    s = [0.0]*count
    for r, c in pivots:
        s[c] = A[r][count]/A[r][c]
    return s, len(pivots) == count


def complementarity(G, b, limits):
    """s between -limits and limits with r = b + G s: r = 0, or s has the sign of r."""
    count = len(limits)
    s = [0.0]*count
    for sweep in range(200000):
        most = 0.0
        for j in range(count):
            if G[j][j] >= 0:
                raise Unclear('a contact that does not hold')
            rest = b[j] + sum(G[j][i]*s[i] for i in range(count) if i != j)
            new = max(-limits[j], min(limits[j], -rest/G[j][j]))
            most, s[j] = max(most, abs(new - s[j])), new
        if most < 1e-15:
            break
    else:
        if most > 1e-13:
            raise Unclear('forces that are not found')
    return s, [b[j] + sum(G[j][i]*s[i] for i in range(count)) for j in range(count)]


class Run:
    def __init__(self, system, params, times, per_unit):
        self.system, self.p, self.times, self.per_unit = system, params, times, per_unit
        values = dict(zip(system.params, params))
        self.x = [float(eval(start, {}, values)) for start in system.states.values()]
        self.t, self.rows, self.events, self.history = times[0], [], [], []
        self.left_out, self.chatter, self.first, self.singular, self.least = set(), None, None, False, 1.0
        self.modes = [0]*len(system.contacts)  # 0: sticks
        self.kinks = self.signs(self.t, self.x)
        self.decide()
        self.rows.append(list(self.x))
        for begin, end in zip(times, times[1:]):
            count = max(1, math.ceil((end - begin)*per_unit))
            for j in range(1, count + 1):
                self.advance(end if j == count else begin + (end - begin)*j/count)
            self.rows.append(list(self.x))
            if not all(abs(value) < 1e4 for value in self.x):
                raise Unclear('too large')
        self.before = [sum(1 for event in self.events if event[0] <= t) for t in times]

    def rates(self, t, x, contacts):
        """G and b of these contacts, and f and the pushes."""
        f, push = list(self.system.rhs(t, x, self.p)), self.system.push(t, x, self.p)
        for j, mode in enumerate(self.modes):
            if mode and j not in contacts:
                f = [a + mode*c for a, c in zip(f, push[j])]
        by, drift = self.system.by(t, x, self.p), self.system.drift(t, x, self.p)
        G = [[sum(a*c for a, c in zip(by[j], push[i])) for i in contacts] for j in contacts]
        b = [drift[j] + sum(a*c for a, c in zip(by[j], f)) for j in contacts]
        return G, b, f, push

    def forces(self, t, x):
        """Those of contacts that stick; whether there is only one set of them, and whether they are within their limits."""
        stuck = [j for j, mode in enumerate(self.modes) if mode == 0]
        G, b, f, push = self.rates(t, x, stuck)
        s, single = eliminate(G, [-value for value in b], len(stuck))
        return stuck, s, single, f, push, G, b

    def f(self, t, x):
        stuck, s, single, f, push, G, b = self.forces(t, x)
        for j, share in zip(stuck, s):
            f = [a + share*c for a, c in zip(f, push[j])]
        return f

    def step(self, h):
        t, x = self.t, self.x
        k1 = self.f(t, x)
        k2 = self.f(t + h/2, [a + h/2*b for a, b in zip(x, k1)])
        k3 = self.f(t + h/2, [a + h/2*b for a, b in zip(x, k2)])
        k4 = self.f(t + h, [a + h*b for a, b in zip(x, k3)])
        return [a + h/6*(b + 2*c + 2*d + e) for a, b, c, d, e in zip(x, k1, k2, k3, k4)]

    def trouble(self, t, x):
        """Contacts and stops at which the modes are wrong at (t, x)."""
        w, wrong = self.system.gaps(t, x, self.p), []
        wrong += [j for j, mode in enumerate(self.modes) if mode and mode*w[j] < 0]
        wrong += [('stop', k) for k, over in enumerate(self.system.limit(t, x, self.p)) if over > 0 and self.approaches(x, k)]
        stuck, s, single, f, push, G, b = self.forces(t, x)
        limits = self.system.limits(t, x, self.p)
        beyond = [j for j, share in zip(stuck, s) if abs(share) > limits[j]]
        if beyond and not single:
            self.singular = True
            s, r = complementarity(G, b, [limits[j] for j in stuck])
            beyond = [j for j, rate in zip(stuck, r) if abs(rate) > FREE]
        return wrong + beyond

    def approaches(self, x, k):
        stop = self.system.stops[k]
        return stop.side*x[list(self.system.states).index(stop.speed)] > 0

    def advance(self, end):
        while self.t < end:
            x, start = self.step(end - self.t), self.t
            if not self.trouble(end, x):
                if self.passes_kink(end, x):
                    end_of_piece = bisect(lambda at: self.passes_kink(at, self.step(at - start)), start, end)
                    self.t, self.x = end_of_piece, self.step(end_of_piece - start)
                    self.kinks = self.signs(self.t, self.x)
                else:
                    self.t, self.x = end, x
                continue
            t = bisect(lambda at: bool(self.trouble(at, self.step(at - start))), start, end)
            x = self.step(t - start)
            what = self.trouble(t, x)
            self.t, self.x = t, x
            self.pass_event(what)

    def signs(self, t, x):
        return [value > 0 for value in self.system.kink(t, x, self.p)]

    def passes_kink(self, t, x):
        return self.signs(t, x) != self.kinks

    def pass_event(self, what):
        if len(self.events) > 300 or sum(1 for event in self.events if self.t - event[0] < 1e-9) > 12:
            raise Unclear('too many events')
        if self.events and 1e-12 < self.t - self.events[-1][0] < 1e-4:
            raise Unclear('events close to each other')
        for k in (item[1] for item in what if isinstance(item, tuple)):
            stop, names = self.system.stops[k], list(self.system.states)
            at = names.index(stop.speed)
            self.x[at] = -self.system.bounce(self.t, self.x, self.p)[k]*self.x[at]
            if abs(self.x[at]) < 0.02:
                raise Unclear('a stop that hardly bounces')
        before = list(self.modes)
        self.decide([item for item in what if not isinstance(item, tuple)])
        self.events.append((self.t, tuple(str(item) for item in what)))
        if before == self.modes and not any(isinstance(item, tuple) for item in what):
            raise Unclear('an event without a change')
        for i, row in enumerate(self.times):
            if abs(row - self.t) < 1e-6:
                self.left_out.add(i)

    def decide(self, reached=()):
        """The modes of contacts at rest, as they are a moment later."""
        w = self.system.gaps(self.t, self.x, self.p)
        still = [j for j in range(len(w)) if abs(w[j]) < REST or j in reached or self.modes[j] == 0 and self.first and abs(w[j]) < 1e-9]
        for j in range(len(w)):
            if j not in still:
                self.modes[j] = 1 if w[j] > 0 else -1
        G, b, f, push = self.rates(self.t, self.x, still)
        limits = [self.system.limits(self.t, self.x, self.p)[j] for j in still]
        for j, share in zip(still, complementarity(G, b, limits)[0]):
            f = [a + share*c for a, c in zip(f, push[j])]
        t, x = self.t + AHEAD, [a + AHEAD*c for a, c in zip(self.x, f)]
        G, b, f, push = self.rates(t, x, still)
        s, r = complementarity(G, b, limits)
        for j, share, rate, limit in zip(still, s, r, limits):
            size = abs(rate)
            if 1e-11 < size < 1e-8:
                raise Unclear('a contact that hardly leaves')
            self.modes[j] = 0 if size < FREE else (1 if rate > 0 else -1)
            if self.modes[j] == 0:
                self.least = min(self.least, limit - abs(share))
        self.first = True
        self.history.append(tuple(self.modes))


def reference(system, times, coarse=250, fine=600):
    system.compile()
    params = list(system.params.values())
    first, second = (Run(system, params, times, n) for n in (coarse, fine))
    if first.history != second.history:
        raise Unclear('other events')
    expected = Expected()
    expected.model, expected.params, expected.times, expected.columns = system, params, times, system.columns()
    expected.chatter, expected.delicate, expected.events, expected.run = None, False, second.events, second
    expected.rows, expected.errors = [], []
    for i, (a, b) in enumerate(zip(first.rows, second.rows)):
        if i and (i in first.left_out or i in second.left_out):
            expected.rows.append(None)
            expected.errors.append(None)
            continue
        for u, v in zip(a, b):
            if not close(u, v, 1e-5):
                raise Unclear('step sizes disagree')
        expected.rows.append(b)
        expected.errors.append([abs(u - v) for u, v in zip(a, b)])
    return expected


def sensitivities(expected, name):
    """As those of reference.py."""
    base, index = expected.run, list(expected.model.params).index(name)
    d = 2e-4*max(0.5, abs(expected.params[index]))
    runs = []
    for delta in (d, -d, d/2, -d/2):
        params = list(expected.params)
        params[index] += delta
        try:
            run = Run(expected.model, params, expected.times, base.per_unit)
        except Unclear:
            return None
        if run.history != base.history:
            return None
        runs.append(run)
    rows = []
    for i in range(len(expected.times)):
        several = [run.rows[i] for run in runs]
        if expected.rows[i] is None or len({run.before[i] for run in runs + [base]}) > 1:
            rows.append(None)
            continue
        row = []
        for plus, minus, half_plus, half_minus in zip(*several):
            wide, narrow = (plus - minus)/(2*d), (half_plus - half_minus)/d
            row.append((4*narrow - wide)/3 if close(wide, narrow, 1e-5) else None)
        rows.append(row)
    return rows
