# shellcheck shell=bash
# Messages for people, shared by the scripts. Sourced, not run.

# What is being done now.
say() {
    printf '==> %s\n' "$*" >&2
}

# What failed and what to do. Ends the script.
die() {
    printf 'error: %s\n' "$1" >&2
    shift
    if [ "$#" -gt 0 ]; then
        printf '       %s\n' "$@" >&2
    fi
    exit 1
}

have() {
    command -v "$1" >/dev/null 2>&1
}
