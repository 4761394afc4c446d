#!/usr/bin/env bash
# The I/O engine against fio's io_uring on the same file, interleaved: IOPS and CPU an operation.
# usage: bench/aio_vs_fio.sh [FILE [SECONDS [ROUNDS]]]
set -euo pipefail
cd "$(dirname "$0")/.."
FILE=${1:-/var/tmp/inflight-fio.dat} SECONDS_EACH=${2:-5} ROUNDS=${3:-3}
cargo build --release -q -p aio --example randread
BIN="${CARGO_TARGET_DIR:-target}/release/examples/randread"
[ -f "$FILE" ] || fio --name=lay --filename="$FILE" --size=2G --rw=write --bs=1M --direct=1 --ioengine=io_uring --iodepth=8 >/dev/null
fio_run() { # pattern block depth
    local rw=randread; [ "$1" = seq ] && rw=read
    fio --name=x --filename="$FILE" --rw=$rw --bs="$2" --iodepth="$3" --direct=1 --ioengine=io_uring \
        --time_based --runtime="$SECONDS_EACH" --output-format=json --randrepeat=0 --norandommap |
        python3 -c 'import json,sys; j=json.load(sys.stdin)["jobs"][0]; r=j["read"]; n=r["total_ios"]
print("%.0f IOPS, %.2f us CPU/IO" % (r["iops"], (j["usr_cpu"]+j["sys_cpu"])/100*r["runtime"]*1000/n))'
}
for case in "rand 8192 1" "rand 8192 16" "rand 8192 128" "seq 131072 8"; do
    # shellcheck disable=SC2086
    set -- $case
    for round in $(seq "$ROUNDS"); do
        echo "$1 bs=$2 depth=$3 round $round   fio: $(fio_run "$1" "$2" "$3")   aio: $("$BIN" "$FILE" "$2" "$3" "$SECONDS_EACH" "$1")"
    done
done
