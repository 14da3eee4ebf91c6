#!/usr/bin/env bash
# Stands for `myao` in the documents' commands. A bot is run until it has caught up, and a page until it has printed its
# link; then it is asked to stop.
set -euo pipefail

bot=
for argument in "$@"; do
    case $argument in run | serve | try) bot=yes ;; esac
    [ "$argument" = --help ] && exec "$REAL_MYAO" "$@"
done
[ -n "$bot" ] || exec "$REAL_MYAO" "$@"

# Otherwise `timeout` passes a signal on twice, and the second stops the bot at once.
coproc BOT { exec timeout --foreground 60 "$REAL_MYAO" "$@" 2>&1; }
process=$BOT_PID
# The coprocess's own descriptor is gone once it has ended.
exec 3<&"${BOT[0]}"
while read -r line <&3; do
    printf '%s\n' "$line"
    case $line in
        *'caught up: '* | http://*) kill -TERM "$process" ;;
    esac
done
wait "$process"
