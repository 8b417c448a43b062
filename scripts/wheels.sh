# Sourced by scripts/bundle and scripts/package, after set_up.sh: gathers the wheels of the locked packages.
# shellcheck shell=bash
# Kept for the next time: llama.cpp takes minutes to compile.
wheels="${NODERAG_WHEELS:-$venv/.wheels}"

wheel() { # wheel ARGUMENTS… of pip
    "$venv/bin/python" -m pip wheel --quiet --quiet --disable-pip-version-check --no-input --no-deps --wheel-dir "$wheels" "$@"
}

gather_wheels() { # gather_wheels NAME…: torch and the packages of each requirements/NAME.txt, into the folder $wheels
    local torch=(--require-hashes -r "$root/requirements/torch.txt") name
    mkdir -p "$wheels"
    say "[wheels] packages into $wheels"
    if ! wheel --find-links "$wheels" "${torch[@]}"; then
        say "[wheels] torch is not where pip is configured to look; trying pytorch.org"
        wheel --find-links "$wheels" --index-url https://download.pytorch.org/whl/cpu "${torch[@]}"
    fi
    for name in "$@"; do
        wheel --find-links "$wheels" --no-build-isolation --require-hashes -r "$root/requirements/$name.txt"
    done
}

copy_of_sources() { # copy_of_sources DIR: a clean copy, without the leftovers of setuptools that the next build would pick up
    cp -R "$root"/{noderag_local,pyproject.toml,README.md,LICENSE,CHANGELOG.md,MANIFEST.in} "$1"
}
