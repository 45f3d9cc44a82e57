"""How far a computation is, on one line: with tqdm if it is there, else plainly on standard error."""
from __future__ import annotations

import sys
import time
from typing import Any, Callable, Optional


class Bar:
    """A line on standard error; of tqdm if it is there, else plain on a terminal, and none elsewhere."""

    def __init__(self, what: str) -> None:
        self._what, self._bar, self._width, self._next = what, None, 0, 0.0  # type: str, Any, int, float
        try:
            from tqdm.auto import tqdm

            self._tqdm: Optional[Callable[..., Any]] = tqdm
        except ImportError:
            self._tqdm = None

    def show(self, done: float, total: float, text: str) -> None:
        if self._tqdm:
            if self._bar is None:
                self._bar = self._tqdm(desc=self._what, total=total or None)
            self._bar.n = done
            self._bar.set_postfix_str(text, refresh=False)
            self._bar.update(0)
            return
        if not sys.stderr or not sys.stderr.isatty() or time.monotonic() < self._next and not 0 < total <= done:
            return
        self._next = time.monotonic() + 0.1
        line = f"{self._what}: {done:g}" + (f"/{total:g}" if total else "") + f" {text}"
        sys.stderr.write("\r" + line.ljust(self._width))
        sys.stderr.flush()
        self._width = len(line)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.refresh()
            self._bar.close()
        elif self._width:
            sys.stderr.write("\n")


def hearer(progress: Any, callback: Optional[Callable[[Any], Any]], read: Callable[[Any], dict[str, Any]],
           bar: Optional[Bar], shown: Callable[[dict[str, Any]], tuple[float, float, str]]) -> Optional[Callable[[Any], Any]]:
    """What is done with each progress of the library; None: nothing."""
    if bar is None and callback is None:
        return None

    def hear(pointer: Any) -> Any:
        state = read(pointer)
        if bar is not None:
            bar.show(*shown(state))
        return callback(state) if callback is not None else True

    return hear
