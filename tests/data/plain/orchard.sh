#!/bin/sh
# Counts the trees of an orchard.
set -eu

count() {
    grep -c '^tree' "$1" || true
}

function water {
    cat <<END
Watering ${1:-all} trees { of $(count "$2")
END
}

water apple "$1"
