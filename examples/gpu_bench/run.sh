#!/usr/bin/env bash
# Checks and times training on this machine: needs python3 with torch 2.11.0, and torch_geometric for the peers; no Rust.
usage() {
  cat <<'END'
./run.sh [cpu|cuda|cuda:N] [options]

  --stages LIST      stages in their order, of check,train,sanitize,graphpack,pyg (all)
  --quick            few steps everywhere; on cpu always so for times
  --limit SECONDS    most time for each stage (3600); what it has found by then counts
  --check ARGS       more arguments for a stage, such as --check '--only captured,dropout',
  --graphpack ARGS   --graphpack '--tasks gine --batch-graphs 64,128 --ways captured --workers 4'
  --pyg ARGS         or --pyg '--tasks schnet --ways plain,prefetch --workers 0,8'; --help says all

Results are in a folder for each device below RESULTS (./results), such as results/cuda. They are added to those in it, so that
stages may be run one by one; where something is done twice, the later result counts. table.md has all of them, also where a stage
fails or is stopped.

  check      what must hold: results in checks.jsonl; times are taken all the same where it does not
  train      two epochs of ./train, whose loss must fall: train.jsonl, checks.jsonl
  sanitize   check --quick under compute-sanitizer, where that is installed: sanitized.jsonl, sanitizer.txt
  graphpack  times: graphpack.jsonl
  pyg        the same in PyTorch Geometric, where that is installed: pyg.jsonl

The exit status is 1 where a check or a stage failed on this device, now or before, or where there is no table.
END
}
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
all=check,train,sanitize,graphpack,pyg
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

# The libraries of libtorch are where python3 has torch; LIBTORCH names another folder.
find='from importlib.metadata import distribution as d; t = d("torch"); print(t.version.split("+")[0], t.locate_file("torch"))'
if [ -n "${LIBTORCH:-}" ]; then
  torch=$(cd "$LIBTORCH" && pwd) || fail "LIBTORCH is no folder: $LIBTORCH"
else
  found=$(python3 -c "$find" 2>/dev/null) || fail "python3 has no torch; it takes torch 2.11.0 (pip install torch==2.11.0)"
  torch=${found#* }
  [ "${found%% *}" = 2.11.0 ] || fail "torch is ${found%% *}, the programs here were built for 2.11.0"
fi
export LD_LIBRARY_PATH="$torch/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
# As many queues as the device has: streams that share one are in order whether they should be or not.
export CUDA_DEVICE_MAX_CONNECTIONS=32
if [ "$device" = auto ]; then
  device=cpu
  if [ -e /dev/nvidiactl ] || command -v nvidia-smi >/dev/null; then device=cuda; fi
fi
results=${RESULTS:-$here/results}/$device
mkdir -p "$results" || exit 2
results=$(cd "$results" && pwd)
cd "$here" || exit 2
{ date -u +%F; nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null || echo "no GPU"; uname -m; } | tee "$results/machine.txt"

# The table is made of what there is, however this ends; it says what has failed, and so does its exit status.
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

# What is said of a stage beside its results.
note() {
  echo "{\"stage\":\"$1\",$2}" >>"$results/stages.jsonl" || failed=1
}
# Runs a stage's program within the limit, its lines added to a file; then notes how it ended.
run() {
  local file=$1 copying status
  shift
  # A line that was cut off before stays alone.
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
  # Results that cannot be written are none.
  wait "$copying" || [ "$status" != 0 ] || status=1
  note "$stage" "\"status\":$status"
  return "$status"
}

# On a CPU, and where it is to be quick, enough to see that all of it works.
few=()
if [ "$device" = cpu ] || [ -n "$quick" ]; then few=(--steps 4 --epochs 1 --batch-graphs 64); fi
for stage in ${stages//,/ }; do
  echo "== $stage on $device"
  case $stage in
    check) run "$results/checks.jsonl" ./gpu_bench check data --device "$device" ${quick:+"$quick"} "${check[@]}" ;;
    train)
      : >"$results/train.jsonl"
      graphs=12000
      if [ ${#few[@]} -gt 0 ]; then graphs=1500; fi
      if run "$results/train.jsonl" ./train --device "$device" --epochs 2 --graphs $graphs --format json; then
        run "$results/checks.jsonl" ./gpu_bench trained "$results/train.jsonl" --device "$device"
      fi ;;
    sanitize)
      : >"$results/sanitized.jsonl"
      if [ "$device" = cpu ]; then
        note sanitize '"note":"nothing to be done on a CPU"'
      elif ! command -v compute-sanitizer >/dev/null; then
        note sanitize '"note":"compute-sanitizer is not installed"'
      else
        run "$results/sanitized.jsonl" compute-sanitizer --error-exitcode 9 --report-api-errors no --log-file "$results/sanitizer.txt" \
          ./gpu_bench check data --device "$device" --quick
        status=$?
        tail -n 1 "$results/sanitizer.txt"
        if [ $status = 124 ] || [ $status = 137 ]; then
          note sanitize "\"note\":\"not done after $limit s\""
        elif [ $status != 0 ] && ! [ -s "$results/sanitized.jsonl" ]; then
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
