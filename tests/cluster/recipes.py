#!/usr/bin/env python3
"""Runs the commands of docs/cluster.md: tests/cluster/recipes.py [--entrain FILE]

Blocks "```sh HOST ..." are run by bash on these hosts: server, pc1, pc2. Hosts are network name spaces of this machine, with their own host name, home
and /etc/hosts; commands run as the user postgres, because PostgreSQL refuses root. "background": the next block does not
wait for it. "fails": its status must not be 0. Blocks "```sh" without a host are not run. Run by hand, as root; needs postgresql, openssh-server, iproute2.
"""
import argparse
import os
import pwd
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

TREE = os.path.realpath(os.path.join(os.path.dirname(__file__), "../.."))
HOSTS = {"server": "192.168.77.1", "pc1": "192.168.77.11", "pc2": "192.168.77.12"}
USER = "postgres"


def call(*words, check=True):
    return subprocess.run(words, check=check)


class Network:
    def __init__(self, folder):
        self.folder, self.made = folder, []
        with open(folder + "/hosts", "w") as f:
            f.write("127.0.0.1 localhost\n" + "".join(f"{a} {h}\n" for h, a in HOSTS.items()))
        call("ip", "link", "add", "erb", "type", "bridge")
        call("ip", "link", "set", "erb", "up")
        for host, address in HOSTS.items():
            call("ip", "netns", "add", "er" + host)
            self.made.append("er" + host)
            call("ip", "link", "add", "er" + host, "type", "veth", "peer", "name", "eth0", "netns", "er" + host)
            call("ip", "link", "set", "er" + host, "master", "erb", "up")
            for words in (["addr", "add", address + "/24", "dev", "eth0"], ["link", "set", "eth0", "up"], ["link", "set", "lo", "up"]):
                call("ip", "-n", "er" + host, *words)

    def enter(self, host):
        """Words before a command that run it there, as root."""
        return ["ip", "netns", "exec", "er" + host, "unshare", "-m", "-u", "sh", "-c",
                f'mount --bind {self.folder}/hosts /etc/hosts && hostname {host} && exec "$@"', "sh"]

    def end(self):
        for name in self.made:
            pids = subprocess.run(["ip", "netns", "pids", name], capture_output=True, text=True).stdout.split()
            for pid in pids:  # only what runs in a name space that we made
                try:
                    os.kill(int(pid), signal.SIGTERM)
                except ProcessLookupError:
                    pass
        time.sleep(1)
        for name in self.made:
            call("ip", "netns", "del", name, check=False)
        call("ip", "link", "del", "erb", check=False)


def blocks_of(text):
    for found in re.finditer(r"^```sh (.+)\n((?:.*\n)*?)```$", text, re.MULTILINE):
        words = found.group(1).split()
        yield [w for w in words if w in HOSTS], set(words) - set(HOSTS), found.group(2)


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    p.add_argument("--entrain", default=TREE + "/build/entrain")
    a = p.parse_args()
    if os.geteuid() != 0:
        sys.exit("network name spaces need root")
    folder = tempfile.mkdtemp(prefix="entrain-recipes-")
    os.chmod(folder, 0o755)
    user = pwd.getpwnam(USER)
    shutil.copytree(TREE + "/examples", folder + "/examples")
    os.makedirs(folder + "/bin")
    for name in ("entrain", "entrain-worker"):
        shutil.copy(os.path.join(os.path.dirname(os.path.realpath(a.entrain)), name), folder + "/bin")
    for host in HOSTS:  # a home for each, with a key that opens the others
        home = f"{folder}/{host}"
        os.makedirs(home + "/.ssh", mode=0o700)
        os.symlink(folder + "/examples", home + "/examples")
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder + "/hostkey"], check=True)
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder + "/key"], check=True)
    for host in HOSTS:
        home = f"{folder}/{host}"
        shutil.copy(folder + "/key", home + "/.ssh/key")
        with open(home + "/.ssh/config", "w") as f:
            f.write(f"Host *\n  User {USER}\n  IdentityFile {home}/.ssh/key\n  StrictHostKeyChecking no\n  UserKnownHostsFile /dev/null\n  LogLevel ERROR\n")
    subprocess.run(["chown", "-R", f"{user.pw_uid}:{user.pw_gid}", *(f"{folder}/{h}" for h in HOSTS)], check=True)
    # ssh reads ~ from the list of users, not from HOME: a wrapper names the settings.
    with open(folder + "/bin/ssh", "w") as f:
        f.write('#!/bin/sh\nexec /usr/bin/ssh -F "$HOME/.ssh/config" "$@"\n')
    os.chmod(folder + "/bin/ssh", 0o755)
    os.makedirs("/run/sshd", exist_ok=True)
    network = Network(folder)
    background, failed = [], 0
    try:
        for host, address in HOSTS.items():
            background.append(subprocess.Popen(network.enter(host) + [
                "/usr/sbin/sshd", "-D", "-f", "/dev/null", "-h", folder + "/hostkey", "-o", "ListenAddress=" + address,
                "-o", f"AuthorizedKeysFile={folder}/key.pub", "-o", "StrictModes=no", "-o", "UsePAM=yes", "-o", "PidFile=none",
                "-o", f"SetEnv=HOME={folder}/{host} PATH={folder}/bin:/usr/bin:/bin"],
                stderr=subprocess.DEVNULL))
        with open(TREE + "/docs/cluster.md") as f:
            text = f.read()
        for hosts, flags, script in blocks_of(text):
            for host in hosts:
                words = network.enter(host) + ["runuser", "-u", USER, "--", "env", "-i", f"HOME={folder}/{host}", f"USER={USER}",
                                               f"PATH={folder}/bin:/usr/bin:/bin", "COLUMNS=100", "bash", "-e", "-c",
                                               "cd ~ && " + script]
                print(f"--- {host}{' in the background' if 'background' in flags else ''}\n{script}", end="", flush=True)
                if "background" in flags:
                    background.append(subprocess.Popen(words, stdin=subprocess.DEVNULL, start_new_session=True))
                    continue
                # createuser asks twice; it reads the terminal, or without one its input
                done = subprocess.run(words, input="PASSWORD\nPASSWORD\n", text=True, start_new_session=True, timeout=300)
                if (done.returncode != 0) != ("fails" in flags):
                    failed += 1
                    print(f"*** status {done.returncode}", flush=True)
    finally:
        server = network.enter("server") + ["runuser", "-u", USER, "--", "bash", "-c",
                                            f"{shutil.which('pg_ctl') or '/usr/lib/postgresql/15/bin/pg_ctl'} -D {folder}/server/studies -m immediate stop"]
        subprocess.run(server, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        network.end()
        for process in background:
            process.wait()
        shutil.rmtree(folder)
    print("all commands did what they should" if not failed else f"{failed} commands failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
