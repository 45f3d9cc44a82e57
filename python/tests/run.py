"""Runs the tests of the Python package and prints TAP lines: run.py [part of a name ...]. The package must be importable."""
import os
import signal
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))


class Tap(unittest.TestResult):
    def __init__(self):
        super().__init__()
        self.number = 0

    def line(self, test, ok, note=""):
        self.number += 1
        print(f"{'ok' if ok else 'not ok'} {self.number} - {test.id() if hasattr(test, 'id') else test}{note}", flush=True)

    def trouble(self, test, error):
        self.line(test, False)
        print("\n".join("# " + line for line in self._exc_info_to_string(error, test).rstrip().splitlines()[-12:]), flush=True)

    def addSuccess(self, test):
        self.line(test, True)

    def addError(self, test, error):
        self.errors.append((test, ""))
        self.trouble(test, error)

    def addFailure(self, test, error):
        self.failures.append((test, ""))
        self.trouble(test, error)

    def addSkip(self, test, reason):
        self.line(test, True, f" # SKIP {reason}")

    def addSubTest(self, test, subtest, error):
        if error is not None:
            self.failures.append((subtest, ""))
            self.trouble(subtest, error)


def chosen(suite, words):
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from chosen(test, words)
        elif not words or any(word in test.id() for word in words):
            yield test


if __name__ == "__main__":
    missing = [name for name in ("numpy", "cffi") if __import__("importlib.util").util.find_spec(name) is None]
    if missing:
        print(f"ok 1 - the Python package # SKIP needs {', '.join('python3-' + name for name in missing)}\n1..1")
        sys.exit(0)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # who runs this in the background ignores Ctrl-C
    sys.path.insert(0, HERE)
    result = Tap()
    unittest.TestSuite(chosen(unittest.defaultTestLoader.discover(HERE, "test_*.py"), sys.argv[1:])).run(result)
    print(f"1..{result.number}")
    sys.exit(not result.wasSuccessful())
