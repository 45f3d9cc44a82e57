"""Unpacks a wheel as pip does: unpack.py WHEEL FOLDER."""
import os
import sys
import zipfile

with zipfile.ZipFile(sys.argv[1]) as wheel:
    for entry in wheel.infolist():
        path = wheel.extract(entry, sys.argv[2])
        os.chmod(path, (entry.external_attr >> 16) & 0o777 or 0o644)
