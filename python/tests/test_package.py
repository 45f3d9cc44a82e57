"""Laws of the Python package: what Python says is what the library says, for all kinds of input, and nothing crashes."""
import copy
import ctypes
import datetime
import doctest
import gc
import importlib.util
import json
import math
import multiprocessing
import os
import pathlib
import pickle
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import numpy as np

import entrain

try:
    import pandas as PANDAS
except ImportError:
    PANDAS = None

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PENDULUM = """
model Pendulum
  parameter Real p = 10;
  parameter Real d = 0.1;
  input Real u = 0;
  Real th(start = 1, fixed = true), om(start = 0, fixed = true);
equation
  der(th) = om;
  der(om) = -p*sin(th) - d*om + u;
end Pendulum;
"""
T = np.linspace(0, 10, 101)


def made(p=7.3, d=0.2, noise=0.01, seed=1, **more):
    y = entrain.Model(PENDULUM).simulate(T, parameters={"p": p, "d": d})["th"]
    y = y + noise * np.random.default_rng(seed).normal(size=len(T))
    arguments = dict(model=PENDULUM, data={"time": T, "angle": y}, measure={"th": "angle"},
                     estimate={"p": dict(start=40, min=0.1, max=200), "d": dict(start=0.1, min=0, max=3)})
    return entrain.Problem(**{**arguments, **more})


def rows(fit):
    return [(e.name, e.value, e.std_error, e.interval) for e in fit.parameters.values()]


class Models(unittest.TestCase):
    def test_sensitivities_equal_difference_quotients(self):
        m = entrain.Model(PENDULUM)
        r = m.simulate(T, parameters={"p": 7.3}, sensitivities=["p", "d"], rel_tol=1e-11)
        self.assertEqual(r.sensitivity_parameters, ["p", "d"])
        h = 1e-4
        for k, (name, at) in enumerate({"p": 7.3, "d": 0.1}.items()):
            up, down = (m.simulate(T, parameters={"p": 7.3, name: at + s * h}, rel_tol=1e-12)["th"] for s in (1, -1))
            np.testing.assert_allclose(r.sensitivities["th"][:, k], (up - down) / (2 * h), atol=2e-5)

    def test_parameters_of_one_simulation_do_not_stay(self):
        m = entrain.Model("model A parameter Real p = 1; parameter Real q = 2*p; Real x(start = 0, fixed = true); "
                          "equation der(x) = q; end A;")
        for values, slope in [({}, 2), ({"p": 3}, 6), ({"q": 5}, 5), ({"p": 3}, 6), ({}, 2), ({"x.start": 1}, 3)]:
            self.assertAlmostEqual(m.simulate([0, 1], parameters=values)["x"][-1], slope)

    def test_arrays_of_parameters_have_all_their_values(self):
        text = ("model A parameter Real q[2] = {1, 2}; parameter Real a[2, 2] = {{1, 2}, {3, 4}}; parameter Real n = 1; "
                "Real x[2](start = {0, 0}, each fixed = true); equation der(x) = n*a*q; end A;")
        m = entrain.Model(text)

        def problem(values):
            return entrain.Problem(model=m, data={"time": T, "y": T}, measure={"x[2]": "y"}, estimate=["n"], method="lm", set=values)

        for wrong, word in [({"q": [3]}, "'q' has the shape"), ({"q": [3, 4, 5]}, "'q' has the shape"), ({"q": []}, "'q' has the shape"), ({"q": [[1, 2]]}, "'q' has the shape"),
                            ({"a": [1, 2]}, "'a' has the shape"), ({"a": [[1, 2]]}, "'a' has the shape"), ({"x.start": [1]}, "'x.start' has the shape"),
                            ({"n": [1]}, "'n' is a single number"), ({"n": []}, "'n' is a single number"), ({"z": []}, "no parameter 'z'"), ({"z": [1]}, "no parameter 'z'")]:
            for use in (lambda: m.simulate(T, parameters=wrong), lambda: m.replace(**wrong), lambda: entrain.Model(text, parameters=wrong), lambda: problem(wrong)):
                with self.subTest(word), self.assertRaisesRegex(entrain.Error, word):
                    use()
        for values in ({"q": [3, 4]}, {"a": np.array([[5, 6], [7, 8]])}, {"x.start": (1, 2)}, {"q": [3, 4], "x[2].start": 5}):
            wanted = m.simulate(T, parameters=values)["x[2]"]
            np.testing.assert_array_equal(m.replace(**values).simulate(T)["x[2]"], wanted)
            np.testing.assert_array_equal(entrain.Model(text, parameters=values).simulate(T)["x[2]"], wanted)
            np.testing.assert_allclose(problem(values).simulate(T)["x[2]"], wanted, atol=1e-9)
        self.assertAlmostEqual(m.simulate([0, 1], parameters={"q": [3, 4]})["x[2]"][-1], 25)
        with self.assertRaisesRegex(entrain.Error, "finite"):
            m.replace(q=np.ma.array([1, 2], mask=[0, 1]))

    def test_inputs_of_any_form_mean_the_same(self):
        m = entrain.Model(PENDULUM)
        u = np.sin(T)
        wanted = m.simulate(T, {"u": u})["th"]
        wide = np.repeat(u, 2)[::2]
        for given in (list(u), tuple(u.tolist()), u.astype(np.longdouble), np.repeat(u, 3)[::3], u[::-1][::-1], (T, u), wide):
            np.testing.assert_array_equal(m.simulate(T, {"u": given})["th"], wanted)
        np.testing.assert_array_equal(m.simulate(T, {"time": T, "u": u})["th"], wanted)
        np.testing.assert_allclose(m.simulate(T, {"u": 2})["th"], m.simulate(T, {"u": np.full(len(T), 2)})["th"], atol=1e-9)

    def test_wrong_input_is_an_error_that_names_it(self):
        m = entrain.Model(PENDULUM)
        for arguments, word in [(dict(t=[]), "empty"), (dict(t=[0, 0]), "increase"), (dict(t=[0, math.nan]), "finite"),
                                (dict(t=[[0, 1]]), "dimension"), (dict(t=["a"]), "real numbers"), (dict(t=[0, 1j]), "real numbers"),
                                (dict(t=T, inputs={"v": T}), "'v'"), (dict(t=T, inputs={"u": T[1:]}), "100 values for 101"),
                                (dict(t=T, inputs={"u": T * np.nan}), "finite"), (dict(t=T, parameters={"z": 1}), "'z'"),
                                (dict(t=T, parameters={"p": np.inf}), "finite"), (dict(t=T, sensitivities=["z"]), "z"),
                                (dict(t=T, variables=["z"]), "z"), (dict(t=T, rel_tol=-1), "rel_tol"), (dict(t=T, nothing=1), "nothing"),
                                (dict(t=T, parameters={"p\0": 1}), "zero character"), (dict(t=T, start=5), "")]:
            with self.subTest(word=word), self.assertRaises(entrain.Error) as caught:
                m.simulate(**arguments)
            self.assertIn(word, str(caught.exception))

    def test_an_error_names_the_file_and_no_flag_of_the_command(self):
        for wrong in (lambda: entrain.Model("nowhere.mo"), lambda: entrain.Problem("nowhere.mo")):
            with self.assertRaises(entrain.Error) as caught:
                wrong()
            self.assertEqual(caught.exception.file, os.path.abspath("nowhere.mo"))
            self.assertEqual(str(caught.exception).count("nowhere.mo"), 1)
        needs = entrain.Model("model U input Real u; Real x(start = 1, fixed = true); equation der(x) = u; end U;")
        p = made()
        for wrong, word in ((lambda: needs.simulate([0, 1]), "inputs"), (lambda: p.recover(trials=0), "trials"), (lambda: p.fit(noise=-1), "noise"),
                            (lambda: p.replace({"estimate.p.start": "x"}), "estimate.p.start"), (lambda: p.replace({"nonsense.x": 1}), "nonsense"),
                            (lambda: p.fit(nonsense=1), "nonsense"), (lambda: made(estimate=["p"]).basin({"p": 3}), "range"),
                            (lambda: needs.simulate([0, 1], parameters={"u": 1}), "inputs")):
            with self.assertRaises(entrain.Error) as caught:
                wrong()
            self.assertIn(word, str(caught.exception))
            self.assertNotIn("--", str(caught.exception))
        for wrong in (lambda: p.fit(method="nonsense"), lambda: p.replace(nonsense=1), lambda: needs.simulate([0, 1], nonsense=1),
                      lambda: p.replace({"options.nonsense": 1}), lambda: p.compare(["lm:nonsense=1"]), lambda: made(data="nowhere.csv"),
                      lambda: entrain.Model(""), lambda: entrain.Model("  ")):
            with self.assertRaises(entrain.Error) as caught:
                wrong()
            self.assertNotRegex(str(caught.exception), "--|'entrain |Is a directory")

    def test_an_error_has_its_place(self):
        with self.assertRaises(entrain.Error) as caught:
            entrain.Model("model A\n  Real x;\nequation\n  der(x) = k*x;\nend A;")
        e = caught.exception
        self.assertEqual((e.line, e.column), (4, 12))
        self.assertIn("der(x) = k*x", e.excerpt)
        self.assertEqual(str(pickle.loads(pickle.dumps(e))), str(e))

    def test_a_simulation_that_fails_is_an_outcome(self):
        r = entrain.Model("model A Real x(start = 1, fixed = true); equation der(x) = x^2; end A;").simulate([0, 0.5, 2])
        self.assertFalse(r.success)
        self.assertEqual(len(r["x"]), 2)
        self.assertTrue(r.message)


class Problems(unittest.TestCase):
    def test_arguments_and_file_give_the_same_bits(self):
        y = np.round(np.exp(-3 * T) + 0.01 * np.cos(40 * T), 6)
        text = "model D parameter Real k = 1; Real x(start = 1, fixed = true); equation der(x) = -k*x; end D;"
        estimate = {"k": dict(start=1, min=0.1, max=100)}
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "d.mo"), "w") as file:
                file.write(text)
            with open(os.path.join(folder, "data.csv"), "w") as file:
                file.write("time,y\n" + "".join(f"{a!r},{b!r}\n" for a, b in zip(T.tolist(), y.tolist())))
            with open(os.path.join(folder, "p.yaml"), "w") as file:
                file.write("model: d.mo\nexperiments: [{data: data.csv, measure: {x: y}}]\n"
                           "estimate: {k: {start: 1, min: 0.1, max: 100}}\n")
            by_file = entrain.Problem(os.path.join(folder, "p.yaml")).fit()
            command = os.environ.get("ENTRAIN")
            if command:
                out = subprocess.run([command, "fit", os.path.join(folder, "p.yaml"), "--json=-"], capture_output=True, text=True).stdout
                told = json.loads(out[out.index("{"):])["parameters"][0]
                self.assertEqual(told["value"], by_file.parameters["k"].value)
        by_arrays = entrain.Problem(model=entrain.Model(text), data={"time": T, "y": y}, measure={"x": "y"}, estimate=estimate).fit()
        self.assertEqual(rows(by_file), rows(by_arrays))

    def test_numbers_equal_those_of_the_json(self):
        fit = made().fit()
        told = fit.to_dict()
        for row in told["parameters"]:
            e = fit.parameters[row["name"]]
            self.assertEqual((row["value"], row["std_error"], tuple(row["ci95"])), (e.value, e.std_error, e.interval))
        np.testing.assert_array_equal(fit.covariance, told["covariance"])
        np.testing.assert_array_equal(fit.correlation, told["correlation"])
        self.assertEqual(fit.objective, told["objective"])
        self.assertEqual(fit.verdict, told["certificate"]["verdict"])
        r = fit.residuals["th"]
        self.assertAlmostEqual(float(np.sqrt(np.mean(r**2))), told["channels"][0]["rmse"], places=12)
        c = fit.channels[0]
        np.testing.assert_allclose(c.model - c.data, c.residual, atol=1e-15)

    def test_data_of_any_form_mean_the_same(self):
        y = np.round(np.sin(T) + 1, 3)
        text = "model L parameter Real a = 1; output Real x; equation x = a*(sin(time) + 1); end L;"
        forms = [{"time": T, "y": y}, {"y": y, "time": T}, {"time": T.tolist(), "y": y.tolist()},
                 {"time": np.repeat(T, 2)[::2], "y": np.repeat(y, 3)[::3]},
                 np.array(list(zip(T, y)), dtype=[("time", float), ("y", float)])]
        try:
            import pandas

            forms += [pandas.DataFrame({"time": T, "y": y}), pandas.DataFrame({"y": y}, index=pandas.Index(T, name="time")),
                      pandas.DataFrame({"time": T, "y": pandas.array(y, dtype="Float64")})]
        except ImportError:
            pass
        results = {str(rows(entrain.Problem(model=text, data=d, measure={"x": "y"}, estimate={"a": 2}, time="time").fit())) for d in forms}
        self.assertEqual(len(results), 1)

    def test_nan_is_a_missing_sample(self):
        y = np.sin(T) + 1
        text = "model L parameter Real a = 1; output Real x; equation x = a*(sin(time) + 1); end L;"
        gaps = y.copy()
        gaps[5:20] = np.nan
        fit = entrain.Problem(model=text, data={"time": T, "y": gaps}, measure={"x": "y"}, estimate={"a": 2}).fit()
        self.assertEqual(fit.channels[0].n, len(T) - 15)

    def test_several_experiments_and_values_by_experiment(self):
        m = entrain.Model(PENDULUM)
        data = {name: {"time": T, "angle": m.simulate(T, parameters={"p": p, "th.start": s})["th"]}
                for name, p, s in [("a", 5, 1), ("b", 9, 0.5)]}
        fit = entrain.Problem(model=m, data=data, measure={"th": "angle"}, estimate={
            "p": dict(start=7, min=1, max=30, per_experiment=True), "th.start": dict(start=0.8, min=0.1, max=2, per_experiment=True)}).fit()
        self.assertAlmostEqual(fit.parameters["p[a]"].value, 5, places=5)
        self.assertAlmostEqual(fit.parameters["p[b]"].value, 9, places=5)
        self.assertEqual(set(fit.residuals), {("a", "th"), ("b", "th")})
        self.assertEqual([c.role for c in entrain.Problem(model=m, measure={"th": "angle"}, estimate={"p": dict(start=7, min=1, max=30)},
            experiments=[dict(data=data["a"]), dict(data=data["b"], role="validation", name="v")]).fit().channels], ["fit", "validation"])

    def test_values_of_a_model_hold_in_its_problem(self):
        y = entrain.Model(PENDULUM).simulate(T, parameters={"p": 7.3, "d": 0.5})["th"]
        m = entrain.Model(PENDULUM, parameters={"d": 0.5})
        fit = entrain.Problem(model=m, data={"time": T, "angle": y}, measure={"th": "angle"}, estimate={"p": dict(start=9, min=1, max=30)}).fit()
        self.assertAlmostEqual(fit.parameters["p"].value, 7.3, places=6)

    def test_wrong_problems_are_errors_that_name_what_is_wrong(self):
        for change, word in [(dict(measure={"zz": "angle"}), "zz"), (dict(measure={"th": "nothing"}), "nothing"), (dict(estimate={"q": 1}), "'q'"),
                             (dict(estimate={"p": dict(strat=1)}), "strat"), (dict(data={"time": T, "angle": T[1:]}), "100 values"),
                             (dict(data={"time": T[::-1], "angle": T}), "increase"), (dict(data={"time": T, "angle": T + np.inf}), ""),
                             (dict(data={"time": T, "angle": np.ones((101, 2))}), "dimension"), (dict(data={}), "no columns"),
                             (dict(data={"time": [], "angle": []}), "no rows"), (dict(method="nonsense"), "nonsense"),
                             (dict(rel_tol="x"), "rel_tol"), (dict(data=7), "mapping"), (dict(data=None), "data"), (dict(modl=1), "model"),
                             (dict(estimate=None), "estimate"), (dict(time="zz"), "zz"), (dict(model="nowhere.mo"), "nowhere.mo"),
                             (dict(inputs={"u": "zz"}), "zz"), (dict(constraints=["p <"]), "p <"), (dict(estimate={"p": object()}), "object")]:
            with self.subTest(word=word), self.assertRaises((entrain.Error, TypeError)) as caught:
                made(**change).fit()
            self.assertIn(word, str(caught.exception))

    def test_what_cannot_be_done_with_results_is_an_error(self):
        p = made()
        for wrong in (lambda: p.fit(method="x"), lambda: p.fit(start={"z": 1}), lambda: p.evaluate({"z": 1}), lambda: p.evaluate([1]),
                      lambda: p.evaluate([np.nan, 1]), lambda: p.scan({}), lambda: p.scan({"z": (1, 2, 3)}), lambda: p.scan({"p": (1, 2)}),
                      lambda: p.scan({"p": (1, 2, -3)}), lambda: p.basin(), lambda: p.basin({"z": (1, 2, 3)}), lambda: p.profile(["z"]),
                      lambda: p.profile(level=2), lambda: p.compare(["x"]).rows[0].nothing, lambda: p.recover(trials=-1)):
            with self.assertRaises((entrain.Error, AttributeError)):
                wrong()
        with self.assertRaises(KeyError):
            p.fit().parameters["z"]

    def test_flags_and_none_are_told_as_they_were_given(self):
        p, m = made(method="lm"), entrain.Model(PENDULUM)
        for name, value, word in (("rel_tol", True, "rel_tol cannot be True; it is a number from 1e-13 to 0.1"), ("rel_tol", np.False_, "rel_tol cannot be False"),
                                  ("jit", True, "jit cannot be True; it is one of auto, off"), ("solver", None, "solver cannot be None; it is one of auto, rk5")):
            works = [lambda: p.fit(**{name: value}), lambda: p.recover(**{name: value}), lambda: m.simulate(T, **{name: value}), lambda: p.simulate(T, **{name: value})]
            if value is not None:
                works += [lambda: made(**{name: value}), lambda: made(options={name: value})]
            for work in works:
                with self.assertRaisesRegex(entrain.Error, word):
                    work()
        self.assertEqual(made(solver=None, method="lm").fit().x.tolist(), p.fit(line_search=False).x.tolist())

    def test_rows_count_from_1_and_times_are_those_of_the_data(self):
        day = np.datetime64("2026-03-01T12:00:00") + np.array([0, 1, 1, 2]).astype("timedelta64[s]")
        for wrong, word in ((lambda: entrain.Model(PENDULUM).simulate([0, 1, 2, 2]), "row 4: 't' must increase, but 2.0 follows 2.0"),
                            (lambda: made(data={"time": [0, 1, 1, 2], "angle": T[:4]}), "row 3: time in column 'time' must increase, but 1 follows 1"),
                            (lambda: made(data={"time": day, "angle": T[:4]}), "row 3: time in column 'time' must increase, but 2026-03-01T12:00:01[.0]* follows 2026-03-01T12:00:01")):
            with self.assertRaisesRegex(entrain.Error, word):
                wrong()

    def test_an_experiment_has_a_name(self):
        table = {"time": T, "angle": np.cos(T)}
        for change in (dict(data={"": table, "b": table}), dict(data=None, experiments=[dict(data=table, name=" ")]), dict(data=None, experiments=[dict(data="a.csv", name="")])):
            with self.assertRaisesRegex(entrain.Error, "name of an experiment is empty"):
                made(**change)

    def test_a_subclass_stays_one(self):
        class Car(entrain.Model):
            pass

        class Mine(entrain.Problem):
            pass

        m = Car(PENDULUM)
        p = Mine(model=m, data=made().data["data"], measure={"th": "angle"}, estimate=["p"], method="lm")
        self.assertIs(type(m.replace(d=0.2)), Car)
        self.assertIs(type(p.replace(start={"p": 8})), Mine)
        self.assertIs(type(copy.copy(p)), Mine)
        self.assertIs(type(p.fit(start={"p": 8}).problem), Mine)
        self.assertEqual(len(entrain.compare([p, p]).rows), 2)

    def test_what_is_no_option_needs_a_new_problem(self):
        p = made(method="lm")
        for key in ("source", "model", "data", "estimate", "experiments", "options", "units", "folder", "name", "measure", "inputs", "set", "window", "weights", "constraints",
                    "time", "role"):
            for work in (p.replace, p.fit, lambda **k: p.basin(random=2, **k), p.recover):
                with self.subTest(key), self.assertRaisesRegex(TypeError, f"'{key}' is no option: make a new Problem"):
                    work(**{key: {}})
        self.assertEqual(p.replace({"experiments.0.window": [0, 5], "weights": "grid"}).evaluate().channels[0].n, 51)
        self.assertEqual(p.replace(residual="prediction", loss="huber").method, "lm")

    def test_options_and_methods(self):
        p = made()
        self.assertEqual(made(method="lm").method, "lm")
        a = p.fit(method="lm", start={"p": 8}, max_simulations=300)
        self.assertEqual(a.parameters["p"].start, 8)
        self.assertEqual(p.unknowns["p"]["start"], 40)
        self.assertEqual(p.replace({"estimate.p.min": 2}).unknowns["p"]["min"], 2)


class Tables(unittest.TestCase):
    """Data in many forms mean the same."""

    Y = np.round(np.sin(T) + 1.2, 3)
    TEXT = "model L parameter Real a = 1; output Real x; equation x = a*(sin(time) + 1); end L;"

    def fit(self, data, **more):
        return entrain.Problem(model=self.TEXT, data=data, measure={"x": "y"}, estimate={"a": 2}, **more).fit()

    def test_forms_of_arrays(self):
        wanted = rows(self.fit({"time": T, "y": self.Y}))
        readonly = self.Y.copy()
        readonly.flags.writeable = False
        for y in (readonly, self.Y.astype(object), self.Y.astype(">f8"), np.asfortranarray(np.c_[T, self.Y])[:, 1], self.Y[::-1].copy()[::-1],
                  self.Y[:, None], np.ma.array(self.Y), iter(self.Y), tuple(self.Y)):
            self.assertEqual(rows(self.fit({"time": T, "y": y})), wanted)

    def test_what_has_no_order_is_an_error(self):
        for y in (set(self.Y), frozenset(self.Y)):
            for wrong in (lambda: self.fit({"time": T, "y": y}), lambda: self.fit({"time": y, "y": self.Y}), lambda: made(estimate={"p", "d"}),
                          lambda: made(data={"a.csv", "b.csv"}), lambda: made().fit(start={1.0, 2.0}), lambda: entrain.Model(PENDULUM).simulate(y),
                          lambda: entrain.compare({made(), made()}), lambda: entrain.Simulator(lambda t, p: t, {}, {"x", "y"})):
                with self.assertRaisesRegex(entrain.Error, "must have an order"):
                    wrong()
        ordered = dict(zip(T, self.Y))
        self.assertEqual(rows(self.fit({"time": ordered.keys(), "y": ordered.values()})), rows(self.fit({"time": T, "y": self.Y})))

    def test_every_missing_value_is_the_same(self):
        gap = np.arange(len(T)) % 7 == 3
        wanted = rows(self.fit({"time": T, "y": np.where(gap, np.nan, self.Y)}))
        forms = [np.ma.array(self.Y, mask=gap), np.ma.array(self.Y, mask=gap, dtype=object), [None if g else v for g, v in zip(gap, self.Y)]]
        if PANDAS:
            forms += [PANDAS.array([PANDAS.NA if g else v for g, v in zip(gap, self.Y)], dtype="Float64"),
                      PANDAS.Series([PANDAS.NA if g else v for g, v in zip(gap, self.Y)], dtype=object)]
        for y in forms:
            self.assertEqual(rows(self.fit({"time": T, "y": y})), wanted)

    @unittest.skipUnless(PANDAS, "needs pandas")
    def test_columns_of_several_levels_are_an_error_that_says_so(self):
        frame = PANDAS.DataFrame(np.c_[T, self.Y], columns=PANDAS.MultiIndex.from_tuples([("a", "time"), ("a", "y")]))
        for wrong in (lambda: self.fit(frame), lambda: entrain.Model(PENDULUM).simulate(T, frame)):
            with self.assertRaisesRegex(entrain.Error, "several levels; make one of them"):
                wrong()
        frame.columns = [".".join(map(str, c)) for c in frame.columns]
        self.assertEqual(rows(self.fit(frame.rename(columns={"a.time": "time", "a.y": "y"}))), rows(self.fit({"time": T, "y": self.Y})))

    def test_windows_may_be_spans_of_time(self):
        second = datetime.timedelta(seconds=1)
        spans = [(0 * second, 5 * second), [np.timedelta64(0, "s"), np.timedelta64(5 * 10**9, "ns")]]
        steps = np.round(T * 10).astype(int) * np.timedelta64(100, "ms")
        tables = [{"time": T, "y": self.Y}, {"time": steps, "y": self.Y}, {"time": np.datetime64("2026-03-01T12:00:00") + steps, "y": self.Y}]
        if PANDAS:
            spans.append([PANDAS.Timedelta(0), PANDAS.Timedelta("5s")])
            tables.append(PANDAS.DataFrame({"y": self.Y}, index=PANDAS.to_timedelta(T, unit="s")))
        for table in tables:
            for span in spans:
                fit = self.fit(table, window=span, windows={"late": [span[1] / 2, None]}, method="lm")
                self.assertEqual((fit.channels[0].n, fit.channels[0].windows[0].start), (51, 2.5))
        for wrong in (dict(window=[np.timedelta64("NaT"), None]), dict(unscored=np.timedelta64(1, "ns"))):
            with self.assertRaises((entrain.Error, TypeError)):
                self.fit(tables[0], **wrong)

    def test_times_of_day_are_seconds_since_the_first(self):
        start = np.datetime64("2026-03-01T12:00:00", "ns")
        moments = start + (np.round(T * 1e3)).astype("m8[ms]")
        exact = np.round(T * 1e3) / 1e3
        wanted = rows(self.fit({"time": exact, "y": self.Y}))
        forms = [{"time": moments, "y": self.Y}, {"time": [str(m) for m in moments], "y": self.Y}, {"time": [str(m) + "Z" for m in moments], "y": self.Y},
                 {"time": moments.astype("M8[us]").astype(object), "y": self.Y}, {"time": moments - start, "y": self.Y}]
        if PANDAS:
            index = PANDAS.DatetimeIndex(moments)
            forms += [PANDAS.DataFrame({"y": self.Y}, index=index), PANDAS.DataFrame({"y": self.Y, "note": "x"}, index=index.tz_localize("Asia/Tokyo")),
                      PANDAS.DataFrame({"when": index, "y": self.Y}), PANDAS.DataFrame({"y": self.Y}, index=PANDAS.Index(exact))]
        for data in forms:
            self.assertEqual(rows(self.fit(data)), wanted)
        part = self.fit({"time": moments, "y": self.Y}, window=[moments[10], "2026-03-01T14:00:05+02:00"])
        channel = pickle.loads(pickle.dumps(part)).channels[0]
        self.assertEqual((channel.n, channel.moments[0], channel.moments[-1]), (41, moments[10], moments[50]))
        self.assertEqual(rows(part), rows(self.fit({"time": exact, "y": self.Y}, window=[exact[10], exact[50]])))

    def test_files_and_tables_mean_the_same(self):
        wanted = rows(self.fit({"time": T, "y": self.Y}))
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "dätä.csv")
            path.write_text("time,y\n" + "".join(f"{a!r},{b!r}\n" for a, b in zip(T.tolist(), self.Y.tolist())), encoding="utf-8")
            for data in (path, str(path), {"one": path}, [path]):
                self.assertEqual(rows(self.fit(data)), wanted)
            self.assertEqual(rows(self.fit(path.name, folder=folder)), wanted)
            text = "model: nothing.mo\nexperiments: [{data: d, measure: {x: y}}]\nestimate: {a: 2}\n"
            self.assertEqual(rows(entrain.Problem(text, model=self.TEXT, data={"d": {"time": T, "y": self.Y}}).fit()), wanted)

    def test_what_a_problem_does_not_use_may_be_anything(self):
        tables = [{"time": T, "note": ["x"] * len(T), "y": self.Y}]
        if PANDAS:
            tables.append(PANDAS.DataFrame(tables[0]))
        for table in tables:
            self.assertTrue(self.fit(table))
            with self.assertRaisesRegex(entrain.Error, "note"):
                entrain.Problem(model=self.TEXT, data=table, measure={"x": "note"}, estimate={"a": 2})

    @unittest.skipUnless(PANDAS, "needs pandas")
    def test_an_index_is_the_time_or_an_error_but_never_ignored(self):
        n = 20
        start, load = PANDAS.Timestamp("2026-03-01 12:00"), 2.0 * np.arange(n)
        seconds = np.arange(n, dtype=float)
        y = np.sin(seconds) + 1
        moments = PANDAS.date_range(start, periods=n, freq="s")
        wanted = rows(self.fit({"time": seconds, "y": y, "load": load}))
        used = [moments, moments.tz_localize("Asia/Tokyo"), moments.astype(object), PANDAS.Index([m.isoformat() for m in moments]),
                PANDAS.Index([m.to_pydatetime() for m in moments], dtype=object), moments.to_period("s"), moments.to_period("s").astype(object),
                PANDAS.CategoricalIndex(moments), PANDAS.CategoricalIndex(seconds), PANDAS.to_timedelta(seconds, unit="s"), PANDAS.Index(seconds),
                PANDAS.Index(range(n), name="time"), PANDAS.Index(np.arange(n), name="t"), PANDAS.Index(seconds, dtype=object)]
        for number, index in enumerate(used):
            with self.subTest(number=number):
                frame = PANDAS.DataFrame({"load": load, "y": y}, index=index)
                for data in (frame, {"load": frame["load"], "y": frame["y"]}, frame.rename_axis("when")):
                    self.assertEqual(rows(self.fit(data)), wanted)
                self.assertEqual(rows(self.fit(frame["y"])), wanted)
        refused = [PANDAS.MultiIndex.from_arrays([seconds, load]), PANDAS.MultiIndex.from_arrays([seconds, load], names=["time", "b"]),
                   PANDAS.Index(2 * np.arange(n)), PANDAS.Index([f"row {i}" for i in range(n)]), PANDAS.interval_range(0, n),
                   PANDAS.Index([f"row {i}" for i in range(n)], name="when"), PANDAS.Index(seconds, name="load"), PANDAS.Index(seconds > 3)]
        for number, index in enumerate(refused):
            with self.subTest(number=number):
                frame = PANDAS.DataFrame({"load": load, "y": y}, index=index)
                for data in (frame, {"load": frame["load"], "y": frame["y"]}):
                    with self.assertRaisesRegex(entrain.Error, "index"):
                        self.fit(data)
                self.assertEqual(rows(self.fit(frame.assign(seconds=seconds), time="seconds")), wanted)
                self.assertEqual(rows(self.fit(frame.assign(time=seconds))), wanted)
        days = PANDAS.Index([m.date() for m in PANDAS.date_range(start, periods=n)])
        self.assertEqual(self.fit(PANDAS.DataFrame({"load": load, "y": y}, index=days)).channels[0].time[1], 86400)
        for index in (PANDAS.RangeIndex(n), PANDAS.RangeIndex(5, n + 5), PANDAS.Index(np.arange(n))):  # numbers of rows
            self.assertEqual(rows(self.fit(PANDAS.DataFrame({"t": seconds, "y": y}, index=index))), wanted)
        columns = {"time": PANDAS.Series(seconds), "y": PANDAS.Series(y, index=np.arange(n) + 3)}
        with self.assertRaisesRegex(entrain.Error, "indices of 'time' and 'y' differ"):
            self.fit(columns)
        text = "model: nothing.mo\nexperiments: [{data: d, measure: {x: y}}]\nestimate: {a: 2}\n"
        with self.assertRaisesRegex(entrain.Error, "several levels"):
            entrain.Problem(text, model=self.TEXT, data={"d": PANDAS.DataFrame({"load": load, "y": y}, index=refused[0])})
        self.assertEqual(rows(self.fit(PANDAS.DataFrame({0: load, 1: seconds, "y": y}), time=1)), wanted)

    def test_dates_of_any_century_are_exact(self):

        seconds = np.arange(40) / 4
        wanted = rows(self.fit({"time": seconds, "y": np.sin(seconds) + 1}))
        for year in (1, 1500, 1677, 1678, 1969, 2026, 2261, 2262, 9000):
            first = datetime.datetime(year, 6, 1, 12)
            objects = [first + datetime.timedelta(seconds=s) for s in seconds]
            forms = [objects, np.array(objects, "M8[us]"), np.array(objects, "M8[ms]"), [o.isoformat() for o in objects]]
            for moments in forms:
                fit = self.fit({"time": moments, "y": np.sin(seconds) + 1})
                channel = fit.channels[0]
                self.assertEqual(rows(fit), wanted)
                np.testing.assert_array_equal(channel.moments, np.array(objects, "M8[us]"))
                np.testing.assert_allclose(fit.simulate(moments)["x"], channel.model, atol=1e-9)
                part = self.fit({"time": moments, "y": np.sin(seconds) + 1}, window=[objects[3], moments[20]])
                self.assertEqual(part.channels[0].n, 18)
        centuries = np.array(["0500-01-01", "1500-01-01", "2500-01-01"], "M8[D]")
        np.testing.assert_array_equal(self.fit({"time": centuries, "y": [1.0, 2, 3]}, method="lm").channels[0].moments, centuries)
        with self.assertRaisesRegex(entrain.Error, "too far"):
            self.fit({"time": np.array([10**9, 10**9 + 1], "M8[Y]").astype("M8[D]"), "y": [1.0, 2]})

    def test_the_unit_of_the_time_converts_it(self):
        wanted = self.fit({"time": T, "y": self.Y})
        for unit, factor in (("min", 60), ("ms", 1e-3), ("h", 3600), ("s", 1)):
            data = {"time": T / factor, "y": self.Y}
            for how in (dict(units={"time": unit}), dict(time=dict(column="time", unit=unit)), dict(units={"time": unit}, time="time"),
                        dict(units={"time": unit}, time=dict(column="time", unit=unit))):
                fit = self.fit(data, **how)
                np.testing.assert_allclose(fit.x, wanted.x, rtol=1e-9)
                np.testing.assert_allclose(fit.channels[0].time, T, atol=1e-12)
                np.testing.assert_allclose(fit.simulate(fit.channels[0].time)["x"], fit.channels[0].model, atol=1e-9)
        for wrong in (dict(units={"time": "m"}), dict(units={"time": "h"}, time=dict(column="time", unit="min"))):
            with self.assertRaises(entrain.Error):
                self.fit({"time": T, "y": self.Y}, **wrong)

    def test_the_result_simulates_as_the_fit_does(self):
        u = np.sin(3 * T)
        y = entrain.Model(PENDULUM).simulate(T, {"u": u}, {"p": 7.3, "d": 0.2, "th.start": 0.4})["th"]
        fit = entrain.Problem(model=PENDULUM, measure={"th": "y"}, estimate={"p": dict(start=8, min=1, max=20, per_experiment=True)}, experiments=[
            dict(data={"time": T, "force": u / 2, "y": y}, inputs={"u": dict(column="force", gain=2)}, set={"d": 0.2, "th.start": 0.4}, name="a"),
            dict(data={"time": T + 5, "u": 0 * T, "y": y}, set={"d": 0.1}, name="b", window=[6, None])]).fit()
        for channel in fit.channels:
            again = fit.simulate(channel.time, experiment=channel.experiment)
            np.testing.assert_allclose(again["th"], channel.model, atol=1e-6)
        self.assertGreater(np.abs(fit.simulate(T, {"u": 0}, experiment="a")["th"] - fit.channels[0].model).max(), 0.01)
        decay = "model D parameter Real k = 1; input Real u; Real x(start = 1, fixed = true); equation der(x) = -k*x + u; end D;"
        t = np.arange(41) / 20
        y = entrain.Model(decay).simulate(t, {"u": np.cos(t)}, {"k": 3}, interpolation="linear")["x"]
        for times, how in ((t, "time"), (1000 * t, dict(column="time", unit="ms")), (1000 * t + 1772366400000, dict(column="time", unit="ms", epoch=True)),
                           (np.datetime64("2026-03-01T12:00:00") + (1000 * t).astype("m8[ms]"), "time"), (t, dict(period=0.05, start=0))):
            fit = entrain.Problem(model=decay, data={"time": times, "u": np.cos(t), "y": y}, measure={"x": "y"}, time=how, interpolation="linear",
                                  estimate={"k": dict(start=1, min=0.1, max=100)}).fit()
            self.assertAlmostEqual(fit.parameters["k"].value, 3, places=5)
            np.testing.assert_allclose(fit.simulate(fit.channels[0].time)["x"], fit.channels[0].model, atol=1e-7)
            if fit.channels[0].origin is not None:
                self.assertEqual(fit.channels[0].moments[0], np.datetime64("2026-03-01T12:00:00"))
                np.testing.assert_allclose(fit.simulate(fit.channels[0].moments[3:])["x"], fit.channels[0].model[3:], atol=1e-7)
        fit = entrain.Problem(model=PENDULUM, data={"a": {"time": T, "y": T}, "b": {"time": T, "y": T}}, measure={"th": "y"}, estimate=["p"]).evaluate()
        with self.assertRaisesRegex(entrain.Error, "there are a, b"):
            fit.simulate(T, experiment="c")

    FORCED = ("model F parameter Real k = 1; parameter Real q = 2*k; input Real u = 0; input Real w = 0.1; Real x(start = 1, fixed = true); "
              "Real z(start = 0.2, fixed = true); equation der(x) = -k*x + u + w; der(z) = x - q*z; end F;")

    def test_simulations_are_those_of_the_fit_whatever_was_said(self):
        t = np.arange(41) / 10
        c = np.sin(3 * t)
        c[7] = np.nan
        y = entrain.Model(self.FORCED).simulate(t, {"u": np.nan_to_num(c)}, {"k": 0.7})["x"]
        base = dict(model=self.FORCED, measure={"x": "y"}, inputs={"u": "c"}, estimate={"k": dict(start=1, min=0.1, max=9)})
        path = "experiments.0."
        for changes in (
                dict(), dict(inputs={"u": dict(column="c", interpolation="hold")}), dict(inputs={"u": dict(column="c", interpolation="spline")}),
                dict(interpolation="hold"), dict(interpolation="hold", inputs={"u": dict(column="c", interpolation="linear"), "w": "y"}),
                dict(options={"interpolation": "hold"}), dict(inputs={"u": dict(column="c", gain=2, offset=0.5), "w": 0.3}), dict(inputs={"w": "c"}),
                dict(set={"x.start": "1+1"}), dict(set={"x.start": "data", "q": 3}), dict(set={"z.start": {"from": "data", "column": "c"}}),
                dict(estimate={"k": 1, "x.start": dict(start=2, fixed=True)}), dict(estimate={"k": 1, "x.start": dict(start="data", fixed=True)}),
                dict(estimate={"k": 1, "x.start": "data"}), dict(estimate={"k": 1, "q": 2}), dict(window=[1, 3]), dict(window=[1, 3], start=0), dict(start=-1),
                dict(every={"samples": 2, "filter": "mean"}), dict(time=dict(period=0.2, start=5)), dict(time="row"), dict(rel_tol=1e-4), dict(split={"every": 2}),
                dict(measure={"x": dict(column="y")}, weights={"kind": "grid", "over": ["x"], "cells": 5}), dict(model=entrain.Model(self.FORCED, parameters={"q": 1.5})),
                dict(settings={path + "set.x.start": 3}), dict(settings={path + "set": {"x.start": 3}}), dict(settings={path + "interpolation": "hold"}),
                dict(settings={path + "window": [1, 3]}), dict(settings={path + "inputs.u": 0.5}), dict(settings={path + "inputs.w": "c"}),
                dict(settings={"estimate.x.start": dict(start=2, fixed=True)}), dict(settings={"estimate.k.start": 2}),
                dict(settings={"options.rel_tol": 1e-3}), dict(settings={path + "role": "fit", path + "name": "renamed"}), dict(settings={path + "time": "row"})):
            with self.subTest(changes=repr(changes)[:100]):
                fit = entrain.Problem(data={"time": t, "c": c, "y": y}, **{**base, **changes}).fit(method="lm")
                for of in (fit, fit.problem.evaluate({"k": 0.4}), pickle.loads(pickle.dumps(fit)), fit.problem.replace(start={"k": 1.1}).evaluate()):
                    for number, name in enumerate(dict.fromkeys(channel.experiment for channel in of.channels)):
                        channel = next(channel for channel in of.channels if channel.experiment == name)
                        for experiment in (number, name, np.int64(number)):
                            r = of.problem.simulate(channel.time, parameters=of.x, experiment=experiment)
                            np.testing.assert_allclose(r["x"], channel.model, atol=1e-6)
                            np.testing.assert_array_equal(of.simulate(channel.time, experiment=experiment)["x"], r["x"])

    def test_inputs_that_are_given_replace_those_of_the_experiment(self):
        t = np.arange(41) / 10
        model = entrain.Model(self.FORCED)
        p = entrain.Problem(model=model, data={"time": t, "c": np.sin(t), "y": np.cos(t)}, measure={"x": "y"}, estimate={"k": 1},
                            inputs={"u": dict(column="c", interpolation="hold"), "w": "c"})
        same = dict(rel_tol=1e-8, abs_tol=1e-10)
        for how, word in ((dict(), "hold"), (dict(interpolation="linear"), "linear"), (dict(options={"interpolation": "spline"}), "spline")):
            wanted = model.simulate(t, {"u": np.cos(t), "w": np.sin(t)}, interpolation=word, **same)["x"] if how else None
            found = p.simulate(t, {"u": np.cos(t)}, **how)["x"]
            if how:
                np.testing.assert_allclose(found, wanted, atol=1e-6)
            self.assertGreater(np.abs(found - p.simulate(t)["x"]).max(), 0.01)
        np.testing.assert_allclose(p.simulate(t, {"u": np.cos(t), "w": 0})["x"], model.simulate(t, {"u": np.cos(t), "w": 0}, interpolation="hold", **same)["x"],
                                   atol=1e-6)
        self.assertEqual(p.simulate(sensitivities=["k"]).sensitivities["x"].shape, (41, 1))
        self.assertEqual(list(p.simulate(t, variables=["z"])), ["time", "z"])

    def test_experiments_are_told_apart_where_files_have_one_name(self):
        with tempfile.TemporaryDirectory() as folder:
            data = []
            for number, name in enumerate("abc"):
                os.mkdir(os.path.join(folder, name))
                data.append(os.path.join(name, "run.csv"))
                np.savetxt(os.path.join(folder, data[-1]), np.c_[T, (number + 1) * np.exp(-0.7 * T)], header="time,y", delimiter=",", comments="")
            data.append({"time": T, "y": 4 * np.exp(-0.7 * T)})
            fit = entrain.Problem(model="model D parameter Real k = 1; Real x(start = 1, fixed = true); equation der(x) = -k*x; end D;", folder=folder,
                                  data=data, measure={"x": "y"}, estimate={"k": dict(start=1, min=0.1, max=10), "x.start": dict(
                                      start=1, min=0.1, max=5, per_experiment=True)}).fit()
            self.assertEqual(len({channel.experiment for channel in fit.channels}), 4)
            for number, channel in enumerate(fit.channels):
                for experiment in (number, number - 4, channel.experiment):
                    np.testing.assert_allclose(fit.simulate(T, experiment=experiment)["x"], channel.model, atol=1e-7)

    def test_a_problem_file_is_simulated_at_any_time(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "d.mo").write_text(self.FORCED)
            np.savetxt(os.path.join(folder, "a.csv"), np.c_[T, np.cos(T), np.sin(T)], header="time,y,u", delimiter=",", comments="")
            fit = entrain.Problem("model: d.mo\nexperiments: [{data: a.csv, measure: {x: y}, set: {z.start: 3}}]\nestimate: {k: 1}\n", folder=folder).fit(method="lm")
            np.testing.assert_allclose(fit.simulate(T)["x"], fit.channels[0].model, atol=1e-6)
            self.assertEqual(fit.simulate([0, 20])["z"][0], 3)


class Times(unittest.TestCase):
    """Times of arrays mean what they mean in a file."""

    @staticmethod
    def problem(data, **more):
        return entrain.Problem(model="model D parameter Real k = 1; Real x(start = 2, fixed = true); equation der(x) = -k*x; end D;",
                               data=data, measure={"x": "y"}, estimate=["k"], **more)

    def channel(self, data, **more):
        return self.problem(data, **more).evaluate().channels[0]

    def test_a_unit_of_times_of_day_is_an_error_as_in_a_file(self):
        when = np.datetime64("2026-01-01") + np.arange(5) * np.timedelta64(1, "s")
        forms = {"moments": when, "texts": [f"{m}Z" for m in when], "spans": when - when[0], "objects": list((when - when[0]).tolist())}
        if PANDAS:
            forms.update(series=PANDAS.Series(when), index=PANDAS.DatetimeIndex(when, tz="UTC"), deltas=PANDAS.Series(when - when[0]))
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "a.csv")
            with open(path, "w") as file:
                file.write("time,y\n" + "".join(f"{m}Z,1\n" for m in when))
            with self.assertRaisesRegex(entrain.Error, "the times in column 'time' are times of day: no unit"):
                self.problem(path, time=dict(column="time", unit="ms"))
        for name, times in forms.items():
            for more in (dict(units={"time": "ms"}), dict(time=dict(column="time", unit="ms"))):
                with self.subTest(name), self.assertRaisesRegex(entrain.Error, "the times in column 'time' are (times of day|spans of time): no unit"):
                    self.problem({"time": times, "y": np.ones(5)}, **more)
            self.assertEqual(self.channel({"time": times, "y": np.ones(5)}).time[-1], 4)

    def test_units_name_columns(self):
        with self.assertRaisesRegex(entrain.Error, "units: no array is called 'tt'; did you mean 't'"):
            self.problem({"t": np.arange(5), "y": np.ones(5)}, units={"tt": "ms"})

    def test_numbers_since_1970_keep_their_digits(self):
        origin = 1772366400000000001
        for unit, step in (("ns", 1000), ("ns", 2), ("us", 1), ("ms", 1)):
            parts = {"ns": 1, "us": 1000, "ms": 10**6}[unit]
            count = origin // parts + step * np.arange(50)
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "a.csv")
                with open(path, "w") as file:
                    file.write("time,y\n" + "".join(f"{n},1\n" for n in count))
                wanted = self.channel(path)
                window = [int(count[10]), int(count[20])]
                inside = self.channel(path, window=window)
            forms = {"array": count, "list": count.tolist(), "objects": count.astype(object)}
            if PANDAS:
                forms.update(series=PANDAS.Series(count), nullable=PANDAS.Series(count, dtype="Int64"))
            for name, times in forms.items():
                with self.subTest(f"{step} {unit} {name}"):
                    data = {"time": times, "y": np.ones(50)}
                    for more in ({}, dict(units={"time": unit}), dict(time=dict(column="time", unit=unit, epoch=True))):
                        found = self.channel(data, **more)
                        np.testing.assert_array_equal(found.time, wanted.time)
                        self.assertEqual(found.moments[0], wanted.moments[0])
                        np.testing.assert_array_equal(self.channel(data, window=window, **more).time, inside.time)

    def test_large_numbers_of_any_kind_are_times_or_errors(self):
        large = 1772366400000000001 + np.arange(5)
        forms = [np.ma.masked_array(large, [0, 0, 1, 0, 0]), [int(n) * 100 for n in large], large.astype(np.uint64), large * 5, large[:, None], -large[::-1]]
        if PANDAS:
            forms.append(PANDAS.Series([None, *large[1:]], dtype="Int64"))
        for times in forms:
            try:
                self.channel({"time": times, "y": np.ones(5)})
            except entrain.Error:
                pass

    @unittest.skipUnless(PANDAS, "needs pandas")
    def test_a_window_has_a_time_zone_if_the_data_have_one(self):
        y = 2 * np.exp(-1e-3 * np.arange(361) * 20.0)
        for zone in ("Europe/Berlin", "UTC", None):
            index = PANDAS.date_range("2026-01-01", periods=361, freq="20s", tz=zone)
            plain, zoned = index[30].tz_localize(None), index[30] if zone else index[30].tz_localize("UTC")
            for form, data in {"index": PANDAS.DataFrame({"y": y}, index=index), "texts": {"time": [str(i) for i in index], "y": y},
                               "objects": {"time": list(index), "y": y}}.items():
                right, wrong = (zoned, plain) if zone else (plain, zoned)
                for write in (lambda m: m, str, lambda m: m.isoformat(), lambda m: m.to_pydatetime()):
                    with self.subTest(f"{zone} {form}"):
                        self.assertEqual(self.channel(data, window=[write(right), None]).time[0], 600)
                        with self.assertRaisesRegex(entrain.Error, "time zone, but the times of the data have"):
                            self.problem(data, window=[write(wrong), None])
                        with self.assertRaisesRegex(entrain.Error, "time zone, but the times of the data have"):
                            self.problem(data).simulate([write(wrong)])
                moment = self.channel(data).moments[30]  # UTC, without a word about it
                self.assertEqual(self.channel(data, window=[moment, None]).time[0], 600)
                self.assertEqual(self.problem(data).simulate([moment]).time[0], 600)


class Documented(unittest.TestCase):
    def test_all_keys_of_the_problem_file_are_arguments(self):
        from entrain import _problem

        with open(os.path.join(ROOT, "docs", "problem.md"), encoding="utf-8") as file:
            text = file.read()
        tables = [re.findall(r"^\| ((?:`\w+`(?:, )?)+) \|", part, re.M) for part in (text.split("\n## ")[0], text.split("\n## Experiments")[1].split("\n### ")[0])]
        of_problem, of_experiment = ({key for cell in cells for key in re.findall(r"\w+", cell)} for cells in tables)
        self.assertEqual(of_experiment - {"data"}, set(_problem.OF_EXPERIMENT))
        self.assertEqual(of_problem - {"model", "experiments", "estimate", "method", "options"}, set(_problem.OF_PROBLEM))

    def test_all_that_is_public_has_a_docstring_and_classes_have_examples(self):
        for name in entrain.__all__:
            thing = getattr(entrain, name)
            self.assertTrue((thing.__doc__ or "").strip(), name)
            self.assertIn(">>>", thing.__doc__, name)
            if isinstance(thing, type):
                for member, value in vars(thing).items():
                    if not member.startswith("_") and (callable(value) or isinstance(value, property)):
                        self.assertTrue((value.__doc__ or "").strip(), f"{name}.{member}")
        for member, value in vars(entrain.Problem).items():
            if not member.startswith("_") and callable(value):
                self.assertIn(">>>", value.__doc__, member)


class Arguments(unittest.TestCase):
    """Arguments in the forms that users of SciPy and pandas have."""

    def test_values_by_name_or_in_order_mean_the_same(self):
        p, m = made(method="lm"), entrain.Model(PENDULUM)
        wanted = p.fit(start={"p": 8, "d": 0.3})
        forms = [[8, 0.3], (8, 0.3), np.array([8, 0.3]), np.array([[8], [0.3]])]
        named = [{"p": 8, "d": 0.3}, {"d": np.float32(0.3) * 0 + 0.3, "p": np.int8(8)}]
        if PANDAS:
            named += [PANDAS.Series({"d": 0.3, "p": 8}), PANDAS.Series([8, 0.3], index=["p", "d"], dtype=object)]
        for start in forms + named:
            self.assertEqual(rows(p.fit(start=start)), rows(wanted))
            self.assertEqual(p.evaluate(start).objective, p.evaluate({"p": 8, "d": 0.3}).objective)
            np.testing.assert_array_equal(wanted.simulate(T, parameters=start)["th"], p.simulate(T, parameters={"p": 8, "d": 0.3})["th"])
        for values in named:
            np.testing.assert_array_equal(m.simulate(T, parameters=values)["th"], m.simulate(T, parameters={"p": 8, "d": 0.3})["th"])
        self.assertEqual(p.fit(start=wanted.x).values, p.fit(start=wanted.values).values)
        self.assertEqual(m.simulate(T, parameters=wanted.parameters)["th"][-1], m.simulate(T, parameters=wanted.values)["th"][-1])
        for flag in (True, np.True_):
            self.assertEqual(m.simulate(T, sensitivities=flag).sensitivity_parameters, ["p", "d"])
        self.assertEqual(m.simulate(T, sensitivities=np.False_).sensitivities, {})

    @unittest.skipUnless(PANDAS, "needs pandas")
    def test_frames_are_inputs_times_and_columns(self):
        m, u = entrain.Model(PENDULUM), np.sin(T)
        wanted = m.simulate(T, {"u": u})["th"]
        frame = PANDAS.DataFrame({"u": u})
        for inputs in (frame, PANDAS.DataFrame({"time": T, "u": u}), PANDAS.DataFrame({"u": u}, index=T), PANDAS.DataFrame({"u": u}, index=PANDAS.Index(T, name="s")),
                       PANDAS.DataFrame({"u": u}, index=PANDAS.to_timedelta(T, unit="s")), {"u": frame}, {"u": frame["u"]}):
            np.testing.assert_allclose(m.simulate(T, inputs)["th"], wanted, atol=1e-9)
        for t in (PANDAS.DataFrame({"t": T}), PANDAS.Series(T), PANDAS.Index(T)):
            np.testing.assert_array_equal(m.simulate(t, {"u": u})["th"], wanted)
        with self.assertRaisesRegex(entrain.Error, "one column"):
            m.simulate(PANDAS.DataFrame({"t": T, "b": T}))
        p = made()
        one = made(data={"time": PANDAS.DataFrame({"t": T}), "angle": p.data["data"]["angle"]})
        self.assertEqual(rows(one.fit(method="lm")), rows(p.fit(method="lm")))

    def test_what_has_the_wrong_form_is_an_error_that_names_it(self):
        p, m = made(method="lm"), entrain.Model(PENDULUM)
        fit = p.fit()
        for wrong, word in [(lambda: m.simulate(T, parameters=["p"]), "parameters must be a mapping"), (lambda: m.simulate(T, [1, 2]), "inputs must be a mapping"),
                            (lambda: m.simulate(T, np.ones(5)), "inputs must be a mapping"), (lambda: entrain.Model(PENDULUM, parameters=["p"]), "parameters must be"),
                            (lambda: m.simulate(T, options=["rel_tol"]), "options must be"), (lambda: made(units=["m"]), "units must be"),
                            (lambda: made(settings=["m"]), "settings must be"), (lambda: p.replace(["m"]), "settings must be"), (lambda: made(options=["m"]), "options must be"),
                            (lambda: entrain.Simulator(lambda t, p: t, ["k"], "x"), "parameters must be"), (lambda: p.fit(start=[1]), "1 values for 2 unknowns"),
                            (lambda: p.fit(start="p"), "start"), (lambda: p.fit(start=7), "start"), (lambda: fit.simulate(T, parameters={"z": 1}), "'z'"),
                            (lambda: p.basin({"p": 2**40}), "too large"), (lambda: p.scan({"p": (1, np.inf, 3)}), "finite"), (lambda: p.scan({"p": (1, 2, 2**40)}), "too large"),
                            (lambda: p.basin({"p": (np.nan, 1, 3)}), "finite"), (lambda: p.compare(["lm"], seeds=-1), "seeds"), (lambda: p.compare(["lm"], random_starts=-1), "starts"),
                            (lambda: entrain.compare([p, p], nested=5), "pair"), (lambda: entrain.compare([p, p], nested=[(0, 1, 2)]), "pair"),
                            (lambda: made(data={"time": T, "\ud800": T}, measure={"th": "\ud800"}), "character"), (lambda: entrain.Model("model \ud800;"), "character"),
                            (lambda: made(name="\ud800"), "character"), (lambda: m.simulate(T, parameters={"\ud800": 1}), "character"), (lambda: made(time=2.5), "'time'")]:
            with self.subTest(word=word), self.assertRaises((entrain.Error, TypeError)) as caught:
                wrong()
            self.assertIn(word, str(caught.exception))
        self.assertEqual(p.scan({"p": (1, 2, 3)}, lambdas=0.5).objective.shape, (1, 3))
        self.assertEqual(len(entrain.compare([p, made(method="lm", estimate={"p": dict(start=40, min=0.1, max=200)})], nested=(1, 0)).tests), 1)


class Studies(unittest.TestCase):
    def test_each_has_numbers_report_and_page(self):
        p = made()
        fit = p.fit()
        results = [fit, p.check(), p.profile(["p"]), p.scan({"p": (5, 9, 5), "d": (0.1, 0.3, 3)}), p.replace(method="lm").basin({"p": (5, 20, 3)}),
                   p.recover({"p": 7.3, "d": 0.2}, trials=2), p.compare(["lm", "nelder-mead"]), p.evaluate()]
        for r in results:
            with self.subTest(type(r).__name__):
                self.assertTrue(r.report())
                self.assertIn("<html", r.html)
                self.assertTrue(json.loads(r.json) == r.to_dict() and r.to_dict())
                self.assertTrue(all(text.startswith("<svg") for text in r.figures().values()))
                again = pickle.loads(pickle.dumps(r))
                self.assertEqual(again.report(), r.report())
                self.assertEqual(again.html, r.html)
                self.assertEqual(repr(again), repr(r))
                copy.deepcopy(r)
        _, check, profile, scan, basin, recover, compare, point = results
        self.assertTrue(check.passed)
        self.assertLess(abs(profile.curves["p"].interval[0] - fit.parameters["p"].interval[0]), 0.01)
        self.assertEqual(scan.objective.shape, (1, 5, 3))
        # Each point of a scan is what an evaluation there says.
        for i, j in [(0, 0), (4, 0), (2, 1), (3, 2)]:
            there = {"p": scan.axes["p"][i], "d": scan.axes["d"][j]}
            self.assertAlmostEqual(scan.objective[0, i, j], p.evaluate(there).objective, places=6)
        self.assertEqual(basin.reached.shape, (3,))
        self.assertAlmostEqual(basin.optima[0].values["p"], fit.parameters["p"].value, places=5)
        self.assertEqual(recover.summary["done"], 2)
        self.assertEqual([r.label for r in compare.rows], ["lm", "nelder-mead"])
        self.assertEqual(point.outcome, "evaluated")
        self.assertEqual(p.weights().summary["samples"], len(T))

    def test_copies_have_a_hessian(self):
        p = made(method="lm")
        for fit in (p.fit(), p.evaluate({"p": 8})):
            wanted = fit.hessian
            for again in (pickle.loads(pickle.dumps(fit)), copy.copy(fit), copy.deepcopy(fit)):
                np.testing.assert_array_equal(again.hessian, wanted)
        for again in (pickle.loads(pickle.dumps(p.fit())), copy.copy(p.fit()), copy.deepcopy(p.fit())):  # nobody has asked before
            np.testing.assert_allclose(again.hessian, p.fit().hessian, rtol=1e-6)
            again = pickle.loads(pickle.dumps(again))
            np.testing.assert_allclose(again.hessian, p.fit().hessian, rtol=1e-6)
        tied = p.evaluate({"p": 8}, tie=0.5)
        for again in (tied, pickle.loads(pickle.dumps(tied)), copy.copy(tied)):
            with self.assertRaisesRegex(entrain.Error, "free model"):
                again.hessian

    def test_a_page_of_a_notebook_is_a_frame(self):
        text = made().fit()._repr_html_()
        self.assertTrue(text.startswith("<iframe srcdoc="))
        self.assertEqual(text.count("<iframe"), 1)


def broken(t, p):
    raise RuntimeError("the valve is stück " + 500 * "é")


class Results(unittest.TestCase):
    def test_success_says_that_the_search_converged(self):
        t = np.linspace(0, 5, 200)
        y = np.exp(-.5 * t) + 2 * np.exp(-3 * t) + .01 * np.random.default_rng(0).normal(size=200)
        two = entrain.Problem(model="model E parameter Real a=1,b=1,p=1,q=2; output Real x; equation x=a*exp(-p*time)+b*exp(-q*time); end E;",
                              data={"time": t, "y": y}, measure={"x": "y"},
                              estimate={k: dict(start=s, min=.01, max=20) for k, s in dict(a=1, b=1, p=2, q=1).items()})
        self.assertEqual([(f.outcome, f.verdict, f.success) for f in (two.fit(), two.fit(method="lm"), two.fit(max_simulations=3))],
                         [("uncertain", "ambiguous", True), ("converged", "doubtful", True), ("budget", "doubtful", False)])

    def test_an_experiment_that_is_named_is_simulated(self):
        p = made(data={"a": {"time": T, "angle": np.cos(T)}, "b": {"time": T[:50], "angle": np.cos(T[:50])}}, method="lm")
        fit = p.fit()
        for thing in (p, fit):
            for name in ("b", 1, -1):
                found = thing.simulate(experiment=name)
                self.assertIsInstance(found, entrain.Simulation)
                np.testing.assert_array_equal(found.time, T[:50])
            for wrong in ("no such", 99, 1.5):
                for more in ({}, {"t": T}):
                    with self.assertRaisesRegex(entrain.Error, "there is no experiment .*; there are a, b"):
                        thing.simulate(experiment=wrong, **more)
            self.assertEqual([c.experiment for c in thing.simulate()], ["a", "b"])

    def test_the_width_of_a_report_is_a_whole_number(self):
        fit = made(method="lm").fit()
        for width in ("x", "60", None, 60.5, np.nan):
            with self.assertRaisesRegex(TypeError, "the width of a report is a whole number, not"):
                fit.report(width)
        self.assertEqual(fit.report(np.int8(60)), fit.report(60))

    def test_a_report_keeps_errors_and_tells_what_to_call(self):
        tables = {f"single_identification-{k}": {"time": T, "angle": (k + 1) * np.exp(-T) + 0.01 * np.cos(99 * T)} for k in range(2)}
        fit = entrain.Problem(model='model D parameter Real k(unit = "1/s") = 1; Real x(start = 1, fixed = true, unit = "rad"); equation der(x) = -k*x; end D;',
                              data=tables, measure={"x": "angle"}, method="lm",
                              estimate={"k": dict(start=1, min=0, max=9), "x.start": dict(start=1, min=0, max=9, per_experiment=True)}).fit()
        for width in (60, 80):
            parameters = fit.report(width).split("Parameters\n")[1].split("\n\n")[0]
            self.assertRegex(parameters, "name .* estimate  std error     95 % interval")
            self.assertLessEqual(max(map(len, parameters.split("\n"))), width)
            self.assertRegex(" ".join(parameters.split()), r"No room for (unit, )?start: report\(\d+\) or to_dict\(\) shows (it|them)\.")
        wide = int(re.search(r"start: report\((\d+)\)", fit.report())[1])
        self.assertNotRegex(fit.report(wide).split("Parameters\n")[1].split("\n\n")[0], "No room")
        for result in (fit, fit.problem.compare(["lm", "gauss-newton"]), fit.problem.basin(random=2), fit.problem.recover(trials=2), fit.problem.check()):
            for width in range(40, 100, 7):
                self.assertNotRegex(result.report(width), r"--|COLUMNS|wider\s+terminal")

    def test_nobody_can_change_a_result(self):
        def arrays(value, seen):
            if isinstance(value, np.ndarray):
                seen.append(value)
            elif isinstance(value, (list, tuple)):
                for part in value:
                    arrays(part, seen)
            elif isinstance(value, dict) or hasattr(value, "items"):
                arrays(list(value.values()), seen)
            elif hasattr(value, "__dataclass_fields__"):
                arrays(list(vars(value).values()), seen)
            return seen

        p = made(method="lm")
        for result in (p.fit(), p.weights(), p.profile(["p"]), p.scan({"p": (1, 9, 3)}), p.basin(random=3), p.recover(trials=2), p.compare(["lm"]),
                       p.check(), entrain.compare([p, p.replace(start={"p": 9})])):
            said = result.report(), result.json
            for r in (result, pickle.loads(pickle.dumps(result)), copy.copy(result)):
                for name in dir(r):
                    value = getattr(r, name)
                    if name in ("x", "problem", "problems", "error") or callable(value):
                        continue
                    for array in arrays(value, []):
                        self.assertFalse(array.flags.writeable, f"{type(r).__name__}.{name}")
                    if isinstance(value, (list, dict)) and not name.startswith("axes"):
                        value.clear()
                        self.assertNotEqual(len(getattr(r, name)) if name in ("channels", "values", "samples", "summary", "rows", "starts") else 1, 0)
                self.assertEqual((r.report(), r.json), said)

    def test_every_result_is_a_report(self):
        p = made(method="lm", weights="grid")
        for result in (p.fit(), p.weights(), p.profile(["p"]), p.scan({"p": (1, 9, 3)}), p.basin(random=3), p.recover(trials=2), p.compare(["lm"]), p.check()):
            with self.subTest(type(result).__name__):
                self.assertIn("<html", result.html)
                self.assertIn("<iframe", result._repr_html_())
                self.assertIsInstance(json.loads(result.json), dict)
                self.assertTrue(result.report())
                self.assertTrue(all("<svg" in svg for svg in result.figures().values()))
                again = pickle.loads(pickle.dumps(result))
                self.assertEqual((again.html, again.json, again.report(), again.figures()), (result.html, result.json, result.report(), result.figures()))


class Functions(unittest.TestCase):
    @staticmethod
    def problem(function, **how):
        y = 2 * np.exp(-0.7 * T) + 1e-3 * np.random.default_rng(0).normal(size=len(T))
        s = entrain.Simulator(function, parameters={"k": 1.0, "a": 1.0}, outputs="x", **how)
        return entrain.Problem(model=s, data={"time": T, "y": y}, measure={"x": "y"},
                               estimate={"k": dict(start=2, min=0.01, max=10), "a": dict(start=1, min=0.1, max=10)})

    def test_with_and_without_slopes_they_find_what_a_model_finds(self):
        def plain(t, p):
            return p["a"] * np.exp(-p["k"] * t)

        def sloped(t, p):
            e = np.exp(-p["k"] * t)
            return p["a"] * e, np.column_stack([-t * e * p["a"], e])

        wanted = self.problem(plain)
        model = "model D parameter Real k = 1; parameter Real a = 1; output Real x; equation x = a*exp(-k*time); end D;"
        data = {"time": T, "y": 2 * np.exp(-0.7 * T) + 1e-3 * np.random.default_rng(0).normal(size=len(T))}
        wanted = entrain.Problem(model=model, data=data, measure={"x": "y"},
                                 estimate={"k": dict(start=2, min=0.01, max=10), "a": dict(start=1, min=0.1, max=10)}).fit()
        for fit in (self.problem(plain).fit(), self.problem(sloped, slopes=True).fit(), self.problem(sloped, slopes=True, concurrent=True).fit()):
            for name, e in fit.parameters.items():
                self.assertLess(abs(e.value - wanted.parameters[name].value), 0.01 * e.std_error)

    def test_what_ends_a_question_comes_out_of_it_though_it_has_no_answer(self):
        left = [0]

        def ends(t, p):
            left[0] -= 1
            if left[0] == 0:
                os.kill(os.getpid(), signal.SIGINT)
            return p["a"] * np.exp(-p["k"] * t)

        problem = self.problem(ends)
        for calls in (1, 2, 5):
            fit = problem.evaluate()
            left[0] = calls
            with self.assertRaises(KeyboardInterrupt):
                fit.hessian

    def test_what_it_raises_is_an_outcome_with_the_message(self):
        fit = self.problem(broken).fit()
        self.assertEqual(fit.outcome, "no-start")
        self.assertIn("RuntimeError: the valve is stück", fit.message)
        self.assertIsInstance(fit.error, RuntimeError)
        self.assertEqual(fit.error.__traceback__.tb_next.tb_next.tb_frame.f_code.co_name, "broken")
        self.assertIn("the valve", str(pickle.loads(pickle.dumps(fit)).error))
        self.assertIs(type(fit.problem.model.simulate(T).error), RuntimeError)
        self.assertIsNone(entrain.Model(PENDULUM).simulate(T).error)
        fit = self.problem(lambda t, p: np.full(len(t), np.nan)).fit()
        self.assertEqual((fit.outcome, fit.error), ("no-start", None))
        self.assertEqual(fit.message, "the model could not be simulated at any start: lambda: x is not finite at time 0")

    def test_what_it_masks_is_no_result(self):
        def sloped(t, p, masked=False):
            e = np.exp(-p["k"] * t)
            slopes = np.column_stack([-t * e * p["a"], e])
            return (np.ma.array(p["a"] * e, mask=t > 5), slopes) if not masked else (p["a"] * e, np.ma.array(slopes, mask=masked))

        for function in (lambda t, p: sloped(t, p)[0], lambda t, p: {"x": sloped(t, p)[0]}, lambda t, p: sloped(t, p)[0].astype(object),
                         lambda t, p: [np.ma.array([v], mask=[v > 5]) for v in t], lambda t, p: np.ma.column_stack([sloped(t, p)[0]])):
            fit = self.problem(function).fit()
            self.assertEqual((fit.outcome, fit.error), ("no-start", None))
            self.assertIn("x is not finite at time 5.1", fit.message)
        self.assertEqual(self.problem(sloped, slopes=True).fit().outcome, "no-start")
        fit = self.problem(lambda t, p: sloped(t, p, True), slopes=True).fit()  # as with slopes that are NaN
        self.assertAlmostEqual(fit.values["k"], 0.7, places=2)
        self.assertTrue(any("contradict the slopes" in remark for remark in fit.remarks))

    def test_an_exception_without_words_is_an_outcome(self):
        class Mute(RuntimeError):
            def __str__(self):
                raise ValueError

        def fail(t, p):
            raise Mute

        fit = self.problem(fail).fit()
        self.assertEqual((fit.outcome, type(fit.error)), ("no-start", Mute))
        self.assertIn("Mute", fit.message)

    def test_a_defect_of_the_function_comes_out_where_nothing_succeeds(self):
        def wrong(answer):
            return lambda t, p: answer

        def misspelt(t, p):
            return nowhere * t  # noqa: F821

        makes = [(wrong(answer), entrain.Error) for answer in (None, "x", [1, 2], np.ones((3, 3)), {"y": T}, {"x": T[1:]}, T + 0j, [1j] * len(T),
                                                               {"x": T * 1j}, T.astype(object) + 1j)]
        for function, kind in [*makes, (misspelt, NameError), (lambda t, p: p["z"], KeyError), (lambda t, p: t.nothing, AttributeError)]:
            problem = self.problem(function)
            for work in (problem.fit, problem.evaluate, problem.check, lambda: problem.basin(random=2), lambda: problem.compare(["lm"]),
                         lambda: problem.model.simulate(T), lambda: problem.simulate(T), lambda: entrain.compare([problem, problem])):
                with self.assertRaises(kind):
                    work()

        def rarely(t, p):
            return p["a"] * np.exp(-p["k"] * t) if p["k"] > 0.5 else undefined  # noqa: F821

        fit = self.problem(rarely).fit(method="cma-es", seed=1)
        self.assertIsInstance(fit.error, NameError)
        self.assertTrue(np.isfinite(fit.objective))

    def test_wrong_slopes_are_remarked_and_not_used(self):
        def with_slopes(factor):
            def sloped(t, p):
                e = np.exp(-p["k"] * t)
                return p["a"] * e, factor * np.column_stack([-t * e * p["a"], e])
            return sloped

        for factor, wrong in ((1, False), (3, True), (0, True), (np.nan, True), (-1, True)):
            fit = self.problem(with_slopes(factor), slopes=True).fit()
            self.assertAlmostEqual(fit.values["k"], 0.7, places=2)
            self.assertEqual(any("contradict the slopes" in remark for remark in fit.remarks), wrong)

    def test_only_a_required_third_argument_is_the_call(self):
        decay = lambda p, t: p["a"] * np.exp(-p["k"] * t)
        wanted = rows(self.problem(lambda t, p: decay(p, t)).fit(method="lm"))
        for function in (lambda t, p, i=1: i * decay(p, t), lambda t, p, call: decay(p, call.times), lambda t, p, call=None: decay(p, call.times),
                         lambda t, p, *rest: decay(p, t) if not rest else None, lambda t, p, *, i=1: i * decay(p, t)):
            self.assertEqual(rows(self.problem(function).fit(method="lm")), wanted)

    def test_a_call_is_over_when_the_function_returns(self):
        held = []

        def keep(t, p, call):
            held.append(call)
            return p["k"] * call["u"]

        model = entrain.Model(entrain.Simulator(keep, {"k": 2.0}, "x", "u"))
        self.assertEqual(model.simulate([0, 1], {"u": [1, 2]})["x"].tolist(), [2, 4])
        for use in (lambda: held[0]["u"], lambda: held[0](0.5), held[0].goes_on):
            with self.assertRaisesRegex(entrain.Error, "is over"):
                use()

    def test_inputs_reach_it(self):
        s = entrain.Simulator(lambda t, p, call: p["k"] * call["u"] + call(t)["v"], {"k": 2.0}, ["x"], ["u", "v"])
        r = entrain.Model(s).simulate([0, 1, 2], {"u": [1, 2, 3], "v": 10})
        np.testing.assert_allclose(r["x"], [12, 14, 16])

    def test_it_cannot_use_the_problem_that_it_serves(self):
        held = []
        held.append(self.problem(lambda t, p: held[0].evaluate().x))
        with self.assertRaisesRegex(entrain.Error, "computing"):
            held[0].fit()

    def test_a_cycle_of_problem_and_function_is_collected(self):
        import weakref

        class Owner:
            def simulate(self, t, p):
                return p["a"] * np.exp(-p["k"] * t)

        def make():
            o = Owner()
            o.problem = Functions.problem(o.simulate)
            o.fit = o.problem.fit()
            return weakref.ref(o)

        found = make()
        gc.collect()
        self.assertIsNone(found())


def interrupted(work, delay):
    """What work returns when Ctrl-C comes some time (s) after it began. If it ends before, the next Ctrl-C comes sooner."""
    while delay > 1e-3:
        sent = threading.Event()
        timer = threading.Timer(delay, lambda: (sent.set(), os.kill(os.getpid(), signal.SIGINT)))
        try:
            timer.start()
            result = work()
            timer.cancel()
            timer.join()
        except KeyboardInterrupt:  # it came after the end
            result = None
            timer.join()
        if result is not None and sent.is_set():
            return result
        delay /= 2
    raise AssertionError("no delay ends it before its own end")


def interrupted_at(number, work):
    """Runs it, and Ctrl-C comes before this step (bytecode) of the package that guards computations. Whether there are so many.

    What traces the last steps is a function of C: the interpreter looks for Ctrl-C where it would without it.
    """
    guards = sys.modules["entrain._library"].__file__
    press = ctypes.pythonapi.PyErr_SetInterrupt
    press.argtypes, press.restype = [ctypes.py_object] * 3, None
    came, left = [], [number]

    def step(frame, event, _argument):
        left[0] -= event == "opcode"
        return step if left[0] > 0 else press

    def call(frame, _event, _argument):
        if frame.f_code.co_filename != guards:
            return None
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        return step if left[0] > 0 else press

    def handler(*_):
        sys.settrace(None)
        came.append(True)
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, handler)
    try:
        sys.settrace(call)
        work()
    finally:
        sys.settrace(None)
        signal.signal(signal.SIGINT, before)
    return bool(came)


class Stopping(unittest.TestCase):
    def test_ctrl_c_ends_a_fit_with_the_best_point(self):
        calls = []

        def slow(t, p):
            calls.append(p["k"])
            if len(calls) == 30:
                os.kill(os.getpid(), signal.SIGINT)
            return p["a"] * np.exp(-p["k"] * t)

        fit = Functions.problem(slow).replace(method="nelder-mead").fit()
        self.assertEqual((fit.outcome, fit.success, fit.interrupted), ("interrupted", False, True))
        self.assertLess(fit.objective, fit._quality["objective_start"])
        self.assertEqual(len(calls), 30)
        self.assertEqual(made().fit().outcome, "converged")  # and the next one is not touched

    def test_ctrl_c_ends_every_computation_with_what_there_is(self):
        long = np.linspace(0, 3000, 30001)
        model = entrain.Model(PENDULUM, parameters={"d": 1e-4})
        p = entrain.Problem(model=model, data={"time": long, "angle": model.simulate(long, parameters={"p": 7.3})["th"]}, method="lm",
                            measure={"th": "angle"}, estimate={"p": dict(start=7.31, min=1, max=20), "d": dict(start=0.01, min=0, max=1)})
        for name, work in {
                "fit": lambda: p.fit(method="auto"), "basin": lambda: p.basin(random=500), "recover": lambda: p.recover(trials=300),
                "profile": p.profile, "scan": lambda: p.scan({"p": (1, 20, 300), "d": (0, 1, 300)}),
                "compare": lambda: p.compare(["nelder-mead", "cma-es"], random_starts=50),
                "models": lambda: entrain.compare([p.replace(method="auto"), p.replace(method="auto", start={"p": 7.2})], folds=10),
                "simulate": lambda: model.simulate(np.linspace(0, 1e6, 20001))}.items():
            with self.subTest(name):
                before = time.thread_time()
                result = interrupted(work, 0.6)  # when something has been done
                self.assertEqual(result.outcome, "interrupted")
                self.assertLess(time.thread_time() - before, 20)
                if name != "simulate":
                    self.assertTrue(result.report())
                    self.assertEqual(pickle.loads(pickle.dumps(result)).outcome, "interrupted")

    def test_ctrl_c_inside_a_computation_of_a_simulator_or_callback_ends_all(self):
        inner = entrain.Model(PENDULUM, parameters={"d": 1e-4})

        def slow(t, p):
            return np.interp(t, *(lambda r: (r["time"], r["th"]))(inner.simulate(np.linspace(0, 3000, 30001), parameters={"p": 1 + p["k"]})))

        def watch(state):
            inner.simulate(np.linspace(0, 1e6, 20001))

        fitted = made(method="nelder-mead")
        for name, work in {"simulator": lambda: Functions.problem(slow).fit(method="nelder-mead"), "callback": lambda: fitted.fit(callback=watch),
                           "fit in a callback": lambda: fitted.fit(callback=lambda state: made().fit(callback=watch))}.items():
            with self.subTest(name):
                before = time.thread_time()
                self.assertEqual(interrupted(work, 0.3).outcome, "interrupted")
                self.assertLess(time.thread_time() - before, 20)
        self.assertEqual(made().fit().outcome, "converged")

    def test_an_inner_computation_that_ends_itself_leaves_the_outer_one(self):
        def stop(state):
            raise StopIteration

        calls = []

        def inside(t, p):
            calls.append(made().fit(callback=stop).outcome)
            calls.append(made().fit(callback=lambda state: np.False_).outcome)
            time.sleep(0.03)  # the library asks whether it goes on
            return p["a"] * np.exp(-p["k"] * t)

        fit = Functions.problem(inside).fit(method="lm")
        self.assertEqual((fit.success, set(calls)), (True, {"stopped"}))

    def test_ctrl_c_ends_questions_that_have_no_part_of_an_answer(self):
        long = np.linspace(0, 3000, 300001)
        model = entrain.Model(PENDULUM, parameters={"d": 1e-4})
        p = entrain.Problem(model=model, data={"time": long, "angle": np.cos(long)}, measure={"th": "angle"}, estimate={"p": 7.31, "d": 0.01})
        names = [f"x{i}" for i in range(3000)]
        text = (f"model B {' '.join(f'Real {n}(start = 1, fixed = true);' for n in names)} equation "
                f"{' '.join(f'der({n}) = sin({names[i - 7]}) - {names[i - 1]};' for i, n in enumerate(names))} end B;")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "big.csv")
            with open(path, "w") as file:
                file.write("time,angle\n" + "".join(f"{i},{i % 7}\n" for i in range(1000000)))
            for name, make, ask in (("evaluate", lambda: p, lambda p: p.evaluate()), ("channels", p.evaluate, lambda fit: fit.channels),
                                    ("simulate", p.evaluate, lambda fit: fit.simulate()), ("residuals", p.evaluate, lambda fit: fit.residuals),
                                    ("hessian", p.evaluate, lambda fit: fit.hessian), ("html", p.evaluate, lambda fit: fit.html),
                                    ("figures", p.evaluate, lambda fit: fit.figures()), ("Model", lambda: text, entrain.Model),
                                    ("Problem", lambda: dict(model=model, data=path, measure={"th": "angle"}, estimate=["p"]), lambda k: entrain.Problem(**k))):
                with self.subTest(name):
                    thing = make()
                    timer = threading.Timer(0.02, os.kill, (os.getpid(), signal.SIGINT))
                    before = time.thread_time()
                    with self.assertRaises(KeyboardInterrupt):
                        timer.start()
                        ask(thing)
                        while True:  # it was faster
                            time.sleep(0.1)
                    self.assertLess(time.thread_time() - before, 5)
                    timer.join()

    def test_ctrl_c_at_any_step_of_the_package_leaves_nothing_behind(self):
        p, model = made(method="lm"), entrain.Model(PENDULUM)
        by_function = Functions.problem(lambda t, p: p["a"] * np.exp(-p["k"] * t)).replace(method="lm")
        long = np.linspace(0, 3e4, 3)

        def others(k):
            elsewhere = threading.Thread(target=p.evaluate, daemon=True)
            elsewhere.start()
            self.assertEqual(p.fit(callback=lambda state: None).outcome, "converged")
            by_function.evaluate()
            elsewhere.join(20)
            self.assertFalse(elsewhere.is_alive())
            if k % 60 == 1:  # long enough for questions whether it goes on
                self.assertTrue(model.simulate(long, parameters={"d": 0}).success)

        for name, stride, work in (("evaluate", 3, p.evaluate), ("callback", 97, lambda: p.fit(callback=lambda state: None)),
                                   ("simulator", 97, by_function.evaluate), ("report", 7, lambda: p.evaluate().report()),
                                   ("simulate", 7, lambda: model.simulate([0, 1], parameters={"p": 2}))):
            with self.subTest(name):
                for k in range(1, 100 * stride * 3, stride):
                    try:
                        if not interrupted_at(k, work):
                            break
                    except KeyboardInterrupt:
                        pass
                    others(k)
                self.assertGreater(k, 100)

    def test_ctrl_c_ends_a_loop_of_short_calls(self):
        p, lost, before = made(method="lm"), [], sys.unraisablehook
        sys.unraisablehook = lost.append
        try:
            for k in range(100):
                timer = threading.Timer(0.001 + 1e-5 * k, os.kill, (os.getpid(), signal.SIGINT))
                with self.assertRaises(KeyboardInterrupt):
                    timer.start()
                    while True:
                        p.evaluate({"p": 8})
                timer.join()
        finally:
            sys.unraisablehook = before
        self.assertEqual(lost, [])

    def test_a_study_can_be_stopped_by_its_callback(self):
        p = made(method="lm")
        long = np.linspace(0, 3000, 30001)
        slow = made(method="lm", data={"time": long, "angle": np.cos(long)})
        for name, arguments in {"fit": {}, "basin": dict(random=20), "recover": dict(trials=20), "profile": {}, "scan": dict(axes={"p": (1, 20, 30)}),
                                "compare": dict(methods=["lm", "nelder-mead"])}.items():
            with self.subTest(name):
                for answer in (False, np.False_):
                    self.assertEqual(getattr(p, name)(callback=lambda state: answer, **arguments).outcome, "stopped")
                self.assertEqual(getattr(slow, name)(callback=lambda state: False, **arguments).outcome, "stopped")  # in the first simulation

                def fail(state):
                    raise LookupError("mine")

                with self.assertRaisesRegex(LookupError, "mine"):
                    getattr(p, name)(callback=fail, **arguments)

    def test_a_callback_sees_the_best_of_the_whole_search(self):
        seen = []
        fit = made(method="auto").fit(callback=seen.append)
        best, searches = ([s[key] for s in seen] for key in ("best", "searches"))
        self.assertEqual(searches, sorted(searches))
        known = [b for b in best if b < np.inf]
        self.assertEqual(best[-len(known):], known)  # never forgotten
        self.assertEqual((seen[-1]["stage"], best[-1]), ("statistics", fit.objective))

    def test_a_callback_sees_steps_and_can_end_it(self):
        seen = []
        self.assertEqual(made().fit(callback=seen.append).outcome, "converged")
        self.assertTrue(seen and all(len(s["values"]) == 2 for s in seen))

        def stop(state):
            raise StopIteration

        self.assertEqual(made().fit(callback=stop).outcome, "stopped")

        def fail(state):
            raise LookupError("mine")

        with self.assertRaisesRegex(LookupError, "mine"):
            made().fit(callback=fail)


class Files(unittest.TestCase):
    """What files say counts when they are read: a change is an error or has no effect."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.model, self.data, self.yaml = (os.path.join(folder.name, name) for name in ("swing.mo", "swing.csv", "swing.yaml"))
        self.write(10, 1)
        with open(self.yaml, "w") as file:
            file.write("model: 'swing.mo#Pendulum'\nexperiments: [{data: swing.csv, measure: {th: angle}}]\n"
                       "estimate: {p: {start: 8, min: 1, max: 20}, d: {start: 0.1, min: 0, max: 1}}\n")

    def write(self, p, scale):
        with open(self.model, "w") as file:
            file.write("model Other Real x = 1; end Other;" + PENDULUM.replace("p = 10", f"p = {p}") + "model Last Real x = 1; end Last;")
        with open(self.data, "w") as file:
            file.write("time,angle\n" + "".join(f"{t},{scale*math.cos(2.7*t)}\n" for t in T[:40]))

    def change(self, remove):
        for path in (self.model, self.data, self.yaml) if remove else ():
            os.remove(path)
        if not remove:
            self.write(3, 2)

    def test_a_model_stays_what_its_file_was(self):
        for remove in (False, True):
            with self.subTest(remove=remove):
                self.setUp()
                model = entrain.Model(self.model + "#Pendulum")
                wanted, told = model.simulate(T)["th"], model.report("flat")
                packed = pickle.dumps(model)
                problem = made(model=model)
                self.change(remove)
                again = pickle.loads(packed)
                for same in (model, copy.copy(model), copy.deepcopy(model), again, model.replace(p=10.0), pickle.loads(pickle.dumps(again))):
                    np.testing.assert_array_equal(same.simulate(T)["th"], wanted)
                    np.testing.assert_array_equal(same.simulate(T, parameters={"p": 10})["th"], wanted)
                    np.testing.assert_array_equal(same.simulate(T, parameters={"p": 10, "d": 0.1})["th"], wanted)
                    self.assertEqual(same.report("flat"), told)
                    np.testing.assert_allclose(made(model=same).simulate(T, parameters={"p": 10, "d": 0.1})["th"], wanted, atol=1e-5)
                self.assertEqual(problem.fit(method="lm").simulate(T)["th"][0], 1)

    def test_a_pickled_result_needs_no_files(self):
        def results():
            p = entrain.Problem(self.yaml, method="lm")
            return {"fit": p.fit(), "evaluate": p.evaluate(), "check": p.check(), "profile": p.profile(["p"]), "scan": p.scan({"p": (1, 9, 3)}),
                    "basin": p.basin(random=3), "recover": p.recover(trials=2), "compare": p.compare(["lm"]),
                    "models": entrain.compare([p, p.replace(start={"p": 9})])}

        found = results()
        packed = pickle.dumps(found)
        said = {name: (r.report(), r.json, r.html, list(r.figures()), r.outcome) for name, r in found.items()}
        self.change(True)
        for name, r in pickle.loads(packed).items():
            with self.subTest(name):
                self.assertEqual((r.report(), r.json, r.html, list(r.figures()), r.outcome), said[name])
                for attribute in dir(r):
                    if attribute not in ("hessian", "plot", "to_html", "to_json"):
                        getattr(r, attribute)  # numbers are there, too
                self.assertEqual(r.problem.name, "swing.yaml")
                with self.assertRaisesRegex(entrain.Error, "swing.yaml"):
                    r.problem.unknowns

    def test_files_that_have_changed_are_not_used(self):
        p = entrain.Problem(model=self.model + "#Pendulum", data=self.data, measure={"th": "angle"}, estimate=["p", "d"])
        of_file = entrain.Problem(self.yaml)
        fit = p.fit(method="lm")  # of a problem of its own
        packed = pickle.dumps([p, of_file, fit])
        self.change(False)
        self.assertEqual(p.evaluate().objective, p.evaluate().objective)
        again = pickle.loads(packed)
        for name, work in {"replace": lambda: p.replace(max_iterations=3), "fit": lambda: of_file.fit(method="lm"), "start": lambda: p.fit(start=[1, 1]),
                           "pickle": lambda: again[0].fit(), "file": lambda: again[1].unknowns, "hessian": lambda: again[2].hessian}.items():
            with self.subTest(name), self.assertRaisesRegex(entrain.Error, "has changed since the problem was made"):
                work()
        self.assertEqual(again[2].values, fit.values)


class Threads(unittest.TestCase):
    def test_eight_threads_find_the_same_bits(self):
        problems = [made(p=5 + k, seed=k) for k in range(8)]
        wanted = [rows(p.fit()) for p in problems]
        found = [None] * 8

        def work(k):
            found[k] = rows(problems[k].fit())

        threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(found, wanted)

    def test_one_problem_and_one_model_serve_eight_threads(self):
        p, m = made(), entrain.Model(PENDULUM)
        wanted, errors = (rows(p.fit()), [m.simulate(T, parameters={"p": k})["th"] for k in range(1, 9)]), []

        def work(k):
            try:
                for _ in range(5):
                    np.testing.assert_array_equal(m.simulate(T, parameters={"p": k + 1})["th"], wanted[1][k])
                    fit = p.fit()
                    self.assertEqual(rows(fit), wanted[0])
                    fit.channels, fit.covariance
            except BaseException as e:
                errors.append(e)

        threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(errors, [])

    def test_the_interpreter_goes_on_meanwhile(self):
        long = np.linspace(0, 1e6, 1001)
        m, during = entrain.Model(PENDULUM), []
        done = threading.Event()

        def work():
            m.simulate(long, parameters={"d": 0})  # one call of the library
            done.set()

        thread = threading.Thread(target=work)
        thread.start()
        while not done.wait(0.001):
            during.append(1)
        thread.join()
        self.assertGreater(len(during), 3)

    def test_processes_get_problems_by_pickle(self):
        with multiprocessing.get_context("spawn").Pool(2) as pool:
            found = pool.map(fit_rows, [made(seed=1), made(seed=2)])
        self.assertEqual(found, [rows(made(seed=1).fit()), rows(made(seed=2).fit())])


def fit_rows(problem):
    return rows(problem.fit())


class Memory(unittest.TestCase):
    def test_memory_stays_where_it_is(self):
        p, m = made(method="lm"), entrain.Model(PENDULUM)

        def some(n):
            for _ in range(n):
                fit = p.fit()
                fit.channels, fit.json
                m.simulate(T, parameters={"p": 3}, sensitivities=True)
                made(method="lm")
            gc.collect()
            with open("/proc/self/statm") as file:
                return int(file.read().split()[1]) * resource.getpagesize() / 2**20

        some(40)
        first = some(40)
        last = some(160)
        self.assertLess(last - first, 2)  # MB


class Hostile(unittest.TestCase):
    def test_random_calls_return_or_say_what_is_wrong(self):
        here = os.path.dirname(os.path.abspath(__file__))
        out = subprocess.run([sys.executable, "-W", "ignore", os.path.join(here, "fuzz.py"), "400", "1"], capture_output=True, text=True)
        self.assertEqual(out.returncode, 0, out.stdout + out.stderr)


class Wheel(unittest.TestCase):
    def test_all_libraries_are_inside_or_of_the_c_library(self):
        folder = os.path.join(os.path.dirname(entrain.__file__), "_lib")
        inside = set(os.listdir(folder))
        if not shutil.which("readelf"):
            self.skipTest("needs readelf")
        system = re.compile(r"^(ld-linux-x86-64|lib(c|m|dl|pthread|rt|resolv))\.so\.\d+$")
        for name in sorted(inside):
            out = subprocess.run(["readelf", "-d", os.path.join(folder, name)], capture_output=True, text=True)
            for needed in re.findall(r"\(NEEDED\).*\[(.*)\]", out.stdout):
                self.assertTrue(needed in inside or system.match(needed), f"{name} needs {needed}")
            self.assertIn("[$ORIGIN]", out.stdout)

    def test_libraries_are_loaded_from_the_package(self):
        folder = os.path.join(os.path.dirname(os.path.realpath(entrain.__file__)), "_lib")
        with open("/proc/self/maps") as file:
            loaded = {line.split()[-1] for line in file if ".so" in line}
        for name in ("libentrain", "libsundials_cvodes", "libklu", "libnlopt", "libyaml"):
            found = [path for path in loaded if f"/{name}" in path]
            self.assertTrue(found and all(os.path.dirname(path) == folder for path in found), found)

    def test_the_worker_is_found(self):
        path = os.path.join(os.environ.get("BUILD") or os.path.join(ROOT, "build"), "fmu", "vanderpol3.fmu")
        candidates = [path] if os.path.exists(path) else []
        if not candidates:
            self.skipTest("the test FMUs are not built")
        r = entrain.Model(candidates[0]).simulate([0, 1])
        self.assertTrue(r.success, r.message)


class Markdown(doctest.DocTestParser):
    """A fence ends what an example prints."""

    def parse(self, string, name="<string>"):
        return super().parse(re.sub(r"^```.*$", "", string, flags=re.M), name)


def enter_folder(test):
    test.folder = tempfile.TemporaryDirectory()
    test.before = os.getcwd()
    os.chdir(test.folder.name)


def leave_folder(test):
    os.chdir(test.before)
    test.folder.cleanup()


def load_tests(loader, tests, pattern):
    for module in ("entrain", "entrain._fit", "entrain._library", "entrain._model", "entrain._problem", "entrain._simulator", "entrain._studies"):
        tests.addTests(doctest.DocTestSuite(module))
    guide = os.path.join(ROOT, "docs", "python.md")
    if os.path.exists(guide):
        if all(importlib.util.find_spec(name) for name in ("pandas", "matplotlib")):
            flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
            tests.addTests(doctest.DocFileSuite(guide, module_relative=False, parser=Markdown(), optionflags=flags, setUp=enter_folder, tearDown=leave_folder))
    return tests


if __name__ == "__main__":
    unittest.main()
