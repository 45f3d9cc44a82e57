"""Draws random hybrid models: a grammar of expressions and a number of kinds of systems that occur in practice."""
from tree import Model, Node, node, num, sampled, var

TIME = 'time'
DYADIC = (0.25, 0.5, 0.75, 1, 1.25, 1.5, 2, 2.5, 3)


class Draw:
    def __init__(self, rng):
        self.rng, self.model = rng, Model()
        self.real, self.steps, self.flags = [], [], []  # names: any Real, constant between events, Boolean

    def chance(self, p):
        return self.rng.random() < p

    def one(self, *choices):
        return self.rng.choice(choices)

    # --- leaves

    def value(self, lo, hi):
        """A number that lands on nothing, sometimes as a parameter."""
        v = round(self.rng.uniform(lo, hi), 3)
        return self.param(v) if self.chance(0.35) else num(v)

    def level(self):
        """A number on which quantised signals land."""
        v = self.one(*DYADIC) if self.chance(0.5) else self.one(0, 1, 2, 3)
        if v and self.chance(0.15):
            return self.param(int(v) if v == int(v) and self.chance(0.3) else float(v))
        return num(v)

    def param(self, v):
        if len(self.model.params) >= 5:
            return num(v)
        name = 'p%d' % (len(self.model.params) + 1)
        self.model.params[name] = v
        return Node('par', value=name)

    def state(self, start, name=None):
        name = name or 'x%d' % (len(self.model.states) + 1)
        self.model.states[name] = (start, num(0))
        self.real.append(name)
        return name

    def derivative(self, name, tree):
        self.model.states[name] = (self.model.states[name][0], tree)

    def alg(self, tree, kind='Real', steps=False, prefix=None):
        name = '%s%d' % (prefix or ('b' if kind == 'Boolean' else 'n' if steps else 'y'), len(self.model.algs) + 1)
        self.model.algs[name] = (kind, tree)
        (self.flags if kind == 'Boolean' else self.steps if steps else self.real).append(name)
        return name

    def scaled(self, tree, lo=0.3, hi=2):
        return node('*', self.value(lo, hi), tree)

    # --- continuous signals

    def smooth(self, depth=1):
        """A signal with a slope almost everywhere."""
        rng = self.rng
        if depth <= 0 or self.chance(0.3):
            if self.real and self.chance(0.7):
                return var(rng.choice(self.real))
            return self.one(Node(TIME), node('sin', self.scaled(Node(TIME), 0.5, 3)),
                            node('cos', self.scaled(Node(TIME), 0.5, 3)))
        inner = self.smooth(depth - 1)
        kind = rng.randrange(14)
        if kind == 0:
            return node('+', self.scaled(inner, -1, 1), self.scaled(self.smooth(depth - 1), -1, 1))
        if kind == 1:
            return node(self.one('min', 'max'), inner, self.level() if self.chance(0.5) else self.value(-1, 2))
        if kind == 2:
            return node('abs', node('-', inner, self.value(-1, 1)))
        if kind == 3:
            return node('max', num(-1), node('min', num(1), self.scaled(inner)))
        if kind == 4:
            return self.dead_zone(inner)
        if kind == 5:
            return node('mod', inner, self.one(num(0.5), num(1), num(2), self.value(0.4, 2)))
        if kind == 6:
            return self.tyre(inner)
        if kind == 7:
            return node('tanh', self.scaled(inner))
        if kind == 8:
            return node('sin', self.scaled(inner, 0.5, 2))
        if kind == 9:
            return node('if', self.flag(depth - 1), inner, self.smooth(depth - 1))
        if kind == 10:
            return node('+', inner, node('*', num(self.one(-1, 0.5, 1)), self.step(depth - 1)))
        if kind == 11:
            return node('*', self.step(depth - 1), inner)
        if kind == 12:
            return node('-', inner, self.value(-1, 1))
        return node(self.one('min', 'max'), inner, self.smooth(depth - 1))

    def dead_zone(self, inner):
        name = var(self.alg(inner))
        a = self.value(0.1, 0.6)
        b = Node(a.kind, value=a.value)
        c, d = Node(a.kind, value=a.value), Node(a.kind, value=a.value)
        return node('if', node('>', name, a), node('-', var(name.value), b),
                    node('if', node(self.one('<', '<='), var(name.value), node('neg', c)),
                         node('+', var(name.value), d), num(0)))

    def tyre(self, inner):
        """Continuous with its slope: no event is needed; or continuous only."""
        name, b = self.alg(inner), self.value(0.5, 2)
        again = self.value(0.5, 2) if self.chance(0.3) else Node(b.kind, value=b.value)
        force = node('if', node(self.one('>', '>='), var(name), num(0)),
                    node('-', num(1), node('exp', node('neg', node('*', b, node('tanh', var(name)))))),
                    node('-', node('exp', node('*', again, node('tanh', var(name)))), num(1)))
        return node('smooth', num(0), force) if self.chance(0.2) else force

    # --- signals that are constant between events

    def step(self, depth=1):
        rng = self.rng
        if depth <= 0 or self.chance(0.25):
            if self.steps and self.chance(0.6):
                return var(rng.choice(self.steps))
            period = self.one(num(0.5), num(1), num(0.75), self.value(0.4, 1.5))
            return node(self.one('floor', 'floor', 'ceil', 'integer'), node('/', Node(TIME), period))
        kind = rng.randrange(15)
        if kind <= 2:
            word = self.one('floor', 'ceil', 'integer', 'sign')
            return node(word, node('+', self.scaled(self.smooth(depth - 1), 0.5, 3), self.value(-1, 1)))
        if kind == 3:
            q = self.one(0.25, 0.5, 0.125)
            return node('*', num(q), node('floor', node('+', node('/', self.smooth(depth - 1), num(q)), num(0.5))))
        inner = self.step(depth - 1)
        if kind == 4:
            return node('mod', inner, self.one(num(2), num(3), num(2), num(1.5)))
        if kind == 5:
            return node(self.one('floor', 'ceil', 'integer'), inner)
        if kind == 6:
            return node('floor', node('/', inner, num(2)))
        if kind == 7:
            return node('sign', node('-', inner, self.level()))
        if kind == 8:
            return node(self.one('min', 'max'), inner, self.level())
        if kind == 9:
            return self.gear(inner)
        if kind == 10:
            return node('if', self.flag(depth - 1), num(self.one(*DYADIC)), num(self.one(0, 0, 1, 2)))
        if kind == 11:
            return node('if', self.flag(depth - 1), inner, self.step(depth - 1))
        if kind == 12:
            return node('abs', node('-', inner, self.level()))
        if kind == 13:
            return node(self.one('floor', 'ceil'), node(self.one('min', 'max'), self.smooth(0), num(self.one(1, 2, 0.5))))
        return node(self.one('+', '-'), inner, self.step(depth - 1))

    def gear(self, inner):
        name = self.alg(inner, steps=True)
        a, b, c = self.value(0.2, 1), self.value(0.2, 1), self.value(0.2, 1)
        return node('if', node('>=', var(name), num(3)), a,
                    node('if', node('>=', var(name), num(2)), b,
                         node('if', node(self.one('>', '>='), var(name), num(1)), c, num(0.5))))

    # --- conditions

    def relation(self, left, right):
        tree = node(self.one('<', '<=', '>', '>='), left, right)
        if self.chance(0.15):  # in other units; powers of two, so that what lands on the limit still does
            tree.value = self.one(2.0**-20, 2.0**-10, 2.0**10, 2.0**20, 1), self.one(0, 0, 16, 1024)
        return tree

    def flag(self, depth=1):
        kind = self.rng.randrange(12)
        if self.flags and (kind == 0 or depth <= 0 and kind < 6):
            return var(self.rng.choice(self.flags))
        if kind <= 3 or depth <= 0 and kind < 8:
            return self.relation(self.smooth(depth - 1), self.value(-1, 2))
        if kind <= 5 or depth <= 0:
            return self.relation(self.step(depth - 1), self.level())
        if kind == 6:
            return node('and', self.flag(depth - 1), self.flag(depth - 1))
        if kind == 7:
            return node('or', self.flag(depth - 1), self.flag(depth - 1))
        if kind == 8:
            return node('not', self.flag(depth - 1))
        if kind == 9:
            return self.relation(Node(TIME), self.one(num(0), num(1), num(2), self.value(0.2, 3)))
        if kind == 10:
            return self.relation(node('if', self.flag(depth - 1), num(1), num(self.one(0, 2))), num(self.one(0, 1)))
        return self.relation(self.smooth(depth - 1), node('if', self.flag(depth - 1), self.value(-1, 1), self.value(0, 2)))

    # --- systems

    def start(self):
        if self.chance(0.3):
            return num(self.one(0, 0, 0.5, 1, 2))
        return self.value(-1, 1.5)

    def grammar(self):
        count = self.rng.randrange(0, 4)
        for i in range(count):
            self.state(self.start())
        self.some_algs(self.rng.randrange(1, 4))
        names = list(self.model.states)
        while names:
            name = names.pop(0)
            if names and self.chance(0.3):
                self.oscillator(name, names.pop(0))
            else:
                self.derivative(name, self.one(self.decay, self.integral, self.integral)(name))
        self.some_algs(self.rng.randrange(0, 3))

    def decay(self, name):
        return node('+', node('*', num(-round(self.rng.uniform(0.2, 2), 2)), var(name)), self.bounded())

    def integral(self, name):
        if self.chance(0.5):
            return node('if', self.flag(1), self.value(0.2, 1.5), self.value(-1.5, 0.5))
        return self.bounded()

    def bounded(self):
        kind = self.rng.randrange(4)
        if kind == 0:
            return node('min', num(2), node('max', num(-2), self.step(2)))
        if kind == 1:
            return node('if', self.flag(2), self.value(-1, 1), self.value(-1, 1))
        if kind == 2:
            return node('mod', self.step(1), num(self.one(2, 3)))
        return node('sin', self.smooth(2))

    def oscillator(self, x, v):
        w = self.rng.uniform(1, 9)
        self.derivative(x, var(v))
        self.derivative(v, node('-', node('*', num(-round(w, 2)), var(x)),
                                node('-', node('*', num(0.3), var(v)), self.bounded())))

    def some_algs(self, count):
        deep = 3 if self.chance(0.25) else 2
        for i in range(count):
            kind = self.rng.randrange(9)
            if kind <= 2:
                self.alg(self.smooth(deep))
            elif kind <= 4:
                self.alg(self.step(deep), steps=True)
            elif kind <= 6:
                self.alg(self.flag(deep), 'Boolean')
            elif kind == 7:
                self.loop()
            else:
                self.pair()

    def loop(self):
        kind = self.one('loop_sin', 'loop_tanh', 'loop_abs', 'loop_max')
        self.alg(node(kind, self.value(0.1, 0.5), self.smooth(2)))

    def pair(self):
        first, second = self.alg(self.smooth(1)), self.alg(self.smooth(2))
        number = len(self.model.algs)
        left, right = 'y%d' % (number + 1), 'y%d' % (number + 2)
        a, b = num(round(self.rng.uniform(-0.6, 0.6), 2)), num(round(self.rng.uniform(0.1, 0.6), 2))
        if self.chance(0.4):
            a = var(self.alg(node('if', self.flag(1), num(0.5), num(-0.25)), steps=True))
            number = len(self.model.algs)
            left, right = 'y%d' % (number + 1), 'y%d' % (number + 2)
        for own, other, mine, its, c, d in ((left, right, first, second, a, b), (right, left, second, first, b, a)):
            self.alg(Node('pair', [c, d, var(mine), var(its)], other))

    def pump(self):
        """A counter switches a pump; a valve closes at a level that is reached exactly."""
        level = self.state(num(self.one(0, 0.5, 1)))
        n = self.alg(node('floor', node('/', Node(TIME), num(self.one(0.5, 1)))), steps=True)
        on = self.alg(node('if', self.relation(node('mod', var(n), num(2)), num(1)), num(1), num(0)), steps=True)
        shut = self.alg(node(self.one('>=', '>='), var(level), num(self.one(1.5, 2, 1))), 'Boolean')
        self.derivative(level, node('if', var(shut), num(0), node('*', num(self.one(0.5, 1)), var(on))))
        self.observe()

    def thermostat(self):
        """Hysteresis through a state: the limit at which h falls back moves with x."""
        x, h = self.state(self.value(0, 1)), self.state(num(self.one(0, 1)))
        limit = node('+', num(0.5), node('*', self.value(1, 2), node('-', var(x), self.value(0.5, 0.8))))
        target = node('if', self.one(node('>', var(h), limit), node('>=', var(h), limit)), num(1), num(0))
        name = self.alg(target, steps=True)
        self.derivative(h, node('*', num(6), node('-', var(name), var(h))))
        self.derivative(x, node('-', node('*', self.value(1, 3), var(h)), node('*', self.value(0.3, 1), var(x))))
        self.observe()

    def converter(self):
        """A controller behind a rounding converter."""
        x, q = self.state(self.value(-1, 0.5)), self.one(0.25, 0.5, 0.125)
        aim = self.one(lambda: self.value(0.6, 1.5), lambda: node('sin', self.scaled(Node(TIME), 0.3, 1.5)),
                       lambda: node('if', node('>', Node(TIME), num(2)), self.value(1, 2), self.value(-1, 1)))()
        e = self.alg(node('-', aim, var(x)))
        rounded = node('floor', node('+', node('/', var(e), num(q)), num(0.5)))
        if self.chance(0.5):
            rounded = node(self.one('integer', 'floor'), rounded)
        u = self.alg(node('*', num(q), rounded), steps=True)
        self.derivative(x, node('*', self.value(0.5, 2), var(u)))
        self.observe()

    def gearbox(self):
        """A gear number from a quantised speed chooses a ratio."""
        v, w = self.state(num(self.one(0, 0.5))), None
        n = self.alg(node(self.one('floor', 'integer'), self.scaled(var(v), 1, 2)), steps=True)
        ratio = self.alg(self.gear(var(n)), steps=True)
        self.derivative(v, node('-', var(ratio), node('*', self.value(0.05, 0.3), var(v))))
        self.observe()

    def relay(self):
        """A relay that drives a mass, or a first-order system into chatter."""
        x = self.state(self.value(0.3, 1))
        if self.chance(0.15):
            self.derivative(x, node('if', self.relation(var(x), self.value(0, 0.2)), self.value(0.3, 1), self.value(-1, -0.3)))
        else:
            v = self.state(num(0))
            self.derivative(x, var(v))
            self.derivative(v, node('-', node('if', node('>', var(x), self.value(-0.2, 0.2)), num(-1), num(1)),
                                    node('*', num(self.one(0, -0.05, 0.05)), var(v))))
        self.observe()

    def stop(self):
        """A quantity runs into a limit and stays there."""
        x = self.state(num(self.one(0, 0.5, 1)))
        full = node(self.one('<', '>='), var(x), num(self.one(1.5, 2)))
        go, rest = num(self.one(0.25, 0.5, 1)), num(0)
        self.derivative(x, node('if', full, *((go, rest) if full.kind == '<' else (rest, go))))
        if self.chance(0.5):
            self.alg(node('floor', var(x)), steps=True)
        self.observe()

    def begin(self):
        """Events at the start."""
        x, y = self.state(self.value(0.1, 0.9)), self.state(num(0))
        early = self.one(lambda: node('sign', Node(TIME)), lambda: node('if', node('>', Node(TIME), num(0)), num(1), num(0)),
                         lambda: node('if', node('<=', Node(TIME), num(0)), num(2), num(0)),
                         lambda: node('ceil', Node(TIME)), lambda: node('sign', var(y)))()
        self.derivative(y, node(self.one('floor', 'ceil', 'abs'), node('+', var(x), early)))
        self.derivative(x, node('*', num(self.one(0, 0.1, -0.1)), var(x)))
        self.observe()

    def landing(self):
        """Levels with even slopes reach limits exactly, stay there and leave."""
        full, slope = self.one(1, 1.5, 2), self.one(0.25, 0.5, 1, 2)
        x = self.state(num(self.one(0, 0.5, full)))
        shut = self.alg(node('>=', var(x), num(full)), 'Boolean')
        out = node('if', self.relation(Node(TIME), num(self.one(1.5, 2, 2.5, 3))), num(0), num(self.one(0, slope, 0.5)))
        fill = node('if', var(shut), num(0), num(slope))
        self.derivative(x, fill if self.chance(0.4) else node('if', self.relation(Node(TIME), num(self.one(2, 2.5, 3))),
                                                               fill, node('neg', out)))
        for i in range(self.rng.randrange(1, 4)):
            self.at_limit(var(x), num(full))
        self.observe()

    def at_limit(self, x, limit):
        """A quantity that depends on which side of the limit x is."""
        kind = self.rng.randrange(8)
        if kind <= 2:
            self.alg(self.relation(x, limit), 'Boolean')
        elif kind == 3:
            self.alg(node(self.one('floor', 'ceil', 'integer'), x), steps=True)
        elif kind == 4:
            self.alg(node('sign', node('-', x, limit)), steps=True)
        elif kind == 5:
            self.alg(node('floor', node('/', x, num(0.5))), steps=True)
        elif kind == 6:
            self.alg(node('mod', x, limit if limit.kind == 'num' and limit.value > 0 else num(1)))
        else:
            self.alg(node(self.one('floor', 'ceil'), node(self.one('min', 'max'), x, limit)), steps=True)

    def ties(self):
        """Two states run side by side for a while."""
        start, split = self.start(), self.one(0.5, 1, 1.5)
        x = self.state(start)
        z = self.state(Node(start.kind, value=start.value))
        slope = self.one(0.5, 1, -0.5)
        self.derivative(x, num(slope))
        self.derivative(z, node('if', self.relation(Node(TIME), num(split)), num(slope), num(self.one(-1, 0.25, slope))))
        if self.chance(0.7):
            self.at_limit(node('-', var(x), var(z)), num(0))
        self.alg(node(self.one('min', 'max'), var(x), var(z)))
        self.alg(self.relation(var(x), var(z)), 'Boolean')
        self.observe()

    def chain(self):
        """Events that follow from one another at one time; the time depends on a parameter."""
        n = self.alg(node('floor', node('/', Node(TIME), self.value(0.4, 1.1))), steps=True)
        if self.chance(0.5):
            x = self.state(self.start())
            self.derivative(x, self.value(0.3, 1))
            n = self.alg(node('floor', self.scaled(var(x), 1, 3)), steps=True)
        m = self.alg(node('mod', var(n), num(self.one(2, 3, 4))), steps=True)
        on = self.alg(self.relation(var(m), num(self.one(1, 2))), 'Boolean')
        g = self.alg(self.gear(var(self.one(n, m))), steps=True)
        s = self.alg(node('sign', node('-', var(m), num(1))), steps=True)
        for i in range(self.rng.randrange(1, 3)):
            z = self.state(self.start())
            gain = node('if', var(on), var(g), node('*', self.value(-1, 1), var(s)))
            self.derivative(z, node('+', gain, node('*', self.value(-1, -0.2), var(z))))
        self.observe()

    def triangle(self):
        """A wave that turns exactly on the limits."""
        wave = node('abs', node('-', node('mod', Node(TIME), num(2)), num(1)))
        name = self.alg(wave)
        for i in range(self.rng.randrange(1, 4)):
            self.at_limit(var(name), num(self.one(0, 0.5, 1)))
        self.observe()

    def waves(self):
        """Quantised waves that no state need follow: their peaks pass a limit for a short time."""
        for i in range(self.rng.randrange(1, 3)):
            wave = node(self.one('sin', 'cos'), self.scaled(Node(TIME), 1, 10))
            if self.chance(0.3):
                wave = node('*', wave, node('sin', self.scaled(Node(TIME), 0.3, 1)))
            wave = node('+', node('*', num(self.one(1, 3, 8, 10)), wave), self.value(-0.5, 0.5))
            if self.chance(0.3):
                self.alg(self.relation(wave, self.value(0.8, 2)), 'Boolean')
            else:
                self.alg(node(self.one('floor', 'ceil', 'integer', 'sign'), wave), steps=True)
        for i in range(self.rng.randrange(0, 3)):
            x = self.state(self.start())
            self.derivative(x, self.one(lambda: num(0), lambda: self.decay(x), lambda: self.integral(x))())

    def spikes(self):
        """Short pulses that steps of the integrator could jump over."""
        for i in range(self.rng.randrange(1, 3)):
            x, kind = self.state(num(0)), self.rng.randrange(4)
            if kind == 0:
                pulse = node('>', node(self.one('sin', 'cos'), self.scaled(Node(TIME), 1, 8)), self.value(0.95, 0.99))
            elif kind == 1:
                middle = round(self.rng.uniform(0.5, 3), 3)
                near = [node('-', Node(TIME), num(middle)) for k in (0, 1)]
                pulse = node('<', node('*', *near), self.value(0.001, 0.02))
            elif kind == 2:
                pulse = node('<', node('mod', Node(TIME), self.value(0.6, 1.2)), self.value(0.03, 0.1))
            else:
                other = self.state(num(1))
                speed = self.state(num(0))
                self.derivative(other, var(speed))
                self.derivative(speed, node('*', num(-round(self.rng.uniform(5, 40), 1)), var(other)))
                pulse = node('>', var(other), self.value(0.95, 0.99))
            self.derivative(x, node('if', pulse, self.value(1, 5), num(0)))

    def pulses(self):
        """Pulse width modulation from a state."""
        x, period = self.state(self.value(0, 0.8)), self.one(num(0.5), self.value(0.4, 0.9))
        saw = self.alg(node('/', node('mod', Node(TIME), period), Node(period.kind, value=period.value)))
        duty = self.alg(node('max', num(0), node('min', num(1), node('-', self.value(0.7, 1.2), var(x)))))
        self.derivative(x, node('-', node('if', node('<', var(saw), var(duty)), self.value(1, 2), num(0)), self.scaled(var(x), 0.3, 1)))
        self.observe()

    def driven(self):
        """Inputs whose samples lie on the limits."""
        model, times = self.model, [-2.0, 0.5, 1.0, 1.75, 2.5, 3.0, 3.5, 8.0]
        model.interpolation = self.one('hold', 'linear')
        for i in range(self.rng.randrange(1, 3)):
            name = 'u%d' % (i + 1)
            model.inputs[name] = [(t, float(self.one(0, 0.5, 1, 1, 2, -1))) for t in times]
            model.algs[name] = ('input', sampled(model.inputs[name], model.interpolation))
            self.real.append(name)
            self.at_limit(var(name), num(self.one(0, 1, 1, 2)))
        x = self.state(self.start())
        self.derivative(x, node('if', self.relation(var('u1'), num(self.one(0, 1, 1))), self.value(0.2, 1), self.bounded()))
        self.observe()

    def observe(self):
        """Other quantities beside a system, and sometimes a state that they drive."""
        self.some_algs(self.rng.randrange(0, 3))
        if self.chance(0.6):
            name = self.state(self.start())
            self.derivative(name, self.one(self.decay, self.integral)(name))


SYSTEMS = ('pump', 'thermostat', 'converter', 'gearbox', 'relay', 'stop', 'begin', 'landing', 'ties', 'chain', 'triangle',
           'pulses', 'driven', 'waves', 'spikes')


def draw(rng):
    """A random model."""
    drawn = Draw(rng)
    kind = rng.choice(SYSTEMS) if rng.random() < 0.6 else 'grammar'
    getattr(drawn, kind)()
    model = drawn.model
    trees = list(model.roots()) + [start for start, tree in model.states.values()]
    used = {leaf.value for tree in trees for leaf in tree.walk() if leaf.kind == 'par'}
    model.params = {name: value for name, value in model.params.items() if name in used}
    model.kind, model.start = kind, drawn.one(0.0, 0.0, 0.0, 0.0, -1.0, 1.0)
    model.stop = model.start + (20 if drawn.chance(0.03) else drawn.one(2, 4, 4, 5))
    return model


def output_times(rng, model):
    """Rows on a grid on which many switching times lie, and between."""
    length = model.stop - model.start
    count = rng.choice((1, 2, int(length*4)))  # few rows leave long steps to the integrator
    grid = {model.start + i*length/count for i in range(count + 1)}
    return sorted(grid | {round(rng.uniform(model.start + 0.01, model.stop - 0.01), 3) for i in range(min(12, 2*count))})


def between(rng, times, events):
    """Times with some more, each in the middle between two events: no event can be missed unseen."""
    events = [times[0]] + [event for event, operators in events] + [times[-1]]
    gaps = [(a + b)/2 for a, b in zip(events, events[1:]) if b - a > 1e-5]
    return sorted(set(times) | set(rng.sample(gaps, min(8, len(gaps)))))
