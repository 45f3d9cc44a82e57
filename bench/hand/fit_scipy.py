#!/usr/bin/python3
"""Whole fits on SciPy as users write them: least_squares with solve_ivp (DOP853) and with odeint.

usage: fit_scipy.py FOLDER ROUNDS. FOLDER holds <case>.csv for each case. Prints the versions, then one line for each case
and integrator: case, integrator, CPU seconds (least of ROUNDS), simulations, parameters.

Derivatives by the parameters are differences of simulations. With odeint, whose order varies, the default step of
least_squares gives wrong derivatives and wrong results: 1e-6 works."""
import math
import sys
import time
import warnings

import numpy as np
import scipy
from scipy.integrate import odeint, solve_ivp
from scipy.optimize import least_squares


def pendulum(t, x, p):
    return [x[1], -p * math.sin(x[0])]


def van_der_pol_duffing(t, x, alpha, beta, mu):
    return [x[1], mu * (1 - x[0]**2) * x[1] - alpha * x[0] - beta * x[0]**3 + 0.5 * math.cos(0.79 * t)]


def two_dof(t, x, c1, c2, c3):
    u, du, v, dv = x
    return [du, -0.3 * du - u - c1 * u**3 - c2 * v, dv, -0.3 * dv - v - c3 * v**3 - math.cos(t)]


# name: right-hand side, start state, measured states, start of the search
CASES = {'vdpd': (van_der_pol_duffing, [1, 0], [0, 1], [1, 1, 0.3]),
         'two_dof': (two_dof, [1, 0, 0, 0], [0, 2], [0.5, 0.5, 0.2]),
         'pendulum_501': (pendulum, [math.pi / 6, 0], [0], [10.3]),
         'pendulum_5001': (pendulum, [math.pi / 6, 0], [0], [10.3])}
RUNAWAY = 1e10  # residuals where the simulation fails


def with_solve_ivp(rhs, start, times, p):
    result = solve_ivp(rhs, (times[0], times[-1]), start, method='DOP853', t_eval=times, args=tuple(p), rtol=1e-8,
                       atol=1e-10)
    return result.y.T if result.success else None


def with_odeint(rhs, start, times, p):
    rows, info = odeint(rhs, start, times, args=tuple(p), rtol=1e-8, atol=1e-10, tfirst=True, full_output=True)
    return rows if info['message'] == 'Integration successful.' else None


INTEGRATORS = {'solve_ivp': (with_solve_ivp, None), 'odeint': (with_odeint, 1e-6)}  # and the step of differences


def fit(case, integrator, times, data):
    rhs, start, measured, guess = CASES[case]
    simulate, step = INTEGRATORS[integrator]
    count = 0

    def residuals(p):
        nonlocal count
        count += 1
        rows = simulate(rhs, start, times, p)
        if rows is None or not np.all(np.isfinite(rows)):
            return np.full(data.size, RUNAWAY)
        return (rows[:, measured] - data).ravel()

    begin = time.process_time()
    result = least_squares(residuals, guess, ftol=1e-10, xtol=1e-10, gtol=1e-10, diff_step=step)
    return time.process_time() - begin, count, result.x


def main():
    folder, rounds = sys.argv[1], int(sys.argv[2])
    warnings.simplefilter('ignore')
    print('version', scipy.__version__, np.__version__)
    best = {}
    tables = {case: np.loadtxt(f'{folder}/{case}.csv', delimiter=',', skiprows=1) for case in CASES}
    for n in range(rounds):
        for case in CASES:
            for integrator in INTEGRATORS:
                table = tables[case]
                seconds, count, p = fit(case, integrator, table[:, 0], table[:, 1:])
                key = case, integrator
                best[key] = min(best.get(key, 1e9), seconds)
                if n == rounds - 1:
                    print(case, integrator, best[key], count, *('%.17g' % v for v in p))


main()
