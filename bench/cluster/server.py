"""A private PostgreSQL server, and libpq by ctypes: what measure.py and two_workers.py share. Standard library only."""
import ctypes
import ctypes.util
import os
import pwd
import shutil
import socket
import subprocess
import tempfile


class Server:
    """Lives in a folder of its own, which goes with it. As root it belongs to the user postgres."""

    def __init__(self, connections=100, settings=""):
        versions = sorted(os.listdir("/usr/lib/postgresql"), key=int)
        self.programs = f"/usr/lib/postgresql/{versions[-1]}/bin"
        self.user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
        self.folder = tempfile.mkdtemp(prefix="entrain-bench-")
        if self.user:
            os.chown(self.folder, pwd.getpwnam("postgres").pw_uid, -1)
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            self.port = s.getsockname()[1]
        self.data = self.folder + "/data"
        self.call("initdb", "-D", self.data, "-A", "trust", "-U", "studies")
        with open(self.data + "/postgresql.conf", "a") as f:
            f.write(f"listen_addresses = '127.0.0.1'\nport = {self.port}\nunix_socket_directories = '{self.folder}'\n"
                    f"max_connections = {connections}\n{settings}\n")
        self.start()

    def call(self, program, *words):
        subprocess.run([*self.user, f"{self.programs}/{program}", *words], check=True, cwd="/",
                       stdout=subprocess.DEVNULL)

    def start(self):
        self.call("pg_ctl", "-D", self.data, "-l", self.folder + "/log", "-w", "start")

    def stop(self):
        self.call("pg_ctl", "-D", self.data, "-m", "immediate", "stop")
        shutil.rmtree(self.folder)

    def url(self, database):
        return f"postgresql://studies@127.0.0.1:{self.port}/{database}"

    def make(self, database):
        link = Link(self.url("postgres"))
        link.plain("SET client_min_messages = warning")
        link.plain(f"DROP DATABASE IF EXISTS {database}")
        link.plain(f"CREATE DATABASE {database}")
        link.close()
        return self.url(database)

    def processes(self):
        """Process numbers of the server and its backends."""
        with open(self.data + "/postmaster.pid") as f:
            main = int(f.readline())
        found = [main]
        for name in os.listdir("/proc"):
            if name.isdigit() and parent_of(int(name)) == main:
                found.append(int(name))
        return found

    def cpu_seconds(self):
        """Of all processes of the server that live."""
        return sum(cpu_of(p) for p in self.processes())

    def log_lines(self):
        with open(self.folder + "/log", errors="replace") as f:
            return f.readlines()


def fields_of(process):
    try:
        with open(f"/proc/{process}/stat") as f:
            return f.read().rsplit(")", 1)[1].split()
    except OSError:
        return None


def parent_of(process):
    fields = fields_of(process)
    return int(fields[1]) if fields else 0


def cpu_of(process):
    """Seconds of processor time, to the microsecond where the kernel says so."""
    try:
        with open(f"/proc/{process}/schedstat") as f:
            return int(f.read().split()[0]) * 1e-9
    except OSError:
        fields = fields_of(process)
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK") if fields else 0.0


# ---------------------------------------------------------------- libpq

pq = ctypes.CDLL(ctypes.util.find_library("pq") or "libpq.so.5")
for _name, _result, _arguments in [
        ("PQconnectdb", ctypes.c_void_p, [ctypes.c_char_p]),
        ("PQstatus", ctypes.c_int, [ctypes.c_void_p]),
        ("PQerrorMessage", ctypes.c_char_p, [ctypes.c_void_p]),
        ("PQexec", ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_char_p]),
        ("PQprepare", ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_int, ctypes.c_void_p]),
        ("PQexecPrepared", ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int, ctypes.c_void_p,
                                             ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int]),
        ("PQresultStatus", ctypes.c_int, [ctypes.c_void_p]),
        ("PQntuples", ctypes.c_int, [ctypes.c_void_p]),
        ("PQnfields", ctypes.c_int, [ctypes.c_void_p]),
        ("PQgetvalue", ctypes.c_char_p, [ctypes.c_void_p, ctypes.c_int, ctypes.c_int]),
        ("PQcmdTuples", ctypes.c_char_p, [ctypes.c_void_p]),
        ("PQclear", None, [ctypes.c_void_p]),
        ("PQfinish", None, [ctypes.c_void_p]),
        ("PQsocket", ctypes.c_int, [ctypes.c_void_p]),
        ("PQbackendPID", ctypes.c_int, [ctypes.c_void_p])]:
    getattr(pq, _name).restype = _result
    getattr(pq, _name).argtypes = _arguments


class Link:
    """A connection; statements are prepared when they are first used, as entrain does."""

    def __init__(self, url):
        self.link = pq.PQconnectdb(url.encode())
        if pq.PQstatus(self.link) != 0:
            raise RuntimeError(pq.PQerrorMessage(self.link).decode())
        self.names = {}

    def close(self):
        pq.PQfinish(self.link)

    def backend(self):
        return pq.PQbackendPID(self.link)

    def socket(self):
        return pq.PQsocket(self.link)

    def take(self, result):
        if pq.PQresultStatus(result) not in (1, 2):
            raise RuntimeError(pq.PQerrorMessage(self.link).decode())
        rows = [[pq.PQgetvalue(result, i, k) for k in range(pq.PQnfields(result))] for i in range(pq.PQntuples(result))]
        changed = pq.PQcmdTuples(result)
        pq.PQclear(result)
        return rows, int(changed or 0)

    def plain(self, sql):
        return self.take(pq.PQexec(self.link, sql.encode()))

    def run(self, sql, *values):
        name = self.names.get(sql)
        if not name:
            name = self.names[sql] = b"s%d" % len(self.names)
            self.take(pq.PQprepare(self.link, name, sql.encode(), 0, None))
        texts = (ctypes.c_char_p * max(1, len(values)))(*[str(v).encode() for v in values])
        return self.take(pq.PQexecPrepared(self.link, name, len(values), texts, None, None, 0))
