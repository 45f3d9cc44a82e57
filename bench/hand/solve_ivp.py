#!/usr/bin/python3
"""SciPy's solve_ivp (DOP853) on the three mechanical models, states only, as users run it.

Prints one line a model: name, CPU seconds (least of several runs), evaluations, end state."""
import math
import sys
import time

import numpy as np
import scipy
from scipy.integrate import solve_ivp


def pendulum(t, x):
    return [x[1], -10 * math.sin(x[0])]


def van_der_pol_duffing(t, x):
    return [x[1], 0.1 * (1 - x[0]**2) * x[1] - 0.5 * x[0] - 0.5 * x[0]**3 + 0.5 * math.cos(0.79 * t)]


def two_dof(t, x):
    u, du, v, dv = x
    return [du, -0.3 * du - u - u**3 - 0.5 * v, dv, -0.3 * dv - v - 0.5 * v**3 - math.cos(t)]


CASES = [('pendulum', pendulum, [math.pi / 6, 0], 50, 501),
         ('vdpd', van_der_pol_duffing, [1, 0], 20, 2001),
         ('two_dof', two_dof, [1, 0, 0, 0], 30, 3001)]


def run(rhs, start, stop, count):
    times = np.linspace(0, stop, count)
    begin = time.process_time()
    result = solve_ivp(rhs, (0, stop), start, method='DOP853', t_eval=times, rtol=1e-8, atol=1e-10)
    return time.process_time() - begin, result


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    print('version', scipy.__version__, np.__version__)
    best = {}
    for n in range(rounds):
        for name, rhs, start, stop, count in CASES:
            seconds, result = run(rhs, start, stop, count)
            best[name] = min(best.get(name, 1e9), seconds)
            if n == rounds - 1:
                print(name, best[name], result.nfev, *('%.17g' % v for v in result.y[:, -1]))


main()
