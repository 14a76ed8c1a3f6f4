"""Makes the torch in a folder importable by this environment: where CUDA's libraries are missing, which PyPI's torch
needs to be imported but not to run on a CPU, empty ones of their names take their place."""

import re
import subprocess
import sys
import sysconfig
from pathlib import Path

torch, packages = Path(sys.argv[1]), Path(sysconfig.get_path("purelib"))
start, stubs = packages / "torch.pth", packages / "cuda_stubs"
start.write_text(f"{torch.parent}\n")
if subprocess.run([sys.executable, "-c", "import torch"], capture_output=True).returncode == 0:
    sys.exit()
needed, versions, file = set(), {}, ""
for library in torch.glob("lib/lib*.so"):
    missing = subprocess.run(["ldd", library], capture_output=True, text=True).stdout
    needed.update(re.findall(r"(\S+) => not found", missing))
    for line in subprocess.run(["readelf", "-VW", library], capture_output=True, text=True).stdout.splitlines():
        if found := re.search(r"File: (\S+)", line):
            file = found[1]
        elif found := re.search(r"Name: (\S+)\s+Flags", line):
            versions.setdefault(file, set()).add(found[1])
needed -= {"libcuda.so.1"}  # The driver: without it torch sees that there is no GPU.
stubs.mkdir(exist_ok=True)
for name in sorted(needed):
    script = stubs / "versions"
    script.write_text("".join(f"{version} {{}};\n" for version in sorted(versions.get(name, ()))))
    options = [f"-Wl,-soname,{name}"] + [f"-Wl,--version-script,{script}"] * (name in versions)
    subprocess.run(["c++", "-shared", "-x", "c", "/dev/null", "-o", stubs / name, *options], check=True)
# Functions of the libraries are looked for when they are called, which is never.
load = f"list(map(ctypes.CDLL, glob.glob({str(stubs / 'lib*')!r})))"
line = f"import ctypes, glob, os, sys; sys.setdlopenflags(os.RTLD_LAZY); {load}"
start.write_text(f"{torch.parent}\n{line}\n")
subprocess.run([sys.executable, "-c", "import torch"], check=True)
