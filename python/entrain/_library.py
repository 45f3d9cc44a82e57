"""The C library: loading it, its errors, the life of its objects, and who may use them when.

Everything that knows about C is here; the other modules see Python objects and the names `lib` and `ffi`.
"""
from __future__ import annotations

import dataclasses
import json
import operator
import os
import sys
import threading
import weakref
from collections.abc import KeysView, Set
from types import MethodType
from typing import TYPE_CHECKING, Any, Callable, Iterable, Mapping, NoReturn, Optional

import numpy as np

from ._cffi import ffi as _ffi  # made from include/entrain.h by backend.py

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]
else:
    Array = np.ndarray

ffi: Any = _ffi
_FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "_lib")
lib: Any = ffi.dlopen(os.environ.get("ENTRAIN_LIBRARY") or os.path.join(_FOLDER, "libentrain.so.0"))
NULL = ffi.NULL


class Error(ValueError):
    """What entrain could not do, and why.

    ``str(error)`` is ``file:line:column: text`` and the line with a caret below it. `text`, `file`, `line`, `column` and `excerpt` are its
    parts; `line` 0: there is no place.

    Examples
    --------
    >>> import entrain
    >>> try:
    ...     entrain.Model("model A Real x; equation der(x) = k; end A;")
    ... except entrain.Error as error:
    ...     print(error.line, error.column, error.text)
    1 35 'k' is not declared in A
    """

    def __init__(self, text: str, file: str = "", line: int = 0, column: int = 0, excerpt: str = "") -> None:
        super().__init__(text, file, line, column, excerpt)
        self.text, self.file, self.line, self.column, self.excerpt = text, file, line, column, excerpt

    def __str__(self) -> str:
        place = self.file if self.line or self.file not in self.text else ""
        if self.line:
            place += f":{self.line}"
            if self.column:
                place += f":{self.column}"
        head = f"{place}: {self.text}" if place else self.text
        return head + ("\n" + self.excerpt.rstrip("\n") if self.excerpt else "")


def text_of(pointer: Any) -> str:
    """A text that belongs to the library."""
    return ffi.string(pointer).decode("utf-8", "replace") if pointer else ""


def taken_text(pointer: Any) -> str:
    """A text that belongs to us: it is freed."""
    if not pointer:
        return ""
    try:
        return text_of(pointer)
    finally:
        lib.entrain_text_free(pointer)


def c_text(text: Any, what: str = "a text") -> bytes:
    if isinstance(text, os.PathLike):
        text = os.fspath(text)
    if isinstance(text, str):
        try:
            text = text.encode("utf-8")
        except UnicodeEncodeError:
            try:
                text = os.fsencode(text)  # a path whose bytes are not UTF-8
            except UnicodeEncodeError:
                raise Error(f"{what} contains a character that is none: {text!r:.60}") from None
    if not isinstance(text, bytes):
        raise TypeError(f"{what} must be a text, not {type(text).__name__}")
    if b"\0" in text:
        raise Error(f"{what} contains a zero character")
    return text


_sizes: dict[str, tuple[Any, int]] = {}


def new_error() -> Any:
    return new_struct("EntrainError")


# What messages say to those who use the command, and what it is called here.
OF_COMMAND = (("'entrain options' lists", "entrain.options() lists"), ("'entrain methods' lists", "entrain.methods() lists"),
              ("--data DIR or the environment variable ENTRAIN_DATA", "folder= or the environment variable ENTRAIN_DATA"))


def raise_error(error: Any, source: str = "") -> NoReturn:
    """source: the file that was read, where the error has no place."""
    file = text_of(error.file)
    if file.startswith("--"):  # of settings and options the library says how the command takes them
        file = file[len("--set "):] if file.startswith("--set ") else ""
    text = text_of(error.text) or "unknown error"
    for of_command, here_called in OF_COMMAND:
        text = text.replace(of_command, here_called)
    raise Error(text, file or source, error.line, error.column, text_of(error.excerpt))


def new_struct(name: str) -> Any:
    """A struct that the library fills or reads; those that carry their size are told it."""
    if name not in _sizes:
        fields = ffi.typeof(name).fields or []
        _sizes[name] = ffi.typeof(name + " *"), ffi.sizeof(name) if fields and fields[0][0] == "size" else 0
    kind, size = _sizes[name]
    struct = ffi.new(kind)
    if size:
        struct.size = size
    return struct


def texts(names: Iterable[Any], what: str) -> tuple[Any, int, list[Any]]:
    """`const char *const *`, how many, and what must be kept as long as it is used."""
    kept = [ffi.new("char[]", c_text(n, what)) for n in names]
    if not kept:
        return NULL, 0, kept
    array = ffi.new("const char *[]", kept)
    return array, len(kept), [*kept, array]


def numbers(pointer: Any, count: int) -> Array:
    """A copy of numbers that belong to the library."""
    if not pointer or count <= 0:
        return np.empty(0)
    return np.frombuffer(ffi.buffer(ffi.cast("const double *", pointer), 8 * count), dtype=np.float64).copy()


def frozen(value: Any) -> Any:
    """The same, with arrays that nobody can change."""
    if isinstance(value, np.ndarray):
        value.setflags(write=False)
    elif isinstance(value, Mapping):
        frozen(list(value.values()))
    elif isinstance(value, (list, tuple)):
        for part in value:
            frozen(part)
    elif dataclasses.is_dataclass(value):
        frozen(vars(value))
    return value


def pointer_to(values: Array) -> Any:
    return ffi.cast("const double *", ffi.from_buffer(values)) if len(values) else NULL


class Handle:
    """An object of the library, freed when nobody needs it: neither a Python object nor another object of the library.

    No Python code runs when it dies: Ctrl-C that arrives in such code is lost. A cdata frees the object; it keeps those of the parents, so
    a problem is freed behind its fits. The cyclic garbage collector finalises in any order, so only `_live` is told of a death.
    """

    __slots__ = ("pointer", "kept", "_freed", "_parents", "__weakref__")

    def __init__(self, pointer: Any, free: Callable[[Any], Any], *parents: "Handle", kept: Any = None) -> None:
        self.pointer, self.kept, self._parents = pointer, kept, parents
        # The inner one does nothing when it dies, behind the outer one, but to let the parents go.
        inner = ffi.gc(pointer, MethodType(operator.is_, tuple(parent._freed for parent in parents)))
        self._freed = ffi.gc(inner, free)
        _live[weakref.ref(self, _live.pop)] = self._freed


_live: dict[Any, Any] = {}


class Guard:
    """One thread at a time; a callback that comes back to the object that it serves is told so instead of waiting for ever.

    The lock is held by a `with` of Python's own, which Ctrl-C cannot leave locked.
    """

    def __init__(self, what: str) -> None:
        self._lock, self._what, self._process = threading.Lock(), what, os.getpid()

    def check(self) -> None:
        if any([self in found.guards for found in _places()]):
            raise Error(f"this {self._what} is computing: its callbacks and its simulator cannot use it")

    def lock(self) -> Any:
        if self._process != os.getpid():  # after a fork the threads that may have held it are not there
            self._lock, self._process = threading.Lock(), os.getpid()
        return self._lock


class Opened:
    """What stands for an object of the library. A copy that was pickled makes it at its first use: its files may be gone."""

    _opened: Optional[Handle] = None
    _opening: Guard

    def _open(self) -> Handle:
        raise NotImplementedError

    @property
    def _handle(self) -> Handle:
        if self._opened is None:
            with self._opening.lock():
                if self._opened is None:
                    self._opened = self._open()
        return self._opened


_place_names: dict[int, str] = {}  # by the id of code: the variable of its frames that has `guards`


def place(function: Any, name: str) -> None:
    """While the function runs, its thread is inside of what this variable has."""
    _place_names[id(function.__code__)] = name


def _places() -> list[Any]:
    """Computations of this thread, and simulators that it serves, innermost first.

    They are read from the stack: Ctrl-C can come between any two steps of a program that would note them.
    """
    found: list[Any] = []
    frame: Any = sys._getframe(1)
    while frame is not None:
        name = _place_names.get(id(frame.f_code))
        if name is not None and name in frame.f_locals:
            found.append(frame.f_locals[name])
        frame = frame.f_back
    return found


def _present() -> "Optional[Computation]":
    """The innermost computation of this thread."""
    computations = [found for found in _places() if isinstance(found, Computation)]
    return computations[0] if computations else None


class Computation:
    """A long call of this thread: who can end it, and what its callbacks raised.

    Ctrl-C sets a mark that the interpreter looks at when it runs Python code in the main thread. The library asks some fifty
    times a second whether it goes on; the answer is Python code, so KeyboardInterrupt comes up there.
    """

    def __init__(self, guards: Iterable[Guard] = (), watched: Iterable[Handle] = ()) -> None:
        """watched: what may have a simulator that is a Python function."""
        self.guards, self._served = tuple(guards), [handle.kept[0] for handle in watched if handle.kept]
        self.raised: Optional[BaseException] = None
        self.error: Optional[Exception] = None  # the first one of a simulator
        self.ended = False  # by the answer of a callback
        self._outer: Optional[Computation] = None

    def run(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """What the function answers, while nobody else is in the guards."""
        for guard in self.guards:
            guard.check()
        self._outer = _present()
        return self._run_locked(self.guards, function, arguments)

    def _run_locked(self, guards: tuple[Guard, ...], function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
        if not guards:
            return self._run(function, arguments)
        with guards[0].lock():
            return self._run_locked(guards[1:], function, arguments)

    def _run(self, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
        asks = self._outer is None and threading.current_thread() is threading.main_thread()
        if asks:
            lib.entrain_goes_on(_goes_on, NULL)  # each time: a computation that ended by Ctrl-C may have left a no
        for served in self._served:
            served.begin()
        try:
            answer = function(*arguments)
            for served in self._served:
                self.error = served.end(self.interrupted) or self.error
            return answer
        finally:
            if asks:
                lib.entrain_goes_on(NULL, NULL)
            if self._outer is not None and self.interrupted and self._outer.raised is None:
                self._outer.raised = self.raised  # Ctrl-C ends all that runs

    @property
    def interrupted(self) -> bool:
        return isinstance(self.raised, KeyboardInterrupt)

    @property
    def end(self) -> str:
        """"interrupted" by Ctrl-C, "stopped" by a callback, or ""."""
        return "interrupted" if self.interrupted else "stopped" if self.ended or self.raised is not None else ""

    def settle(self) -> None:
        """Raises what a callback raised, unless that only ends the computation."""
        if self.raised is not None and not isinstance(self.raised, (KeyboardInterrupt, StopIteration)):
            raise self.raised


place(Computation._run, "self")


class Question(Computation):
    """A computation that has no part of a result: what ends it comes out of it."""

    def run(self, function: Callable[..., Any], *arguments: Any) -> Any:
        try:
            return super().run(function, *arguments)
        finally:  # an error only says that there is no answer, if something else ended it
            if self.interrupted:
                raise KeyboardInterrupt from None
            self.settle()


def remember(exception: BaseException) -> None:
    """Of a callback: the present computation of this thread ends."""
    computation = _present()
    if computation is not None and computation.raised is None:
        computation.raised = exception


def remember_on_error(_kind: Any, exception: BaseException, _traceback: Any) -> None:
    remember(exception)


def has_ended() -> bool:
    """Something in the present computation of this thread has raised an exception."""
    computation = _present()
    return computation is not None and computation.raised is not None


def _still_goes_on(_data: Any) -> bool:
    """The library takes False for all computations of the thread: what one inside another raised ends the inner one alone."""
    computation = _present()
    return computation is None or not computation.interrupted and (computation._outer is not None or computation.raised is None)


_goes_on = ffi.callback("EntrainGoesOn", _still_goes_on, error=False, onerror=remember_on_error)


class Listener:
    """Calls a Python function with the progress of a computation. What it raises ends the computation."""

    def __init__(self, hear: Optional[Callable[[Any], Any]]) -> None:
        self.hear = hear
        self.data = ffi.new_handle(self) if hear else NULL

    @staticmethod
    def of(kind: str) -> Any:
        def heard(data: Any, progress: Any) -> bool:
            computation = _present()
            if computation is None or computation.raised is not None:
                return False
            answer = ffi.from_handle(data).hear(progress)
            computation.ended |= isinstance(answer, (bool, np.bool_)) and not answer
            return not computation.ended and computation.raised is None

        return ffi.callback(kind, heard, error=False, onerror=remember_on_error)


_listeners: dict[str, Any] = {}


def listener(kind: str, hear: Optional[Callable[[Any], Any]]) -> tuple[Any, Any, Any]:
    """Function and data for the library, and what must be kept; `kind`: the type of the function in C."""
    if hear is None:
        return NULL, NULL, None
    if kind not in _listeners:
        _listeners[kind] = Listener.of(kind)
    kept = Listener(hear)
    return _listeners[kind], kept.data, kept


def here() -> str:
    """The working directory; "." if somebody has deleted it."""
    try:
        return os.getcwd()
    except OSError:
        return "."


def number(value: Any, what: str) -> float:
    """Of an argument: its value, or an error that names it."""
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise Error(f"{what} must be a number, not {value!r:.60}") from None


def whole(value: Any, what: str) -> int:
    try:
        found = int(operator.index(value))
    except TypeError:
        raise Error(f"{what} must be a whole number, not {value!r:.60}") from None
    if abs(found) >= 2**31:
        raise Error(f"{what} is too large: {found}")
    return found


def without_mask(values: Any) -> Any:
    """The same; what is masked, in lists too, is missing: NaN, NaT or None."""
    if isinstance(values, np.ma.MaskedArray):
        masked: Any = values
        if masked.dtype.kind in "Mm":
            return masked.filled(np.array("NaT", masked.dtype))
        if masked.dtype.kind in "biuf":
            return masked.astype(np.float64).filled(np.nan)
        return masked if masked.dtype.names else np.where(np.ma.getmaskarray(masked), None, masked.data)
    if isinstance(values, (list, tuple)) and any([isinstance(v, np.ma.MaskedArray) for v in values]):
        return [without_mask(v) for v in values]
    return values


def mapping_of(value: Any, what: str) -> dict[Any, Any]:
    """Values by name: a mapping, or a Series of pandas."""
    if value is None:
        return {}
    if isinstance(value, Mapping):
        return dict(value)
    if is_series(value):
        return value.to_dict()
    raise TypeError(f"{what} must be a mapping from names to values, not {type(value).__name__}")


def is_series(value: Any) -> bool:
    """A Series of pandas."""
    return hasattr(value, "index") and hasattr(value, "to_frame") and getattr(value, "ndim", 0) == 1 and hasattr(value, "iloc")


def in_order(value: Any, what: str) -> Any:
    """The same; a set, whose order means nothing, is an error."""
    if isinstance(value, Set) and not isinstance(value, KeysView):
        raise Error(f"{what} must have an order, as a list has: not a {type(value).__name__}")
    return value


def names_of(value: Any, what: str) -> list[Any]:
    """One name, or several."""
    if isinstance(value, str):
        return [value]
    in_order(value, what)
    if value is None or isinstance(value, (bytes, Mapping)) or not isinstance(value, Iterable) or getattr(value, "ndim", 1) != 1:
        raise TypeError(f"{what} must be a name or a list of names, not {value!r:.60}")
    return list(value)


def whole_path(path: Any) -> str:
    if not isinstance(path, (str, bytes, os.PathLike)):
        raise TypeError(f"a path must be a text or a path, not {path!r:.60}")
    path = os.fspath(path)
    if isinstance(path, bytes):
        path = os.fsdecode(path)
    return path if os.path.isabs(path) else os.path.normpath(os.path.join(here(), path))


def option_text(value: Any) -> str:
    """An option, or a value of a problem, as the library reads it."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value.item()
    if isinstance(value, (bool, np.bool_)):
        return "on" if value else "off"
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        return number_text(float(value))
    return str(value)


def number_text(value: float) -> str:
    if value != value:
        return ".nan"
    if value in (float("inf"), float("-inf")):
        return ".inf" if value > 0 else "-.inf"
    return repr(float(value))


def flow_text(value: Any) -> str:
    """A value as YAML in one line. JSON would do but for infinite numbers and characters beyond 16 bits."""
    if isinstance(value, np.timedelta64):
        raise TypeError("a problem cannot contain a span of time here")
    if isinstance(value, np.ndarray) and value.ndim == 0 or isinstance(value, np.generic):
        value = value.item()
    if value is None:
        return "~"
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        return number_text(float(value))
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    if isinstance(value, str):
        c_text(value, "a text of a problem")
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{flow_text(str(k))}: {flow_text(v)}" for k, v in value.items()) + "}"
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, (set, frozenset)):
        value = sorted(value, key=str)
    if isinstance(value, Iterable):
        return "[" + ", ".join(map(flow_text, value)) + "]"
    raise TypeError(f"a problem cannot contain a value of the type {type(value).__name__}")


_known_options: dict[str, str] = {}
_option_ranges: dict[str, str] = {}


def _read_options() -> None:
    out = new_struct("EntrainOption")
    for i in range(lib.entrain_option_count()):
        if lib.entrain_option(i, out):
            name, of = text_of(out.name), text_of(out.range)
            _option_ranges[name] = "one of " + ", ".join(of.split()) if text_of(out.type) == "choice" else "a number from " + of
            _known_options[name] = text_of(out.meaning)


def options_by_name() -> dict[str, str]:
    """Names of all options, and what they mean.

    Examples
    --------
    >>> import entrain
    >>> "rel_tol" in entrain.options()
    True
    """
    if not _known_options:
        _read_options()
    return dict(_known_options)


def option_of(name: Any, value: Any) -> str:
    """The value of this option as the library reads it. True and False are on and off, of an option that has these."""
    allowed = _option_ranges.get(str(name), "") if options_by_name() else ""
    flag = isinstance(value, (bool, np.bool_))
    if allowed and (value is None or flag and option_text(value) not in allowed.replace(",", "").split()):
        raise Error(f"option {name} cannot be {value}; it is {allowed}")
    return option_text(value)
