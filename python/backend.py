"""Builds the wheel of entrain (PEP 517, PEP 660). It needs nothing from the network: make, patchelf and python3-cffi of Debian.

The wheel carries libentrain.so, the program entrain-worker, and every shared library that these need beyond those of the C
library; all of them find each other by $ORIGIN. The declarations of include/entrain.h are parsed here, so that an import
parses no C.
"""
import base64
import hashlib
import io
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
BUILD = os.path.abspath(os.environ.get("ENTRAIN_BUILD") or os.path.join(ROOT, "build"))
TAG = "py3-none-linux_x86_64"
# Of the package libc6, which is there wherever Python is.
SYSTEM = re.compile(r"^(linux-vdso|ld-linux.*|lib(c|m|dl|pthread|rt|resolv|util))\.so(\..*)?$")


def declarations():
    """include/entrain.h without what cffi does not read."""
    with open(os.path.join(ROOT, "include", "entrain.h"), encoding="utf-8") as file:
        text = file.read()
    text = re.sub(r"^#(?:.*\\\n)*.*$", "", text, flags=re.M)
    text, changed = re.subn(r'extern "C" \{', "", text)
    return text[:text.rindex("}")] if changed else text


MAKE_CFFI = """
import sys, cffi
ffi = cffi.FFI()
ffi.cdef(sys.stdin.read())
ffi.set_source("entrain._cffi", None)
ffi.emit_python_code(sys.argv[1])
"""


def make_cffi(path):
    """In a process of its own: pip hides the packages of the system from a backend."""
    pythons = [sys.executable, os.path.join(sys.base_prefix, "bin", "python3"), "/usr/bin/python3"]
    for python in pythons:
        if subprocess.run([python, "-I", "-c", "import cffi, pycparser"], stderr=subprocess.DEVNULL).returncode == 0:
            subprocess.run([python, "-I", "-c", MAKE_CFFI, path], input=declarations(), text=True, check=True,
                           stdout=subprocess.DEVNULL)
            return
    raise SystemExit("entrain: building the Python package needs cffi (on Debian: python3-cffi)")


def version():
    """As entrain_version says."""
    with open(os.path.join(ROOT, "include", "entrain.h"), encoding="utf-8") as file:
        found = re.search(r'^#define ENTRAIN_VERSION "([0-9]+\.[0-9]+\.[0-9]+)"', file.read(), re.M)
    if not found:
        raise SystemExit("entrain: include/entrain.h does not say the version")
    return found[1]


def make_library():
    wanted = [os.path.join(BUILD, name) for name in ("libentrain.so", "entrain-worker")]
    if all(map(os.path.exists, wanted)):
        return
    if not os.path.exists(os.path.join(ROOT, "Makefile")):
        raise SystemExit("entrain: the package is built inside the source tree of entrain")
    environment = {k: v for k, v in os.environ.items() if not k.startswith("MAKE")}
    subprocess.run(["make", "-s", f"-j{os.cpu_count() or 2}", f"BUILD={os.path.relpath(BUILD, ROOT)}"] +
                   [os.path.relpath(path, ROOT) for path in wanted], cwd=ROOT, env=environment, check=True)


def needed(path):
    """Shared libraries by name, with the file each is found in."""
    found = {}
    for line in subprocess.run(["ldd", path], capture_output=True, text=True, check=True).stdout.splitlines():
        match = re.match(r"\s*(\S+) => (.*?)(?: \(0x[0-9a-f]+\))?$", line)
        if not match or SYSTEM.match(os.path.basename(match[1])):
            continue
        if not os.path.exists(match[2]):
            raise SystemExit(f"entrain: the library {match[1]} of {path} is not there")
        found[match[1]] = match[2]
    return found


# Loaded by the library when it is wanted. Without it, the library says what to install.
ON_DEMAND = ("libmatio.so.11",)


def where(name):
    for line in subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True).stdout.splitlines():
        if line.strip().startswith(name + " ") and "x86-64" in line:
            return line.split("=> ")[1].strip()
    return None


def bundle(folder):
    os.makedirs(folder)
    files = {"libentrain.so.0": os.path.join(BUILD, "libentrain.so"), "entrain-worker": os.path.join(BUILD, "entrain-worker")}
    for path in list(files.values()):
        files.update(needed(path))
    with open(files["libentrain.so.0"], "rb") as file:
        text = file.read()
    for name in ON_DEMAND:
        path = where(name) if name.encode() in text else None
        if path:
            files[name] = path
            files.update(needed(path))
    for name, path in sorted(files.items()):
        target = os.path.join(folder, name)
        shutil.copyfile(os.path.realpath(path), target)
        os.chmod(target, 0o755)
        if name in ("libentrain.so.0", "entrain-worker"):
            subprocess.run(["strip", "--strip-unneeded", target], check=True)
        subprocess.run(["patchelf", "--set-rpath", "$ORIGIN", target], check=True)


def metadata():
    with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as file:
        readme = file.read()
    return (f"Metadata-Version: 2.1\nName: entrain\nVersion: {version()}\n"
            "Summary: Finds unknown parameters of dynamic models from measurements\n"
            "Requires-Python: >=3.10\nRequires-Dist: numpy\nRequires-Dist: cffi\n"
            "Description-Content-Type: text/markdown\n\n" + readme)


def write_wheel(directory, files):
    """files: bytes, or the path of a file, by the name in the wheel. The same content gives the same bytes."""
    info = f"entrain-{version()}.dist-info"
    files = dict(files)
    files[f"{info}/METADATA"] = metadata().encode()
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: entrain\nRoot-Is-Purelib: false\nTag: {TAG}\n".encode()
    license_path = os.path.join(ROOT, "LICENSE")
    if os.path.exists(license_path):
        files[f"{info}/LICENSE"] = license_path
    record = []
    name = f"entrain-{version()}-{TAG}.whl"
    with zipfile.ZipFile(os.path.join(directory, name), "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, content in sorted(files.items()):
            executable = False
            if isinstance(content, str):
                executable = os.access(content, os.X_OK)
                with open(content, "rb") as file:
                    content = file.read()
            entry = zipfile.ZipInfo(path, (2020, 1, 1, 0, 0, 0))
            entry.external_attr = (0o100755 if executable else 0o100644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, content)
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            record.append(f"{path},sha256={digest},{len(content)}")
        record.append(f"{info}/RECORD,,")
        wheel.writestr(zipfile.ZipInfo(f"{info}/RECORD", (2020, 1, 1, 0, 0, 0)), "\n".join(record) + "\n")
    return name


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    make_library()
    with tempfile.TemporaryDirectory() as work:
        bundle(os.path.join(work, "_lib"))
        make_cffi(os.path.join(work, "_cffi.py"))
        files = {"entrain/_cffi.py": os.path.join(work, "_cffi.py")}
        for name in sorted(os.listdir(os.path.join(HERE, "entrain"))):
            if name.endswith(".py") and name != "_cffi.py" or name == "py.typed":
                files[f"entrain/{name}"] = os.path.join(HERE, "entrain", name)
        for name in sorted(os.listdir(os.path.join(work, "_lib"))):
            files[f"entrain/_lib/{name}"] = os.path.join(work, "_lib", name)
        return write_wheel(wheel_directory, files)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """The modules stay in the tree; library and declarations lie beside them, ignored by git."""
    make_library()
    make_cffi(os.path.join(HERE, "entrain", "_cffi.py"))
    folder = os.path.join(HERE, "entrain", "_lib")
    shutil.rmtree(folder, ignore_errors=True)
    bundle(folder)
    return write_wheel(wheel_directory, {"entrain.pth": (HERE + "\n").encode()})


def build_sdist(sdist_directory, config_settings=None):
    """The whole tree as git knows it: the wheel is made of the C sources."""
    base = f"entrain-{version()}"
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout.decode()
    with tarfile.open(os.path.join(sdist_directory, base + ".tar.gz"), "w:gz") as archive:
        for name in listed.split("\0"):
            if name and os.path.exists(os.path.join(ROOT, name)):
                archive.add(os.path.join(ROOT, name), f"{base}/{name}", recursive=False)
        with open(os.path.join(HERE, "pyproject.toml"), encoding="utf-8") as file:
            project = file.read().replace('backend-path = ["."]', 'backend-path = ["python"]').encode()
        entry = tarfile.TarInfo(f"{base}/pyproject.toml")
        entry.size = len(project)
        archive.addfile(entry, io.BytesIO(project))
    return base + ".tar.gz"


def get_requires_for_build_wheel(config_settings=None):
    return []


get_requires_for_build_editable = get_requires_for_build_sdist = get_requires_for_build_wheel
