#!/usr/bin/env bash
# Replays that cannot come to their point: each ends, with status 1, and says where the program went
# another way; none is called replayed.
. "$(dirname "$0")/../lib.sh"
command -v foresee-cc >/dev/null || skip_all "no foresee-cc"

here=$SRC/tests/programs/replay
cp "$here/paths.c" . && foresee-cc -g -O1 -pthread paths.c -o paths || exit 2
ok "recorded" foresee record -q -o paths.foresee ./paths
id=$(foresee check -q paths.foresee | sed -n 's/^ *\([0-9]*\)  data race on x .*/\1/p')
ok "there is a race" test -n "$id"

# stray NAME REGEX [OPTIONS]: what keeps it away, and what is said.
stray() {
	PATHS=$1 run timeout 60 foresee replay "${@:3}" paths.foresee "$id"
	is "$status" 1 "$1: not replayed"
	has out '^not replayed: data race on x' "$1: says so"
	has out "$2" "$1: and why"
}
run timeout 60 foresee replay paths.foresee "$id"
is "$status" 0 "as it was recorded it is replayed"

line=$(grep -n 'y = 3;' paths.c | cut -d: -f1)
stray branch "T2 after 0 of its events: expected write at paths.c:[0-9]* in writer, which did not come before paths.c:$line in writer"
has out '^  the last of 3 tries$' "branch: how often"
touch turn
PATHS=turns run timeout 60 foresee replay --stop paths.foresee "$id"
is "$status" 0 "another way the first time only: replayed"
has out '^  forced: .*, at try 2$' "another way the first time only: says when"
touch turn
PATHS=turns run timeout 60 foresee replay --stop -f json paths.foresee "$id"
has out '"tries": 2,' "another way the first time only: in JSON"
stray returns 'T2 after 0 of its events: expected .*, and the thread ended'
stray exits 'T2 after 0 of its events: expected write at .*, and the thread ended|the program ended with status 4 on the way there'
stray crashes 'the program was killed by signal 11 \(Segmentation fault\) on the way there'
stray spins 'threads run, but none comes to the next event of the order' --time 1
has out '^  T2  runs$' "spins: who runs"
has out '^  T3  stands before its read at paths.c:[0-9]* in reader$' "spins: who stands"
stray sleeps 'nothing moves any more' --patience 1
has out '^  T2  is in the system call pause, at no gate$' "sleeps: in which call"
mkfifo pipe
sleep 100 >pipe &
sleeper=$!
PATHS=reads timeout 60 foresee replay --patience 1 paths.foresee "$id" <pipe >out 2>err
is "$?" 1 "reads: not replayed"
has out '^  T2  is in the system call read, at no gate$' "reads: in which call"
kill $sleeper
stray elsewhere 'the order has run, but the two do not touch the same memory: T[23] 4 bytes at 0x[0-9a-f]*, T[23] 4 bytes at 0x'
stray skips 'T3 after .* of its events: expected .*, and the thread ended'
stray alone 'nothing moves any more' --patience 1
has out '^  T3  was not created$' "alone: who is missing"

# Another build.
sed 's|^static int x|// one more line\n&|' "$here/paths.c" >paths.c
foresee-cc -g -O1 -pthread paths.c -o paths || exit 2
run timeout 60 foresee replay --anyway paths.foresee "$id"
is "$status" 1 "another build: not replayed"
has out 'T1 after 0 of its events: expected .*paths.c:[0-9]* in [a-z]*, came .*paths.c:[0-9]* in ' "another build: where"
has out '^  \(the program took another path than in the recording: another build' "another build: why"
run timeout 60 foresee replay --anyway -f json paths.foresee "$id"
is "$status" 1 "JSON: not replayed"
has out '"status": "diverged", "why": "T1 after 0 of its events: ' "JSON: says so"

# An order that code not seen has fixed, against ours.
${CC:-cc} -O1 -c -o order.o "$here/../order.c" || exit 2
foresee-cc -g -O1 -pthread "$here/../deadlock/two_locks.c" order.o -o two_locks || exit 2
foresee record -q -o two_locks.foresee ./two_locks >out 2>err </dev/null
run timeout 60 foresee replay --patience 1 two_locks.foresee 1
is "$status" 1 "unseen order: not replayed"
has out '^  nothing moves any more$' "unseen order: nothing moves"
has out '^  T[23]  is in the system call futex, at no gate$' "unseen order: who waits where"
done_testing
