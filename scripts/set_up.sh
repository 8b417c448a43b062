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

digest() { # what the set-up was made of; a stamp that says the same is up to date
    echo "$(cd "$root" && cat pyproject.toml requirements/{build,cuda,run,test,torch}.txt scripts/set_up*.py | cksum) $root"
}

is_set_up() { # is_set_up search|run|test DIGEST
    # The shell itself reads the stamp, so no process is started if all is set up.
    [[ -r "$venv/.set-up-$1" && "$(<"$venv/.set-up-$1")" == "$2" ]]
}

set_up() { # set_up search|run|test
    local profile="$1" digest python
    digest="$(digest)"
    if is_set_up "$profile" "$digest"; then
        return
    fi
    python="$(find_python)" || exit 1
    "$python" "$root/scripts/set_up.py" "$profile" "$digest" || exit
}

models_dir() { echo "${NODERAG_MODELS_DIR:-$root/models}"; }

needs_model() { # whether there is no model, and fetching one has not failed before
    ! compgen -G "$(models_dir)/*.gguf" >/dev/null && [[ ! -e "$venv/.model-not-fetched" ]]
}

fetch_model() { # the default language model
    local status=0
    needs_model || return 0
    "$venv/bin/noderag" models get --models-dir "$(models_dir)" >&2 || status=$?
    if ((status == 130)); then # Ctrl-C
        exit 130
    elif ((status != 0)); then
        : >"$venv/.model-not-fetched"
        say "[set-up] going on without a language model: answers are the cited passages; scripts/run models get tries again"
    fi
}

set_up_answers() { # in the background: llama.cpp and the default language model
    local digest
    digest="$(digest)"
    if is_set_up run "$digest" && ! needs_model; then
        return
    fi
    "$venv/bin/python" "$root/scripts/set_up_answers.py" "$digest" "$(models_dir)"
}
