# Sourced by Lab/demo and Lab/run: devices, each a sharedd with a folder of its own, on a LAN of
# this machine or on loopback. Needs $here, $bin and $work; sets up the clean-up.
daemons=()
on_lan=

finish() {
    local status=$? pid
    for pid in "${daemons[@]}"; do kill "$pid" 2>/dev/null; done
    for pid in "${daemons[@]}"; do wait "$pid" 2>/dev/null; done
    [ -n "$on_lan" ] && "$here/lan" down
    if [ "$status" = 0 ]; then rm -rf "$work"
    else echo "${0##*/}: failed; data and logs are in $work" >&2; fi
    exit "$status"
}
trap finish EXIT
trap 'exit 130' INT TERM

fail() { echo "${0##*/}: $*" >&2; exit 1; }
say() { printf '\n== %s\n' "$*"; }

# on I CMD…: runs a command where device I is. shared I ARG…: runs `shared` against device I.
on() {
    local i=$1; shift
    if [ -n "$on_lan" ]; then "$here/lan" exec "$i" "$@"; else "$@"; fi
}
shared() { local i=$1; shift; on "$i" "$bin/shared" --socket "$work/$i.sock" "$@"; }

# show I ARG…: the same, and shows the command first.
show() {
    local i=$1 word; shift
    printf '\n%s$ shared' "$(name "$i")"
    for word in "$@"; do
        case $word in *[\ \']*) printf ' "%s"' "$word" ;; *) printf ' %s' "${word##*/}" ;; esac
    done
    printf '\n'
    shared "$i" "$@" || fail "that did not work"
}

name() { echo "ward-$1"; }

# value KEY: a value of a JSON document on standard input, by its path.
value() { python3 -c 'import json,sys
document = json.load(sys.stdin)
for key in sys.argv[1].split("."):
    document = document[int(key)] if isinstance(document, list) else document[key]
print(document)' "$1"; }

# await SECONDS WHAT CMD…: tries a command until it succeeds.
await() {
    local seconds=$1 what=$2 end; shift 2
    end=$((SECONDS + seconds))
    until "$@" >/dev/null 2>&1; do
        [ "$SECONDS" -lt "$end" ] || fail "waited $seconds s for $what"
        sleep 0.2
    done
}

# start I ARG…: starts device I and waits until it answers.
start() {
    local i=$1; shift
    set -- "$bin/sharedd" --data "$work/$i" --socket "$work/$i.sock" --name "$(name "$i")" "$@"
    # exec: the number kept has to be the daemon's, not that of a shell that waits for it.
    if [ -n "$on_lan" ]; then exec "$here/lan" exec "$i" "$@"; else exec "$@"; fi \
        2>>"$work/$i.log" &
    daemons+=($!)
    echo $! >"$work/$i.pid"
    await 20 "$(name "$i") to start" shared "$i" status
}

# stop I [SIGNAL]: ends device I.
stop() {
    local pid; pid=$(cat "$work/$1.pid")
    kill "${2:--TERM}" "$pid" && wait "$pid" 2>/dev/null
    return 0
}

# entries I FORM: how many entries device I lists. digest I: what its first room comes to.
entries() { shared "$1" list "$2" --json |
    python3 -c 'import json,sys; print(len(json.load(sys.stdin)))'; }
digest() { shared "$1" status --json | value rooms.0.digest; }
same() {
    local i first; first=$(digest "$1") && [ -n "$first" ] || return 1
    for i in "${@:2}"; do [ "$(digest "$i")" = "$first" ] || return 1; done
}

[ -x "$bin/sharedd" ] && [ -x "$bin/shared" ] || fail "nothing is built; run make first"
