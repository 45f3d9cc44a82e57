"""A headless Chromium under our control, with the Python standard library only.

  with Chromium() as browser:
      browser.open("file:///tmp/report.html")
      browser.evaluate("document.title")

The browser reads commands of the Chrome DevTools Protocol from its file descriptor 3 and answers on 4 (--remote-debugging-pipe);
a message is JSON and ends with a NUL byte. Profile and all other files are in one temporary folder. Nothing leaves the machine: no
name is resolved, and what a page requests beside file:, data: and the address `loopback` fails and is remembered in `refused`.
Every wait has a limit; when it is over, BrowserError says what was waited for.

Of the page that was opened last: `errors` has console errors, uncaught exceptions and dialogs, `requests` all addresses, `refused`
those that failed.
"""
import base64
import fcntl
import json
import os
import select
import shutil
import signal
import tempfile
import time

FLAGS = """--headless=new --remote-debugging-pipe --no-first-run --no-default-browser-check --disable-gpu --disable-extensions
  --disable-component-update --disable-background-networking --disable-sync --disable-default-apps --disable-breakpad
  --disable-crash-reporter --disable-dev-shm-usage --disable-domain-reliability --disable-client-side-phishing-detection
  --disable-search-engine-choice-screen --metrics-recording-only --no-pings --mute-audio --password-store=basic --lang=en
  --force-color-profile=srgb --disable-renderer-backgrounding --disable-backgrounding-occluded-windows
  --disable-background-timer-throttling --force-webrtc-ip-handling-policy=disable_non_proxied_udp
  --disable-features=Translate,MediaRouter,OptimizationHints,DialMediaRouteProvider""".split()
NO_NAMES = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost"
KEYS = {"Tab": (9, ""), "Enter": (13, "\r"), "Escape": (27, ""), "Space": (32, " "), "ArrowLeft": (37, ""), "ArrowUp": (38, ""),
        "ArrowRight": (39, ""), "ArrowDown": (40, ""), "Home": (36, ""), "End": (35, "")}
SHIFT = 8
WIDTH, HEIGHT = 1100, 800  # px, of the window


class BrowserError(Exception):
    """The browser does not start, ended, or did not answer in time."""


class Navigated(BrowserError):
    """The page has gone elsewhere while it was asked something."""


class PageError(Exception):
    """A script that was evaluated in the page has thrown."""


def find():
    """Path of the program, or None. CHROMIUM names another one."""
    return shutil.which(os.environ.get("CHROMIUM") or "chromium") or shutil.which("chromium-browser")


class Chromium:
    def __init__(self, loopback="", limit=30):
        self.loopback = loopback  # "http://127.0.0.1:PORT/": requests that begin with it are allowed
        self.limit = limit  # s, of one wait
        self.process = self.leader = self.session = self.target = None
        self.pipes = ()
        self.errors, self.requests, self.refused = [], [], []
        self.folder = tempfile.mkdtemp(prefix="chromium-")
        try:
            self._start_anyhow()
        except BaseException:
            self.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    # ---- process ----

    def _start_anyhow(self):
        """Root cannot have the sandbox, and some containers have none; the pages are our own."""
        try:
            self._start([] if os.geteuid() else ["--no-sandbox"])
        except BrowserError:
            if not os.geteuid():
                raise
            self._end_process()
            self._start(["--no-sandbox"])

    def _start(self, flags):
        program = find()
        if not program:
            raise BrowserError("there is no chromium")
        self.buffer, self.searched, self.number = bytearray(), 0, 0
        self.replies, self.loaded = {}, False
        home = {name: self.folder for name in ("HOME", "TMPDIR", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR")}
        kept = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY", "LD_PRELOAD")}
        kept["DBUS_SESSION_BUS_ADDRESS"] = "disabled:"
        ends = []
        try:
            for pipe in (os.pipe(), os.pipe()):  # commands, answers; away from 3 and 4
                for end in pipe:
                    ends.append(fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10))
                    os.close(end)
            log = os.open(self.folder + "/log", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            ends.append(log)
            quiet = os.open(os.devnull, os.O_RDONLY)
            ends.append(quiet)
            actions = [(os.POSIX_SPAWN_DUP2, fd, to) for fd, to in ((quiet, 0), (log, 1), (log, 2), (ends[0], 3), (ends[3], 4))]
            words = [program, *FLAGS, NO_NAMES, f"--user-data-dir={self.folder}/profile", f"--window-size={WIDTH},{HEIGHT}", *flags]
            self.process = self.leader = os.posix_spawn(program, words, {**kept, **home}, file_actions=actions, setsid=True)
            self.pipes = (ends[2], ends[1])  # answers, commands
        finally:
            for end in ends:
                if end not in self.pipes:
                    os.close(end)
        os.set_blocking(self.pipes[1], False)
        self.call("Browser.getVersion", session=None)

    def _said(self):
        try:
            with open(self.folder + "/log", errors="replace") as f:
                lines = [line.strip() for line in f if "dbus" not in line and line.strip()]
            return "; ".join(lines[-3:])
        except OSError:
            return ""

    def _members(self):
        """Processes of the browser's session, and those that have left it but have our folder as their home."""
        found = []
        for name in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{name}/stat", "rb") as f:
                    state, _, _, session = f.read().rpartition(b")")[2].split()[:4]
                with open(f"/proc/{name}/environ", "rb") as f:
                    ours = int(session) == self.leader or b"=" + os.fsencode(self.folder) + b"\0" in f.read()
                if ours and state not in (b"Z", b"X"):  # a dead one is init's
                    found.append(int(name))
            except OSError:
                pass
        return found

    def _reap(self):
        """Whether the browser has ended."""
        if self.process:
            try:
                if os.waitpid(self.process, os.WNOHANG)[0]:
                    self.process = None
            except ChildProcessError:
                self.process = None
        return self.process is None

    def _end_process(self):
        for pipe in self.pipes:
            os.close(pipe)  # then Chromium ends by itself
        self.pipes = ()
        for wait, kill in ((5, False), (5, True)):
            until = time.monotonic() + wait
            while not (self._reap() and not self._members()) and time.monotonic() < until:
                for member in self._members() if kill else ():
                    try:
                        os.kill(member, signal.SIGKILL)
                    except ProcessLookupError:
                        pass
                time.sleep(0.02)
        self.session = self.target = None

    def close(self):
        """Ends all processes and removes the folder; may be called again."""
        if self.pipes and self.process:
            try:
                self.limit = min(self.limit, 5)
                self.call("Browser.close", session=None)
            except (BrowserError, OSError):
                pass
        self._end_process()
        for _ in range(20):  # a process that was killed may have made another file
            shutil.rmtree(self.folder, ignore_errors=True)
            if not os.path.exists(self.folder):
                return
            time.sleep(0.05)

    # ---- messages ----

    def _send(self, method, params, session):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if session:
            message["sessionId"] = session
        rest = json.dumps(message).encode() + b"\0"
        until = time.monotonic() + self.limit
        while rest:
            left = until - time.monotonic()
            if left <= 0 or not select.select([], [self.pipes[1]], [], left)[1]:
                raise BrowserError(f"{method}: Chromium takes no message within {self.limit} s")
            try:
                rest = rest[os.write(self.pipes[1], rest):]
            except BlockingIOError:
                pass
            except BrokenPipeError:
                raise BrowserError(f"{method}: Chromium has ended: {self._said()}") from None
        return self.number

    def _receive(self, until):
        """Handles one message; False: none came."""
        while (end := self.buffer.find(b"\0", self.searched)) < 0:
            self.searched = len(self.buffer)
            left = until - time.monotonic()
            if left <= 0 or not select.select([self.pipes[0]], [], [], left)[0]:
                return False
            part = os.read(self.pipes[0], 1 << 20)
            if not part:
                raise BrowserError(f"Chromium has ended: {self._said()}")
            self.buffer += part
        message = json.loads(bytes(self.buffer[:end]))
        del self.buffer[:end + 1]
        self.searched = 0
        if "id" in message:
            if message["id"] in self.replies:
                self.replies[message["id"]] = message
        elif message.get("sessionId") == self.session:
            self._event(message["method"], message["params"])
        return True

    def call(self, method, session="", **params):
        """Sends a command of the protocol and returns its result. session "": of the page, None: of the browser."""
        number = self._send(method, params, self.session if session == "" else session)
        self.replies[number] = None
        until = time.monotonic() + self.limit
        try:
            while not self.replies[number]:
                if not self._receive(until):
                    self.session = None  # it may never answer: the next page gets a new tab
                    raise BrowserError(f"{method}: no answer within {self.limit} s: {str(params)[:200]}")
            reply = self.replies[number]
        finally:
            del self.replies[number]
        if "error" in reply:
            said = reply["error"].get("message", "")
            kind = Navigated if "navigated" in said or "context" in said else BrowserError
            raise kind(f"{method}: {said}")
        return reply["result"]

    def allowed(self, url):
        return url.startswith(("file:", "data:", "blob:", "about:")) or bool(self.loopback) and url.startswith(self.loopback)

    def _request(self, url):
        if url not in self.requests:
            self.requests.append(url)
        if not self.allowed(url) and url not in self.refused:
            self.refused.append(url)

    def _event(self, name, p):
        if name == "Fetch.requestPaused":
            url = p["request"]["url"]
            self._request(url)
            if self.allowed(url):
                self._send("Fetch.continueRequest", {"requestId": p["requestId"]}, self.session)
            else:
                self._send("Fetch.failRequest", {"requestId": p["requestId"], "errorReason": "BlockedByClient"}, self.session)
        elif name == "Network.requestWillBeSent":
            self._request(p["request"]["url"])
        elif name == "Network.webSocketCreated":
            self._request(p["url"])
        elif name == "Runtime.consoleAPICalled" and p["type"] in ("error", "assert"):
            self.errors.append("console: " + " ".join(str(a.get("value", a.get("description", ""))) for a in p["args"]))
        elif name == "Runtime.exceptionThrown":
            detail = p["exceptionDetails"]
            self.errors.append("exception: " + (detail.get("exception", {}).get("description") or detail["text"]))
        elif name == "Log.entryAdded" and p["entry"]["level"] == "error":
            self.errors.append(f"{p['entry']['source']}: {p['entry']['text']} {p['entry'].get('url', '')}".rstrip())
        elif name == "Page.javascriptDialogOpening":
            self.errors.append(f"dialog: {p['message']}")
            self._send("Page.handleJavaScriptDialog", {"accept": False}, self.session)
        elif name == "Page.loadEventFired":
            self.loaded = True
        elif name == "Inspector.targetCrashed":
            self.session = None
            raise BrowserError("the page has crashed")

    # ---- a page ----

    def _new_tab(self):
        old, self.session = self.target, None
        self.target = self.call("Target.createTarget", session=None, url="about:blank")["targetId"]
        if old:
            self.call("Target.closeTarget", session=None, targetId=old)
        self.session = self.call("Target.attachToTarget", session=None, targetId=self.target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log", "Inspector"):
            self.call(domain + ".enable")
        self.call("Fetch.enable", patterns=[{"urlPattern": "*"}])
        self.call("Emulation.setFocusEmulationEnabled", enabled=True)

    def open(self, url):
        """Waits until the page is loaded and drawn. Nothing is emulated; errors and requests begin anew."""
        if self.session:
            self._load("about:blank")  # nothing of the old page comes later
        else:
            self._new_tab()
        self._emulate()
        self.errors, self.requests, self.refused = [], [], []
        self._load(url)
        self.settle()

    def _load(self, url):
        self.loaded = False
        failure = self.call("Page.navigate", url=url).get("errorText")
        if failure:
            raise BrowserError(f"cannot open {url}: {failure}")
        self.wait(lambda: self.loaded, f"{url} to load")

    def evaluate(self, script):
        """The value of an expression in the page; of a promise that which it becomes."""
        reply = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True, userGesture=True)
        if "exceptionDetails" in reply:
            detail = reply["exceptionDetails"]
            raise PageError(detail.get("exception", {}).get("description") or detail["text"])
        return reply["result"].get("value")

    def settle(self):
        """Until what was changed has been drawn."""
        self.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))")

    def sleep(self, seconds):
        """Requests of the page are answered meanwhile."""
        until = time.monotonic() + seconds
        while self._receive(until):
            pass

    def wait(self, condition, what, seconds=None):
        """Until the function, or the expression in the page, is true; returns its value."""
        seconds = seconds or self.limit
        until = time.monotonic() + seconds
        while True:
            try:
                value = condition() if callable(condition) else self.evaluate(condition)
            except Navigated:
                value = None
            if value:
                return value
            if time.monotonic() > until:
                raise BrowserError(f"waited {seconds} s in vain for {what}")
            self._receive(time.monotonic() + 0.02)

    def emulate(self, media="", dark=False, width=WIDTH, height=HEIGHT, mobile=False, scale=1):
        """The screen (or paper, media="print") that the page sees; whatever is not given goes back to the window's."""
        self._emulate(media, dark, width, height, mobile, scale)
        self.settle()

    def _emulate(self, media="", dark=False, width=WIDTH, height=HEIGHT, mobile=False, scale=1):
        self.call("Emulation.setEmulatedMedia", media=media,
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=mobile)
        self.call("Emulation.setTouchEmulationEnabled", enabled=mobile)

    def screenshot_bytes(self, **how):
        """A PNG of what is in the window."""
        return base64.b64decode(self.call("Page.captureScreenshot", format="png", **how)["data"])

    def screenshot(self, path, width=WIDTH, height=None, scale=1, **emulated):
        """A PNG of the page; without a height, of all of it."""
        self.emulate(width=width, height=height or HEIGHT, scale=scale, **emulated)
        clip = {}
        if not height:
            size = self.call("Page.getLayoutMetrics")["cssContentSize"]
            clip = {"clip": {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}}
        with open(path, "wb") as f:
            f.write(self.screenshot_bytes(captureBeyondViewport=not height, **clip))
        self.emulate()

    def pdf(self, path=None):
        """What a printer would get, on A4: the bytes, also in a file."""
        data = base64.b64decode(self.call("Page.printToPDF", paperWidth=8.27, paperHeight=11.69, preferCSSPageSize=True)["data"])
        if path:
            with open(path, "wb") as f:
                f.write(data)
        return data

    # ---- hands ----

    def box(self, element):
        """Where the element (an expression in the page) stands, after it was scrolled into view: x, y, width, height."""
        found = self.evaluate(f"""(e => {{ if (!e) return null;
            e.scrollIntoView({{block: 'center', inline: 'nearest', behavior: 'instant'}});
            const b = e.getBoundingClientRect(); return [b.x, b.y, b.width, b.height]; }})({element})""")
        if not found:
            raise PageError(f"there is no {element}")
        return found

    def _mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def move(self, x, y):
        self._mouse("mouseMoved", x, y)

    def click(self, x, y, times=1):
        self.move(x, y)
        for count in range(1, times + 1):
            self._mouse("mousePressed", x, y, button="left", buttons=1, clickCount=count)
            self._mouse("mouseReleased", x, y, button="left", clickCount=count)

    def click_on(self, element):
        x, y, width, height = self.box(element)
        self.click(x + width / 2, y + height / 2)

    def drag(self, start, end, steps=6, modifiers=0):
        (x, y), (to_x, to_y) = start, end
        self.move(x, y)
        self._mouse("mousePressed", x, y, button="left", buttons=1, clickCount=1, modifiers=modifiers)
        for i in range(1, steps + 1):
            part = i / steps
            self._mouse("mouseMoved", x + part * (to_x - x), y + part * (to_y - y), button="left", buttons=1, modifiers=modifiers)
        self._mouse("mouseReleased", to_x, to_y, button="left", clickCount=1, modifiers=modifiers)

    def wheel(self, x, y, amount, modifiers=0):
        """amount > 0: towards the user."""
        self._mouse("mouseWheel", x, y, deltaX=0, deltaY=amount, modifiers=modifiers)

    def key(self, name, modifiers=0):
        code, text = KEYS[name]
        same = {"key": " " if name == "Space" else name, "code": name, "windowsVirtualKeyCode": code, "modifiers": modifiers}
        self.call("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", text=text, **same)
        self.call("Input.dispatchKeyEvent", type="keyUp", **same)
