"""Calls the package with random arguments: fuzz.py [CALLS [SEED]]. Every call returns or raises an Exception that says what is wrong; a
crash ends the process. In `make check` by test_package.py with few calls.
"""
import copy
import datetime
import faulthandler
import pickle
import random
import signal
import sys

import numpy as np

import entrain

T = np.linspace(0, 2, 21)
MODEL = """model M
  parameter Real p = 4; parameter Real d = 0.1; input Real u = 0;
  Real th(start = 1, fixed = true), om(start = 0, fixed = true);
equation
  der(th) = om; der(om) = -p*sin(th) - d*om + u;
end M;"""
# What may come out; others, such as SystemError or a wrong type inside numpy, are defects of the package.
ALLOWED = (entrain.Error, TypeError, KeyError, OSError, OverflowError)


def numbers(r):
    return r.choice([0, 1, -1, 3, 2.5, 1e300, -1e-300, float("nan"), float("inf"), np.float32(2), np.int8(3), np.bool_(True), 2**70, "3", "x",
                     None, 1j, [], {}, object(), "", "\0", "ä", b"x", np.array(3.0), datetime.datetime(2026, 1, 1)])


def arrays(r):
    n = r.choice([0, 1, 2, 21, 21, 21, 21])
    base = np.linspace(0, 2, n) if n else np.empty(0)
    return r.choice([lambda: base, lambda: base[::-1], lambda: base.astype(np.float32), lambda: list(base), lambda: base.astype(int), lambda: base + 1j,
                     lambda: np.ma.array(base, mask=base > 1), lambda: base * np.nan, lambda: base * np.inf, lambda: base.reshape(1, -1),
                     lambda: base[:, None], lambda: base.astype(object), lambda: base.astype("S4"), lambda: (x for x in base), lambda: np.repeat(base, 3)[::3],
                     lambda: base.astype("M8[s]"), lambda: base.astype("m8[ms]"), lambda: [None] * n, lambda: set(base), lambda: "abc", lambda: None,
                     lambda: numbers(r), lambda: np.asfortranarray(np.c_[base, base])[:, 1], lambda: base > 1, lambda: base.astype(">f8")])()


def names(r):
    return r.choice(["p", "d", "th", "om", "u", "th.start", "y", "time", "z", "", "p[data]", "mu[:]", "a b", "ü", "p\0", "\n", "der(th)", "x" * 5000, "{", "th.offset"])


def anything(r):
    return r.choice([numbers, arrays, names])(r)


def mapping(r, values):
    return {names(r): values(r) for _ in range(r.randrange(4))}


def problem(r):
    data = r.choice([lambda: {"time": T, "y": np.cos(2 * T), "u": 0 * T}] * 25 + [lambda: {"time": arrays(r), "y": arrays(r)}, lambda: mapping(r, arrays),
                    lambda: [{"time": T, "y": arrays(r)}] * 2, lambda: anything(r), lambda: {"a": {"time": T, "y": T}, "b": {"time": T, "y": arrays(r)}}])()
    estimate = r.choice([lambda: {"p": dict(start=4, min=1, max=9)}] * 25 + [lambda: mapping(r, numbers), lambda: {"p": mapping(r, numbers)},
                        lambda: {"p": dict(start=numbers(r), min=numbers(r))}, lambda: anything(r), lambda: ["p", "d", "th.start"]])()
    more = r.choice([lambda: {}] * 25 + [lambda: {"window": [numbers(r), numbers(r)]}, lambda: {"set": mapping(r, numbers)}, lambda: {"method": anything(r)},
                    lambda: {"weights": anything(r)}, lambda: {"constraints": [names(r)]}, lambda: {"units": mapping(r, names)}, lambda: {"time": anything(r)},
                    lambda: {"rel_tol": numbers(r)}, lambda: {"name": anything(r)}, lambda: {"inputs": mapping(r, anything)}, lambda: {"folder": anything(r)},
                    lambda: {"settings": mapping(r, anything)}, lambda: {"options": mapping(r, numbers)}, lambda: {"residual": anything(r)}])()
    measure = r.choice([lambda: {"th": "y"}] * 25 + [lambda: mapping(r, names), lambda: anything(r), lambda: {"th": {"column": "y", names(r): numbers(r)}}])()
    return entrain.Problem(model=MODEL, data=data, measure=measure, estimate=estimate, **{"method": "lm", "max_simulations": 30, **more})


def spec(r):
    return r.choice([(1, 9, 3), (1, 9, 3, "log"), 3, (numbers(r), numbers(r), r.choice([1, 2, 3])), numbers(r), (1, 9)])


def use(r, p):
    m = r.choice([p.fit, lambda: p.fit(method=anything(r), max_simulations=20), lambda: p.fit(start=mapping(r, numbers)), lambda: p.fit(start=anything(r)), p.check, p.weights,
                  lambda: p.evaluate(anything(r)), lambda: p.evaluate({"p": numbers(r)}, tie=numbers(r)), lambda: p.profile([names(r)]),
                  lambda: p.profile(level=numbers(r)), lambda: p.scan({r.choice(["p", names(r)]): spec(r)}, lambdas=r.choice([(), [1, 0], [numbers(r)]])),
                  lambda: p.basin({r.choice(["p", names(r)]): spec(r)}), lambda: p.basin(random=r.choice([0, 2, -1])), lambda: p.compare(["lm", anything(r)]),
                  lambda: p.recover({"p": numbers(r)}, trials=2), lambda: p.recover(trials=r.choice([1, -1, "x", None])), lambda: p.replace(mapping(r, anything)),
                  lambda: p.simulate(arrays(r), r.choice([None, {"u": arrays(r)}]), experiment=anything(r)),
                  lambda: p.simulate(r.choice([None, T]), r.choice([None, {"u": arrays(r)}, anything(r)]), r.choice([None, anything(r)]), **mapping(r, numbers)), lambda: entrain.compare([p, p], folds=r.choice([0, 2, -1])),
                  lambda: entrain.compare([p, anything(r)], nested=[(0, r.choice([1, 5, -1]))]), lambda: p.fit(callback=lambda s: r.choice([True, False, None]))])()
    for ask in r.sample(["report", "html", "json", "figures", "channels", "residuals", "parameters", "covariance", "trace", "rows", "curves", "optima", "objective",
                         "findings", "hessian", "stages", "simulate", "starts", "trials", "outcome"], 4):
        if hasattr(type(m), ask):
            got = getattr(m, ask)
            got() if callable(got) and not isinstance(got, type) else got
    return m


def simulate(r):
    m = entrain.Model(MODEL, parameters=r.choice([None, None, mapping(r, numbers)]))
    return m.simulate(r.choice([T, arrays(r)]), r.choice([None, {"u": arrays(r)}, mapping(r, arrays)]), r.choice([None, mapping(r, numbers), {"p": numbers(r)}]),
                      r.choice([False, True, [names(r)], anything(r)]), variables=r.choice([None, None, [names(r)], anything(r)]),
                      **r.choice([{}, {}, {"rel_tol": numbers(r)}, {"start": numbers(r)}, {"solver": names(r)}]))


def function(r):
    def simulated(t, p, call):
        return r.choice([lambda: p["k"] * t, lambda: arrays(r), lambda: {"x": arrays(r)}, lambda: call(arrays(r)), lambda: 1 / 0, lambda: (t, t), lambda: anything(r)])()

    s = entrain.Simulator(simulated, r.choice([{"k": 1.0}, {"k": 1.0}, mapping(r, numbers)]), r.choice(["x", ["x", "y"], [names(r)]]), r.choice([(), ["u"]]),
                          slopes=r.choice([True, False]), concurrent=r.choice([True, False]))
    return entrain.Problem(model=s, data={"time": T, "y": T, "u": T}, measure={"x": "y"}, estimate={"k": 2}, method="lm", max_simulations=20)


def call(r):
    made = r.choice([problem] * 8 + [simulate, simulate, function, lambda r: entrain.Model(r.choice([MODEL[:r.randrange(len(MODEL))], "x;" + str(anything(r))])),
                     lambda r: entrain.Problem("model: m.mo\n" + str(anything(r)), folder="/tmp"),
                     lambda r: entrain.Problem(r.choice(["a: [", "model: \n", "experiments: [{data: d}]\n", "{}\n"]), model=MODEL, data={"d": {"time": T, "y": T}})])(r)
    if isinstance(made, entrain.Problem):
        made = use(r, made)
    if r.random() < 0.1:
        made = copy.copy(made) if r.random() < 0.5 else pickle.loads(pickle.dumps(made))
    return repr(made)


def main(calls, seed, tell=print):
    """How many calls returned. A wrong exception is shown with the seed that makes it again."""
    faulthandler.enable()
    done = 0
    for k in range(seed, seed + calls):
        signal.alarm(60)  # a call that hangs ends the process
        try:
            call(random.Random(k))
            done += 1
        except ALLOWED:
            pass
        except Exception as e:
            if "pickle local object" not in str(e):  # a function inside a function
                tell(f"seed {k}: {type(e).__name__}: {e}")
                raise
    signal.alarm(0)
    return done


if __name__ == "__main__":
    calls, seed = (int(w) for w in (sys.argv[1:] + ["2000", "0"][len(sys.argv) - 1:]))
    print(main(calls, seed), "of", calls, "calls returned a result")
