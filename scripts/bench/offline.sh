#!/usr/bin/env bash
# No connection outside the machine, seen from the kernel: a full index and an answer under strace.
#
#     scripts/bench/offline.sh [NOTES]        (NOTES: a folder; the sample notes if left out)
#
# Needs strace (Debian, Ubuntu: apt install strace). Fails when any process connects to anything but a Unix socket.
# It sees what the audit hook in the interpreter cannot: connections of libraries written in C or Rust.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

if ! command -v strace >/dev/null; then
    echo "strace is missing. Debian, Ubuntu: apt install strace; Fedora: dnf install strace" >&2
    exit 1
fi
notes="${1:-noderag_local/evaluation/demo/notes}"
scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT

traced() { # traced NAME ARGUMENTS… of noderag
    local name="$1"
    shift
    strace -f -qq -e trace=connect -o "$scratch/$name.trace" .venv/bin/noderag "$@" --vault "$scratch/vault" --json >/dev/null
}
traced index index "$notes"
traced search search "When does the lease end?"
traced ask ask "When does the lease end?" --budget 300

for trace in "$scratch"/*.trace; do
    all="$(grep -c 'connect(' "$trace" || true)"
    foreign="$(grep 'connect(' "$trace" | grep -v 'sa_family=AF_UNIX' || true)"
    echo "$(basename "$trace" .trace): $all connections, $(grep -c . <<<"$foreign" || true) of them not to a Unix socket"
    if [[ -n "$foreign" ]]; then
        echo "$foreign" >&2
        exit 1
    fi
done
