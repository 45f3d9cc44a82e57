"""Arrays as people have them, as the library wants them: one dimension, doubles, NaN for what is missing."""
from __future__ import annotations

import datetime
import re
from dataclasses import dataclass, field
from typing import Any, Mapping, Optional

import numpy as np

from ._library import Array, Error, in_order, is_series, without_mask


# ISO 8601: the part without the time zone, then its sign, hours and minutes.
ISO = re.compile(r"(\d{4}-\d\d-\d\d(?:[T ][\d:.]+)?)(?:Z|([+-])(\d\d):?(\d\d))?")


def zone_of(value: Any) -> Optional[bool]:
    """Whether a moment, or the first of a column, has a time zone. None: it cannot (NumPy, whose moments are UTC), or is none."""
    if isinstance(value, str):
        parts = ISO.fullmatch(value.strip())
        return bool(parts[2]) or value.strip().endswith("Z") if parts else None
    if isinstance(value, datetime.date) or type(value).__name__ == "Period":
        return getattr(value, "tzinfo", None) is not None
    dtype = getattr(value, "dtype", None)
    if getattr(dtype, "kind", "") == "M" and not isinstance(value, (np.ndarray, np.generic)):
        return getattr(dtype, "tz", None) is not None
    if isinstance(value, (Mapping, np.generic)) or getattr(dtype, "kind", "O") not in "OU" or not hasattr(value, "__iter__"):
        return None
    return next((zone_of(v) for v in value if not _is_missing(v)), None)


def _is_missing(value: Any) -> bool:
    return value is None or type(value).__name__ in ("NAType", "NaTType")


# What nanoseconds can count, in years since 1970 and between two moments.
NANOSECONDS = np.datetime64("1678-01-01", "us"), np.datetime64("2262-01-01", "us"), np.timedelta64(292 * 365, "D")


def exact(moments: Array, name: str) -> Array:
    """Moments in ns, or in us where ns cannot count that far."""
    if np.datetime_data(moments.dtype)[0] in ("ns", "ps", "fs", "as"):
        moments = moments.astype("datetime64[ns]")
        wide = moments.astype("datetime64[us]")
    else:
        wide = moments.astype("datetime64[us]")
        if not np.array_equal(wide.astype(moments.dtype).view(np.int64), np.ascontiguousarray(moments).view(np.int64)):
            raise Error(f"'{name}' has dates that are too far from today")
    known = wide[~np.isnat(wide)]
    low, high, span = NANOSECONDS
    if len(known) and not (known.min() >= low and known.max() < high and known.max() - known.min() < span):
        return wide
    return moments.astype("datetime64[ns]")


def seconds_since(moments: Array, origin: np.datetime64) -> Array:
    coarse = np.append(moments.astype("datetime64[us]"), np.datetime64(origin, "us"))
    if exact(coarse, "time").dtype == coarse.dtype:  # ns cannot count from one to the other
        return _seconds(coarse[:-1] - coarse[-1])
    return _seconds(moments.astype("datetime64[ns]") - np.datetime64(origin, "ns"))


def after(origin: np.datetime64, seconds: Array) -> Array:
    """The moments so many seconds later."""
    whole = np.round(seconds)
    moments = np.datetime64(origin, "us") + whole.astype("timedelta64[s]")
    coarse = np.append(moments, np.datetime64(origin, "us"))
    if exact(coarse, "time").dtype == coarse.dtype:
        return moments + np.round((seconds - whole) * 1e6).astype("timedelta64[us]")
    return np.datetime64(origin, "ns") + np.round(seconds * 1e9).astype("timedelta64[ns]")


def moment(value: Any, name: str) -> np.datetime64:
    """A date, a time of day or an ISO 8601 text as UTC."""
    if isinstance(value, str):
        parts = ISO.fullmatch(value.strip())
        try:
            if not parts:
                raise ValueError
            shift = int(parts[3]) * 60 + int(parts[4]) if parts[2] else 0
            found = exact(np.array([np.datetime64(parts[1])]), name)[0]
            return found - np.timedelta64(-shift if parts[2] == "-" else shift, "m")
        except ValueError:
            raise Error(f"'{name}': '{value}' is no time of the form 2026-03-01T12:00:00") from None
    if getattr(value, "tzinfo", None) is not None:
        value = value.astimezone(datetime.timezone.utc).replace(tzinfo=None)
    if hasattr(value, "start_time"):  # a period of pandas
        value = value.start_time
    return exact(np.array([np.datetime64(value.to_datetime64() if hasattr(value, "to_datetime64") else value)]), name)[0]


def _of_moments(cells: list[Any], name: str) -> Array:
    found = [np.datetime64("NaT", "us") if v is None else moment(v, name) for v in cells]
    coarse = any(np.datetime_data(m.dtype)[0] == "us" and not np.isnat(m) for m in found)
    return np.array(found, dtype="datetime64[us]" if coarse else "datetime64[ns]")


def _of_objects(array: Array, name: str) -> Array:
    """Numbers, or moments, of a list of Python objects."""
    cells = [None if _is_missing(v) else v for v in array.tolist()]
    kinds = {type(v) for v in cells if v is not None}
    if len({zone_of(v) for v in cells if isinstance(v, (str, datetime.date))} - {None}) > 1:
        raise Error(f"'{name}' mixes times with and without a time zone")
    if kinds == {str} and ISO.fullmatch(next(v for v in cells if v is not None).strip()):
        return _of_moments(cells, name)
    if any(issubclass(k, (str, bytes)) for k in kinds):
        raise TypeError
    if kinds and all(issubclass(k, (datetime.date, np.datetime64)) or k.__name__ == "Period" for k in kinds):
        return _of_moments(cells, name)
    if kinds and all(issubclass(k, (datetime.timedelta, np.timedelta64)) for k in kinds):
        return np.array([np.timedelta64("NaT", "ns") if v is None else np.timedelta64(v) for v in cells], dtype="timedelta64[ns]")
    return np.array([np.nan if v is None else float(v) for v in cells], dtype=np.float64)


def _plain(values: Any, name: str) -> Array:
    """An array of numbers, of moments (datetime64) or of spans (timedelta64)."""
    if is_frame(values):
        if len(values.columns) != 1:
            raise Error(f"'{name}' must be one column, not a DataFrame of {len(values.columns)}")
        values = values.iloc[:, 0]
    if hasattr(values, "to_numpy") and hasattr(values, "isna"):  # pandas, also with its own missing values
        if getattr(values.dtype, "tz", None) is not None:
            values = values.to_numpy(dtype="datetime64[ns]")  # in UTC
        elif isinstance(values.dtype, np.dtype):
            values = values.to_numpy()
        else:
            values = values.to_numpy(dtype=object)
    in_order(values, f"'{name}'")
    if isinstance(values, np.ma.MaskedArray):
        values = without_mask(values)
    elif not isinstance(values, np.ndarray) and not hasattr(values, "__array__"):
        values = list(values) if not isinstance(values, (str, bytes, Mapping)) and hasattr(values, "__iter__") else values
    array = np.asarray(values)
    if array.ndim == 2 and array.shape[1] == 1:  # a column, as MATLAB has them
        array = array[:, 0]
    if array.ndim != 1:
        raise Error(f"'{name}' must be an array of one dimension, not of the shape {array.shape}")
    if array.dtype.kind in "OU":
        array = _of_objects(array, name)
    if array.dtype.kind in "cVUSO":
        raise TypeError
    return array


def _kind(values: Any) -> str:
    """As of a dtype: i whole numbers, m spans of time ..."""
    kind = getattr(getattr(values, "dtype", None), "kind", "O")
    if kind != "O":
        return kind
    cells = [v for v in values if not _is_missing(v)]
    if cells and all([isinstance(v, (datetime.timedelta, np.timedelta64)) for v in cells]):
        return "m"
    return "i" if cells and all([isinstance(v, (int, np.integer)) for v in cells]) else "O"


def _seconds(spans: Array) -> Array:
    if np.datetime_data(spans.dtype)[0] in ("Y", "M", "generic"):
        raise TypeError
    return np.asarray(spans / np.timedelta64(1, "s"), dtype=np.float64)


def column(values: Any, name: str) -> Array:
    """A copy as doubles, one after the other; spans of time become seconds."""
    array, origin = column_and_origin(values, name)
    if origin is not None:
        raise Error(f"'{name}' must be an array of real numbers, not of dates")
    return array


def column_and_origin(values: Any, name: str) -> tuple[Array, Optional[np.datetime64]]:
    """The same; moments become seconds since the first, which is the second part."""
    try:
        with np.errstate(all="ignore"):
            array, origin = _plain(values, name), None
            if array.dtype.kind == "M":
                if np.datetime_data(array.dtype)[0] in ("Y", "M", "W", "generic"):
                    array = array.astype("datetime64[D]")
                array = exact(array, name)
                known = array[~np.isnat(array)]
                if not len(known):
                    raise Error(f"'{name}' has no times")
                origin = known[0]
                array = array - origin
            if array.dtype.kind == "m":
                array = _seconds(array)
            return np.array(array, dtype=np.float64, order="C"), origin
    except (TypeError, ValueError, OverflowError) as why:
        if isinstance(why, Error):
            raise
        raise Error(f"'{name}' must be an array of real numbers") from None


def times(values: Any, name: str = "t") -> Array:
    array = column(values, name)
    if not len(array):
        raise Error(f"'{name}' is empty")
    if not np.all(np.isfinite(array)):
        raise Error(f"'{name}' contains values that are not finite")
    falls = np.flatnonzero(np.diff(array) <= 0)
    if len(falls):
        i = int(falls[0])
        raise Error(f"row {i + 2}: '{name}' must increase, but {float(array[i + 1])!r} follows {float(array[i])!r}")
    return array


def check_moments(seconds: Array, origin: np.datetime64, name: str, what: str) -> None:
    """That times of day increase. Missing ones are another matter."""
    falls = np.flatnonzero(np.diff(seconds) <= 0)
    if len(falls):
        i = int(falls[0])
        before, now = after(origin, seconds[i:i + 2])
        raise Error(f"{what}: row {i + 2}: time in column '{name}' must increase, but {now} follows {before}")


def is_frame(data: Any) -> bool:
    return hasattr(data, "columns") and hasattr(data, "iloc")


def is_table(data: Any) -> bool:
    """A single set of columns, not several of them."""
    return (isinstance(data, Mapping) or is_frame(data) or is_series(data)
            or isinstance(data, np.ndarray) and bool(data.dtype.names))


@dataclass
class Table:
    """Columns by name, all of one length."""

    columns: dict[str, Array] = field(default_factory=dict)
    origins: dict[str, np.datetime64] = field(default_factory=dict)  #: of columns that are moments: when 0 s was
    zones: dict[str, Optional[bool]] = field(default_factory=dict)  #: of the same, see zone_of
    spans: set[str] = field(default_factory=set)  #: columns that are spans of time
    large: dict[str, Array] = field(default_factory=dict)  #: whole numbers that doubles cannot tell apart
    unusable: dict[str, Error] = field(default_factory=dict)  #: texts, for example: why they cannot be used
    index: str = ""  #: why the index of a DataFrame cannot be the time although it looks as if it were meant; "": there is nothing

    @property
    def rows(self) -> int:
        return len(next(iter(self.columns.values()))) if self.columns else 0


def index_of(index: Any, names: Any) -> tuple[str, Any, str]:
    """The index of a DataFrame with these columns: its name, its values (None: it is no column), and why it cannot be one.

    Numbers of rows mean nothing; every other index is a column, or a reason.
    """
    known, name = set(map(str, names)), index.name
    remedy = "; reset_index() makes columns of it, reset_index(drop=True) leaves it out, and time= names the column of the time"
    if getattr(index, "nlevels", 1) > 1:
        return "", None, "the index has several levels" + remedy
    numbered = getattr(index.dtype, "kind", "") in "iu"
    if name is None and numbered and (not len(index) or np.array_equal(np.asarray(index), np.arange(len(index)) + int(index[0]))):
        return "", None, ""
    if name is None and numbered:
        return "", None, "the index has numbers and no name, and may be rows or times" + remedy
    label = "time" if name is None else str(name)
    if label in known:
        return "", None, "" if label == "time" else f"the index and a column are both called '{label}'" + remedy
    try:
        if getattr(index.dtype, "kind", "") == "b":
            raise Error("it is true or false")
        column_and_origin(index, label)
    except Error as why:
        return "", None, f"the index cannot be the time: {why.text}" + remedy
    return label, index, ""


def refuse_levels(frame: Any, what: str) -> None:
    if getattr(frame.columns, "nlevels", 1) > 1:
        raise Error(f"{what}: the columns have names of several levels; make one of them: frame.columns = [\".\".join(map(str, c)) for c in frame.columns]")


def _aligned(columns: Mapping[str, Any], what: str) -> Any:
    """The index that all Series among the columns share; None: there are none."""
    shared, first = None, ""
    for name, values in columns.items():
        if not is_series(values):
            continue
        if shared is None:
            shared, first = values.index, name
        elif not shared.equals(values.index):
            raise Error(f"{what}: the indices of '{first}' and '{name}' differ; make a DataFrame of them, which aligns them, or give "
                        "values without index, .to_numpy()")
    return shared


def _named_columns(data: Any, what: str) -> tuple[dict[str, Any], str]:
    """Columns by name, that of the index first, and why there is none of the index."""
    if is_series(data):
        if data.name is None:
            raise Error(f"{what}: a Series needs a name, which is that of its column")
        data = data.to_frame()
    index = None
    if is_frame(data):
        refuse_levels(data, what)
        named, index = [(name, data.iloc[:, i]) for i, name in enumerate(data.columns)], data.index
    elif isinstance(data, Mapping):
        named = list(data.items())
    elif isinstance(data, np.ndarray) and data.dtype.names:
        named = [(name, data[name]) for name in data.dtype.names]
    else:
        raise TypeError(f"{what} must be a mapping of arrays, a DataFrame or a path, not {type(data).__name__}")
    columns: dict[str, Any] = {}
    for name, values in named:
        if str(name) in columns:
            raise Error(f"{what} has two columns '{name}'")
        columns[str(name)] = values
    if isinstance(data, Mapping):
        shared = _aligned(columns, what)
        index = shared if all(map(is_series, columns.values())) else None
    if index is None:
        return columns, ""
    label, values, why = index_of(index, columns)
    return {label: values, **columns} if label else columns, why


def table(data: Any, what: str) -> Table:
    """Columns by name. Of a DataFrame whose index has a name or consists of times, the index comes first."""
    found = Table()
    columns, found.index = _named_columns(data, what)
    for name, values in columns.items():
        try:
            found.columns[name], origin = column_and_origin(values, name)
        except Error as why:
            found.unusable[name] = why
            continue
        if origin is not None:
            found.origins[name], found.zones[name] = origin, zone_of(values)
        elif _kind(values) == "m":
            found.spans.add(name)
        elif _kind(values) in "iu" and 2.0**53 <= np.abs(found.columns[name]).max(initial=0) < 2.0**63:  # no NaN, which is nothing missing
            found.large[name] = np.array(values, dtype=np.int64).ravel()
    if not found.columns:
        raise next(iter(found.unusable.values()), Error(f"{what} has no columns"))
    first = next(iter(found.columns))
    for name, values in found.columns.items():
        if len(values) != len(found.columns[first]):
            raise Error(f"{what}: '{name}' has {len(values)} values, but '{first}' has {len(found.columns[first])}")
    return found


def count_from_1970(found: Table, name: str, known: bool) -> Optional[int]:
    """A column of ns since 1970 becomes moments, by its whole numbers. The first one; None: it has no such numbers.

    known: it is said that they are. Else they are recognised as those of a file are: the first and the last are of 2000 to 2099.
    """
    large = found.large.get(name)
    if large is None:
        return None
    low, high = (np.datetime64(year).astype("datetime64[ns]").astype(np.int64) for year in ("2000", "2100"))
    if not known and not all([low <= large[i] < high for i in (0, -1)]):
        return None
    found.columns[name], origin = column_and_origin(large.astype("datetime64[ns]"), name)
    assert origin is not None
    found.origins[name], found.zones[name] = origin, None
    return int(large[0])


def without_spans(value: Any, name: str) -> Any:
    """The same with spans of time as numbers of s."""
    if isinstance(value, Mapping):
        return {k: without_spans(v, name) for k, v in value.items()}
    if isinstance(value, (list, tuple)) or isinstance(value, np.ndarray) and value.ndim:
        return [without_spans(v, name) for v in value]
    if not isinstance(value, (datetime.timedelta, np.timedelta64)):
        return value
    seconds = float(column([value], name)[0])
    if not np.isfinite(seconds):
        raise Error(f"'{name}' has no value")
    return seconds


@dataclass
class Since:
    """Times of day, and numbers that count from 1970, in a value of the problem as seconds since time 0 of the data."""

    origin: np.datetime64
    zone: Optional[bool]
    first: Optional[int] = None  #: of data with numbers: ns since 1970

    def of(self, value: Any, name: str) -> Any:
        if isinstance(value, Mapping):
            return {k: self.of(v, name) for k, v in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.of(v, name) for v in value]
        if isinstance(value, (str, datetime.date)):
            self.check(value, name)
            value = moment(value, name)
        if isinstance(value, np.datetime64):
            return float(seconds_since(np.array([value]), self.origin)[0])
        if self.first is not None and isinstance(value, (int, float, np.integer)) and abs(value - self.first) < self.first / 2:
            return (int(value) - self.first) / 1e9
        return value

    def check(self, value: Any, name: str) -> None:
        """That a moment has a time zone if those of the data have one."""
        has = zone_of(value)
        if has is None or self.zone is None or has == self.zone:
            return
        shown = f" {value}" if isinstance(value, (str, datetime.date)) else ""
        if self.zone:
            raise Error(f"'{name}'{shown} has no time zone, but the times of the data have one")
        raise Error(f"'{name}'{shown} has a time zone, but the times of the data have none")
