#!/usr/bin/python3
"""Makes the second set of problems: measurements, problem files and what is true, with SciPy and none of entrain's integrators.

usage: bench/second/make_data.py [NAME ...]     (Debian: python3-scipy)

For each problem NAME the model NAME/NAME.mo is written by hand; this script writes beside it
  *.csv          the measurements, six digits
  clean.csv      the same without noise, where tools/second-set draws further noise (`realisations` above 1)
  problem.yaml   with bounds that a user might write: the truth lies anywhere inside them; the first guess is bad
  truth.json     what is true, what kind of problem it is, its noise, and other points that are known to fit well
All random numbers follow from the name of the problem. tools/second-set runs the problems.

What was chosen after looking at results, so that nobody takes rates on these problems for rates in the world: the noise of the
problems with two good optima ("trap") and of `backlash`, and the bounds of `backlash` and `ramp_oscillation`, were set so that a
wrong optimum passes for noise (the searches of version 0.1.0 found the right one of `backlash` and `ramp_oscillation` too easily at
first). Kinds, bounds and noise of all other problems are as first written.
"""
import json
import math
import os
import random
import sys
import zlib

import numpy as np
from scipy.integrate import solve_ivp

HERE = os.path.dirname(os.path.abspath(__file__))
PROBLEMS = {}


class Unknown:
    """A number to be found. Bounds are drawn at random about the truth, one interval for all of a group (a user who cannot
    tell them apart gives them the same bounds), unless they are given."""

    def __init__(self, truth, bounds=None, group=None, log=False, width=(0.25, 1.0), per_experiment=False):
        self.truth, self.bounds, self.group, self.log, self.width = truth, bounds, group, log, width
        self.per_experiment = per_experiment


class Run:
    """One experiment: times, inputs (columns) and what is measured without noise (columns)."""

    def __init__(self, t, measured, inputs=None, name="data"):
        self.t, self.measured, self.inputs, self.name = np.asarray(t), measured, inputs or {}, name


def problem(kinds, unknowns, noise, measure=None, sigma=False, interpolation=None, realisations=25, others=(), equal=(),
            per_experiment=None, colour=0, quantum=0, about=""):
    """noise: standard deviation by column, absolute. others: points known as further good optima (a search starts there);
    equal: points that no data of this kind can tell from the truth."""

    def keep(simulate):
        PROBLEMS[simulate.__name__] = dict(
            kinds=kinds, unknowns=unknowns, noise=noise, measure=measure, sigma=sigma, interpolation=interpolation,
            realisations=realisations, others=list(others), equal=list(equal), per_experiment=per_experiment or {},
            colour=colour, quantum=quantum, about=about, simulate=simulate)
        return simulate

    return keep


# ---------------------------------------------------------------- integration


def solve(f, x0, t, method="DOP853", pieces=False, rtol=1e-11, atol=1e-13):
    """States at the times t, the first of which is the start. pieces: f has a corner or a jump at every sample, so the
    integration begins anew there; f(t, x, k) then knows the piece k."""
    t = np.asarray(t)
    if not pieces:
        # Laws with corners need no events at this tolerance: the steps shrink there.
        r = solve_ivp(f, (t[0], t[-1]), x0, method=method, t_eval=t, rtol=rtol, atol=atol)
        assert r.success, r.message
        return r.y
    x = np.empty((len(x0), len(t)))
    x[:, 0] = x0
    for k in range(len(t) - 1):
        r = solve_ivp(lambda s, y: f(s, y, k), (t[k], t[k + 1]), x[:, k], method=method, rtol=rtol, atol=atol)
        assert r.success, r.message
        x[:, k + 1] = r.y[:, -1]
    return x


def held_steps(draw, t, levels, every):
    """An input that jumps between levels at every so many samples and is held between."""
    n = len(t)
    return np.repeat([draw.choice(levels) for _ in range(n // every + 1)], every)[:n]


def dead(x, gap):
    return x - max(-gap, min(gap, x))


# ---------------------------------------------------------------- two good optima


def two_decays(k1, k2, t):
    return [Run(t, {"y": np.exp(-k1 * t) + 0.9 * np.exp(-k2 * t)})]


@problem(["trap", "smooth"], {"k1": Unknown(0.4, group="k", log=True), "k2": Unknown(1.6, group="k", log=True)}, {"y": 0.008}, others=[{"k1": 1.6, "k2": 0.4}], about="sum of two decays, rates far apart: two optima")
def two_decays_far():
    return two_decays(0.4, 1.6, np.linspace(0, 8, 81))


@problem(["trap", "smooth"], {"k1": Unknown(0.7, group="k", log=True), "k2": Unknown(1.5, group="k", log=True)}, {"y": 0.0035}, others=[{"k1": 1.5, "k2": 0.7}], about="sum of two decays, rates near each other: the optima differ little")
def two_decays_near():
    return two_decays(0.7, 1.5, np.linspace(0, 6, 61))


@problem(["trap", "smooth"],
         {"k1": Unknown(0.25, group="k", log=True), "k2": Unknown(1.1, group="k", log=True), "k3": Unknown(4.5, group="k", log=True)},
         {"y": 0.008},
         others=[{"k1": a, "k2": b, "k3": c} for a, b, c in
                 [(0.25, 4.5, 1.1), (1.1, 0.25, 4.5), (4.5, 1.1, 0.25), (1.1, 4.5, 0.25), (4.5, 0.25, 1.1)]],
         about="sum of three decays: six optima")
def three_decays():
    t = np.linspace(0, 10, 121)
    return [Run(t, {"y": np.exp(-0.25 * t) + 0.9 * np.exp(-1.1 * t) + 0.78 * np.exp(-4.5 * t)})]


def modes(t, w1, w2, z):
    def f(s, x):
        return [x[1], -2 * z * w1 * x[1] - w1**2 * x[0], x[3], -2 * z * w2 * x[3] - w2**2 * x[2]]

    x = solve(f, [1, 0, 0.85, 0], t)
    return [Run(t, {"y": x[0] + x[2]})]


@problem(["trap", "smooth"], {"w1": Unknown(3.1, group="w"), "w2": Unknown(5.3, group="w"), "z": Unknown(0.03, log=True)}, {"y": 0.16}, others=[{"w1": 5.3, "w2": 3.1, "z": 0.03}], about="two modes in one signal")
def two_modes():
    return modes(np.linspace(0, 12, 161), 3.1, 5.3, 0.03)


@problem(["trap", "smooth", "few"], {"w1": Unknown(3.1, group="w"), "w2": Unknown(5.3, group="w"), "z": Unknown(0.03, log=True)},
         {"y": 0.12}, others=[{"w1": 5.3, "w2": 3.1, "z": 0.03}], about="two modes in one signal, 40 samples")
def two_modes_few():
    return modes(np.linspace(0, 8, 40), 3.1, 5.3, 0.03)


@problem(["trap", "smooth"], {"u": Unknown(0.5), "w": Unknown(6.5, bounds=(1.2, 30), log=True), "z": Unknown(0.03, log=True)}, {"x": 0.09}, about="a ramp with an oscillation of the size of the noise")
def ramp_oscillation():
    t = np.linspace(0, 10, 151)
    x = solve(lambda s, x: [x[1], 6.5**2 * (0.5 * s - x[0]) + 2 * 0.03 * 6.5 * (0.5 - x[1])], [0, 0], t)
    return [Run(t, {"x": x[0]})]


# ---------------------------------------------------------------- exchangeable numbers


@problem(["ambiguous-expected", "smooth"], {"T1": Unknown(2.1, group="T", log=True), "T2": Unknown(0.6, group="T", log=True)}, {"y": 0.02},
         interpolation="hold", equal=[{"T1": 0.6, "T2": 2.1}], about="two lags in series")
def lags_in_series():
    t = np.linspace(0, 30, 121)
    u = held_steps(random.Random(5), t, [0, 1], 16)
    x = solve(lambda s, x, k: [(u[k] - x[0]) / 2.1, (x[0] - x[1]) / 0.6], [0, 0], t, pieces=True)
    return [Run(t, {"y": x[1]}, {"u": u})]


@problem(["ambiguous-expected", "smooth", "few"],
         {"ka": Unknown(1.4, group="k", log=True), "ke": Unknown(0.22, group="k", log=True), "V": Unknown(31, bounds=(2, 150), log=True)},
         {"c": 0.12}, equal=[{"ka": 0.22, "ke": 1.4, "V": 31 * 0.22 / 1.4}],
         about="absorption and elimination: exchanged rates with another volume, 28 samples")
def dose():
    t = np.concatenate([np.linspace(0, 3, 13), np.linspace(3.5, 16, 15)])
    return [Run(t, {"c": 250 * 1.4 / (31 * (1.4 - 0.22)) * (np.exp(-0.22 * t) - np.exp(-1.4 * t))})]


@problem(["ambiguous-expected", "smooth"],
         {"A1": Unknown(1.3, group="A", log=True), "k1": Unknown(0.35, group="k", log=True), "A2": Unknown(0.8, group="A", log=True),
          "k2": Unknown(2.4, group="k", log=True)},
         {"y": 0.015}, equal=[{"A1": 0.8, "k1": 2.4, "A2": 1.3, "k2": 0.35}],
         about="sum of two decays, sizes and rates unknown")
def two_decays_free():
    t = np.linspace(0, 9, 91)
    return [Run(t, {"y": 1.3 * np.exp(-0.35 * t) + 0.8 * np.exp(-2.4 * t)})]


@problem(["ambiguous-expected", "smooth"],
         {"A1": Unknown(2.1, group="A"), "m1": Unknown(3.2, bounds=(0.5, 9)), "A2": Unknown(1.2, group="A"), "m2": Unknown(5.6, bounds=(0.5, 9)),
          "w": Unknown(0.7, log=True)},
         {"y": 0.06}, measure={"y": "y"}, equal=[{"A1": 1.2, "m1": 5.6, "A2": 2.1, "m2": 3.2, "w": 0.7}],
         about="two lines of a spectrum, no states")
def two_peaks():
    f = np.linspace(0, 10, 101)
    line = lambda A, m: A / (1 + ((f - m) / 0.7) ** 2)
    return [Run(np.arange(1, 102), {"y": line(2.1, 3.2) + line(1.2, 5.6)}, {"f": f})]


@problem(["ambiguous-expected", "smooth"],
         {"T1": Unknown(3.2, group="T", log=True), "T2": Unknown(1.1, group="T", log=True), "T3": Unknown(0.4, group="T", log=True)}, {"y": 0.008},
         interpolation="hold",
         equal=[{"T1": 1.1, "T2": 3.2, "T3": 0.4}, {"T1": 3.2, "T2": 0.4, "T3": 1.1}, {"T1": 0.4, "T2": 1.1, "T3": 3.2}],
         about="three lags in series")
def three_lags():
    t = np.linspace(0, 40, 161)
    u = held_steps(random.Random(7), t, [0, 1], 14)
    f = lambda s, x, k: [(u[k] - x[0]) / 3.2, (x[0] - x[1]) / 1.1, (x[1] - x[2]) / 0.4]
    return [Run(t, {"y": solve(f, [0, 0, 0], t, pieces=True)[2]}, {"u": u})]


# ---------------------------------------------------------------- kinks


@problem(["kink"], {"k": Unknown(9, bounds=(1.5, 120), log=True), "gap": Unknown(0.18, bounds=(0.01, 0.9)), "J2": Unknown(0.6), "d2": Unknown(0.25, log=True)}, {"p2": 0.06}, about="gear with play, the load is measured")
def backlash():
    t = np.linspace(0, 15, 201)

    def f(s, x):
        twist = 9 * dead(x[0] - x[2], 0.18)
        return [x[1], (2.2 * math.sin(1.1 * s) + 1.3 * math.sin(2.7 * s + 1) - 0.5 * x[1] - twist) / 0.25, x[3],
                (twist - 0.25 * x[3]) / 0.6]

    return [Run(t, {"p2": solve(f, [0, 0, 0, 0], t)[2]})]


@problem(["kink"], {"k": Unknown(40), "c": Unknown(0.8, log=True), "Fc": Unknown(1.6)}, {"x": 0.004},
         about="dry friction, tanh with a steep flank")
def dry_friction():
    t = np.linspace(0, 10, 201)

    def f(s, x):
        force = 4 * math.sin(3.1 * s) + 3 * math.sin(5.9 * s + 0.5) + 2 * math.sin(9.3 * s + 2)
        return [x[1], (force - 40 * x[0] - 0.8 * x[1] - 1.6 * math.tanh(x[1] / 0.005)) / 1.3]

    return [Run(t, {"x": solve(f, [0, 0], t, method="Radau")[0]})]


@problem(["kink"], {"K": Unknown(0.35), "d": Unknown(0.7), "tau": Unknown(0.08, log=True), "a": Unknown(0.4, log=True)}, {"x": 0.006}, about="valve with overlap, cylinder measured")
def dead_zone():
    t = np.linspace(0, 12, 181)

    def f(s, x):
        u = 1.6 * math.sin(1.7 * s) + 1.1 * math.sin(4.3 * s + 1)
        return [(0.35 * dead(u, 0.7) - x[0]) / 0.08, x[0] - 0.4 * x[1]]

    return [Run(t, {"x": solve(f, [0, 0], t)[1]})]


@problem(["kink"], {"ks": Unknown(18), "c": Unknown(1.3, log=True), "kb": Unknown(90, log=True), "s0": Unknown(0.035)},
         {"travel": 0.001, "az": 0.5}, measure={"s": "travel", "az": "az"}, sigma=True,
         about="quarter of a car with bump stops")
def bump_stop():
    t = np.linspace(0, 5, 251)
    force = lambda x: 18 * (x[0] - x[2]) + 1.3 * (x[1] - x[3]) + 90 * dead(x[0] - x[2], 0.035)

    def f(s, x):
        road = 0.03 * math.sin(4.4 * s) + 0.022 * math.sin(9.7 * s + 1) + 0.012 * math.sin(23 * s + 2)
        return [x[1], -force(x) / 0.32, x[3], (force(x) - 180 * (x[2] - road)) / 0.04]

    x = solve(f, [0, 0, 0, 0], t)
    return [Run(t, {"travel": x[0] - x[2], "az": np.array([-force(x[:, i]) / 0.32 for i in range(len(t))])})]


@problem(["kink"], {"k": Unknown(90), "share": Unknown(0.3, bounds=(0.05, 0.95)), "c": Unknown(0.5, log=True), "zy": Unknown(0.03, log=True)},
         {"x": 0.003}, about="hysteresis of an isolator")
def isolator():
    t = np.linspace(0, 10, 241)

    def f(s, x):
        floor = 2.5 * math.sin(4.1 * s) * (1 - math.exp(-s)) + 1.6 * math.sin(7.7 * s + 1)
        return [x[1], -0.5 * x[1] - 0.3 * 90 * x[0] - 0.7 * 90 * x[2] - floor,
                x[1] - (0.6 * abs(x[1]) * x[2] + 0.4 * x[1] * abs(x[2])) / 0.03]

    return [Run(t, {"x": solve(f, [0, 0, 0], t)[0]})]


@problem(["kink"], {"k": Unknown(22), "Fs": Unknown(2.6), "Fc": Unknown(1.5), "vs": Unknown(0.25, log=True)}, {"x": 0.006}, about="a block that sticks and slips")
def stick_slip():
    t = np.linspace(0, 10, 201)

    def f(s, x):
        slip = 0.2 - x[1]
        return [x[1], (1.5 + 1.1 * math.exp(-((slip / 0.25) ** 2))) * math.tanh(slip / 0.01) - 22 * x[0] - 0.3 * x[1]]

    return [Run(t, {"x": solve(f, [0, 0.1], t, method="Radau")[0]})]


@problem(["kink"], {"k": Unknown(30, log=True), "gap": Unknown(0.06), "J2": Unknown(0.05)}, {"w1": 0.5},
         about="play between motor and load, the motor is measured")
def play_motor():
    t = np.linspace(0, 6, 241)

    def f(s, x):
        T = 30 * dead(x[0], 0.06) + 0.03 * (x[1] - x[2])
        return [x[1] - x[2], (0.8 * math.sin(5 * s) + 0.5 * math.sin(13 * s + 1) - 0.02 * x[1] - T) / 0.02, (T - 0.06 * x[2]) / 0.05]

    return [Run(t, {"w1": solve(f, [0, 0, 0], t)[1]})]


# ---------------------------------------------------------------- hidden states


@problem(["smooth", "ordinary", "hidden"], {"M": Unknown(1.6), "m": Unknown(0.7), "L": Unknown(0.45), "c": Unknown(0.9, log=True)},
         {"x": 0.01}, about="cart with a pendulum, the cart is measured")
def cart_pendulum():
    t = np.linspace(0, 10, 201)
    M, m, L, c = 1.6, 0.7, 0.45, 0.9

    def f(s, x):
        force = 3 * math.sin(1.3 * s) + 2 * math.sin(3.7 * s + 1) - c * x[1]
        cos, sin = math.cos(x[2]), math.sin(x[2])
        a, b = np.linalg.solve([[M + m, m * L * cos], [cos, L]],
                               [force + m * L * x[3] ** 2 * sin, -9.81 * sin - 0.05 * L * x[3]])
        return [x[1], a, x[3], b]

    return [Run(t, {"x": solve(f, [0, 0, 0.3, 0], t)[0]})]


@problem(["smooth", "ordinary", "hidden"],
         {"k1": Unknown(30), "k3": Unknown(55), "k5": Unknown(18), "d": Unknown(0.25, log=True)}, {"x1": 0.01, "x4": 0.01},
         about="chain of five masses, two measured")
def mass_chain():
    t = np.linspace(0, 10, 151)
    k = [30, 40, 55, 35, 18, 25]

    def f(s, x):
        q, v = np.concatenate([[0], x[:5], [0]]), np.concatenate([[0], x[5:], [0]])
        forces = [k[i] * (q[i + 1] - q[i]) + 0.25 * (v[i + 1] - v[i]) for i in range(6)]
        a = [forces[i + 1] - forces[i] for i in range(5)]
        a[0] += 5 * math.sin(2.3 * s) + 4 * math.sin(7.1 * s)
        return list(x[5:]) + a

    x = solve(f, [0] * 10, t)
    return [Run(t, {"x1": x[0], "x4": x[3]})]


@problem(["smooth", "ordinary", "hidden"], {"R": Unknown(1.9), "J": Unknown(4.2e-4, log=True), "b": Unknown(3.1e-4, log=True)}, {"w": 1.5},
         interpolation="hold", sigma=True, about="motor, the current is hidden")
def dc_motor():
    t = np.linspace(0, 1.2, 241)
    u = held_steps(random.Random(3), t, [-12, 0, 6, 12], 20)
    f = lambda s, x, k: [(u[k] - 1.9 * x[0] - 0.052 * x[1]) / 0.011, (0.052 * x[0] - 3.1e-4 * x[1]) / 4.2e-4]
    return [Run(t, {"w": solve(f, [0, 0], t, pieces=True)[1]}, {"u": u})]


@problem(["smooth", "ordinary", "hidden"], {"gCa": Unknown(4.4), "gK": Unknown(8), "phi": Unknown(0.04, log=True)}, {"V": 2},
         about="spiking cell, the voltage is measured")
def spiking_cell():
    t = np.linspace(0, 250, 251)

    def f(s, x):
        m = 0.5 * (1 + math.tanh((x[0] + 1.2) / 18))
        rest = 0.5 * (1 + math.tanh((x[0] - 2) / 30))
        return [(95 - 4.4 * m * (x[0] - 120) - 8 * x[1] * (x[0] + 84) - 2 * (x[0] + 60)) / 20,
                0.04 * math.cosh((x[0] - 2) / 60) * (rest - x[1])]

    return [Run(t, {"V": solve(f, [-30, 0.05], t)[0]})]


@problem(["smooth", "ordinary", "hidden"],
         {"r": Unknown(0.9), "a": Unknown(0.45), "e": Unknown(0.28), "q": Unknown(0.7)}, {"prey": 0.2},
         about="prey and hidden predators")
def predator_prey():
    t = np.linspace(0, 25, 126)
    f = lambda s, x: [0.9 * x[0] - 0.45 * x[0] * x[1], 0.28 * x[0] * x[1] - 0.7 * x[1]]
    return [Run(t, {"prey": solve(f, [3, 1.2], t)[0]})]


@problem(["smooth", "ordinary", "hidden"],
         {"beta": Unknown(0.62), "inc": Unknown(0.31), "rec": Unknown(0.19), "I0": Unknown(4e-4, log=True)}, {"percent": 0.35}, about="epidemic: curved valley")
def epidemic():
    t = np.linspace(0, 90, 91)
    f = lambda s, x: [-0.62 * x[0] * x[2], 0.62 * x[0] * x[2] - 0.31 * x[1], 0.31 * x[1] - 0.19 * x[2]]
    return [Run(t, {"percent": 100 * solve(f, [1 - 4e-4, 0, 4e-4], t)[2]})]


@problem(["smooth", "ordinary", "hidden"],
         {"C1": Unknown(0.9), "C2": Unknown(6.5), "G": Unknown(11), "H": Unknown(4.2)}, {"T1": 0.4}, interpolation="hold",
         about="two thermal nodes, one measured")
def thermal_two_node():
    t = np.linspace(0, 7200, 121)
    P = held_steps(random.Random(8), t, [0, 150, 300], 12)
    f = lambda s, x, k: [(P[k] - 11 * (x[0] - x[1])) / 900, (11 * (x[0] - x[1]) - 4.2 * x[1]) / 6500]
    return [Run(t, {"T1": solve(f, [0, 0], t, pieces=True)[0]}, {"P": P})]


@problem(["smooth", "ordinary", "hidden"], {"a": Unknown(30, log=True), "h": Unknown(3, bounds=(1.2, 6)), "d": Unknown(1.1)}, {"p1": 0.8},
         about="ring of three genes, one measured")
def repressor():
    t = np.linspace(0, 20, 121)
    f = lambda s, x: [30 / (1 + x[i - 1] ** 3) - 1.1 * x[i] for i in range(3)]
    return [Run(t, {"p1": solve(f, [1, 3, 8], t)[0]})]


@problem(["smooth", "ordinary", "noisy", "hidden"], {"J1": Unknown(0.03), "J2": Unknown(0.085), "k": Unknown(14)}, {"w1": 0.3},
         about="two flywheels on a light shaft, one measured, noise of 40 % of the signal")
def shaft():
    t = np.linspace(0, 8, 241)

    def f(s, x):
        T = 14 * x[0] + 0.012 * (x[1] - x[2])
        return [x[1] - x[2], (0.6 * math.sin(6 * s + 1.1 * s**2) - T - 0.03 * x[1]) / 0.03, T / 0.085]

    return [Run(t, {"w1": solve(f, [0, 0, 0], t)[1]})]


# ---------------------------------------------------------------- chaos


@problem(["chaotic"], {"d": Unknown(0.3), "a": Unknown(1), "b": Unknown(1), "A": Unknown(0.5)}, {"x": 0.05},
         about="buckled beam under a shaker")
def duffing_chaos():
    t = np.linspace(0, 50, 301)
    f = lambda s, x: [x[1], -0.3 * x[1] + x[0] - x[0] ** 3 + 0.5 * math.cos(1.2 * s)]
    return [Run(t, {"x": solve(f, [1, 0.2], t)[0]})]


@problem(["chaotic"], {"a": Unknown(0.2), "b": Unknown(0.2), "c": Unknown(5.7)}, {"x": 0.3}, about="Roessler's system, one of three measured")
def roessler():
    t = np.linspace(0, 50, 301)
    f = lambda s, x: [-x[1] - x[2], x[0] + 0.2 * x[1], 0.2 + x[2] * (x[0] - 5.7)]
    return [Run(t, {"x": solve(f, [1, -4, 0.1], t)[0]})]


@problem(["chaotic"], {"F": Unknown(8), "c": Unknown(1), "s": Unknown(1)}, {"x1": 0.2, "x3": 0.2, "x5": 0.2},
         about="ring of six, three measured")
def lorenz96():
    t = np.linspace(0, 6, 121)

    def f(s, x):
        return [x[i - 1] * (x[(i + 1) % 6] - x[i - 2]) - x[i] + 8 for i in range(6)]

    x = solve(f, [2, 7, -1, 3, 5, 0.5], t)
    return [Run(t, {"x1": x[0], "x3": x[2], "x5": x[4]})]


@problem(["chaotic"], {"d": Unknown(0.5), "w2": Unknown(1), "A": Unknown(1.2)}, {"th": 0.05}, sigma=True,
         about="pendulum driven beyond the top")
def driven_pendulum():
    t = np.linspace(0, 60, 241)
    f = lambda s, x: [x[1], -0.5 * x[1] - math.sin(x[0]) + 1.2 * math.cos(2 / 3 * s)]
    return [Run(t, {"th": solve(f, [0.4, 0], t)[0]})]


# ---------------------------------------------------------------- errors of the model


def hardening(share):
    """The cubic part of the spring's force is this share of the linear part at the largest deflection."""
    t = np.linspace(0, 12, 201)

    def motion(k3):
        def f(s, x):
            force = 6 * math.sin(2.1 * s) + 5 * math.sin(4.7 * s + 1) + 4 * math.sin(8.3 * s + 2)
            return [x[1], (force - 1.1 * x[1] - 60 * x[0] - k3 * x[0] ** 3) / 1.5]

        return solve(f, [0, 0], t)[0]

    k3 = 0.0
    for _ in range(30):
        k3 = share * 60 / np.max(np.abs(motion(k3))) ** 2
    return [Run(t, {"x": motion(k3)})]


MASS_ON_SPRING = {"m": Unknown(1.5), "c": Unknown(1.1, log=True), "k": Unknown(60)}


@problem(["model-error", "smooth"], MASS_ON_SPRING, {"x": 0.012}, about="3 % cubic spring force missing")
def cubic_03():
    return hardening(0.03)


@problem(["model-error", "smooth"], MASS_ON_SPRING, {"x": 0.012}, about="10 % cubic spring force missing")
def cubic_10():
    return hardening(0.1)


@problem(["model-error", "smooth"], MASS_ON_SPRING, {"x": 0.012}, about="30 % cubic spring force missing")
def cubic_30():
    return hardening(0.3)


@problem(["model-error", "smooth"], {"w2": Unknown(12), "d": Unknown(0.08, log=True)}, {"th": 0.02},
         about="dry friction missing")
def missing_friction():
    t = np.linspace(0, 12, 181)
    f = lambda s, x: [x[1], -12 * x[0] - 0.08 * x[1] - 0.3 * math.tanh(x[1] / 0.02)]
    return [Run(t, {"th": solve(f, [1, 0], t)[0]})]


@problem(["model-error", "smooth"], {"w": Unknown(4.1), "z": Unknown(0.04, log=True), "b": Unknown(5)}, {"q": 0.05},
         about="a second, weak mode missing")
def missing_mode():
    t = np.linspace(0, 15, 241)

    def f(s, x):
        force = math.sin(1.7 * s) + math.sin(5.2 * s + 1)
        return [x[1], -2 * 0.04 * 4.1 * x[1] - 4.1**2 * x[0] + 5 * force, x[3], -2 * 0.02 * 7.3 * x[3] - 7.3**2 * x[2] + 1.2 * force]

    x = solve(f, [0, 0, 0, 0], t)
    return [Run(t, {"q": x[0] + x[2]})]


# ---------------------------------------------------------------- noise of other kinds, few samples, many experiments


@problem(["smooth", "coloured"], {"k": Unknown(24), "d": Unknown(0.09, log=True), "J2": Unknown(0.11)}, {"w2": 0.35}, colour=0.9,
         interpolation="hold", about="elastic shaft, noise AR(1) 0.9")
def drive_coloured():
    t = np.linspace(0, 6, 301)
    T = held_steps(random.Random(11), t, [-1.5, 0, 1.5], 15)
    f = lambda s, x, k: [x[1] - x[2], (T[k] - 24 * x[0] - 0.09 * (x[1] - x[2]) - 0.15 * x[1]) / 0.05,
                         (24 * x[0] + 0.09 * (x[1] - x[2])) / 0.11]
    return [Run(t, {"w2": solve(f, [0, 0, 0], t, pieces=True)[2]}, {"T": T})]


@problem(["smooth", "quantised"], {"w2": Unknown(19), "d": Unknown(0.7, log=True), "K": Unknown(3.4)}, {"p": 0.0}, quantum=2 * math.pi / 200, realisations=1,
         about="encoder with 200 lines, no other noise")
def encoder():
    t = np.linspace(0, 12, 241)
    f = lambda s, x: [x[1], -19 * x[0] - 0.7 * x[1] + 3.4 * (math.sin(1.9 * s) + math.sin(3.3 * s + 0.7))]
    return [Run(t, {"p": solve(f, [0, 0], t)[0]})]


@problem(["smooth", "ordinary", "few"], {"q": Unknown(0.021, log=True), "v0": Unknown(24), "z0": Unknown(1.8, bounds=(0, 6))}, {"z": 0.15}, about="thrown body, 25 samples")
def falling_body():
    t = np.linspace(0, 3.6, 25)
    return [Run(t, {"z": solve(lambda s, x: [x[1], -9.81 - 0.021 * x[1] * abs(x[1])], [1.8, 24], t)[0]})]


RELEASES = [round(random.Random(k).uniform(0.4, 1.9), 3) for k in range(30)]


@problem(["smooth", "ordinary", "many"],
         {"w2": Unknown(7.5), "b": Unknown(3.2, log=True), "d": Unknown(0.35, log=True),
          "x.start": Unknown(RELEASES, bounds=(0.1, 4), per_experiment=True)},
         {"x": 0.04}, realisations=1, about="30 experiments of 14 rows, each with its own start value")
def thirty_releases():
    t = np.linspace(0, 3.9, 14)
    f = lambda s, x: [x[1], -7.5 * x[0] - 3.2 * x[0] ** 3 - 0.35 * x[1]]
    return [Run(t, {"x": solve(f, [x0, 0], t)[0]}, name=f"run{i + 1:02d}") for i, x0 in enumerate(RELEASES)]


# ---------------------------------------------------------------- others


@problem(["smooth", "ordinary", "few"], {"mu": Unknown(0.42), "Ks": Unknown(0.9, log=True), "Y": Unknown(0.48), "X0": Unknown(0.12, log=True)},
         {"X": 0.12, "S": 0.2}, about="growth in a batch, 18 rows")
def monod():
    t = np.linspace(0, 13.6, 18)
    growth = lambda x: 0.42 * x[1] / (0.9 + x[1]) * x[0]
    x = solve(lambda s, x: [growth(x), -growth(x) / 0.48], [0.12, 9], t)
    return [Run(t, {"X": x[0], "S": x[1]})]


@problem(["smooth", "ordinary"], {"a": Unknown(0.8), "b": Unknown(0.35), "c": Unknown(0.25, log=True)}, {"x": 0.02},
         about="bead on a wire as index-3 DAE")
def bead_on_wire():
    t = np.linspace(0, 8, 161)

    def f(s, x):
        slope, bend = 2 * 0.8 * x[0] + 4 * 0.35 * x[0] ** 3, 2 * 0.8 + 12 * 0.35 * x[0] ** 2
        # x'' (1 + slope^2) = -slope (g + bend x'^2) - c x' (1 + slope^2)
        return [x[1], -slope * (9.81 + bend * x[1] ** 2) / (1 + slope**2) - 0.25 * x[1]]

    return [Run(t, {"x": solve(f, [1.1, 0], t)[0]})]


@problem(["smooth", "ordinary"], {"k1": Unknown(0.04, log=True), "k2": Unknown(3e7, log=True), "k3": Unknown(1e4, log=True)},
         {"a": 0.01, "c": 0.01}, about="stiff kinetics")
def stiff_kinetics():
    t = np.concatenate([[0], np.geomspace(0.05, 4000, 49)])
    f = lambda s, x: [-0.04 * x[0] + 1e4 * x[1] * x[2], 0.04 * x[0] - 1e4 * x[1] * x[2] - 3e7 * x[1] ** 2, 3e7 * x[1] ** 2]
    x = solve(f, [1, 0, 0], t, method="Radau", atol=1e-15)
    return [Run(t, {"a": x[0], "c": x[2]})]


@problem(["smooth", "ordinary"], {"Cf": Unknown(95), "Cr": Unknown(120), "Iz": Unknown(2.4)}, {"yaw": 0.008, "lateral": 0.12},
         measure={"r": "yaw", "ay": "lateral"}, sigma=True, interpolation="linear", about="lateral motion of a car")
def bicycle_model():
    t = np.linspace(0, 8, 161)
    steer = 0.03 * np.sin(2.2 * t) + 0.02 * np.sin(6.1 * t * (1 + 0.03 * t)) * (t > 1)
    steer = np.round(steer, 5)
    Cf, Cr, Iz, m, a, b, u = 95, 120, 2.4, 1.45, 1.15, 1.5, 25

    def forces(x, angle):
        return Cf * (angle - (x[0] + a * x[1]) / u), -Cr * (x[0] - b * x[1]) / u

    def f(s, x, k):
        front, rear = forces(x, steer[k] + (steer[k + 1] - steer[k]) * (s - t[k]) / (t[k + 1] - t[k]))
        return [(front + rear) / m - u * x[1], (a * front - b * rear) / Iz]

    x = solve(f, [0, 0], t, pieces=True)
    front, rear = forces(x, steer)
    return [Run(t, {"yaw": x[1], "lateral": (front + rear) / m}, {"steer": steer})]


@problem(["smooth", "ordinary"], {"L": Unknown(1.7, bounds=(0.8, 6)), "c": Unknown(0.12, log=True)}, {"x": 0.015, "y": 0.015},
         about="spherical pendulum as index-3 DAE")
def spherical_pendulum():
    t = np.linspace(0, 10, 151)
    x, y, vx, vy = 0.7, 0.2, 0.1, 0.9
    z = -math.sqrt(1.7**2 - x**2 - y**2)

    def f(s, w):
        q, v = w[:3], w[3:]
        tension = (v @ v - 9.81 * q[2]) / (q @ q)
        return np.concatenate([v, -tension * q - 0.12 * v - [0, 0, 9.81]])

    w = solve(f, [x, y, z, vx, vy, -(x * vx + y * vy) / z], t)
    return [Run(t, {"x": w[0], "y": w[1]})]


@problem(["smooth", "ordinary"],
         {"B": Unknown(9.5), "C": Unknown(1.45, bounds=(1, 2.5)), "D": Unknown(3.9), "len": Unknown(0.42, log=True)}, {"Fy": 0.08},
         about="tyre on a rig")
def tyre_curve():
    t = np.linspace(0, 6, 181)
    s = solve(lambda s, x: [8 / 0.42 * (0.2 * math.sin(2.6 * s) * (1 - math.exp(-s)) - x[0])], [0], t)[0]
    return [Run(t, {"Fy": 3.9 * np.sin(1.45 * np.arctan(9.5 * s))})]


# ---------------------------------------------------------------- files


def rounded(x, digits=2):
    return float(f"{x:.{digits}g}")


def draw_bounds(unknowns, draw):
    """By name. A user's bounds: powers of ten between the ends of `width` below and above the truth, two digits."""
    groups = {}
    for name, u in unknowns.items():
        groups.setdefault(u.group or name, []).append(u)
    bounds = {}
    for key, members in groups.items():
        below, above = (10 ** draw.uniform(*members[0].width) for _ in range(2))
        for name, u in unknowns.items():
            if u in members:
                truths = [m.truth for m in members]
                bounds[name] = u.bounds or (rounded(min(truths) / below), rounded(max(truths) * above))
    return bounds


def bad_guess(u, bounds, draw):
    """Near one of the ends, never at it."""
    lo, hi = bounds
    share = draw.choice([0.06, 0.94])
    return rounded(lo * (hi / lo) ** share if lo > 0 and hi > 10 * lo else lo + share * (hi - lo), 3)


def noisy(clean, sd, colour, quantum, draw):
    out, e = [], draw.normal()
    for y in clean:
        e = colour * e + math.sqrt(1 - colour**2) * draw.normal()
        value = y + sd * e
        out.append(round(value / quantum) * quantum if quantum else value)
    return out


def write_csv(path, columns):
    with open(path, "w") as f:
        f.write(",".join(columns) + "\n")
        for row in zip(*columns.values()):
            f.write(",".join(f"{v:.6g}" for v in row) + "\n")


def yaml_text(name, p, runs, bounds, guesses):
    lines = [f"# {p['about']}; made by make_data.py", f"model: {name}.mo", "experiments:"]
    measure = p["measure"] or {c: c for c in runs[0].measured}
    for r in runs:
        lines.append(f"  - data: {r.name}.csv")
        if len(runs) > 1:
            lines.append(f"    name: {r.name}")
        items = []
        for variable, column in measure.items():
            keys = [] if variable == column else [f"column: {column}"]
            if p["sigma"]:
                keys.append(f"sigma: {p['noise'][column]:g}")
            items.append(f"{variable}: {{{', '.join(keys)}}}" if keys else f"{variable}: {column}")
        lines.append(f"    measure: {{{', '.join(items)}}}")
        if r.inputs:
            lines.append(f"    inputs: {{{', '.join(f'{i}: {i}' for i in r.inputs)}}}")
        if p["interpolation"]:
            lines.append(f"    interpolation: {p['interpolation']}")
    lines.append("estimate:")
    for key, u in p["unknowns"].items():
        lo, hi = bounds[key]
        more = ", scale: log" if u.log else ""
        more += ", per_experiment: true" if u.per_experiment else ""
        lines.append(f"  {key}: {{start: {guesses[key]:.3g}, min: {lo:.3g}, max: {hi:.3g}{more}}}")
    return "\n".join(lines) + "\n"


def spread_names(values, unknowns, runs):
    """The names that reports use: those of one experiment have its name in brackets."""
    out = {}
    for name, u in unknowns.items():
        if u.per_experiment:
            out.update({f"{name}[{r.name}]": v for r, v in zip(runs, values[name])})
        else:
            out[name] = values[name]
    return out


def make(name, p):
    seed = zlib.crc32(name.encode())
    draw, normal = random.Random(seed), np.random.default_rng(seed)
    runs = p["simulate"]()
    folder = os.path.join(HERE, name)
    rows = 0
    for r in runs:
        data = {c: noisy(y, p["noise"][c], p["colour"], p["quantum"], normal) for c, y in r.measured.items()}
        write_csv(os.path.join(folder, r.name + ".csv"), {"time": r.t, **r.inputs, **data})
        rows += len(r.t) * len(r.measured)
    if p["realisations"] > 1:
        assert len(runs) == 1
        write_csv(os.path.join(folder, "clean.csv"), {"time": runs[0].t, **runs[0].inputs, **runs[0].measured})
    bounds = draw_bounds(p["unknowns"], draw)
    guesses = {k: bad_guess(u, bounds[k], draw) for k, u in p["unknowns"].items()}
    with open(os.path.join(folder, "problem.yaml"), "w") as f:
        f.write(yaml_text(name, p, runs, bounds, guesses))
    truth = {
        "about": p["about"], "kinds": p["kinds"], "samples": rows,
        "truth": spread_names({k: u.truth for k, u in p["unknowns"].items()}, p["unknowns"], runs),
        "bounds": spread_names({k: [b] * len(runs) if p["unknowns"][k].per_experiment else b for k, b in bounds.items()},
                               p["unknowns"], runs),
        "noise": p["noise"], "colour": p["colour"], "quantum": p["quantum"], "sigma": p["sigma"],
        "realisations": p["realisations"], "others": p["others"], "equal": p["equal"],
    }
    with open(os.path.join(folder, "truth.json"), "w") as f:
        json.dump(truth, f, indent=1)
        f.write("\n")
    print(f"{name}: {rows} samples in {len(runs)} experiment{'s' * (len(runs) > 1)}, {len(truth['truth'])} unknowns")


if __name__ == "__main__":
    for wanted in sys.argv[1:] or PROBLEMS:
        make(wanted, PROBLEMS[wanted])
