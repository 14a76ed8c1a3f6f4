#!/usr/bin/env bash
# Checks and times training on this machine: needs python3 with torch 2.11.0, and torch_geometric for the peers; no Rust.
#
#     ./run.sh [cpu|cuda|cuda:N] [--quick]     results in results/: checks.jsonl, graphpack.jsonl, pyg.jsonl, table.md
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cd "$here"
device=auto quick=
for argument in "$@"; do
  case $argument in
    --quick) quick=--quick ;;
    cpu | cuda | cuda:*) device=$argument ;;
    *) echo "run.sh: $argument is neither a device nor --quick" >&2; exit 2 ;;
  esac
done

# The libraries of libtorch are where python's torch has them.
torch=$(python3 -c 'import os, torch; print(os.path.dirname(torch.__file__))') || {
  echo "run.sh: python3 has no torch; it takes torch 2.11.0 (pip install torch==2.11.0)" >&2
  exit 1
}
version=$(python3 -c 'import torch; print(torch.__version__.split("+")[0])')
if [ "$version" != 2.11.0 ]; then
  echo "run.sh: torch is $version, the programs here were built for 2.11.0" >&2
  exit 1
fi
export LD_LIBRARY_PATH="$torch/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
if [ "$device" = auto ]; then
  device=$(python3 -c 'import torch; print("cuda" if torch.cuda.is_available() else "cpu")')
fi
mkdir -p results
python3 - "$device" >results/machine.json <<'PYTHON'
import datetime, json, platform, sys, torch
gpu = torch.cuda.get_device_name(sys.argv[1]) if sys.argv[1] != "cpu" else None
print(json.dumps(dict(date=str(datetime.date.today()), gpu=gpu, cpu=platform.processor(), torch=torch.__version__)))
PYTHON
cat results/machine.json

echo "== checks on $device"
status=0
./gpu_bench check data --device "$device" $quick | tee results/checks.jsonl || status=1
grep -q '"ok":false' results/checks.jsonl && status=1
if [ "$device" != cpu ] && command -v compute-sanitizer >/dev/null; then
  echo "== checks under compute-sanitizer"
  compute-sanitizer --error-exitcode 9 --log-file results/sanitizer.txt ./gpu_bench check data --device "$device" --quick >results/sanitized.jsonl || status=1
  tail -n 1 results/sanitizer.txt
fi
[ "$status" = 0 ] || { echo "run.sh: checks failed; nothing is timed" >&2; exit 1; }

# On a CPU, and where it is to be quick, enough to see that all of it works.
few=
if [ "$device" = cpu ] || [ -n "$quick" ]; then few="--steps 8 --epochs 1 --batch-graphs 64"; fi
echo "== training, graphpack"
./gpu_bench measure data --device "$device" $few | tee results/graphpack.jsonl
results=results/graphpack.jsonl
if python3 -c 'import torch_geometric' 2>/dev/null; then
  echo "== training, PyTorch Geometric"
  peers=$few
  if [ "$device" = cpu ]; then peers="$few --workers 0 --ways plain"; fi
  python3 peers/gpu_pyg.py data --device "$device" $peers | tee results/pyg.jsonl
  results="$results results/pyg.jsonl"
else
  echo "== training, PyTorch Geometric: SKIPPED, python3 has no torch_geometric"
fi
./gpu_bench table $results | tee results/table.md
