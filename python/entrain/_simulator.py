"""A Python function in the place of a model."""
from __future__ import annotations

import inspect
from typing import Any, Callable, Iterable, Mapping, Optional, Union

import numpy as np

from ._library import (Array, Error, Guard, NULL, c_text, has_ended, ffi, mapping_of, names_of, new_struct, number, numbers, place,
                       remember, remember_on_error, without_mask)

# Defects of the function rather than of a simulation at certain values.
BUGS = (NameError, TypeError, AttributeError, ImportError, LookupError, NotImplementedError, Error)


class Call:
    """What a simulator is asked for, besides times and parameters.

    ``call["u"]`` is the input u at the times, ``call(t)`` all inputs at other times, as a dict of arrays or numbers. It is
    over when the function returns.

    Examples
    --------
    >>> import entrain
    >>> s = entrain.Simulator(lambda t, p, call: p["k"]*call["u"], parameters={"k": 2.0}, outputs="x", inputs="u")
    >>> entrain.Model(s).simulate([0, 1], {"u": [1, 3]})["x"]
    array([2., 6.])
    """

    def __init__(self, simulator: "Simulator", call: Any, times: Array) -> None:
        self._simulator, self._call, self.times = simulator, call, times
        self.start: float = call.start  #: time at which the simulation begins
        self.experiment: int = call.experiment  #: its number in the problem, from 0
        self.wants_slopes: bool = bool(call.slopes)

    def _present(self) -> Any:
        if self._call is None:
            raise Error("this call of the simulator is over")
        return self._call

    def __call__(self, t: Any) -> dict[str, Any]:
        call, at = self._present(), _reals(t, "times for the inputs")
        names = self._simulator.inputs
        values = np.empty((max(1, at.size), len(names)))
        row = ffi.new("double[]", max(1, len(names)))
        for i, moment in enumerate(at.ravel()):
            call.read_inputs(call, float(moment), row)
            values[i] = numbers(row, len(names))
        return {name: values[:at.size, k].reshape(at.shape) if at.ndim else float(values[0, k])
                for k, name in enumerate(names)}

    def __getitem__(self, name: str) -> Array:
        if name not in self._simulator.inputs:
            raise KeyError(name)
        return self(self.times)[name]

    def goes_on(self) -> bool:
        """False: nobody waits for the result any more."""
        call = self._present()
        return bool(call.goes_on(call))


class Simulator:
    """A function that simulates: parameters and times in, outputs back.

    Parameters
    ----------
    function : callable
        ``function(t, p)`` or ``function(t, p, call)``: `t` is the array of times, `p` a dict of parameters, `call` a
        :class:`Call` with the inputs; a third argument with a default is yours, unless it is called `call`. Returns a dict of
        arrays by output, an array of the shape (times, outputs), or (times,) of a single output. NaN or a masked element: it
        cannot be simulated. With ``slopes=True`` it returns a pair: outputs, and their derivatives by the parameters, of the
        shape (times, outputs, parameters), (times, parameters) of a single output, or a dict of such arrays.
    parameters : mapping
        Name to value, or to ``dict(value=, min=, max=, unit=)``.
    outputs, inputs : names
    slopes : bool
        The function returns derivatives; else differences of whole runs are made.
    concurrent : bool
        It may run in several threads at the same time.

    An exception in the function is the outcome of that simulation, with its message; the first one is ``fit.error``. If no
    simulation succeeds and the first exception is a defect of the program (NameError, TypeError, AttributeError, ImportError,
    LookupError, NotImplementedError, or an answer of the wrong form), it comes out of the computation.

    >>> import numpy as np, entrain
    >>> s = entrain.Simulator(lambda t, p: np.exp(-p["k"] * t), parameters={"k": 2.0}, outputs=["x"])
    >>> entrain.Model(s).simulate([0, 1])["x"].round(6)
    array([1.      , 0.135335])
    """

    def __init__(self, function: Callable[..., Any], parameters: Mapping[str, Any], outputs: Union[str, Iterable[str]],
                 inputs: Union[str, Iterable[str]] = (), *, slopes: bool = False, concurrent: bool = False,
                 name: Optional[str] = None) -> None:
        if not callable(function):
            raise TypeError("a simulator needs a function")
        self.function, self.slopes, self.concurrent = function, bool(slopes), bool(concurrent)
        self.outputs, self.inputs = names_of(outputs, "outputs"), names_of(inputs, "inputs")
        self.name = name or getattr(function, "__name__", "").strip("<>") or "function"
        self.parameters: dict[str, dict[str, Any]] = {}
        for key, value in mapping_of(parameters, "parameters").items():
            row = dict(value) if isinstance(value, Mapping) else {"value": value}
            wrong = set(row) - {"value", "min", "max", "unit"}
            if wrong or "value" not in row:
                raise Error(f"parameter '{key}' of a simulator needs value, and may have min, max and unit")
            self.parameters[key] = {"unit": str(row.get("unit") or ""), "value": number(row["value"], f"parameter '{key}'"),
                                    "min": number(row.get("min", -np.inf), f"min of '{key}'"),
                                    "max": number(row.get("max", np.inf), f"max of '{key}'")}
        try:
            given = [a for a in inspect.signature(function).parameters.values() if a.kind in (a.POSITIONAL_ONLY, a.POSITIONAL_OR_KEYWORD)]
        except (TypeError, ValueError):
            given = []
        self._takes_call = len(given) > 2 and (given[2].default is given[2].empty or given[2].name == "call")

    def __repr__(self) -> str:
        return f"<entrain.Simulator {self.name}: {', '.join(self.parameters)} -> {', '.join(self.outputs)}>"

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__.copy()

    def _struct(self, guards: list[Guard]) -> tuple[Any, Any]:
        """For the library, and what must be kept as long as it may call."""
        kept: list[Any] = [_Served(self, guards)]

        def text(value: Any, what: str) -> Any:
            kept.append(ffi.new("char[]", c_text(value, what)))
            return kept[-1]

        def names(values: list[str], what: str) -> Any:
            kept.append(ffi.new("const char *[]", [text(v, what) for v in values]) if values else NULL)
            return kept[-1]

        rows = ffi.new("EntrainSimulatorParameter[]", max(1, len(self.parameters)))
        for row, (key, value) in zip(rows, self.parameters.items()):
            row.name, row.unit = text(key, "a name"), text(value.get("unit") or "", "a unit")
            row.value, row.min, row.max = value["value"], value["min"], value["max"]
        struct = new_struct("EntrainSimulator")
        struct.name = text(self.name, "a name")
        struct.parameters, struct.parameter_count = rows, len(self.parameters)
        struct.inputs, struct.input_count = names(self.inputs, "an input"), len(self.inputs)
        struct.outputs, struct.output_count = names(self.outputs, "an output"), len(self.outputs)
        handle = ffi.new_handle(kept[0])  # the struct keeps the address only
        struct.simulate, struct.data = _simulate, handle
        struct.concurrent, struct.has_slopes = self.concurrent, self.slopes
        kept += [rows, handle, struct]
        return struct, kept

    def _run(self, call: Any) -> None:
        times = numbers(call.times, call.time_count)
        values = dict(zip(self.parameters, numbers(call.parameters, len(self.parameters)).tolist()))
        if self._takes_call:
            shown = Call(self, call, times)
            try:
                answer = self.function(times.copy(), values, shown)
            finally:
                shown._call = None
        else:
            answer = self.function(times.copy(), values)
        slopes = None
        if self.slopes:
            if not isinstance(answer, tuple) or len(answer) != 2:
                raise Error("a simulator with slopes returns a pair: outputs and slopes")
            answer, slopes = answer
        n, m, k = len(times), len(self.outputs), len(self.parameters)
        _fill(call.outputs, _stack(answer, self.outputs, (n, m), "outputs"))
        if call.slopes:
            _fill(call.slopes, _stack(slopes, self.outputs, (n, m, k), "slopes"))


def _reals(answer: Any, what: str) -> Array:
    try:
        array = np.asarray(without_mask(answer))
        if array.dtype.kind == "c" or array.dtype.kind == "O" and any(isinstance(v, complex) for v in array.ravel()):
            raise Error(f"the {what} of the simulator are complex numbers")
        return array.astype(float)
    except (TypeError, ValueError) as why:
        if isinstance(why, Error):
            raise
        raise Error(f"the {what} of the simulator are no numbers: {why}") from None


def _stack(answer: Any, names: list[str], shape: tuple[int, ...], what: str) -> Array:
    if isinstance(answer, Mapping):
        missing = [name for name in names if name not in answer]
        if missing:
            raise Error(f"the simulator did not return '{missing[0]}' among its {what}")
        parts = [_reals(answer[name], what) for name in names]
        wanted = shape[:1] + shape[2:]
        for name, part in zip(names, parts):
            if part.shape != wanted:
                raise Error(f"{what} of '{name}' have the shape {part.shape}, not {wanted}")
        array = np.stack(parts, axis=1)
    else:
        array = _reals(answer, what)
        if shape[1] == 1 and array.shape == shape[:1] + shape[2:]:
            array = array[:, None]
    if array.shape != shape:
        raise Error(f"the {what} of the simulator have the shape {array.shape}, not {shape}")
    return np.ascontiguousarray(array)


def _fill(target: Any, array: Array) -> None:
    if array.size:
        ffi.memmove(target, ffi.from_buffer(array), array.nbytes)


class _Served:
    """A simulator and the guards of whom it serves, which it must not use itself. And what its calls came to since `begin`."""

    def __init__(self, simulator: Simulator, guards: list[Guard]) -> None:
        self.simulator, self.guards = simulator, guards
        self.begin()

    def begin(self) -> None:
        self.error: Optional[Exception] = None  # the first one
        self.succeeded = False

    def end(self, interrupted: bool) -> Optional[Exception]:
        """The first exception; one that is a defect comes out if no call has succeeded."""
        error, found = self.error, not self.succeeded
        self.begin()
        if found and isinstance(error, BUGS) and not interrupted:
            raise error
        return error


def _tell(call: Any, exception: BaseException) -> None:
    try:
        text = f"{type(exception).__name__}: {exception}" if not isinstance(exception, Error) else str(exception)
    except Exception:  # one that cannot say what it is
        text = type(exception).__name__
    message = text.replace("\0", "").encode("utf-8", "replace")[:ffi.sizeof(call.message) - 1]
    message = message.decode("utf-8", "ignore").encode()  # no half character
    ffi.memmove(call.message, message + b"\0", len(message) + 1)


def _simulate_back(data: Any, call: Any) -> bool:
    if has_ended():
        return False
    served = ffi.from_handle(data)
    try:
        served.simulator._run(call)
        served.succeeded = True
        return not has_ended()
    except Exception as exception:
        if served.error is None:
            served.error = exception
        _tell(call, exception)
        return False
    except BaseException as exception:  # Ctrl-C and the like: all of it ends
        remember(exception)
        _tell(call, exception)
        return False


place(_simulate_back, "served")
_simulate = ffi.callback("bool(void *, EntrainSimulatorCall *)", _simulate_back, error=False, onerror=remember_on_error)
