"""Models and their simulation."""
from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Iterable, Mapping, Optional, Union

import numpy as np

from . import _arrays
from ._library import (Array, Computation, Error, Guard, Handle, Question, c_text, ffi, lib, mapping_of, names_of, new_error, new_struct,
                       number, number_text, numbers, Opened, option_of, pointer_to, raise_error, taken_text, text_of, texts, whole_path, without_mask)
from ._simulator import Simulator

TEXT_MOST = 2**27  # bytes; the library reads half of it
KINDS = {"states": 0, "parameters": 1, "inputs": 2, "outputs": 3, "variables": 4}
REPORTS = {"summary": 0, "flat": 1, "equations": 2, "json": 3, "dot": 4, "tree": 5}


@dataclass(frozen=True)
class Variable:
    """A variable or parameter of a model.

    Examples
    --------
    >>> import entrain
    >>> m = entrain.Model('model D parameter Real k(unit = "1/s") = 2; Real x(start = 1, fixed = true); equation der(x) = -k*x; end D;')
    >>> m.parameters["k"].value, m.parameters["k"].unit
    (2.0, '1/s')
    """

    name: str
    value: float  #: of a parameter: its value; of a state: its value at the start
    unit: str = ""
    description: str = ""
    min: float = -np.inf
    max: float = np.inf
    nominal: float = 1.0
    dependent: bool = False  #: of a parameter: follows from others unless it is set


class Simulation(Mapping[str, Array]):
    """The result of :meth:`Model.simulate`: arrays by name, the time among them.

    Rows are those times that were reached: all of them if `success`. `sensitivities` has by variable an array of the shape
    (times, parameters); `sensitivity_parameters` names its columns.

    Examples
    --------
    >>> import entrain
    >>> m = entrain.Model("model D parameter Real k = 1; Real x(start = 0, fixed = true); equation der(x) = k; end D;")
    >>> r = m.simulate([0, 1, 2], sensitivities=["k", "x.start"])
    >>> r
    <entrain.Simulation reached-end: 3 times of x>
    >>> r.sensitivities["x"].round(6)
    array([[0., 1.],
           [1., 1.],
           [2., 1.]])
    """

    def __init__(self, columns: dict[str, Array], sensitivities: dict[str, Array], parameters: list[str],
                 outcome: str, message: str, log: str = "", work: Optional[dict[str, Any]] = None) -> None:
        self._columns = columns
        self.sensitivities = sensitivities  #: by variable: array of the shape (times, parameters)
        self.sensitivity_parameters = parameters  #: their names, in the order of the columns
        self.outcome, self.message, self.log = outcome, message, log
        self.work = work or {}
        self.error: Optional[Exception] = None  #: that the simulator, a Python function, raised

    @property
    def time(self) -> Array:
        """The times that were reached."""
        return self._columns["time"]

    @property
    def success(self) -> bool:
        """The end was reached, or the model ended the simulation itself."""
        return self.outcome in ("reached-end", "terminated")

    def __getitem__(self, name: str) -> Array:
        try:
            return self._columns[name]
        except KeyError:
            raise KeyError(f"{name!r}; there are {', '.join(self._columns)}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def to_frame(self) -> Any:
        """As a DataFrame of pandas, with the time as index.

        Examples
        --------
        >>> import entrain
        >>> m = entrain.Model("model D Real x(start = 0, fixed = true); equation der(x) = 1; end D;")
        >>> frame = m.simulate([0, 1]).to_frame()  # doctest: +SKIP
        """
        import pandas

        return pandas.DataFrame({k: v for k, v in self._columns.items() if k != "time"},
                                index=pandas.Index(self.time, name="time"))

    def plot(self, *names: str) -> Any:
        """Draws variables over time (all of them without names) and returns the figure of matplotlib."""
        from ._plot import plot_simulation

        return plot_simulation(self, names)

    def __repr__(self) -> str:
        return f"<entrain.Simulation {self.outcome}: {len(self.time)} times of {', '.join(k for k in self if k != 'time')}>"


def _is_text(source: str) -> bool:
    return "\n" in source or ";" in source


def _is_fmu(path: Any) -> bool:
    return str(path).lower().endswith(".fmu")


def _read(path: Any) -> Optional[bytes]:
    """What a Modelica file holds; None: it is an FMU, or the library says why it cannot be read."""
    file, chosen, _name = path.rpartition("#")
    file = file if chosen and file.endswith(".mo") else path
    try:
        if _is_fmu(path) or not os.path.isfile(file) or os.path.getsize(file) > TEXT_MOST:
            return None
        with open(file, "rb") as opened:
            return opened.read()
    except (OSError, ValueError):
        return None


def read_frame(inputs: Any) -> dict[str, Any]:
    """Inputs by name; of a DataFrame, an index of times is the time."""
    if not _arrays.is_frame(inputs):
        return mapping_of(inputs, "inputs")
    _arrays.refuse_levels(inputs, "inputs")
    columns = {str(name): inputs.iloc[:, i] for i, name in enumerate(inputs.columns)}
    label, values, why = _arrays.index_of(inputs.index, columns)
    if why and "time" not in columns:
        raise Error(f"inputs: {why}")
    return {"time": values, **columns} if label else columns


def simulate(run: Handle, guards: Iterable[Guard], of: Handle, start: float, t: Array, inputs: Mapping[str, Any], sensitivities: Any,
             variables: Any) -> Simulation:
    """Runs a simulation of the library, made of a model or of a problem."""
    error, pointer = new_error(), run.pointer
    if not lib.entrain_simulation_times(pointer, start, pointer_to(t), len(t), error):
        raise_error(error)
    _give_inputs(pointer, start, t, inputs, error)
    if variables is not None:
        names, count, _keep = texts(names_of(variables, "variables"), "a name")
        if count and not lib.entrain_simulation_select(pointer, names, count, error):
            raise_error(error)
    if isinstance(sensitivities, (bool, np.bool_)):
        sensitivities = bool(sensitivities)
    if sensitivities is not None and sensitivities is not False:
        wanted = [] if sensitivities is True else names_of(sensitivities, "sensitivities")
        names, count, _keep2 = texts(wanted, "a name")
        if (sensitivities is True or count) and not lib.entrain_simulation_sensitivities(pointer, names, count, error):
            raise_error(error)
    computation = Computation(guards, [of])
    result = computation.run(lib.entrain_simulation_run, pointer, error)
    if result:
        held = Handle(result, lib.entrain_result_free, run)
    computation.settle()
    if not result:
        if computation.interrupted:
            raise KeyboardInterrupt
        raise_error(error)
    found = _read_result(held.pointer, computation.interrupted)
    found.error = computation.error
    return found


class Model(Opened):
    """A model: Modelica text or file (``"car.mo"``, ``"car.mo#Drive.Car"``), an FMU, or a :class:`Simulator`.

    A Modelica file is read once: the model, its copies and pickles stay as they are when it changes. Libraries and FMUs must stay there.

    Parameters
    ----------
    source : str, path or Simulator
        A text with a line end or a semicolon is Modelica, everything else is a path.
    parameters : mapping, optional
        Values of parameters and start values (``x.start``) instead of those in the source. Arrays have values for all elements.
    libraries : folders, optional
        Modelica libraries, searched before those of MODELICAPATH.
    fmu : mapping, optional
        How an FMU is simulated: interface, step, tolerance, timeout, memory.

    >>> import entrain
    >>> m = entrain.Model('''
    ... model Decay
    ...   parameter Real k = 2;
    ...   Real x(start = 1, fixed = true);
    ... equation
    ...   der(x) = -k*x;
    ... end Decay;''')
    >>> m
    <entrain.Model Decay: 1 state, 1 parameter>
    >>> m.simulate([0, 1], parameters={"k": 1})["x"].round(6)
    array([1.      , 0.367879])
    >>> m.simulate([0, 1], sensitivities=["k"]).sensitivities["x"].round(6)
    array([[ 0.      ],
           [-0.135335]])
    """

    def __init__(self, source: Union[str, "os.PathLike[str]", Simulator], *, parameters: Optional[Mapping[str, Any]] = None,
                 libraries: Iterable[Union[str, "os.PathLike[str]"]] = (), fmu: Optional[Mapping[str, Any]] = None,
                 name: Optional[str] = None) -> None:
        if isinstance(libraries, (str, os.PathLike)):
            libraries = [libraries]
        self._libraries = [whole_path(folder) for folder in libraries]
        self._fmu, self._text_name = mapping_of(fmu, "fmu"), name or "<text>"
        self._source: Union[str, Simulator]
        if isinstance(source, Simulator):
            self._source, self._kind = source, "function"
        elif isinstance(source, os.PathLike):
            self._source, self._kind = whole_path(source), "path"
        elif isinstance(source, str):
            if not source.strip():
                raise Error("a model is a Modelica text or a path; this text is empty")
            self._kind = "text" if _is_text(source) else "path"
            self._source = source if self._kind == "text" else whole_path(source)
        else:
            raise TypeError(f"a model is a text, a path or an entrain.Simulator, not {type(source).__name__}")
        self._given: dict[str, str] = {}
        self._text = _read(self._source) if self._kind == "path" else None
        self._prepare()
        self._opened = self._open()
        self._given = _values(parameters, self)
        _set(self._opened, self._given)

    def _prepare(self) -> None:
        self._guard, self._opening = Guard("model"), Guard("model")
        self._spare: dict[frozenset[str], list[Handle]] = {}

    def _open(self) -> Handle:
        """The model anew."""
        error, kept = new_error(), None
        if isinstance(self._source, Simulator):
            struct, kept = self._source._struct([self._guard])
            pointer = lib.entrain_model_of_simulator(struct, error)
        elif self._kind == "path" and _is_fmu(self._source):
            pointer = Question().run(self._load_fmu, error)
        else:
            names, count, keep = texts(self._libraries, "a folder")
            folders = new_struct("EntrainLibraries")
            folders.folders, folders.count = ffi.cast("const char **", names), count
            source = c_text(self._source, "a model")
            if self._kind == "text":
                pointer = Question().run(lib.entrain_model_parse_with, c_text(self._text_name), source, len(source), folders, error)
            elif self._text is not None:
                pointer = Question().run(lib.entrain_model_parse_with, source, self._text, len(self._text), folders, error)
            else:
                pointer = Question().run(lib.entrain_model_load_with, source, folders, error)
            del keep
        if not pointer:
            raise_error(error, self._source if self._kind == "path" else "")
        handle = Handle(pointer, lib.entrain_model_free, kept=kept)
        _set(handle, self._given)
        return handle

    def _load_fmu(self, error: Any) -> Any:
        how = new_struct("EntrainFmu")
        keep = None
        for key, value in self._fmu.items():
            if key == "interface":
                keep = ffi.new("char[]", c_text(value))
                how.interface = keep
            elif key in ("step", "tolerance", "timeout", "memory"):
                setattr(how, key, number(value, key))
            else:
                raise Error(f"unknown setting '{key}' of an FMU; there are interface, step, tolerance, timeout, memory")
        return lib.entrain_fmu_load(c_text(self._source), how, error)

    # ---- what it is

    @property
    def name(self) -> str:
        """That of its class."""
        return text_of(lib.entrain_model_name(self._handle.pointer))

    def _list(self, kind: str) -> dict[str, Variable]:
        found, out = {}, new_struct("EntrainVariable")
        for i in range(lib.entrain_model_count(self._handle.pointer, KINDS[kind])):
            if lib.entrain_model_variable(self._handle.pointer, KINDS[kind], i, out):
                name = text_of(out.name)
                found[name] = Variable(name, out.value, text_of(out.unit), text_of(out.description), out.min, out.max,
                                       out.nominal, bool(out.dependent))
        return found

    @property
    def parameters(self) -> dict[str, Variable]:
        """Parameters, then the start values of the states as ``x.start``."""
        return self._list("parameters")

    @property
    def states(self) -> dict[str, Variable]:
        """Differentiated variables."""
        return self._list("states")

    @property
    def inputs(self) -> dict[str, Variable]:
        """What acts on the model from outside."""
        return self._list("inputs")

    @property
    def outputs(self) -> dict[str, Variable]:
        """Declared as output."""
        return self._list("outputs")

    @property
    def variables(self) -> dict[str, Variable]:
        """Everything that varies in time."""
        return self._list("variables")

    @property
    def warnings(self) -> list[str]:
        """What is odd about the text of the model."""
        count = lib.entrain_model_warning_count(self._handle.pointer)
        return [text_of(lib.entrain_model_warning(self._handle.pointer, i)) for i in range(count)]

    def report(self, what: str = "summary") -> str:
        """A description of the model: summary, flat (Modelica), equations, json, dot (Graphviz) or tree.

        Examples
        --------
        >>> import entrain
        >>> m = entrain.Model("model D Real x(start = 0, fixed = true); equation der(x) = 1; end D;")
        >>> "der(x)" in m.report("equations")
        True
        """
        if what not in REPORTS:
            raise Error(f"there is no report '{what}' of a model; there are {', '.join(REPORTS)}")
        return taken_text(lib.entrain_model_report(self._handle.pointer, REPORTS[what]))

    def replace(self, **parameters: Any) -> "Model":
        """The same model with other values of parameters; of names with dots: ``m.replace(**{"x.start": 2})``.

        Examples
        --------
        >>> import entrain
        >>> m = entrain.Model("model D parameter Real k = 1; Real x(start = 0, fixed = true); equation der(x) = k; end D;")
        >>> m.replace(k=3).simulate([0, 1])["x"]
        array([0., 3.])
        """
        copy = object.__new__(type(self))
        copy.__dict__.update(self.__getstate__())
        copy._given = {**self._given, **_values(parameters, self)}
        copy._prepare()
        copy._opened = copy._open()
        return copy

    # ---- simulation

    def simulate(self, t: Any, inputs: Optional[Mapping[str, Any]] = None, parameters: Optional[Mapping[str, Any]] = None,
                 sensitivities: Union[bool, str, Iterable[str]] = False, *, variables: Optional[Iterable[str]] = None,
                 start: Optional[float] = None, options: Optional[Mapping[str, Any]] = None, **more: Any) -> Simulation:
        """Simulates the model.

        Parameters
        ----------
        t : array
            Times of the output, increasing. The simulation begins at the first one, or at `start`.
        inputs : mapping, optional
            By name: a number, an array at the times `t`, or a pair of arrays (times, values). With an entry ``time`` these are
            the times of all arrays; of a DataFrame, an index of times. The option `interpolation` says what holds between them.
        parameters : mapping, optional
            Values of parameters and start values (``x.start``) for this simulation.
        sensitivities : bool or names
            Derivatives by these parameters; True: by all that are independent.
        variables : names, optional
            Which variables; all states, algebraic variables and outputs if not given.
        options, **more
            Options by name, such as ``rel_tol=1e-9``.

        Returns
        -------
        Simulation
            A mapping from names to arrays. A simulation that does not reach its end is no exception: see `success`,
            `outcome` and `message`. Ctrl-C ends it: the rows that were reached, and the outcome ``interrupted``.

        Examples
        --------
        >>> import entrain
        >>> m = entrain.Model("model D input Real u; Real x(start = 0, fixed = true); equation der(x) = u; end D;")
        >>> m.simulate([0, 1, 2], {"u": 0.5})["x"]
        array([0. , 0.5, 1. ])
        >>> m.simulate([0, 1, 2], {"u": [0, 1, 2]}, interpolation="linear")["x"].round(6)
        array([0. , 0.5, 2. ])
        """
        moments = _arrays.times(t)
        begin = float(moments[0]) if start is None else number(start, "start")
        values = _values(parameters, self)
        key = frozenset(values)
        if len(self._spare) > 16:  # many different sets of names: do not keep models of all of them
            self._spare.clear()
        spare = self._spare.setdefault(key, [])
        # Models are not shared while parameters are set: each thread takes one that nobody else has.
        try:
            model = spare.pop()
        except IndexError:
            model = self._open()
        _set(model, values)
        result = self._run(model, begin, moments, read_frame(inputs), sensitivities, variables, {**mapping_of(options, "options"), **more})
        if len(spare) < 8:
            spare.append(model)
        return result

    def _run(self, model: Handle, begin: float, moments: Array, inputs: Mapping[str, Any], sensitivities: Any, variables: Any,
             options: Mapping[str, Any]) -> Simulation:
        self._guard.check()
        error = new_error()
        settings = Handle(lib.entrain_options_new(), lib.entrain_options_free)
        for name, value in options.items():
            if not lib.entrain_options_set(settings.pointer, c_text(name), c_text(option_of(name, value)), error):
                raise_error(error)
        pointer = lib.entrain_simulation_new(model.pointer, settings.pointer, error)
        if not pointer:
            raise_error(error)
        run = Handle(pointer, lib.entrain_simulation_free, model, settings)
        return simulate(run, [], model, begin, moments, inputs, sensitivities, variables)

    # ---- copies

    def __getstate__(self) -> dict[str, Any]:
        return {k: v for k, v in self.__dict__.items() if k not in ("_opened", "_opening", "_guard", "_spare")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._prepare()

    def __dir__(self) -> list[str]:
        return [name for name in object.__dir__(self) if not name.startswith("_")]

    def __repr__(self) -> str:
        def number(count: int, word: str) -> str:
            return f"{count} {word}" + ("" if count == 1 else "s")

        p = sum(not name.endswith(".start") for name in self.parameters)
        parts = [number(len(self.states), "state"), number(p, "parameter")]
        if self.inputs:
            parts.append(number(len(self.inputs), "input"))
        return f"<entrain.Model {self.name}: {', '.join(parts)}>"


def elements(name: str, array: Array, known: Iterable[str]) -> dict[str, float]:
    """What an array says about the elements of a parameter, or of the start values ``x.start``, of a model with these names."""
    of, start = (name[:-len(".start")], ".start") if name.endswith(".start") else (name, "")
    places = [re.fullmatch(re.escape(of) + r"\[([\d,]+)\]" + start, k) for k in known]
    indices = [tuple(map(int, place[1].split(","))) for place in places if place]
    shape = tuple(map(max, zip(*indices)))
    if name not in known and not indices:
        raise Error(f"there is no parameter '{name}'")
    if array.shape != shape:
        raise Error(f"parameter '{name}' has the shape {shape}, not {array.shape}" if shape else f"parameter '{name}' is a single number, no array")
    return {f"{of}[{','.join(str(i + 1) for i in index)}]{start}": float(array[index]) for index in np.ndindex(shape)}


def _values(parameters: Optional[Mapping[str, Any]], model: "Model") -> dict[str, str]:
    """Parameters by name as texts; arrays become their elements."""
    found: dict[str, str] = {}
    for name, value in mapping_of(parameters, "parameters").items():
        if isinstance(value, str):
            found[str(name)] = value
            continue
        try:
            array = np.asarray(without_mask(value), dtype=float)
        except (TypeError, ValueError):
            raise Error(f"parameter '{name}' must be a number") from None
        if not np.all(np.isfinite(array)):
            raise Error(f"parameter '{name}' must be finite")
        of_elements = elements(str(name), array, list(model.parameters)) if array.ndim else {str(name): float(array)}
        found.update({k: number_text(v) for k, v in of_elements.items()})
    return found


def _set(model: Handle, values: Mapping[str, str]) -> None:
    error = new_error()
    for name, value in values.items():
        if not lib.entrain_model_set(model.pointer, c_text(name), c_text(value), error):
            raise_error(error)


def _give_inputs(simulation: Any, begin: float, moments: Array, inputs: Mapping[str, Any], error: Any) -> None:
    shared = inputs.get("time")
    for name in list(inputs):
        value = inputs[name]
        if name == "time":
            continue
        if isinstance(value, tuple) and len(value) == 2 and np.ndim(value[0]) == 1:
            at, array = _arrays.times(value[0], f"times of {name}"), _arrays.column(value[1], str(name))
        elif np.ndim(value) == 0:
            at, array = np.array([min(begin, moments[0])]), np.array([number(value, f"input '{name}'")])
        else:
            at = moments if shared is None else _arrays.times(shared, "time")
            array = _arrays.column(value, str(name))
        if len(at) != len(array):
            raise Error(f"input '{name}' has {len(array)} values for {len(at)} times")
        if not np.all(np.isfinite(array)):
            raise Error(f"input '{name}' contains values that are not finite")
        if not lib.entrain_simulation_input(simulation, c_text(name), pointer_to(at), pointer_to(array), len(at), error):
            raise_error(error)


def _read_result(result: Any, interrupted: bool) -> Simulation:
    rows = lib.entrain_result_rows(result)
    columns: dict[str, Array] = {}
    slopes: dict[str, dict[str, Array]] = {}
    for i in range(lib.entrain_result_columns(result)):
        name = text_of(lib.entrain_result_name(result, i))
        values = numbers(lib.entrain_result_column(result, i), rows)
        by = next((v for v in columns if name.startswith(f"d{v}/d")), None) if name not in columns and "/d" in name else None
        if by is not None:
            by = max((v for v in columns if name.startswith(f"d{v}/d")), key=len)
            slopes.setdefault(by, {})[name[len(by) + 3:]] = values
        else:
            columns[name] = values
    parameters = list(next(iter(slopes.values()))) if slopes else []
    stacked = {v: np.column_stack([s[p] for p in parameters]) for v, s in slopes.items()}
    work = new_struct("EntrainWork")
    lib.entrain_result_work(result, work)
    outcome = "interrupted" if interrupted else text_of(lib.entrain_result_outcome_name(result))
    return Simulation(columns, stacked, parameters, outcome,
                      text_of(lib.entrain_result_message(result)), text_of(lib.entrain_result_log(result)),
                      {"steps": work.steps, "rejected": work.rejected, "rhs": work.rhs, "events": work.events,
                       "seconds": work.seconds, "solver": text_of(work.solver)})
