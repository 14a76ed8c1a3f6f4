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

# The libraries of libtorch are where python3 has torch; LIBTORCH names another folder.
find='from importlib.metadata import distribution as d; t = d("torch"); print(t.version.split("+")[0], t.locate_file("torch"))'
if [ -n "${LIBTORCH:-}" ]; then
  torch=$LIBTORCH
else
  found=$(python3 -c "$find" 2>/dev/null) || {
    echo "run.sh: python3 has no torch; it takes torch 2.11.0 (pip install torch==2.11.0)" >&2
    exit 1
  }
  torch=${found#* }
  if [ "${found%% *}" != 2.11.0 ]; then
    echo "run.sh: torch is ${found%% *}, the programs here were built for 2.11.0" >&2
    exit 1
  fi
fi
export LD_LIBRARY_PATH="$torch/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
if [ "$device" = auto ]; then
  device=cpu
  if [ -e /dev/nvidiactl ] || command -v nvidia-smi >/dev/null; then device=cuda; fi
fi
mkdir -p results
{ date -u +%F; nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null || echo "no GPU"; uname -m; } | tee results/machine.txt

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
if [ "$device" = cpu ] || [ -n "$quick" ]; then few="--steps 4 --epochs 1 --batch-graphs 64"; fi
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
