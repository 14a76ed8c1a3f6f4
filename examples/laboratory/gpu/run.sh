#!/usr/bin/env bash
# Tests and times training on this machine. Needs python3 with torch 2.13.0, for the peers torch_geometric; no Rust.
usage() {
  cat <<'END'
./run.sh [cpu|cuda|cuda:N] [options]

  --stages LIST      stages to run, in that order (check,sanitize,graphpack,pyg)
  --quick            few steps in all stages; on cpu times always take few steps
  --limit SECONDS    time limit of each stage (3600); results up to then count
  --check ARGS       more arguments for a stage, such as --check captured for the tests with it in their names,
  --graphpack ARGS   --graphpack '--tasks gine --batch-graphs 64,128 --ways captured --workers 4'
  --pyg ARGS         or --pyg '--tasks schnet --ways plain,prefetch --workers 0,8'; --help lists all

Each device has its folder of results below RESULTS (./results), such as results/cuda. Every run adds to it, so stages
may be run one by one; of what was done twice, the later result counts. table.md has all times and the stages that failed, even
if a stage fails or is stopped.

  check      tests of what must hold: check.txt; times are taken even if one fails
  sanitize   the tests, with fewer steps, under compute-sanitizer, if that is installed: sanitized.txt, sanitizer.txt
  graphpack  times: graphpack.jsonl
  pyg        the same times in PyTorch Geometric, if that is installed: pyg.jsonl

The exit status is 1 if a stage has failed on this device, now or earlier, or if there is no table.
END
}
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
all=check,sanitize,graphpack,pyg
device=auto quick='' stages=$all limit=3600
check=() graphpack=() pyg=()
fail() {
  echo "run.sh: $*" >&2
  exit 2
}
while [ $# -gt 0 ]; do
  case $1 in
    cpu | cuda | cuda:*) device=$1 ;;
    --quick) quick=--quick ;;
    -h | --help) usage; exit ;;
    --stages | --limit | --check | --graphpack | --pyg)
      [ $# -gt 1 ] || fail "$1 takes a value"
      case $1 in
        --stages) stages=$2 ;;
        --limit) limit=$2 ;;
        --check) read -ra check <<<"$2" ;;
        --graphpack) read -ra graphpack <<<"$2" ;;
        --pyg) read -ra pyg <<<"$2" ;;
      esac
      shift ;;
    *) fail "$1 is neither a device nor an option; --help lists both" ;;
  esac
  shift
done
[[ $limit =~ ^[1-9][0-9]*$ ]] || fail "--limit takes seconds, not $limit"
for stage in ${stages//,/ }; do
  [[ ",$all," == *",$stage,"* ]] || fail "$stage is none of the stages $all"
done

# The libraries of libtorch are those of python3's torch, unless LIBTORCH names another folder.
find='from importlib.metadata import distribution as d; t = d("torch"); print(t.version.split("+")[0], t.locate_file("torch"))'
if [ -n "${LIBTORCH:-}" ]; then
  torch=$(cd "$LIBTORCH" && pwd) || fail "LIBTORCH is no folder: $LIBTORCH"
else
  found=$(python3 -c "$find" 2>/dev/null) || fail "python3 has no torch; it takes torch 2.13.0 (pip install torch==2.13.0)"
  torch=${found#* }
  [ "${found%% *}" = 2.13.0 ] || fail "torch is ${found%% *}, the programs here were built for 2.13.0"
fi
export LD_LIBRARY_PATH="$torch/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
# All 32 queues of the device: streams that share a queue are in order even where nothing orders them.
export CUDA_DEVICE_MAX_CONNECTIONS=32
if [ "$device" = auto ]; then
  device=cpu
  if [ -e /dev/nvidiactl ] || command -v nvidia-smi >/dev/null; then device=cuda; fi
fi
export GRAPHPACK_DEVICE=$device
if [ -n "$quick" ]; then export GRAPHPACK_QUICK=1; fi
results=${RESULTS:-$here/results}/$device
mkdir -p "$results" || exit 2
results=$(cd "$results" && pwd)
cd "$here" || exit 2
{
  date -u +%F
  nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null || echo "no GPU"
  uname -m
} | tee "$results/machine.txt"

# However this script ends, the table is made of the results so far. It and the exit status say whether anything failed.
stage='' running='' failed=0
finish() {
  status=$?
  trap - EXIT
  if [ -n "$running" ]; then
    kill "$running" 2>/dev/null
    wait "$running"
  fi
  [ -z "$stage" ] || note "$stage" '"status":124'
  shopt -s nullglob
  ./gpu_bench table "$results"/*.jsonl >"$results/table.md" || failed=1
  cat "$results/table.md"
  [ "$status" != 0 ] || status=$failed
  exit "$status"
}
trap finish EXIT
trap 'exit 143' TERM
trap 'exit 130' INT

# Notes something about a stage, beside its results.
note() {
  echo "{\"stage\":\"$1\",$2}" >>"$results/stages.jsonl" || failed=1
}
# Runs a stage's program within the limit, adds its lines to a file, and notes how it ended.
run() {
  local file=$1 copying status
  shift
  # A line that was cut off earlier stays a line of its own.
  [ ! -s "$file" ] || [ -z "$(tail -c 1 "$file")" ] || echo >>"$file"
  exec 3> >(exec tee -a "$file")
  copying=$!
  # In the background: a signal to this script ends the wait.
  timeout --kill-after=30 "$limit" "$@" >&3 3>&- &
  running=$!
  exec 3>&-
  wait "$running"
  status=$?
  running=''
  # If the results cannot be written, the stage has failed.
  wait "$copying" || [ "$status" != 0 ] || status=1
  note "$stage" "\"status\":$status"
  return "$status"
}

# On a CPU, and with --quick, just enough steps to see that everything works.
few=()
if [ "$device" = cpu ] || [ -n "$quick" ]; then few=(--steps 4 --epochs 1 --batch-graphs 64); fi
for stage in ${stages//,/ }; do
  echo "== $stage on $device"
  case $stage in
    check)
      : >"$results/check.txt"
      run "$results/check.txt" ./on_gpu --ignored --show-output "${check[@]}" ;;
    sanitize)
      : >"$results/sanitized.txt"
      if [ "$device" = cpu ]; then
        note sanitize '"note":"nothing to be done on a CPU"'
      elif ! command -v compute-sanitizer >/dev/null; then
        note sanitize '"note":"compute-sanitizer is not installed"'
      else
        run "$results/sanitized.txt" env GRAPHPACK_QUICK=1 compute-sanitizer --error-exitcode 9 --report-api-errors no \
          --log-file "$results/sanitizer.txt" ./on_gpu --ignored
        status=$?
        tail -n 1 "$results/sanitizer.txt"
        if [ $status = 124 ] || [ $status = 137 ]; then
          note sanitize "\"note\":\"not done after $limit s\""
        elif [ $status != 0 ] && ! [ -s "$results/sanitized.txt" ]; then
          note sanitize '"note":"compute-sanitizer does not run here: sanitizer.txt"'
        fi
      fi ;;
    graphpack) run "$results/graphpack.jsonl" ./gpu_bench measure data --device "$device" "${few[@]}" "${graphpack[@]}" ;;
    pyg)
      if python3 -c 'import torch_geometric' 2>/dev/null; then
        peers=("${few[@]}")
        if [ "$device" = cpu ]; then peers+=(--workers 0 --ways plain); fi
        run "$results/pyg.jsonl" python3 peers/gpu_pyg.py data --device "$device" "${peers[@]}" "${pyg[@]}"
      else
        note pyg '"note":"python3 has no torch_geometric"'
      fi ;;
  esac
done
stage=''
exit 0
