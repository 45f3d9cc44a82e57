"""Problems: a model, measurements, what to estimate, and how."""
from __future__ import annotations

import difflib
import os
from typing import Any, Callable, Iterable, Mapping, Optional, Union

import numpy as np

from . import _arrays, _studies
from ._fit import Fit
from ._library import (Array, Error, Guard, Handle, NULL, Question, c_text, ffi, flow_text, here, in_order, is_series, lib, mapping_of, names_of, new_error,
                       new_struct, number, Opened, option_of, options_by_name, pointer_to, raise_error, text_of, whole_path, without_mask)
from ._model import Model, elements, read_frame, simulate
from ._simulator import Simulator

# Keys of the problem file, see docs/problem.md. Those of an experiment hold for all of them.
OF_PROBLEM = ("residual", "prediction", "scale", "criterion", "homotopy", "loss", "constraints", "weights", "gains", "libraries")
OF_EXPERIMENT = ("time", "measure", "inputs", "window", "start", "restart", "set", "interpolation", "name", "role", "windows",
                 "split", "every", "unscored")
PARTS = ("source", "model", "data", "experiments", "options", "units", "folder", "name", "libraries")  # of a problem alone
MOMENTS = ("window", "windows", "start", "restart")  # values that may be times of day


class Problem(Opened):
    """What is to be found: from a problem file, from its text, or from arguments and arrays.

    Parameters
    ----------
    source : path or str, optional
        A problem file, or its text (YAML; a text has a line end). Paths in a text are relative to `folder`. With a source,
        `model` takes the place of its model, and `data` is a mapping of tables that its experiments name: ``data: swing``.
    model : Model, Simulator, path or Modelica text
        The model. A path may be a Modelica file or an FMU.
    data : mapping of arrays, DataFrame, structured array, path, or a list (or a mapping by name) of these
        The measurements; several are several experiments. NaN is a missing value. A path is a CSV or MAT file. Times of day
        (datetime64, pandas) become seconds since the first one; channels of results remember it as `origin`.
    measure : mapping or names
        Which variable of the model is which column: ``{"theta": "angle"}``, or ``{"theta": dict(column=..., sigma=...)}``.
    inputs : mapping, optional
        Which input is which column, or a number.
    estimate : mapping or names
        ``{"p": 40}`` or ``{"p": dict(start=40, min=0.1, max=200)}``.
    experiments : list of mappings, optional
        Instead of `data`: each with ``data`` and with keys of its own, such as ``window`` or ``set``.
    method : str, optional
        Name of the search; see :func:`entrain.methods`.
    options : mapping, optional
        Options by name, see :func:`entrain.options`; they may be given as keywords as well.
    units : mapping, optional
        Units of columns, by name. Times are converted to s; other columns are not, a warning tells where the model has another unit.
    folder : path, optional
        What relative paths are relative to; the working directory if not given.
    name : str, optional
        Of the problem, in reports.
    settings : mapping, optional
        Values by path, as ``--set`` of the command: ``{"estimate.p.start": 40}``.
    **more
        Any other key of the problem file (time, window, set, constraints, weights ...), or an option.

    Notes
    -----
    A problem does not change: :meth:`replace` makes another one. It can be pickled and copied. Threads may share it; the
    computations of one problem wait for each other. Files of data and problem files are read by every copy, such as that of
    ``fit(method=...)``: if one has changed since the problem was made, that is an error.

    Examples
    --------
    >>> import numpy as np, entrain
    >>> m = entrain.Model("model D parameter Real k = 1; Real x(start = 1, fixed = true); equation der(x) = -k*x; end D;")
    >>> t = np.linspace(0, 2, 41)
    >>> p = entrain.Problem(model=m, data={"time": t, "y": np.exp(-3*t)}, measure={"x": "y"},
    ...                     estimate={"k": dict(start=1, min=0.1, max=100)})
    >>> p
    <entrain.Problem D: k from 41 samples>
    >>> round(p.fit().parameters["k"].value, 5)
    3.0
    """

    def __init__(self, source: Union[str, "os.PathLike[str]", None] = None, *, model: Any = None, data: Any = None,
                 measure: Any = None, inputs: Any = None, estimate: Any = None, experiments: Optional[Iterable[Mapping[str, Any]]] = None,
                 method: Optional[str] = None, options: Optional[Mapping[str, Any]] = None, units: Optional[Mapping[str, str]] = None,
                 folder: Any = None, name: Optional[str] = None, settings: Optional[Mapping[str, Any]] = None, **more: Any) -> None:
        self._path: Optional[str] = None
        self._text: str = ""
        self._rows: list[dict[str, Any]] = []
        self._estimate: Any = None
        self._starts: dict[str, float] = {}
        self._folder = whole_path(folder) if folder is not None else here()
        self._model: Optional[Model] = None
        self._tables: dict[str, _arrays.Table] = {}
        self._units = {str(k): str(v) for k, v in mapping_of(units, "units").items()}
        self._settings = [(str(k), _setting_text(v), False) for k, v in mapping_of(settings, "settings").items()]
        chosen = mapping_of(options, "options")
        names = options_by_name()
        for key in [k for k in more if k not in OF_PROBLEM + OF_EXPERIMENT]:
            if key not in names:
                near = difflib.get_close_matches(key, [*names, *OF_PROBLEM, *OF_EXPERIMENT, "model", "data", "measure", "estimate"], 1)
                raise TypeError(f"Problem() has no argument '{key}'" + (f"; did you mean '{near[0]}'?" if near else ""))
            chosen[key] = more.pop(key)
        self._options = chosen
        if model is not None:
            self._model = _as_model(model, more.get("libraries"))
        if source is not None:
            given = {"measure": measure, "inputs": inputs, "estimate": estimate, "experiments": experiments, **more}
            wrong = [k for k, v in given.items() if v is not None]
            if wrong:
                raise TypeError(f"a problem file has its own '{wrong[0]}'; change it by settings={{path: value}}")
            self._take_source(source, method, data, name)
        else:
            self._describe({"data": data, "measure": measure, "inputs": inputs, "estimate": estimate, "experiments": experiments},
                           method, dict(more), name)
        self._check_units()
        self._files: dict[str, str] = {}
        self._prepare()
        self._opened = self._open()

    def _take_source(self, source: Any, method: Optional[str], data: Any, name: Optional[str]) -> None:
        if isinstance(source, str) and "\n" in source:
            self._text = source
        elif isinstance(source, (str, os.PathLike)):
            self._path = whole_path(source)
        else:
            raise TypeError(f"a problem file is a path or a text, not {type(source).__name__}")
        self._name = str(name) if name is not None else os.path.basename(self._path) if self._path else "<text>"
        self._settings += [(str(k), option_of(k, v), True) for k, v in self._options.items() if v is not None]
        if method is not None:
            self._settings.append(("method", str(method), False))
        if data is not None:
            if not isinstance(data, Mapping) or not all(map(_arrays.is_table, data.values())):
                raise TypeError("beside a problem file, data is a mapping of tables by the names that the file uses")
            self._tables = {str(k): _arrays.table(v, f"data '{k}'") for k, v in data.items()}
            for name, table in self._tables.items():
                if table.index and "time" not in table.columns:
                    raise Error(f"data '{name}': {table.index}")

    # ---- from arguments to the text of a problem

    def _describe(self, given: dict[str, Any], method: Optional[str], more: dict[str, Any], name: Optional[str]) -> None:
        if self._model is None:
            raise TypeError("a problem needs a model: Problem(model=..., data=..., measure=..., estimate=...)")
        estimate = given["estimate"]
        if estimate is None:
            raise TypeError("a problem needs numbers to estimate: estimate={'p': dict(start=..., min=..., max=...)}")
        if is_series(estimate):
            estimate = estimate.to_dict()
        self._estimate = dict(estimate) if isinstance(estimate, Mapping) else names_of(estimate, "estimate")
        self._name = str(name) if name is not None else self._model.name
        more.pop("libraries", None)
        shared = {k: more.pop(k) for k in list(more) if k in OF_EXPERIMENT}
        for key in ("measure", "inputs"):
            if given[key] is not None:
                shared[key] = given[key] if isinstance(given[key], Mapping) else names_of(given[key], f"'{key}'")
        rows = _experiments(given["data"], given["experiments"])
        self._rows = [self._experiment({**shared, **row}, k) for k, row in enumerate(rows)]
        described: dict[str, Any] = {"experiments": self._rows, "estimate": self._estimate}
        described.update({k: v for k, v in more.items() if v is not None})
        if method is not None:
            described["method"] = str(method)
        if self._options:
            described["options"] = {str(k): _option_value(k, v) for k, v in self._options.items()}
        # One key a line, so that errors show the line that they are about.
        self._text = "".join(f"{key}: {flow_text(value)}\n" for key, value in described.items())

    def _experiment(self, row: dict[str, Any], number: int) -> dict[str, Any]:
        data = row["data"]
        if row.get("measure") is None:
            raise TypeError("a problem needs 'measure': which variable of the model is which column of the data")
        if not isinstance(row["measure"], Mapping):
            row["measure"] = names_of(row["measure"], "'measure'")
        row.update({key: _arrays.without_spans(row[key], key) for key in MOMENTS if key in row})
        if isinstance(row.get("set"), Mapping):
            row["set"] = self._of_elements(row["set"])
        wrong = [k for k in row if k not in OF_EXPERIMENT + ("data", "units")]
        if wrong:
            near = difflib.get_close_matches(str(wrong[0]), OF_EXPERIMENT + ("data",), 1)
            raise TypeError(f"an experiment has no key '{wrong[0]}'" + (f"; did you mean '{near[0]}'?" if near else ""))
        if row.get("name") is not None and not str(row["name"]).strip():
            raise Error("the name of an experiment is empty")
        if isinstance(data, (str, os.PathLike)):
            row["data"] = os.fspath(data)
        else:
            label = str(row["name"] if row.get("name") is not None else (f"data{number + 1}" if number or self._tables else "data"))
            if label in self._tables:
                raise Error(f"two experiments are called '{label}'")
            table = self._tables[label] = _arrays.table(data, f"data of experiment {number}")
            row["data"] = label
            self._choose_time(row, table)
        return {k: v for k, v in row.items() if v is not None}

    def _of_elements(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Values that are set, with those of elements in the place of arrays."""
        found: dict[str, Any] = {}
        for name, value in values.items():
            if self._model and np.ndim(value):
                try:
                    found.update(elements(str(name), np.asarray(without_mask(value), dtype=float), list(self._model.parameters)))
                    continue
                except (TypeError, ValueError) as why:  # texts, for example: the library says what they cannot be
                    if isinstance(why, Error):
                        raise
            found[str(name)] = value
        return found

    def _choose_time(self, row: dict[str, Any], table: _arrays.Table) -> None:
        time = row.get("time")
        if isinstance(time, (int, np.integer)) and not isinstance(time, bool):  # a column of a DataFrame that has numbers for names
            time = row["time"] = str(time)
        if time is None:
            known = "time" in table.columns or "time" in table.unusable
            if table.index and not known:
                raise Error(f"data of '{row['data']}': {table.index}")
            time = row["time"] = "time" if known else next(iter(table.columns))
        if not isinstance(time, (str, Mapping)):
            raise TypeError(f"'time' is the name of a column, not {time!r:.60}")
        named = _time_column(row)
        wanted = set(_words({k: v for k, v in row.items() if k not in ("data", "name")})) | (
            set(self._model.inputs) if self._model else set())
        for column, why in table.unusable.items():
            if column in wanted:
                raise why
        for column in table.origins:
            if column in wanted and column != named:
                raise Error(f"'{column}' must be an array of real numbers, not of dates")
        if isinstance(time, str) and named != "row" and named not in table.columns:
            raise Error(f"the data have no column '{named}' for the time; there are {', '.join(table.columns)}")
        spec = time if isinstance(time, Mapping) else {}
        unit = spec.get("unit") or self._units.get(named) or "ns"
        first = None
        if unit == "ns" and spec.get("epoch") is not False:
            first = _arrays.count_from_1970(table, named, bool(spec.get("epoch")))
        if first is not None:
            row["time"] = named
        else:
            self._take_unit(row, named, table)
        if named in table.origins:
            _arrays.check_moments(table.columns[named], table.origins[named], named, f"data of '{row['data']}'")
            since = _arrays.Since(table.origins[named], table.zones[named], first)
            for key in MOMENTS:
                if row.get(key) is not None:
                    row[key] = since.of(row[key], key)

    def _take_unit(self, row: dict[str, Any], named: str, table: _arrays.Table) -> None:
        """The unit of the time is no label: times are converted to s."""
        unit, time = self._units.get(named), row["time"]
        for kind, columns in (("times of day", table.origins), ("spans of time", table.spans)):
            if named in columns and (unit or isinstance(time, Mapping) and time.get("unit")):
                raise Error(f"the times in column '{named}' are {kind}: no unit")
        if not unit:
            return
        if isinstance(time, str):
            time = row["time"] = {"column": time, "unit": unit}
        if time.get("unit") != unit:
            raise Error(f"units says that '{named}' is in {unit}, but 'time' does not")

    def _unit(self, column: str, table: _arrays.Table) -> str:
        return "" if column in table.origins or column in table.spans else self._units.get(column, "")

    def _check_units(self) -> None:
        known = [name for table in self._tables.values() for name in [*table.columns, *table.unusable]]
        for name in self._units:
            if name not in known:
                near = difflib.get_close_matches(name, known, 1)
                what = f"did you mean '{near[0]}'?" if near else f"there are {', '.join(known)}" if known else "files say their units themselves"
                raise Error(f"units: no array is called '{name}'; {what}")

    # ---- the object of the library

    def _prepare(self) -> None:
        self._guard, self._opening = Guard("problem"), Guard("problem")

    def _open(self) -> Handle:
        handle = self._load(self._settings)
        error = new_error()
        for name, value in self._starts.items():
            if not lib.entrain_problem_set_start(handle.pointer, c_text(name), value, error):
                raise_error(error)
        found = {text_of(lib.entrain_problem_file(handle.pointer, i)): text_of(lib.entrain_problem_file_hash(handle.pointer, i))
                 for i in range(lib.entrain_problem_file_count(handle.pointer))}
        for path, digest in found.items():
            if self._files.get(path, digest) != digest:
                raise Error(f"'{path}' has changed since the problem was made; make a new Problem of it")
        self._files = {**self._files, **found}
        return handle

    def _load(self, settings: list[tuple[str, str, bool]]) -> Handle:
        error, kept = new_error(), []  # type: Any, list[Any]

        def text(value: str) -> Any:
            kept.append(ffi.new("char[]", c_text(value)))
            return kept[-1]

        source = new_struct("EntrainSource")
        if self._path is not None:
            source.path = text(self._path)
        else:
            source.name, source.folder = text(self._name), text(self._folder)
            source.text, source.length = text(self._text), len(c_text(self._text))
        rows = ffi.new("EntrainSetting[]", max(1, len(settings)))
        for row, (name, value, is_option) in zip(rows, settings):
            row.name, row.value, row.is_option = text(name), text(value), is_option
        source.settings, source.setting_count = rows, len(settings)
        parents, served = [], None  # type: list[Handle], Any
        if self._model is not None and isinstance(self._model._source, Simulator):
            source.simulator, served = self._model._source._struct([self._guard])
        elif self._model is not None:
            source.model = self._model._handle.pointer
            parents.append(self._model._handle)
        tables = ffi.new("EntrainTable[]", max(1, len(self._tables)))
        for table, (name, found) in zip(tables, self._tables.items()):
            columns = ffi.new("EntrainColumn[]", len(found.columns))
            for column, (word, values) in zip(columns, found.columns.items()):
                column.name, column.unit, column.values = text(word), text(self._unit(word, found)), pointer_to(values)
            table.name, table.columns, table.column_count, table.rows = text(name), columns, len(found.columns), found.rows
            kept.append(columns)
        kept.append(tables)
        source.tables, source.table_count = tables, len(self._tables)
        pointer = Question().run(lib.entrain_problem_make, source, error)
        if not pointer:
            raise_error(error, self._path or "")
        # The library has copied all of it, but for the function that simulates.
        return Handle(pointer, lib.entrain_problem_free, *parents, kept=served)

    # ---- what it is

    @property
    def name(self) -> str:
        """As in reports."""
        return self._name

    @property
    def method(self) -> str:
        """How the search is done."""
        return text_of(lib.entrain_problem_method(self._handle.pointer))

    @property
    def model(self) -> Optional[Model]:
        """The model that was given; None if a problem file names it."""
        return self._model

    @property
    def data(self) -> dict[str, dict[str, Array]]:
        """The columns that were given as arrays, by name of the table; times of day in seconds."""
        return {name: {k: v.copy() for k, v in table.columns.items()} for name, table in self._tables.items()}

    @property
    def warnings(self) -> list[str]:
        """What is odd about the problem, such as units that differ."""
        count = lib.entrain_problem_warning_count(self._handle.pointer)
        return [text_of(lib.entrain_problem_warning(self._handle.pointer, i)) for i in range(count)]

    @property
    def unknowns(self) -> dict[str, dict[str, Any]]:
        """What is estimated, by name: start, min, max, unit, log, in_model."""
        found, out = {}, new_struct("EntrainUnknown")
        for i in range(lib.entrain_problem_unknown_count(self._handle.pointer)):
            if lib.entrain_problem_unknown(self._handle.pointer, i, out):
                found[text_of(out.name)] = {"start": out.start, "min": out.min, "max": out.max, "unit": text_of(out.unit),
                                            "log": bool(out.log), "in_model": out.in_model}
        return found

    def replace(self, settings: Optional[Mapping[str, Any]] = None, *, method: Optional[str] = None,
                start: Any = None, **options: Any) -> "Problem":
        """The same problem with other values.

        Parameters
        ----------
        settings : mapping, optional
            Values by path: ``{"estimate.p.max": 300}``.
        method : str, optional
        start : mapping or array, optional
            Other start values of unknowns: by name, or of all of them in their order, such as ``fit.x``.
        **options
            Options by name, see :func:`entrain.options`. Other arguments of a problem, such as `data`, need a new one.

        Examples
        --------
        >>> import entrain
        >>> p = entrain.Problem(model="model D parameter Real k = 1; output Real x; equation x = k*time; end D;",
        ...                     data={"time": [0, 1, 2], "y": [0, 2, 4]}, measure={"x": "y"}, estimate={"k": 1})
        >>> p.replace(method="lm", start={"k": 3}).unknowns["k"]["start"]
        3.0
        >>> p.replace({"experiments.0.window": [0, 1]}).evaluate().channels[0].n
        2
        """
        for key in options:
            _refuse_part(key)
        copy = object.__new__(type(self))
        copy.__dict__.update(self.__getstate__())
        copy._settings = [*self._settings, *[(str(k), _setting_text(v), False) for k, v in mapping_of(settings, "settings").items()],
                          *[(str(k), option_of(k, v), True) for k, v in options.items()]]
        copy._options = {**self._options, **options}
        if method is not None:
            copy._settings.append(("method", str(method), False))
        known = self.unknowns
        if start is not None and not isinstance(start, Mapping) and not is_series(start):
            start = dict(zip(known, self._point(start, "start")))
        given = mapping_of(start, "start")
        for name in given:
            if name not in known and not any(k.startswith(f"{name}[") for k in known):
                raise Error(f"'{name}' is not estimated; there are {', '.join(known)}")
        copy._starts = {**self._starts, **{str(k): number(v, f"start of '{k}'") for k, v in given.items()}}
        copy._prepare()
        copy._opened = copy._open()
        return copy

    def _values(self, values: Any, what: str) -> Any:
        """Values of all unknowns for the library; those that are not given are the start values. None: NULL."""
        if values is None:
            return NULL
        return ffi.new("double[]", self._point(values, what))

    def _point(self, values: Any, what: str, others: Optional[Mapping[str, float]] = None) -> list[float]:
        """In the order of the unknowns; those that are not given are as in `others`, or have their start values."""
        known = {name: row["start"] for name, row in self.unknowns.items()}
        if values is None or isinstance(values, Mapping) or is_series(values):
            values = mapping_of(values, what)
            wrong = [k for k in values if k not in known]
            if wrong:
                raise Error(f"{what}: '{wrong[0]}' is not estimated; there are {', '.join(known)}")
            known.update(others or {})
            array = [number(values[k], k) if k in values else start for k, start in known.items()]
        else:
            array = _arrays.column(values, what).tolist()
            if len(array) != len(known):
                raise Error(f"{what}: {len(array)} values for {len(known)} unknowns")
        if not np.all(np.isfinite(array)):
            raise Error(f"{what} must be finite")
        return array

    # ---- what can be done with it

    def fit(self, *, method: Optional[str] = None, start: Any = None, progress: bool = False,
            callback: Optional[Callable[[dict[str, Any]], Any]] = None, **options: Any) -> Fit:
        """Finds the numbers for which the model follows the measurements best.

        Parameters
        ----------
        method, start, **options
            For this fit only, as of :meth:`replace`.
        progress : bool
            Shows a bar: of tqdm if that is there, else a line on standard error if that is a terminal.
        callback : function, optional
            Receives a dict at every step: stage, iteration, objective, best, values, simulations. Returns False, or raises
            StopIteration, to end the search: the outcome is then ``stopped``. Other exceptions come out of `fit`.

        Returns
        -------
        Fit
            A search that does not succeed is no exception: see `success`, `outcome` and `message`. Ctrl-C ends the search:
            the result is the best point so far, and its outcome ``interrupted``.

        Examples
        --------
        >>> import entrain
        >>> p = entrain.Problem(model="model D parameter Real k = 1; output Real x; equation x = k*time; end D;",
        ...                     data={"time": [0, 1, 2, 3], "y": [0, 2.1, 3.9, 6]}, measure={"x": "y"}, estimate={"k": 1})
        >>> round(p.fit(method="lm").parameters["k"].value, 3)
        1.993
        """
        if method is not None or start is not None or options:
            return self.replace(method=method, start=start, **options).fit(progress=progress, callback=callback)
        n = lib.entrain_problem_unknown_count(self._handle.pointer)

        def read(p: Any) -> dict[str, Any]:
            return {"stage": text_of(p.stage), "lambda": getattr(p, "lambda"), "iteration": p.iteration, "objective": p.objective,
                    "best": p.best, "simulations": p.simulations, "searches": p.searches,
                    "values": np.array([p.values[i] for i in range(n)]) if p.values else np.empty(0)}

        return _studies.run(self, Fit, "entrain_fit_run", (), "EntrainListener", read,
                            lambda s: (s["simulations"], 0, s["stage"] + (f", best {s['best']:.4g}" if np.isfinite(s["best"]) else "")),
                            lib.entrain_fit_free, progress, callback)

    def evaluate(self, values: Any = None, tie: float = 0.0) -> Fit:
        """The problem at one point, without a search: objective, residuals, and statistics where the point is a minimum.

        Parameters
        ----------
        values : mapping or array, optional
            Of the unknowns; those that are not given have their start values.
        tie : float
            From 0, the free model, to 1, tied to the data as the homotopy does it.

        Returns
        -------
        Fit
            Its outcome is ``evaluated``, or ``no-start`` if an experiment cannot be simulated. Ctrl-C raises KeyboardInterrupt.

        Examples
        --------
        >>> import entrain
        >>> p = entrain.Problem(model="model D parameter Real k = 1; output Real x; equation x = k*time; end D;",
        ...                     data={"time": [0, 1, 2], "y": [0, 2, 4]}, measure={"x": "y"}, estimate={"k": 1})
        >>> p.evaluate({"k": 1}).objective  # half the sum of 0, 1 and 4
        2.5
        """
        error = new_error()
        point = self._values(values, "values")
        tie = number(tie, "tie")
        question = Question([self._guard], [self._handle])
        pointer = question.run(lib.entrain_evaluate, self._handle.pointer, point, tie, error)
        if not pointer:
            raise_error(error)
        found = Fit(self, Handle(pointer, lib.entrain_fit_free, self._handle), "")
        found._tie, found.error = tie, question.error
        return found

    def simulate(self, t: Any = None, inputs: Any = None, parameters: Any = None, *, experiment: Any = None, sensitivities: Any = False,
                 variables: Optional[Iterable[str]] = None, start: Optional[float] = None, options: Optional[Mapping[str, Any]] = None,
                 **more: Any) -> Any:
        """The model of an experiment as a fit simulates it: with its start time, its inputs and the values that are set there.

        Parameters
        ----------
        t : array, optional
            Times in s as results have them, or times of day if the data have these; those of the samples if not given.
        inputs : mapping or DataFrame, optional
            As of :meth:`Model.simulate`; each that is not given is that of the experiment.
        parameters : mapping or array, optional
            Values of unknowns; the others have their start values.
        experiment : int or str
            Its number or its name; the first if not given.
        sensitivities, variables, start, options, **more
            As of :meth:`Model.simulate`; start and options are those of the experiment and the problem if not given.

        Returns
        -------
        list of Channel, or Simulation
            Without any argument but `parameters`, the measured quantities of all experiments with data and model; else a simulation.
            Sensors (gain, offset, delay) are in the first and not in the second.

        Examples
        --------
        >>> import entrain
        >>> p = entrain.Problem(model="model D parameter Real k = 1; output Real x; equation x = k*time; end D;",
        ...                     data={"time": [0, 1, 2], "y": [0, 2, 4]}, measure={"x": "y"}, estimate={"k": 1})
        >>> p.simulate()[0].model
        array([0., 1., 2.])
        >>> p.simulate([0, 10], parameters={"k": 3})["x"]
        array([ 0., 30.])
        """
        changes = {**mapping_of(options, "options"), **more}
        if not changes and sensitivities is False and all([v is None for v in (t, inputs, start, variables, experiment)]):
            return self.evaluate(parameters).channels
        point, given = self._point(parameters, "parameters"), read_frame(inputs)
        number_of, told = self._experiment_of(0 if experiment is None else experiment)
        if t is None:
            samples = [c.time for c in self.evaluate(point).channels if c.experiment == told["name"]]
            t = np.unique(np.concatenate(samples))
        if told["origin"] is not None:
            since = _arrays.Since(told["origin"], told["zone"])
            t = _since(t, since)
            if "time" in given:
                given["time"] = _since(given["time"], since)
        moments = _arrays.times(t)
        begin = told["start"] if start is None else number(start, "start")
        rows, kept = ffi.new("EntrainSetting[]", max(1, len(changes))), []  # type: Any, list[Any]
        for row, (name, value) in zip(rows, changes.items()):
            kept += [ffi.new("char[]", c_text(name)), ffi.new("char[]", c_text(option_of(name, value)))]
            row.name, row.value, row.is_option = kept[-2], kept[-1], True
        error = new_error()
        pointer = Question([self._guard]).run(lib.entrain_problem_simulation, self._handle.pointer, number_of, ffi.new("double[]", point),
                                              rows, len(changes), error)
        if not pointer:
            raise_error(error)
        run = Handle(pointer, lib.entrain_simulation_free, self._handle)
        return simulate(run, [self._guard], self._handle, begin, moments, given, sensitivities, variables)

    def _experiments(self) -> list[dict[str, Any]]:
        """What the library knows about the experiments: name, start, and origin, which is time 0 of data with times of day."""
        found, out = [], new_struct("EntrainExperiment")
        of_rows = {row["data"]: _time_column(row) for row in self._rows}
        for i in range(lib.entrain_problem_experiment_count(self._handle.pointer)):
            lib.entrain_problem_experiment(self._handle.pointer, i, out)
            data, known = text_of(out.data), text_of(out.time_origin)
            origin, zone = _arrays.moment(known, "time_origin") if known else None, None
            if out.of_memory:  # the library sees seconds
                column = of_rows.get(data, "")
                origin, zone = self._tables[data].origins.get(column, origin), self._tables[data].zones.get(column)
            found.append({"name": text_of(out.name), "start": out.start, "origin": origin, "zone": zone})
        return found

    def _experiment_of(self, which: Any) -> tuple[int, dict[str, Any]]:
        known = self._experiments()
        names = [row["name"] for row in known]
        if isinstance(which, str) and which in names:
            return names.index(which), known[names.index(which)]
        if isinstance(which, (int, np.integer)) and -len(names) <= which < len(names):
            return int(which) % len(names), known[which]
        raise Error(f"there is no experiment {which!r}; there are {', '.join(names)}")

    def check(self) -> "_studies.Check":
        """What can be said before a fit: units, data, whether the model can be simulated, what the data can determine.

        Examples
        --------
        >>> import entrain
        >>> p = entrain.Problem(model="model D parameter Real k = 1; output Real x; equation x = k*time; end D;",
        ...                     data={"time": [0, 1, 2], "y": [0, 2, 4]}, measure={"x": "y"}, estimate={"k": 1})
        >>> p.check().passed
        True
        """
        return _studies.check(self)

    def weights(self) -> "_studies.Weights":
        """How much each sample counts.

        Examples
        --------
        >>> import entrain
        >>> p = entrain.Problem(model="model D parameter Real k = 1; output Real x; equation x = k*time; end D;",
        ...                     data={"time": [0, 1, 2], "y": [0, 2, 4]}, measure={"x": "y"}, estimate={"k": 1})
        >>> p.weights()
        <entrain.Weights none: 3 of 3 samples count>
        """
        return _studies.weights(self)

    def profile(self, names: Optional[Iterable[str]] = None, *, level: float = 0.95, range: float = 1000.0, progress: bool = False,
                callback: Optional[Callable[[dict[str, Any]], Any]] = None) -> "_studies.Profile":
        """Profile likelihoods: intervals that do not rely on linear theory.

        Parameters
        ----------
        names : names, optional
            Of unknowns; all if not given.
        level : float
            Of the intervals.
        range : float
            How far a profile without end is followed, in sizes of the unknown.
        progress, callback
            As of :meth:`fit`; the dict has sides, done and fitting.

        Examples
        --------
        >>> import entrain
        >>> p = entrain.Problem(model="model D parameter Real k = 1; output Real x; equation x = k*time; end D;", method="lm",
        ...                     data={"time": [0, 1, 2, 3], "y": [0, 2.1, 3.9, 6]}, measure={"x": "y"}, estimate={"k": 1})
        >>> p.profile().curves["k"].verdict
        'determined'
        """
        return _studies.profile(self, names, level=level, range=range, progress=progress, callback=callback)

    def scan(self, axes: Mapping[str, Any], *, lambdas: Iterable[float] = (), values: Any = None, log_objective: bool = False,
             progress: bool = False, callback: Optional[Callable[[dict[str, Any]], Any]] = None) -> "_studies.Scan":
        """The objective over one or two unknowns.

        Parameters
        ----------
        axes : mapping
            ``{"p": (1, 50, 100)}``: from, to, count, and perhaps ``"log"``.
        lambdas : numbers, optional
            How strongly the model is tied to the data, from 1 to 0; the free model alone if not given.
        values : mapping or array, optional
            Of all unknowns, for those that do not vary; their start values if not given.
        log_objective : bool
            In pictures.
        progress, callback
            As of :meth:`fit`; the dict has points, done and failed.

        Examples
        --------
        >>> import entrain
        >>> p = entrain.Problem(model="model D parameter Real k = 1; output Real x; equation x = k*time; end D;",
        ...                     data={"time": [0, 1, 2], "y": [0, 2, 4]}, measure={"x": "y"}, estimate={"k": 1})
        >>> s = p.scan({"k": (1, 3, 3)})
        >>> s.objective
        array([[2.5, 0. , 2.5]])
        >>> s.best
        {'k': 2.0}
        """
        return _studies.scan(self, axes, lambdas=lambdas, values=values, log_objective=log_objective, progress=progress,
                             callback=callback)

    def basin(self, axes: Optional[Mapping[str, Any]] = None, random: int = 0, *, truth: Any = None, progress: bool = False,
              callback: Optional[Callable[[dict[str, Any]], Any]] = None, **options: Any) -> "_studies.Basin":
        """Searches from many starts: which optimum does each lead to?

        Parameters
        ----------
        axes : mapping, optional
            A grid: ``{"p": (1, 50, 20)}``, or ``{"p": 20}`` between the bounds. With `random`: ``{"p": (1, 50)}``.
        random : int
            So many random starts instead of a grid; in all unknowns if there are no axes.
        truth : mapping or array, optional
            The true values, for the error of each optimum.
        progress, callback
            As of :meth:`fit`; the dict has starts, done, best and others.
        **options
            As of :meth:`replace`, such as ``method="lm"``.

        Examples
        --------
        >>> import entrain
        >>> p = entrain.Problem(model="model D parameter Real k = 1; output Real x; equation x = k*time; end D;",
        ...                     data={"time": [0, 1, 2], "y": [0, 2, 4]}, measure={"x": "y"}, estimate={"k": 1})
        >>> b = p.basin({"k": (1, 3, 3)}, method="lm")
        >>> b.reached, len(b.optima)
        (array([0, 0, 0]), 1)
        """
        problem = self.replace(**options) if options else self
        return _studies.basin(problem, axes, random, truth=truth, progress=progress, callback=callback)

    def recover(self, truth: Any = None, random_starts: bool = False, *, progress: bool = False,
                callback: Optional[Callable[[dict[str, Any]], Any]] = None, **options: Any) -> "_studies.Recover":
        """Simulates measurements at a known truth and fits them, again and again.

        Parameters
        ----------
        truth : mapping or array, optional
            Values of the unknowns; those of the model if not given.
        random_starts : bool
            Every fit begins at a random point between the bounds.
        progress, callback
            As of :meth:`fit`; the dict has trials, done and succeeded.
        **options
            As of :meth:`replace`: ``trials=100``, ``noise=0.05``, ``seed=1`` ...

        Examples
        --------
        >>> import entrain
        >>> p = entrain.Problem(model="model D parameter Real k = 1; output Real x; equation x = k*time; end D;", method="lm",
        ...                     data={"time": [0, 1, 2, 3], "y": [0, 2.1, 3.9, 6]}, measure={"x": "y"}, estimate={"k": 1})
        >>> p.recover({"k": 2}, trials=3).summary["done"]
        3
        """
        return _studies.recover(self, truth, random_starts, progress=progress, callback=callback, **options)

    def compare(self, methods: Union[str, Iterable[str]] = (), *, truth: Any = None, all_unknowns: bool = False,
                within: Optional[float] = None, seeds: int = 0, random_starts: int = 0, traces: bool = False, progress: bool = False,
                callback: Optional[Callable[[dict[str, Any]], Any]] = None) -> "_studies.Compare":
        """Methods of search beside each other. To compare models, see :func:`entrain.compare`.

        Parameters
        ----------
        methods : names, optional
            ``["lm", "homotopy:coupling=pid"]``; the usual ones if not given.
        truth : mapping or array, optional
            True values of the unknowns, for the error of each method.
        all_unknowns : bool
            Those count, too, that the data do not determine.
        within : float, optional
            Largest relative difference that counts as found.
        seeds, random_starts : int
            Runs of methods that use random numbers; runs of every method from so many random starts.
        traces : bool
            Records what pictures of the convergence need.
        progress, callback
            As of :meth:`fit`; the dict has method, number, methods and others.

        Examples
        --------
        >>> import entrain
        >>> p = entrain.Problem(model="model D parameter Real k = 1; output Real x; equation x = k*time; end D;",
        ...                     data={"time": [0, 1, 2, 3], "y": [0, 2.1, 3.9, 6]}, measure={"x": "y"}, estimate={"k": 1})
        >>> [(row.label, round(row.values["k"], 3)) for row in p.compare(["lm", "nelder-mead"]).rows]
        [('lm', 1.993), ('nelder-mead', 1.993)]
        """
        return _studies.compare(self, methods, truth=truth, all_unknowns=all_unknowns, within=within, seeds=seeds,
                                random_starts=random_starts, traces=traces, progress=progress, callback=callback)

    # ---- copies

    def __getstate__(self) -> dict[str, Any]:
        return {k: v for k, v in self.__dict__.items() if k not in ("_opened", "_opening", "_guard")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._prepare()

    def __copy__(self) -> "Problem":
        return self.replace()

    def __dir__(self) -> list[str]:
        return [name for name in object.__dir__(self) if not name.startswith("_")]

    def __repr__(self) -> str:
        names = list(self.unknowns)
        shown = ", ".join(names[:6]) + (", ..." if len(names) > 6 else "")
        rows = sum(table.rows for table in self._tables.values())
        return f"<entrain.Problem {self.name}: {shown}" + (f" from {rows} samples>" if rows else ">")


def _as_model(model: Any, libraries: Any) -> Model:
    if isinstance(model, Model):
        return model
    if callable(model) and not isinstance(model, Simulator):
        raise TypeError("a function as model needs its parameters and outputs: entrain.Simulator(function, ...)")
    return Model(model, libraries=libraries or ())


def _is_experiment(data: Any) -> bool:
    return isinstance(data, (str, os.PathLike)) or _arrays.is_table(data) and not is_series(data)  # a Series is one column


def _experiments(data: Any, experiments: Any) -> list[dict[str, Any]]:
    if (data is None) == (experiments is None):
        raise TypeError("a problem needs data: either data=... or experiments=[dict(data=...), ...]")
    if experiments is not None:
        if isinstance(experiments, Mapping):
            experiments = [experiments]
        rows = [dict(e) for e in experiments]
        if any("data" not in row for row in rows):
            raise Error("an experiment needs 'data'")
        if not rows:
            raise Error("there are no experiments")
        return rows
    if isinstance(data, Mapping) and data and all(map(_is_experiment, data.values())):
        return [{"name": str(name), "data": d} for name, d in data.items()]
    if isinstance(data, (str, os.PathLike)) or _arrays.is_table(data):
        return [{"data": data}]
    if isinstance(data, Iterable) and not isinstance(data, np.ndarray):
        rows = [{"data": d} for d in in_order(data, "data")]
        if not rows:
            raise Error("there are no data")
        return rows
    return [{"data": data}]


def _words(value: Any) -> Iterable[str]:
    """All texts in a value, keys included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, part in value.items():
            yield str(key)
            yield from _words(part)
    elif isinstance(value, (list, tuple)):
        for part in value:
            yield from _words(part)


def _setting_text(value: Any) -> str:
    return value if isinstance(value, str) else flow_text(value)


def _refuse_part(key: str) -> None:
    """An argument of a problem that is no option."""
    if key in options_by_name() or key not in PARTS + ("estimate",) + OF_PROBLEM + OF_EXPERIMENT:
        return
    path = "" if key in PARTS else key if key in ("estimate",) + OF_PROBLEM else f"experiments.0.{key}"
    raise TypeError(f"'{key}' is no option: make a new Problem(...)" + (f", or change it by settings={{'{path}': value}}" if path else ""))


def _option_value(name: Any, value: Any) -> Any:
    return option_of(name, value) if isinstance(value, (bool, np.bool_)) else value


def _since(t: Any, since: _arrays.Since) -> Array:
    """Times of a simulation: numbers as they are, times of day from the origin of the data."""
    array, first = _arrays.column_and_origin(t, "t")
    if first is None:
        return array
    since.check(t, "t")
    return array + since.of(first, "t")


def _time_column(row: Mapping[str, Any]) -> str:
    time = row.get("time")
    return str(time.get("column") if isinstance(time, Mapping) else time)
