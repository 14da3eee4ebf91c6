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

# check_start NAME COMMAND...: runs it, and ends the script with the cause if it fails.
check_start() {
    local name=$1 status=0 said signal
    shift
    said=$("$@" 2>&1) || status=$?
    [ "$status" -eq 0 ] && return
    if [ "$status" -le 128 ]; then
        die "$name is installed, but does not start (exit code $status)" "$said"
    fi
    signal=SIG$(kill -l $((status - 128)))
    if [ "$signal" = SIGILL ]; then
        die "$name ended with SIGILL: this processor lacks instructions that it uses"
    fi
    die "$name is installed, but ended with $signal" "$said"
}
