"""Checks and studies of a problem, and their results."""
from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Callable, Iterable, Mapping, Optional

import numpy as np

from ._fit import ByName, Report, by_column
from ._library import (Array, Computation, Error, Handle, NULL, Question, c_text, ffi, frozen, in_order, lib, listener, names_of, new_error,
                       new_struct, number, numbers, raise_error, taken_text, text_of, texts, whole)
from ._progress import Bar, hearer


def run(problem: Any, result: Any, function: str, arguments: tuple[Any, ...], kind: str, read: Callable[[Any], dict[str, Any]],
        shown: Callable[[dict[str, Any]], tuple[float, float, str]], free: Any, progress: bool,
        callback: Optional[Callable[[dict[str, Any]], Any]]) -> Any:
    """A long computation of the library, which callbacks and Ctrl-C can end with what it has reached."""
    error = new_error()
    bar = Bar(function.split("_")[1]) if progress else None
    called, data, _kept = listener(kind, hearer(progress, callback, read, bar, shown))
    computation = Computation([problem._guard], [problem._handle])
    try:
        pointer = computation.run(getattr(lib, function), problem._handle.pointer, *arguments, called, data, error)
    finally:
        if bar is not None:
            bar.close()
    handle = Handle(pointer, free, problem._handle) if pointer else None
    computation.settle()
    if handle is None:
        if computation.interrupted:
            raise KeyboardInterrupt
        raise_error(error)
    found = result(problem, handle, computation.end)
    found.error = computation.error
    return found


def _numbers(struct: Any, names: str) -> dict[str, Any]:
    return {name: getattr(struct, name) for name in names.split()}


# ---------------------------------------------------------------- checks


@dataclass(frozen=True)
class Finding:
    """A sentence about a problem."""

    kind: str  #: good, note, warning or error
    topic: str
    text: str


class Check(Report):
    """What was found before a fit: the result of :meth:`Problem.check`. ``bool(check)``: no error was found.

    Examples
    --------
    >>> import entrain
    >>> p = entrain.Problem(model="model D parameter Real k = 1; parameter Real c = 1; output Real x; equation x = k*time; end D;",
    ...                     data={"time": [0, 1, 2], "y": [0, 2, 4]}, measure={"x": "y"}, estimate={"k": 1, "c": 1})
    >>> check = p.check()
    >>> check.passed, {f.kind for f in check.findings if "c" in f.text.split()}
    (True, {'warning'})
    """

    _prefix = "check"
    _saved = Report._saved + ("passed", "findings")

    @property
    def passed(self) -> bool:
        """No error was found, and the model can be simulated at the start."""
        return self._ask("passed", lambda p: bool(lib.entrain_check_passed(p)))

    def __bool__(self) -> bool:
        return self.passed

    @property
    def findings(self) -> list[Finding]:
        """All that was found: kind, topic and text."""
        def find(p: Any) -> list[Finding]:
            out, found = new_struct("EntrainFinding"), []
            for i in range(lib.entrain_check_count(p)):
                if lib.entrain_check_finding(p, i, out):
                    found.append(Finding(("good", "note", "warning", "error")[out.kind], text_of(out.topic), text_of(out.text)))
            return found

        return self._ask("findings", find)

    def __repr__(self) -> str:
        return f"<entrain.Check {'passed' if self.passed else 'failed'}: {len(self.findings)} findings>"


def check(problem: Any) -> Check:
    computation = Computation([problem._guard], [problem._handle])
    pointer = computation.run(lib.entrain_check_run, problem._handle.pointer)
    handle = Handle(pointer, lib.entrain_check_free, problem._handle) if pointer else None
    computation.settle()
    if handle is None:
        if computation.interrupted:
            raise KeyboardInterrupt
        raise Error("there is no check of this problem")
    return Check(problem, handle, computation.end)


# ---------------------------------------------------------------- weights


class Weights(Report):
    """How much each sample counts: the result of :meth:`Problem.weights`.

    Examples
    --------
    >>> import entrain
    >>> p = entrain.Problem(model="model D parameter Real k = 1; output Real x; equation x = k*time; end D;",
    ...                     data={"time": [0, 1, 2], "y": [0, 2, 4]}, measure={"x": "y"}, estimate={"k": 1})
    >>> p.weights().samples
    [(array([0., 1., 2.]), array([1., 1., 1.]))]
    """

    _prefix = "weights"
    _saved = ("_html_body", "_figures", "kind", "summary", "samples")

    @property
    def kind(self) -> str:
        """How weights are made, as in the problem."""
        return self._ask("kind", lambda p: text_of(_weights(p).kind))

    @property
    def summary(self) -> dict[str, Any]:
        """samples, counted, variables, cells, least, most, equal, error."""
        return self._ask("summary", lambda p: _numbers(_weights(p), "samples counted variables cells least most equal error"))

    @property
    def samples(self) -> list[tuple[Array, Array]]:
        """A pair of arrays (times, weights) for each experiment."""
        def find(p: Any) -> list[tuple[Array, Array]]:
            found: list[tuple[Array, Array]] = []
            for k in range(lib.entrain_problem_experiment_count(p)):
                n = lib.entrain_weights_samples(p, k, NULL, NULL)
                if n > 0:
                    t, w = ffi.new("double[]", n), ffi.new("double[]", n)
                    lib.entrain_weights_samples(p, k, t, w)
                    found.append((numbers(t, n), numbers(w, n)))
            return found

        return self._ask("samples", find)

    @property
    def json(self) -> str:
        """Kind, summary and samples as JSON text."""
        return json.dumps({"problem": self.problem.name, "kind": self.kind, **self.summary,
                           "samples": [{"time": t.tolist(), "weight": w.tolist()} for t, w in self.samples]})

    def plot(self) -> Any:
        """The weights over time, experiment by experiment; returns the figure of matplotlib."""
        from ._plot import axes

        figure, panels = axes(max(1, len(self.samples)))
        for panel, (t, w) in zip(panels, self.samples):
            panel.plot(t, w, ".", markersize=3)
            panel.set_ylabel("weight")
        panels[-1].set_xlabel("time")
        return figure

    def __repr__(self) -> str:
        return f"<entrain.Weights {self.kind}: {self.summary['counted']} of {self.summary['samples']} samples count>"


def _weights(p: Any) -> Any:
    out = new_struct("EntrainWeights")
    if not lib.entrain_weights(p, out):
        raise Error("there are no weights of this problem")
    return out


def weights(problem: Any) -> Weights:
    found = Weights(problem, problem._handle, "")
    found.summary, found.samples  # what takes time: Ctrl-C ends it here
    return found


# ---------------------------------------------------------------- profiles


@dataclass(frozen=True)
class Curve:
    """The profile of one unknown."""

    name: str
    unit: str
    estimate: float
    interval: tuple[float, float]
    ends: tuple[str, str]
    std_error: float
    verdict: str  #: determined, open, flat, structural or unknown
    remark: str
    value: Array = field(repr=False)
    objective: Array = field(repr=False)
    ratio: Array = field(repr=False)  #: to be compared with the threshold
    unknowns: Array = field(repr=False)  #: shape (points, unknowns)


class Profile(Report):
    """Profile likelihoods: the result of :meth:`Problem.profile`. `curves` has them by name.

    Examples
    --------
    >>> import entrain
    >>> p = entrain.Problem(model="model D parameter Real k = 1; output Real x; equation x = k*time; end D;", method="lm",
    ...                     data={"time": [0, 1, 2, 3], "y": [0, 2.1, 3.9, 6]}, measure={"x": "y"}, estimate={"k": 1})
    >>> profile = p.profile(["k"])
    >>> low, high = profile.curves["k"].interval
    >>> low < profile.curves["k"].estimate < high
    True
    >>> bool(profile.curves["k"].ratio.min() < profile.threshold)
    True
    """

    _prefix = "profile"
    _saved = Report._saved + ("curves", "threshold", "notes")

    @property
    def threshold(self) -> float:
        """Of the ratio: an interval ends where its profile rises above it."""
        return self._ask("threshold", lib.entrain_profile_threshold)

    @property
    def notes(self) -> list[str]:
        """Sentences, such as about better optima that profiles have found."""
        return self._ask("notes", lambda p: [text_of(lib.entrain_profile_note(p, i))
                                             for i in range(lib.entrain_profile_note_count(p))])

    @property
    def curves(self) -> ByName:
        """Profiles by name of the unknown: interval, verdict, and arrays value, ratio, objective, unknowns."""
        def find(p: Any) -> ByName:
            n = len(self.problem.unknowns)
            rows, out, point = {}, new_struct("EntrainProfiled"), new_struct("EntrainProfilePoint")
            for i in range(lib.entrain_profile_count(p)):
                if not lib.entrain_profile_curve(p, i, out):
                    continue
                points = []
                for k in range(out.points):
                    if lib.entrain_profile_point(p, i, k, point):
                        points.append((point.value, point.objective, point.ratio, numbers(point.unknowns, n)))
                table = [np.array(column) for column in zip(*points)] if points else [np.empty(0)] * 3 + [np.empty((0, n))]
                rows[text_of(out.name)] = Curve(text_of(out.name), text_of(out.unit), out.estimate, (out.low, out.high),
                                                (text_of(out.low_end), text_of(out.high_end)), out.std_error,
                                                text_of(out.verdict), text_of(out.remark), *table)
            return ByName(rows)

        return self._ask("curves", find)

    def plot(self) -> Any:
        """Each profile and the threshold; returns the figure of matplotlib."""
        from ._plot import axes

        figure, panels = axes(max(1, len(self.curves)))
        for panel, curve in zip(panels, self.curves.values()):
            panel.plot(curve.value, curve.ratio, ".-")
            panel.axhline(self.threshold, linewidth=0.5)
            panel.set_xlabel(curve.name)
        return figure


def profile(problem: Any, names: Optional[Iterable[str]] = None, *, level: float = 0.95, range: float = 1000.0,
            progress: bool = False, callback: Any = None) -> Profile:
    request = new_struct("EntrainProfileRequest")
    chosen = [] if names is None else names_of(names, "names")
    request.names, request.count, _keep = texts(chosen, "a name")
    request.level, request.range = number(level, "level"), number(range, "range")
    return run(problem, Profile, "entrain_profile_run", (request,), "EntrainProfileListener",
               lambda p: {"sides": p.sides, "done": p.done, "fitting": bool(p.fitting)},
               lambda s: (s["done"], s["sides"], "fit" if s["fitting"] else ""), lib.entrain_profile_free, progress, callback)


# ---------------------------------------------------------------- scans


class Scan(Report):
    """The objective on a grid: the result of :meth:`Problem.scan`.

    `objective` has the shape (lambdas, points of the first axis, points of the second), `axes` the points by name.

    Examples
    --------
    >>> import entrain
    >>> p = entrain.Problem(model="model D parameter Real k = 1; output Real x; equation x = k*time; end D;",
    ...                     data={"time": [0, 1, 2], "y": [0, 2, 4]}, measure={"x": "y"}, estimate={"k": 1})
    >>> s = p.scan({"k": (0, 4, 5)})
    >>> s.axes["k"], s.objective[0]
    (array([0., 1., 2., 3., 4.]), array([10. ,  2.5,  0. ,  2.5, 10. ]))
    """

    _prefix = "scan"
    _saved = ("_html_body", "_figures", "objective")
    axes: dict[str, Array]
    lambdas: Array

    @property
    def objective(self) -> Array:
        """NaN: could not be simulated, or was not done."""
        shape = tuple(len(a) for a in self.axes.values())

        def find(p: Any) -> Array:
            n = int(np.prod(shape))
            values = np.array([[lib.entrain_scan_objective(p, k, i) for i in range(n)] for k in range(len(self.lambdas))])
            # The first axis is the fastest.
            return np.moveaxis(values.reshape((len(self.lambdas),) + shape[::-1]), 0, 0).transpose(
                (0,) + tuple(range(len(shape), 0, -1)))

        return self._ask("objective", find)

    @property
    def json(self) -> str:
        """Axes, lambdas and objective as JSON text; null: could not be simulated, or was not done."""
        values: Any = self.objective.astype(object)
        values[~np.isfinite(self.objective)] = None
        return json.dumps({"problem": self.problem.name, "axes": {k: v.tolist() for k, v in self.axes.items()},
                           "lambdas": self.lambdas.tolist(), "objective": values.tolist()})

    @property
    def best(self) -> dict[str, float]:
        """The point of the free model with the least objective."""
        last = np.where(np.isfinite(self.objective[-1]), self.objective[-1], np.inf)
        at = np.unravel_index(int(np.argmin(last)), last.shape)
        return {name: float(values[i]) for (name, values), i in zip(self.axes.items(), at)}

    def plot(self) -> Any:
        """Curves over one unknown, a map over two; returns the figure of matplotlib."""
        from ._plot import axes

        figure, panels = axes(1, 4)
        names = list(self.axes)
        if len(names) == 1:
            for tie, row in zip(self.lambdas, self.objective):
                panels[0].plot(self.axes[names[0]], row, label=f"lambda {tie:g}")
            panels[0].set_xlabel(names[0])
        else:
            panels[0].pcolormesh(self.axes[names[0]], self.axes[names[1]], self.objective[-1].T, shading="nearest")
            panels[0].set_xlabel(names[0])
            panels[0].set_ylabel(names[1])
        return figure


def _axis(name: str, spec: Any, what: str) -> tuple[float, float, int, Optional[bool]]:
    parts = list(spec) if isinstance(spec, (tuple, list)) else []
    if len(parts) not in (3, 4) or (len(parts) == 4 and parts[3] not in ("log", "linear")):
        raise Error(f"the axis '{name}' of a {what} is (from, to, count), perhaps with \"log\"")
    return (*_ends(name, parts), whole(parts[2], f"the count of '{name}'"), (parts[3] == "log") if len(parts) == 4 else None)


def _ends(name: str, parts: Any) -> tuple[float, float]:
    low, high = (number(x, f"the axis '{name}'") for x in parts[:2])
    if not np.isfinite([low, high]).all():
        raise Error(f"the axis '{name}' must begin and end at finite numbers, not {low:g} and {high:g}")
    return low, high


def scan(problem: Any, axes: Mapping[str, Any], *, lambdas: Any = (), values: Any = None, log_objective: bool = False,
         progress: bool = False, callback: Any = None) -> Scan:
    if not isinstance(axes, Mapping):
        raise TypeError("the axes of a scan are a mapping: {\"p\": (1, 50, 100)}")
    rows, kept, points = ffi.new("EntrainScanAxis[]", max(1, len(axes))), [], {}  # type: Any, list[Any], dict[str, Array]
    for row, (name, spec) in zip(rows, axes.items()):
        low, high, count, log = _axis(name, spec, "scan")
        kept.append(ffi.new("char[]", c_text(name)))
        row.name, row.to, row.count, row.log = kept[-1], high, count, bool(log)
        setattr(row, "from", low)
        points[name] = np.empty(0)
        if not log:
            points[name] = np.linspace(low, high, max(0, count))
        elif low * high > 0:
            points[name] = np.geomspace(low, high, max(0, count))
    request = new_struct("EntrainScanRequest")
    chosen = [number(x, "a lambda") for x in (lambdas if np.ndim(lambdas) else [lambdas])]
    ties = ffi.new("double[]", chosen or [0.0])
    request.axes, request.axis_count = rows, len(axes)
    setattr(request, "lambda", ties)
    request.lambda_count, request.log_objective = len(chosen), bool(log_objective)
    request.values = point = problem._values(values, "values")
    result = run(problem, Scan, "entrain_scan_run", (request,), "EntrainScanListener",
                 lambda p: {"points": p.points, "done": p.done, "failed": p.failed}, lambda s: (s["done"], s["points"], ""),
                 lib.entrain_scan_free, progress, callback)
    del point
    result.axes, result.lambdas = frozen(points), frozen(np.array(chosen or [0.0], dtype=float))
    return result


# ---------------------------------------------------------------- basins


@dataclass(frozen=True)
class Optimum:
    """Where searches from several starts ended."""

    objective: float
    starts: int  #: that reached it
    fits: bool
    flat: bool
    error: float
    values: dict[str, float]


class Basin(Report):
    """Searches from many starts: the result of :meth:`Problem.basin`.

    Examples
    --------
    >>> import entrain
    >>> p = entrain.Problem(model="model D parameter Real k = 1; output Real x; equation x = k^2*time; end D;", method="lm",
    ...                     data={"time": [0, 1, 2], "y": [0, 4, 8]}, measure={"x": "y"}, estimate={"k": dict(start=1, min=-9, max=9)})
    >>> b = p.basin({"k": (-3, 3, 4)})
    >>> sorted(round(o.values["k"], 6) for o in b.optima)
    [-2.0, 2.0]
    >>> b.reached.shape
    (4,)
    """

    _prefix = "basin"
    _saved = Report._saved + ("optima", "reached", "state", "starts")
    shape: tuple[int, ...]

    @property
    def state(self) -> dict[str, Any]:
        """starts, done, optima, reached_best, not_converged, failed, best, seconds."""
        def find(p: Any) -> dict[str, Any]:
            out = new_struct("EntrainBasinState")
            lib.entrain_basin_state(p, out)
            return _numbers(out, "starts done optima reached_best not_converged failed best seconds")

        return self._ask("state", find)

    @property
    def optima(self) -> list[Optimum]:
        """Best first."""
        def find(p: Any) -> list[Optimum]:
            names = list(self.problem.unknowns)
            out, found = new_struct("EntrainOptimum"), []  # type: Any, list[Optimum]
            while lib.entrain_basin_optimum(p, len(found), out):
                found.append(Optimum(out.objective, out.starts, bool(out.fits), bool(out.flat), out.error,
                                     dict(zip(names, numbers(out.values, len(names)).tolist()))))
            return found

        return self._ask("optima", find)

    @property
    def reached(self) -> Array:
        """Of each start the number of its optimum, in the shape of the grid: -1 not converged, -2 cannot be simulated, -3 not done."""
        n = self.state["starts"]
        flat = self._ask("reached", lambda p: np.array([lib.entrain_basin_reached(p, i) for i in range(n)]))
        return flat.reshape(self.shape[::-1]).T if len(self.shape) > 1 else flat

    @property
    def starts(self) -> dict[str, Array]:
        """Every start and where it ended: arrays end, optimum, objective, simulations, and of each unknown k `start k` and k."""
        def find(p: Any) -> dict[str, Array]:
            names = list(self.problem.unknowns)
            out, rows, i = new_struct("EntrainBasinStart"), [], 0
            while lib.entrain_basin_start(p, i, out):
                ended = numbers(out.values, len(names)).tolist() if out.values else [np.nan] * len(names)
                rows.append((text_of(out.end), out.optimum, out.objective, out.simulations + out.sensitivity_simulations,
                             *numbers(out.start, len(names)).tolist(), *ended))
                i += 1
            return by_column(["end", "optimum", "objective", "simulations", *[f"start {k}" for k in names], *names], rows)

        return self._ask("starts", find)


def basin(problem: Any, axes: Optional[Mapping[str, Any]] = None, random: int = 0, *, truth: Any = None, progress: bool = False,
          callback: Any = None) -> Basin:
    axes, random = axes or {}, whole(random, "random")
    if not isinstance(axes, Mapping):
        raise TypeError("the axes of a basin are a mapping: {\"p\": (1, 50, 20)}")
    if not axes and random <= 0:
        raise Error("a basin needs a grid, such as {\"p\": (1, 50, 20)}, or random=100 starts")
    rows, kept, shape = ffi.new("EntrainBasinAxis[]", max(1, len(axes))), [], []
    for row, (name, spec) in zip(rows, axes.items()):
        if isinstance(spec, (int, np.integer)):
            low, high, count, log = np.nan, np.nan, whole(spec, f"the count of '{name}'"), None
        elif random > 0 and isinstance(spec, (tuple, list)) and len(spec) == 2:
            low, high, count, log = *_ends(name, spec), 0, None
        else:
            low, high, count, log = _axis(name, spec, "basin")
        kept.append(ffi.new("char[]", c_text(name)))
        row.name, row.low, row.high, row.count = kept[-1], low, high, 0 if random > 0 else count
        row.spacing = 0 if log is None else 2 if log else 1
        shape.append(count)
    point = problem._values(truth, "truth")
    result = run(problem, Basin, "entrain_basin_run", (rows if axes else NULL, len(axes), int(random), point),
                 "EntrainBasinListener", lambda p: _numbers(p, "starts done optima reached_best not_converged failed best"),
                 lambda s: (s["done"], s["starts"], f"best {s['best']:.4g}"), lib.entrain_basin_free, progress, callback)
    result.shape = (int(random),) if random > 0 else tuple(shape)
    return result


# ---------------------------------------------------------------- recovery of a known truth


@dataclass(frozen=True)
class Recovered:
    """An unknown over the trials that succeeded."""

    name: str
    unit: str
    truth: float
    mean: float
    bias: float
    spread: float
    predicted: float  #: median standard error that the fits gave
    coverage: float  #: share of the 95 % intervals that contain the truth


class Recover(Report):
    """Fits of measurements that were simulated with known parameters: the result of :meth:`Problem.recover`.

    Examples
    --------
    >>> import entrain
    >>> p = entrain.Problem(model="model D parameter Real k = 1; output Real x; equation x = k*time; end D;", method="lm",
    ...                     data={"time": [0, 1, 2, 3], "y": [0, 2.1, 3.9, 6]}, measure={"x": "y"}, estimate={"k": 1})
    >>> r = p.recover({"k": 2}, trials=5, noise=0.01)
    >>> r.parameters["k"].truth, abs(r.parameters["k"].bias) < 0.1
    (2.0, True)
    """

    _prefix = "recover"
    _saved = Report._saved + ("parameters", "summary", "trials")

    @property
    def parameters(self) -> ByName:
        """By name: truth, mean, bias, spread, predicted, coverage."""
        def find(p: Any) -> ByName:
            out, rows = new_struct("EntrainRecovered"), {}
            for i in range(lib.entrain_recover_count(p)):
                if lib.entrain_recover_unknown(p, i, out):
                    rows[text_of(out.name)] = Recovered(text_of(out.name), text_of(out.unit), out.truth, out.mean, out.bias,
                                                        out.spread, out.predicted, out.coverage)
            return ByName(rows)

        return self._ask("parameters", find)

    @property
    def summary(self) -> dict[str, Any]:
        """trials, done, succeeded, fits, false_fits, certain, false_certain and the other verdicts."""
        def find(p: Any) -> dict[str, Any]:
            out = new_struct("EntrainTrials")
            lib.entrain_recover_trials(p, out)
            return _numbers(out, "trials done succeeded fits false_fits certain false_certain agreed ambiguous doubtful seconds")

        return self._ask("summary", find)

    @property
    def trials(self) -> dict[str, Array]:
        """Every trial: arrays succeeded, outcome, verdict, objective, simulations, and of each unknown k k and `std_error k`."""
        def find(p: Any) -> dict[str, Array]:
            names = list(self.problem.unknowns)
            out, rows, i = new_struct("EntrainTrial"), [], 0
            while lib.entrain_recover_trial(p, i, out):
                rows.append((bool(out.succeeded), text_of(out.outcome), text_of(out.verdict), out.objective, out.simulations,
                             *numbers(out.values, len(names)).tolist(), *numbers(out.std_errors, len(names)).tolist()))
                i += 1
            return by_column(["succeeded", "outcome", "verdict", "objective", "simulations", *names,
                              *[f"std_error {k}" for k in names]], rows)

        return self._ask("trials", find)


def recover(problem: Any, truth: Any = None, random_starts: bool = False, *, progress: bool = False, callback: Any = None,
            **options: Any) -> Recover:
    if options:
        problem = problem.replace(**options)
    point = problem._values(truth, "truth")
    return run(problem, Recover, "entrain_recover_run", (point, bool(random_starts)), "EntrainTrialListener",
               lambda p: _numbers(p, "trials done succeeded"), lambda s: (s["done"], s["trials"], f"{s['succeeded']} succeeded"),
               lib.entrain_recover_free, progress, callback)


# ---------------------------------------------------------------- comparison of methods


@dataclass(frozen=True)
class Compared:
    """A method; medians over its runs."""

    label: str
    outcome: str
    refused: str
    runs: int
    found: int
    iterations: float
    evaluations: float
    simulations: float
    objective: float
    error: float
    seconds: float
    values: dict[str, float]


class Compare(Report):
    """Methods of search beside each other: the result of :meth:`Problem.compare`.

    Examples
    --------
    >>> import entrain
    >>> p = entrain.Problem(model="model D parameter Real k = 1; output Real x; equation x = k*time; end D;",
    ...                     data={"time": [0, 1, 2, 3], "y": [0, 2.1, 3.9, 6]}, measure={"x": "y"}, estimate={"k": 1})
    >>> [row.outcome for row in p.compare(["lm", "gauss-newton"]).rows]
    ['converged', 'converged']
    """

    _prefix = "compare"
    _width_first = (0,)
    _saved = Report._saved + ("rows",)

    @property
    def rows(self) -> list[Compared]:
        """A row for each method."""
        def find(p: Any) -> list[Compared]:
            names = list(self.problem.unknowns)
            out, found = new_struct("EntrainCompared"), []
            for i in range(lib.entrain_compare_count(p)):
                if lib.entrain_compare_row(p, i, out):
                    found.append(Compared(text_of(out.label), text_of(out.outcome), text_of(out.refused), out.runs, out.found,
                                          out.iterations, out.evaluations, out.simulations, out.objective, out.error, out.seconds,
                                          dict(zip(names, numbers(out.values, len(names)).tolist()))))
            return found

        return self._ask("rows", find)


def compare(problem: Any, methods: Iterable[str] = (), *, truth: Any = None, all_unknowns: bool = False,
            within: Optional[float] = None, seeds: int = 0, random_starts: int = 0, traces: bool = False, progress: bool = False,
            callback: Any = None) -> Compare:
    error = new_error()
    handle = Handle(lib.entrain_compare_new(problem._handle.pointer), lib.entrain_compare_free, problem._handle)
    c = handle.pointer
    for method in names_of(methods, "methods"):
        if not lib.entrain_compare_add(c, c_text(method), error):
            raise_error(error)
    point = problem._values(truth, "truth")
    if truth is not None:
        lib.entrain_compare_truth(c, point, bool(all_unknowns))
    if within is not None:
        lib.entrain_compare_found(c, number(within, "within"))
    seeds, random_starts = whole(seeds, "seeds"), whole(random_starts, "random_starts")
    if seeds < 0 or random_starts < 0:
        raise Error("seeds and random_starts are numbers of runs, 0 or more")
    if seeds or random_starts:
        lib.entrain_compare_repeat(c, seeds, random_starts)
    if traces:
        lib.entrain_compare_keep_traces(c)
    bar = Bar("compare") if progress else None
    called, data, _kept = listener("EntrainCompareListener", hearer(
        progress, callback, lambda p: {"method": text_of(p.method), **_numbers(p, "number methods run runs iteration objective simulations")},
        bar, lambda s: (s["number"], s["methods"], f"{s['method']} {s['objective']:.4g}")))
    computation = Computation([problem._guard], [problem._handle])
    try:
        ok = computation.run(lib.entrain_compare_run, c, called, data, error)
    finally:
        if bar is not None:
            bar.close()
    computation.settle()
    if not ok and not computation.interrupted:
        raise_error(error)
    return Compare(problem, handle, computation.end)


# ---------------------------------------------------------------- comparison of models


@dataclass(frozen=True)
class ModelRow:
    """A model in a comparison. NaN where a number is not known."""

    label: str
    outcome: str
    verdict: str
    usable: bool  #: it converged, and the verdict is certain or agreed
    unknowns: int
    parameters: int  #: that criteria count
    samples: int
    objective: float
    log_likelihood: float
    aic: float
    aicc: float
    bic: float
    delta_aic: float
    akaike_weight: float
    correlated: bool  #: residuals are not white: the criteria mislead
    effective_samples: float
    qaic: float
    folds_done: int
    seconds: float
    values: dict[str, float]
    rmse: dict[str, float]  #: by column of the data: of what was fitted
    validation: dict[str, float]  #: of experiments for validation
    cross: dict[str, float]  #: of blocks that were left out of fits (folds)


@dataclass(frozen=True)
class ModelTest:
    """A likelihood ratio test of a model that is a special case of another one."""

    small: int
    large: int
    known: bool  #: both have a result
    failed: bool  #: the larger model fits worse: its search failed, or they are not nested
    ratio: float
    freedom: int
    p: float  #: probability of such a ratio if the smaller model is true
    p_at_bound: float
    p_correlated: float


class Models(Report):
    """Models beside each other: the result of :func:`entrain.compare`.

    Examples
    --------
    >>> import entrain
    >>> data = {"time": [0, 1, 2, 3], "y": [0, 2.1, 3.9, 6]}
    >>> a, b = (entrain.Problem(model=f"model D parameter Real k = 1; output Real x; equation x = {text}; end D;", data=data,
    ...                         measure={"x": "y"}, estimate=["k"], name=text) for text in ("k*time", "k*time^2"))
    >>> [row.label for row in entrain.compare([a, b]).rows if row.delta_aic == 0]
    ['k*time']
    """

    _prefix = "models"
    _saved = Report._saved + ("rows", "tests", "markdown")
    problems: list[Any]

    @property
    def rows(self) -> list[ModelRow]:
        """A row for each problem, in their order."""
        def find(m: Any) -> list[ModelRow]:
            unknowns = [list(p.unknowns) for p in self.problems]
            columns = [text_of(lib.entrain_models_variable(m, k)) for k in range(lib.entrain_models_variable_count(m))]
            found, out = [], new_struct("EntrainModelRow")
            for i in range(lib.entrain_models_count(m)):
                if not lib.entrain_models_row(m, i, out):
                    continue
                errors = [{c: function(m, i, k) for k, c in enumerate(columns)} for function in
                          (lib.entrain_models_rmse, lib.entrain_models_validation, lib.entrain_models_cross)]
                found.append(ModelRow(text_of(out.label), text_of(out.outcome), text_of(out.verdict), bool(out.usable), out.unknowns,
                                      out.parameters, out.samples, out.objective, out.log_likelihood, out.aic, out.aicc, out.bic,
                                      out.delta_aic, out.akaike_weight, bool(out.correlated), out.effective_samples, out.qaic,
                                      out.folds_done, out.seconds,
                                      dict(zip(unknowns[i], numbers(out.values, len(unknowns[i])).tolist())), *errors))
            return found

        return self._ask("rows", find)

    @property
    def tests(self) -> list[ModelTest]:
        """Likelihood ratio tests, in the order of `nested`."""
        def find(m: Any) -> list[ModelTest]:
            found, out = [], new_struct("EntrainModelTest")
            for i in range(lib.entrain_models_test_count(m)):
                if lib.entrain_models_test(m, i, out):
                    found.append(ModelTest(out.small, out.large, bool(out.known), bool(out.failed), out.ratio, out.freedom, out.p,
                                           out.p_at_bound, out.p_correlated))
            return found

        return self._ask("tests", find)

    @property
    def markdown(self) -> str:
        """The table as Markdown."""
        return self._ask("markdown", lambda m: taken_text(lib.entrain_models_markdown(m)))

    def __repr__(self) -> str:
        rows = [f"  {r.label}: {r.outcome}, {r.parameters} parameters, AIC {r.aic:.6g}" for r in self.rows]
        return "\n".join([f"<entrain.Models {self.outcome}", *rows]) + ">"


def compare_models(problems: Iterable[Any], *, nested: Iterable[tuple[int, int]] = (), folds: int = 0, progress: bool = False,
                   callback: Optional[Callable[[dict[str, Any]], Any]] = None) -> Models:
    """Which model? Fits several problems with the same data and different models, and compares them.

    Parameters
    ----------
    problems : list of Problem
        With the same measurements.
    nested : pairs of numbers, or one pair, optional
        ``[(0, 1)]``: problem 0 is a special case of problem 1; a likelihood ratio test is made.
    folds : int
        Cross-validation: each of so many blocks of time is left out of a fit in turn. 0: none.
    progress, callback
        As of :meth:`Problem.fit`; the dict has model, number, models, fold, folds, stage, iteration, objective, simulations.

    Returns
    -------
    Models
        `rows`: criteria and errors of each model; `tests`: likelihood ratio tests. Ctrl-C keeps the rows that are done.

    Examples
    --------
    >>> import numpy as np, entrain
    >>> t = np.linspace(0, 3, 61)
    >>> y = 2*t + 0.1*np.random.default_rng(1).normal(size=61)
    >>> line = entrain.Problem(model="model L parameter Real k = 1; output Real x; equation x = k*time; end L;", name="line",
    ...                        data={"time": t, "y": y}, measure={"x": "y"}, estimate={"k": 1})
    >>> bent = entrain.Problem(model="model B parameter Real k = 1; parameter Real q = 0; output Real x; equation x = k*time + q*time^2; end B;",
    ...                        data={"time": t, "y": y}, measure={"x": "y"}, estimate={"k": 1, "q": 0}, name="bent")
    >>> c = entrain.compare([line, bent], nested=[(0, 1)])
    >>> [row.parameters for row in c.rows]
    [2, 3]
    >>> c.tests[0].p > 0.05  # the square is not needed
    True
    """
    problems = list(in_order(problems, "problems"))
    from ._problem import Problem  # which needs this module

    if not all([isinstance(p, Problem) for p in problems]):
        raise TypeError("compare() takes a list of entrain.Problem")
    if len(problems) < 2:
        raise Error("a comparison needs at least two problems")
    # One problem twice is two rows: each has an object of its own, so that the guards of all can be held.
    problems = [p if p not in problems[:i] else p.replace() for i, p in enumerate(problems)]
    error = new_error()
    handle = Handle(lib.entrain_models_new(), lib.entrain_models_free, *[p._handle for p in problems])
    m = handle.pointer
    for problem in problems:
        if not lib.entrain_models_add(m, problem._handle.pointer, error):
            raise_error(error)
    for pair in [nested] if np.shape(nested) in ((), (2,)) else nested:
        if np.shape(pair) != (2,):
            raise Error(f"nested is a list of pairs (small, large) of numbers of problems; {pair!r:.60} is none")
        small, large = (whole(k, "nested") for k in pair)
        if not lib.entrain_models_nested(m, small, large, error):
            raise_error(error)
    if folds and not lib.entrain_models_folds(m, whole(folds, "folds"), error):
        raise_error(error)
    bar = Bar("compare") if progress else None
    called, data, _kept = listener("EntrainModelsListener", hearer(
        progress, callback, lambda p: {"model": text_of(p.model), "stage": text_of(p.stage),
                                       **_numbers(p, "number models fold folds iteration objective simulations")},
        bar, lambda s: (s["number"], s["models"], f"{s['model']} {s['objective']:.4g}")))
    ordered = sorted(problems, key=id)  # so that two comparisons do not wait for each other
    computation = Computation([p._guard for p in ordered], [p._handle for p in ordered])
    try:
        ok = computation.run(lib.entrain_models_run, m, called, data, error)
    finally:
        if bar is not None:
            bar.close()
    computation.settle()
    if not ok and not computation.end:
        raise_error(error)
    result = Models(problems[0], handle, computation.end)
    result.problems = problems
    return result
