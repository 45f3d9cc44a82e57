"""The result of a fit."""
from __future__ import annotations

import html
import json
import operator
import re
import textwrap
import traceback
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Callable, Mapping, Optional

import numpy as np

from ._arrays import after
from ._library import (Array, Guard, Handle, Question, c_text, ffi, frozen, lib, new_error, new_struct, numbers, raise_error, taken_text, text_of)


@dataclass(frozen=True)
class Estimate:
    """An estimated number.

    ``float(estimate)`` is its value.

    Examples
    --------
    >>> import entrain
    >>> e = entrain.Estimate("p", 2.0, 0.5, (1.0, 3.0))
    >>> e.interval
    (1.0, 3.0)
    >>> 3 * float(e)
    6.0
    """

    name: str
    value: float
    std_error: float  #: NaN when it cannot be given
    interval: tuple[float, float]  #: 95 %
    unit: str = ""
    start: float = np.nan
    min: float = -np.inf
    max: float = np.inf
    at_bound: bool = False
    identifiable: bool = True  #: the data determine it
    inactive: bool = False  #: it changes no residual
    reason: str = ""  #: why the data do not determine it
    interval_kind: str = ""  #: linear, sandwich, arma, profile or none

    def __float__(self) -> float:
        return self.value


def _empty() -> Array:
    return np.empty(0)


@dataclass(frozen=True)
class Window:
    """Errors model - data of the free-running simulation in a span of time."""

    name: str
    start: float
    stop: float
    n: int
    rmse: float
    mean: float
    max: float  #: of the absolute errors


@dataclass(frozen=True, eq=False)
class Channel:
    """A measured quantity of one experiment: samples, and how well the model follows them.

    `time`, `data`, `model` and `residual` (model - data) are arrays with a number for each sample.

    Examples
    --------
    >>> import entrain
    >>> p = entrain.Problem(model="model D parameter Real k = 1; output Real x; equation x = k*time; end D;",
    ...                     data={"time": [0, 1, 2], "y": [0, 2, 4]}, measure={"x": "y"}, estimate={"k": 1})
    >>> channel = p.evaluate().channels[0]
    >>> channel.variable, channel.column, channel.n
    ('x', 'y', 3)
    >>> channel.residual
    array([ 0., -1., -2.])
    """

    experiment: str
    variable: str
    column: str
    unit: str
    role: str  #: fit, validation or free-run
    n: int
    rmse: float
    fit_percent: float
    sigma: float
    noise: float
    autocorrelation: float
    white_p: float
    failed: str  #: why it could not be simulated, or ""
    time: Array = field(repr=False, default_factory=_empty)  #: as in the data; of times of day: s since `origin`
    data: Array = field(repr=False, default_factory=_empty)
    model: Array = field(repr=False, default_factory=_empty)
    residual: Array = field(repr=False, default_factory=_empty)  #: model - data
    windows: tuple[Window, ...] = ()  #: errors in named spans of time
    origin: Optional[np.datetime64] = None  #: time 0 of data with times of day (UTC if they had a zone)

    @property
    def moments(self) -> Array:
        """The times as datetime64, of data with times of day; else as numbers."""
        if self.origin is None:
            return self.time
        return after(self.origin, self.time)


class ByName(Mapping[str, Any]):
    """A mapping that says which names there are where one is wrong."""

    def __init__(self, rows: Mapping[Any, Any]) -> None:
        self._rows = dict(rows)

    def __getitem__(self, name: Any) -> Any:
        try:
            return self._rows[name]
        except (KeyError, TypeError):
            raise KeyError(f"{name!r}; there are {', '.join(map(str, self._rows))}") from None

    def __iter__(self) -> Iterator[Any]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def __repr__(self) -> str:
        return "{" + ", ".join(f"{k!r}: {v!r}" for k, v in self._rows.items()) + "}"


class Parameters(ByName):
    """Estimates by name."""

    def __repr__(self) -> str:
        rows = [f"{e.name} = {e.value:.6g} +- {e.std_error:.2g}{' ' + e.unit if e.unit else ''}" for e in self.values()]
        return "\n".join(rows) or "{}"


def _without_terminal(report: str, width: int) -> str:
    """The report for those who have no command: what shows columns for which there was no room is named as it is called here."""
    def told(found: Any) -> str:
        head, _, how = " ".join(found[0].split()).rpartition(": ")
        wanted = re.search(r"\(COLUMNS=(\d+)\)", how)
        ways = [f"report({wanted[1]})"] if wanted else []
        text = f"{head}: {' or '.join([*ways, 'to_dict()'] if '--' in how else ways)} {' '.join(how.split()[-2:])}"
        return textwrap.fill(text, min(max(width, 40), 100), initial_indent="  ", subsequent_indent="  ", break_long_words=False,
                             break_on_hyphens=False)

    return re.sub(r"^  No room for\s(?:(?!\n\n).)*?\sshows\s+(?:it|them)\.$", told, report, flags=re.MULTILINE | re.DOTALL)


class Report:
    """What all results have: a report, the complete result as JSON, pictures, and a life after pickling.

    A subclass names its functions of the library by `_prefix`. What was asked of the library is kept, so its arrays are read-only; a
    copy (pickle) keeps all texts and numbers, and no object of the library.
    """

    _prefix = ""
    _width_first: tuple[int, ...] = ()  # further arguments of its report
    _saved: tuple[str, ...] = ("json", "_html_body", "_figures")
    #: The first exception that a simulator (a Python function) raised, with its traceback; None: there was none.
    error: Optional[Exception] = None

    def __init__(self, problem: Any, handle: Handle, end: str) -> None:
        #: that it is the result of
        self.problem, self._handle, self._known = problem, handle, {}  # type: Any, Optional[Handle], dict[Any, Any]
        self._ended, self._guard = end, Guard("result")

    def _ask(self, key: Any, find: Callable[[Any], Any], simulates: bool = False) -> Any:
        """What the library says, asked once. Where it simulates, no fit of the problem runs at the same time, and Ctrl-C ends it."""
        if key not in self._known:
            if self._handle is None:
                raise RuntimeError("a result that was pickled does not have this")
            guard = self.problem._guard if simulates else self._guard
            pointer = self._handle.pointer
            # Another thread may find it meanwhile.
            found = Question([guard]).run(lambda: self._known[key] if key in self._known else find(pointer))
            self._known.setdefault(key, frozen(found))
        known = self._known[key]
        return known.copy() if isinstance(known, (list, dict)) else known

    @property
    def outcome(self) -> str:
        """complete; interrupted by Ctrl-C, or stopped by a callback: then it contains what was done until then."""
        return self._ended or "complete"

    @property
    def interrupted(self) -> bool:
        """Ctrl-C has ended it."""
        return self._ended == "interrupted"

    def _c(self, name: str) -> Any:
        return getattr(lib, f"entrain_{self._prefix}_{name}")

    def report(self, width: int = 80) -> str:
        """What the command prints, in lines of this width."""
        try:
            width = operator.index(width)
        except TypeError:
            raise TypeError(f"the width of a report is a whole number, not {width!r:.60}") from None
        width = 80 if self._handle is None else max(20, min(width, 10000))
        return self._ask(("report", width), lambda p: _without_terminal(taken_text(self._c("report")(p, *self._width_first, width, False)), width))

    @property
    def json(self) -> str:
        """The complete result as JSON text."""
        return self._ask("json", lambda p: taken_text(self._c("json")(p)))

    def to_dict(self) -> dict[str, Any]:
        """The complete result as `json` has it, read."""
        return json.loads(self.json)

    def to_json(self, path: Any = None) -> str:
        """The JSON text; also written to a file if `path` is given."""
        if path is not None:
            with open(path, "w", encoding="utf-8") as file:
                file.write(self.json)
        return self.json

    def figures(self) -> dict[str, str]:
        """The pictures of the report as SVG texts, by name."""
        return dict(self._figures)

    @property
    def _figures(self) -> dict[str, str]:
        def find(p: Any) -> dict[str, str]:
            figures = self._c("figures")(p)
            try:
                return {text_of(lib.entrain_figures_name(figures, i)): taken_text(lib.entrain_figures_svg(figures, i))
                        for i in range(lib.entrain_figures_count(figures))}
            finally:
                lib.entrain_figures_free(figures)

        return self._ask("_figures", find, True)

    def to_html(self, path: Any = None) -> str:
        """The report as one page of HTML that needs nothing else; also written to a file if `path` is given."""
        if path is not None:
            with open(path, "w", encoding="utf-8") as file:
                file.write(self.html)
        return self.html

    @property
    def html(self) -> str:
        """The report as one page of HTML that needs nothing else."""
        return self._html_body

    @property
    def _html_body(self) -> str:
        def find(p: Any) -> str:
            body = self._c("report")(p, *self._width_first, -1, False)
            figures = self._c("figures")(p)
            page = new_struct("EntrainPage")
            title = ffi.new("char[]", c_text(self.problem.name))
            page.title, page.body, page.figures = title, body, figures
            try:
                return taken_text(lib.entrain_page(self.problem._handle.pointer, page))
            finally:
                lib.entrain_figures_free(figures)
                lib.entrain_text_free(body)

        return self._ask("_html_body", find, True)

    def _repr_html_(self) -> str:
        # A frame of its own: the page has a style and scripts that must not meet those of a notebook.
        return (f'<iframe srcdoc="{html.escape(self.html, quote=True)}" style="width:100%;height:40em;border:0" '
                'sandbox="allow-scripts"></iframe>')

    def __getstate__(self) -> dict[str, Any]:
        if self._handle is not None:
            self.report()
            for name in self._saved:
                getattr(self, name)
        state = {**{k: v for k, v in self.__dict__.items() if k != "_guard"}, "_handle": None, "_known": dict(self._known)}
        if self.error is not None:  # it may contain anything
            state["error"] = RuntimeError("".join(traceback.format_exception_only(type(self.error), self.error)).strip())
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(frozen(state))
        self._guard = Guard("result")

    def __copy__(self) -> Any:
        """It never changes: a copy shares all."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        return other

    def __dir__(self) -> list[str]:
        return [name for name in object.__dir__(self) if not name.startswith("_")]

    def __repr__(self) -> str:
        return f"<entrain.{type(self).__name__} of {self.problem.name}: {self.outcome}>"


@dataclass(frozen=True)
class Stage:
    """A part of the search by `method: auto`."""

    name: str
    message: str
    objective: float
    simulations: int
    fits: bool  #: nothing but noise is left


@dataclass(frozen=True)
class FoundOptimum:
    """An optimum that confirming searches ended at."""

    objective: float
    difference: float  #: of twice the log-likelihood to the best
    searches: int  #: that ended there
    distinct: bool  #: a barrier lies between it and the best
    values: dict[str, float]


@dataclass(frozen=True)
class Direction:
    """A change of the estimates that the data do not determine."""

    text: str  #: sentences
    structural: bool  #: even exact data of this kind would not determine it
    confirmed: bool  #: by simulation
    vector: dict[str, float]  #: relative changes, by name
    combinations: dict[str, float]  #: products of powers, or sums, that the data do determine, with their values


class Fit(Report):
    """Estimates, and what is known about them: the result of :meth:`Problem.fit` and :meth:`Problem.evaluate`.

    Names are those of SciPy where it has them: `x`, `cost`, `success`, `message`, `nfev`.

    Examples
    --------
    >>> import entrain
    >>> p = entrain.Problem(model="model D parameter Real k = 1; output Real x; equation x = k*time; end D;", method="lm",
    ...                     data={"time": [0, 1, 2, 3], "y": [0, 2.1, 3.9, 6]}, measure={"x": "y"}, estimate={"k": 1})
    >>> fit = p.fit()
    >>> round(fit.parameters["k"].value, 4), round(fit.parameters["k"].std_error, 4)
    (1.9929, 0.0214)
    >>> fit.residuals["x"].round(3)
    array([ 0.   , -0.107,  0.086, -0.021])
    >>> fit.covariance.shape, fit.success
    ((1, 1), True)
    """

    _prefix = "fit"
    _tie = 0.0
    _saved = Report._saved + ("parameters", "channels", "covariance", "correlation", "gradient", "singular_values", "remarks", "trace",
                              "_quality", "_end", "work", "stages", "optima", "directions")

    # ---- how it ended

    @property
    def _end(self) -> tuple[str, str]:
        return self._ask("_end", lambda p: (text_of(lib.entrain_fit_outcome_name(p)), text_of(lib.entrain_fit_message(p))))

    @property
    def outcome(self) -> str:
        """How the search ended.

        ``converged``, ``uncertain`` (converged, but the verdict of a method that looks for the best optimum, such as ``auto``, is
        ambiguous or doubtful; local methods say ``converged``), ``not-converged``, ``budget`` (a limit was reached), ``no-start`` (the start cannot be simulated), ``evaluated`` (there was no search), ``stopped`` by a callback, or
        ``interrupted`` by Ctrl-C: with the best point so far.
        """
        return "interrupted" if self.interrupted else self._end[0]

    @property
    def message(self) -> str:
        """Why the search ended, as a sentence."""
        return self._end[1]

    @property
    def success(self) -> bool:
        """The search converged, as in SciPy: outcome converged or uncertain. Whether the result can be trusted is the `verdict`."""
        return self.outcome in ("converged", "uncertain")

    @property
    def _quality(self) -> dict[str, Any]:
        def find(p: Any) -> dict[str, Any]:
            q = new_struct("EntrainQuality")
            lib.entrain_fit_quality(p, q)
            return {"objective": q.objective, "objective_start": q.objective_start, "floor": q.floor, "why": text_of(q.why),
                    "by": text_of(q.by), "samples": q.samples, "verdict": text_of(q.verdict), "rank": q.rank,
                    "noise_ratio": q.noise_ratio, "noise_limit": q.noise_limit, "white_p": q.white_p}

        return self._ask("_quality", find)

    @property
    def objective(self) -> float:
        """Half the sum of the weighted squared residuals; `cost` is the same."""
        return self._quality["objective"]

    @property
    def cost(self) -> float:
        """Half the sum of the weighted squared residuals, under the name that SciPy uses."""
        return self.objective

    @property
    def verdict(self) -> str:
        """Whether the result can be trusted: certain, agreed, ambiguous or doubtful; "" without a search."""
        return self._quality["verdict"]

    @property
    def why(self) -> str:
        """Sentences: why the result is believed, or not."""
        return self._quality["why"]

    @property
    def rank(self) -> int:
        """Of the sensitivities; less than the number of unknowns: the data do not determine all of them."""
        return self._quality["rank"]

    @property
    def nfev(self) -> int:
        """Simulations, with and without sensitivities."""
        return int(self.work["simulations"] + self.work["sensitivity_simulations"])

    # ---- the numbers

    @property
    def parameters(self) -> Parameters:
        """Estimates by name: value, std_error, interval and more, see :class:`Estimate`."""
        def find(p: Any) -> Parameters:
            rows, out = {}, new_struct("EntrainEstimate")
            for i in range(lib.entrain_fit_count(p)):
                if lib.entrain_fit_estimate(p, i, out):
                    name = text_of(out.name)
                    rows[name] = Estimate(name, out.value, out.std_error, (out.ci_low, out.ci_high), text_of(out.unit), out.start,
                                          out.min, out.max, bool(out.at_bound), bool(out.identifiable), bool(out.inactive),
                                          text_of(out.reason), text_of(out.interval))
            return Parameters(rows)

        return self._ask("parameters", find)

    @property
    def x(self) -> Array:
        """The estimates as an array, in the order of `parameters`."""
        return np.array([e.value for e in self.parameters.values()])

    @property
    def values(self) -> dict[str, float]:
        """The estimates as plain numbers by name, for `Model.simulate` or `Problem.evaluate`."""
        return {name: e.value for name, e in self.parameters.items()}

    def _matrix(self, key: str, function: Any) -> Array:
        def find(p: Any) -> Array:
            n = lib.entrain_fit_count(p)
            return np.array([[function(p, i, j) for j in range(n)] for i in range(n)]).reshape(n, n)

        return self._ask(key, find)

    @property
    def covariance(self) -> Array:
        """Of the estimates, shape (unknowns, unknowns); NaN where it is not known."""
        return self._matrix("covariance", lib.entrain_fit_covariance)

    @property
    def correlation(self) -> Array:
        """Of the estimates, shape (unknowns, unknowns)."""
        return self._matrix("correlation", lib.entrain_fit_correlation)

    @property
    def gradient(self) -> Array:
        """First derivatives of the objective."""
        return self._ask("gradient", lambda p: np.array(
            [lib.entrain_fit_gradient(p, i) for i in range(lib.entrain_fit_count(p))]))

    @property
    def hessian(self) -> Array:
        """Second derivatives of the objective; computed when they are asked for, by a pickled result from its problem."""
        if self._handle is None and "hessian" not in self._known:
            self._known["hessian"] = self.problem.evaluate(self.x, self._tie).hessian

        def find(p: Any) -> Array:
            error = new_error()
            if not lib.entrain_fit_find_hessian(p, error):
                raise_error(error)
            n = lib.entrain_fit_count(p)
            return np.array([[lib.entrain_fit_hessian(p, i, j) for j in range(n)] for i in range(n)]).reshape(n, n)

        return self._ask("hessian", find, True)

    @property
    def singular_values(self) -> Array:
        """Of the scaled sensitivities, descending."""
        return self._ask("singular_values", lambda p: np.array(
            [lib.entrain_fit_singular_value(p, i) for i in range(lib.entrain_fit_count(p))]))

    @property
    def channels(self) -> list[Channel]:
        """Measured quantities, with arrays time, data, model and residual."""
        def find(p: Any) -> list[Channel]:
            return _channels(p, {row["name"]: row["origin"] for row in self.problem._experiments()})

        return self._ask("channels", find, True)

    @property
    def residuals(self) -> ByName:
        """Arrays model - data: by variable, or by (experiment, variable) where there are several experiments."""
        fitted = [c for c in self.channels if c.role == "fit"]
        several = len({c.experiment for c in fitted}) > 1
        return ByName({(c.experiment, c.variable) if several else c.variable: c.residual for c in fitted})

    @property
    def remarks(self) -> list[str]:
        """Sentences about the result."""
        found = self._ask("remarks", lambda p: [text_of(lib.entrain_fit_remark(p, i)) for i in range(lib.entrain_fit_remark_count(p))])
        if not self.to_dict()["work"].get("slopes", {}).get("contradicted"):
            return list(found)
        return [*found, "Differences of whole runs contradict the slopes that the simulator gives: these were not used."]

    @property
    def work(self) -> dict[str, Any]:
        """iterations, simulations, sensitivity_simulations, rhs, steps, rejected, seconds."""
        def find(p: Any) -> dict[str, Any]:
            w = new_struct("EntrainFitWork")
            lib.entrain_fit_work(p, w)
            return {k: getattr(w, k) for k in ("iterations", "simulations", "sensitivity_simulations", "rhs", "steps", "rejected",
                                               "seconds")}

        return self._ask("work", find)

    @property
    def trace(self) -> dict[str, Array]:
        """Every accepted step: arrays stage, lambda, iteration, objective, simulations, and one for each unknown."""
        names = list(self.parameters)
        return self._ask("trace", lambda p: _trace(p, names))

    @property
    def stages(self) -> list[Stage]:
        """The parts of the search by method auto, in their order."""
        def find(p: Any) -> list[Stage]:
            out = new_struct("EntrainStage")
            return [Stage(text_of(out.name), text_of(out.message), out.objective, out.simulations, bool(out.fits))
                    for i in range(lib.entrain_fit_stage_count(p)) if lib.entrain_fit_stage(p, i, out)]

        return self._ask("stages", find)

    @property
    def optima(self) -> list[FoundOptimum]:
        """Where searches that confirm the result ended, best first."""
        names = list(self.parameters)

        def find(p: Any) -> list[FoundOptimum]:
            out = new_struct("EntrainFoundOptimum")
            return [FoundOptimum(out.objective, out.difference, out.searches, bool(out.distinct),
                                 dict(zip(names, numbers(out.values, len(names)).tolist())))
                    for i in range(lib.entrain_fit_optimum_count(p)) if lib.entrain_fit_optimum(p, i, out)]

        return self._ask("optima", find)

    @property
    def directions(self) -> list[Direction]:
        """Changes of the estimates that the data do not determine, and the combinations that they do; none: all are determined."""
        names = list(self.parameters)

        def find(p: Any) -> list[Direction]:
            found, out, part = [], new_struct("EntrainDirection"), new_struct("EntrainCombination")
            for i in range(lib.entrain_fit_direction_count(p)):
                if lib.entrain_fit_direction(p, i, out):
                    known = {text_of(part.text): part.value for k in range(out.combinations)
                             if lib.entrain_fit_combination_at(p, i, k, part)}
                    found.append(Direction(text_of(out.text), bool(out.structural), bool(out.confirmed),
                                           dict(zip(names, numbers(out.vector, len(names)).tolist())), known))
            return found

        return self._ask("directions", find)

    # ---- the model at the result

    def simulate(self, t: Any = None, inputs: Any = None, parameters: Any = None, *, experiment: Any = None, **more: Any) -> Any:
        """The model at the estimates, and at other values of those that are given.

        Without any argument but `parameters`: a list of :class:`Channel`, at the times of the samples. Else a :class:`Simulation`
        of an experiment. See :meth:`Problem.simulate`.

        Examples
        --------
        >>> import entrain
        >>> p = entrain.Problem(model="model D parameter Real k = 1; output Real x; equation x = k*time; end D;", method="lm",
        ...                     data={"time": [0, 1, 2], "y": [0, 2, 4]}, measure={"x": "y"}, estimate={"k": 1})
        >>> p.fit().simulate([0, 5, 10])["x"].round(6)
        array([ 0., 10., 20.])
        """
        if parameters is None and t is None and inputs is None and experiment is None and not more:
            return self.channels
        values = self.problem._point(parameters, "parameters", self.values)
        return self.problem.simulate(t, inputs, values, experiment=experiment, **more)

    def plot(self) -> Any:
        """Data and model of each channel and the residuals below; returns the figure of matplotlib."""
        from ._plot import plot_fit

        return plot_fit(self)

    def __repr__(self) -> str:
        verdict = f", {self.verdict}" if self.verdict else ""
        lines = [f"<entrain.Fit {self.outcome}{verdict}, objective {self.objective:.6g}"]
        lines += ["  " + line for line in repr(self.parameters).split("\n")]
        return "\n".join(lines) + ">"


def _channels(fit: Any, origins: Mapping[str, np.datetime64]) -> list[Channel]:
    found, out, samples, error = [], new_struct("EntrainChannel"), new_struct("EntrainSamples"), new_error()
    for i in range(lib.entrain_fit_channel_count(fit)):
        if not lib.entrain_fit_channel(fit, i, out):
            continue
        arrays = {}
        if lib.entrain_fit_samples(fit, i, samples, error):
            arrays = {k: numbers(getattr(samples, k), samples.n) for k in ("time", "data", "model", "residual")}
        experiment = text_of(out.experiment_name)
        found.append(Channel(experiment, text_of(out.variable), text_of(out.column), text_of(out.unit), text_of(out.role), out.n,
                             out.rmse, out.fit_percent, out.sigma, out.noise, out.autocorrelation, out.white_p, text_of(out.failed),
                             **arrays, origin=origins.get(experiment), windows=_windows(fit, i, out.windows)))
    return found


def _windows(fit: Any, channel: int, count: int) -> tuple[Window, ...]:
    out = new_struct("EntrainWindow")
    return tuple(Window(text_of(out.name), out.start, out.stop, out.n, out.rmse, out.mean, out.max)
                 for k in range(count) if lib.entrain_fit_window(fit, channel, k, out))


def _trace(fit: Any, names: list[str]) -> dict[str, Array]:
    out, rows = new_struct("EntrainStep"), []
    for i in range(lib.entrain_fit_step_count(fit)):
        if lib.entrain_fit_step(fit, i, out):
            rows.append((text_of(out.stage), getattr(out, "lambda"), out.iteration, out.objective, out.simulations,
                         *numbers(out.values, len(names)).tolist()))
    return by_column(["stage", "lambda", "iteration", "objective", "simulations", *names], rows)


def by_column(names: list[str], rows: list[Any]) -> dict[str, Array]:
    """Rows as arrays by name."""
    return dict(zip(names, map(np.array, zip(*rows)))) if rows else {name: np.empty(0) for name in names}
