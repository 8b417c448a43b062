# Sourced by the other scripts: makes sure that .venv holds what they need. Costs a few milliseconds when it does.
# shellcheck shell=bash

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)"
venv="$root/.venv"

say() { printf '%s\n' "$*" >&2; }

find_python() { # prints the first Python that will do
    local candidate
    for candidate in ${NODERAG_PYTHON:+"$NODERAG_PYTHON"} python3.11 python3.12 python3.13 python3; do
        if "$candidate" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null; then
            command -v "$candidate"
            return
        fi
    done
    say "Python 3.11, 3.12 or 3.13 is missing. Install one and run this again:"
    say "  Debian or Ubuntu: apt install python3 python3-venv    Fedora: dnf install python3.12    macOS: brew install python@3.12"
    say "or name the one to take: NODERAG_PYTHON=/path/to/python3.11 $0"
    return 1
}

set_up() { # set_up run|test
    local profile="$1" digest python
    digest="$(cd "$root" && cat pyproject.toml requirements/*.txt scripts/set_up.py | cksum) $root"
    # Reading the stamp by the shell itself: no process is started where all is there.
    if [[ -r "$venv/.set-up-$profile" && "$(<"$venv/.set-up-$profile")" == "$digest" ]]; then
        return
    fi
    python="$(find_python)" || exit 1
    "$python" "$root/scripts/set_up.py" "$profile" "$digest" || exit
}

fetch_model() { # the default language model, unless there is one, or it could not be had before
    local models="${NODERAG_MODELS_DIR:-$root/models}" gave_up="$venv/.model-not-fetched" status=0
    if compgen -G "$models/*.gguf" >/dev/null || [[ -e "$gave_up" ]]; then
        return
    fi
    "$venv/bin/noderag" models get --models-dir "$models" >&2 || status=$?
    if ((status == 130)); then # Ctrl-C
        exit 130
    elif ((status != 0)); then
        : >"$gave_up"
        say "[set-up] going on without a language model: answers are the cited passages; scripts/run models get tries again"
    fi
}
