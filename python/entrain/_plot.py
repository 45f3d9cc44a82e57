"""Pictures by matplotlib."""
from __future__ import annotations

from typing import Any, Iterable


def axes(count: int, height: float = 2.2) -> tuple[Any, Any]:
    try:
        import matplotlib.pyplot as pyplot
    except ImportError:
        raise ImportError("pictures need matplotlib (on Debian: python3-matplotlib); without it, "
                          "result.figures() gives them as SVG") from None
    figure, panels = pyplot.subplots(count, 1, squeeze=False, figsize=(8, max(3.0, height * count)), constrained_layout=True)
    return figure, panels[:, 0]


def plot_simulation(simulation: Any, names: Iterable[str]) -> Any:
    chosen = list(names) or [name for name in simulation if name != "time"]
    figure, panels = axes(len(chosen))
    for panel, name in zip(panels, chosen):
        panel.plot(simulation.time, simulation[name])
        panel.set_ylabel(name)
    panels[-1].set_xlabel("time")
    return figure


def plot_fit(fit: Any) -> Any:
    """Data and model of each channel, and what is left."""
    channels = [c for c in fit.channels if len(c.time)]
    figure, panels = axes(max(1, 2 * len(channels)))
    for k, c in enumerate(channels):
        above, below = panels[2 * k], panels[2 * k + 1]
        above.plot(c.time, c.data, ".", markersize=3, label="data")
        above.plot(c.time, c.model, label="model")
        above.set_ylabel(f"{c.variable} [{c.unit}]" if c.unit else c.variable)
        above.set_title(c.experiment if c.role == "fit" else f"{c.experiment} ({c.role})", fontsize="small")
        above.legend(fontsize="small")
        below.plot(c.time, c.residual, ".", markersize=3)
        below.axhline(0, linewidth=0.5)
        below.set_ylabel("model - data")
    panels[-1].set_xlabel("time")
    return figure
