"""entrain: finds unknown parameters of dynamic models from measurements.

>>> import numpy as np, entrain
>>> m = entrain.Model('''
... model Pendulum
...   parameter Real p = 10;
...   Real th(start = 1, fixed = true), om(start = 0, fixed = true);
... equation
...   der(th) = om;
...   der(om) = -p*sin(th);
... end Pendulum;''')
>>> t = np.linspace(0, 10, 201)
>>> y = m.simulate(t, parameters={"p": 7.3})["th"]
>>> fit = entrain.Problem(model=m, data={"time": t, "angle": y}, measure={"th": "angle"},
...                       estimate={"p": dict(start=40, min=0.1, max=200)}).fit()
>>> round(fit.parameters["p"].value, 6), fit.verdict
(7.3, 'certain')
"""
from ._fit import Channel, Estimate, Fit
from ._library import Error, lib as _lib, options_by_name as options, text_of as _text_of
from ._model import Model, Simulation, Variable
from ._problem import Problem
from ._simulator import Call, Simulator
from ._studies import Basin, Check, Compare, Models, Profile, Recover, Scan, Weights, compare_models as compare

__version__ = _text_of(_lib.entrain_version())


def methods() -> "dict[str, str]":
    """Names of the search methods, and what they mean.

    Examples
    --------
    >>> import entrain
    >>> "lm" in entrain.methods()
    True
    """
    return {_text_of(_lib.entrain_method_name(i)): _text_of(_lib.entrain_method_meaning(i))
            for i in range(_lib.entrain_method_count())}


__all__ = ["Basin", "Call", "Channel", "Check", "Compare", "Error", "Estimate", "Fit", "Model", "Models", "Problem", "Profile",
           "Recover", "Scan", "Simulation", "Simulator", "Variable", "Weights", "compare", "methods", "options"]


def __dir__() -> "list[str]":
    return [*__all__, "__version__"]
