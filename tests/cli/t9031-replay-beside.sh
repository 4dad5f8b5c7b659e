#!/usr/bin/env bash
# Replays of a server, with the client that it needs.
. "$(dirname "$0")/../lib.sh"
command -v foresee-cc >/dev/null || skip_all "no foresee-cc"

foresee-cc -g -O1 -pthread "$SRC/tests/programs/replay/server.c" -o server || exit 2
mkfifo door
cat >client <<'EOT'
printf 'one\ntwo\nend\n' >door
kill -TERM $FORESEE_TARGET
echo "client of $FORESEE_TARGET"
sleep 1000 &
echo $! >>left
EOT
run timeout 60 foresee record -q --beside 'sh client' -o server.foresee ./server door
is "$status" 0 "recorded, with a client"
has out '^asked [0-2]$' "which the server had"
run foresee check server.foresee
id=$(sed -n 's/^\([0-9]\)  data race on asked .*/\1/p' out | head -1)
ok "there is a race" test -n "$id"

run timeout 60 foresee replay --beside 'sh client' server.foresee "$id"
is "$status" 0 "replayed"
has err '^client of [1-9][0-9]*$' "the client knows the server"
has out 'prints `asked [0-2]`' "and the orders differ"
ok "a client for each run" test "$(wc -l <left)" -ge 3
gone=yes
for pid in $(cat left); do
	[ -e "/proc/$pid" ] && ! grep -q '^State:	Z' "/proc/$pid/status" && gone=no
done
is "$gone" yes "nothing of the clients is left"

run timeout 60 foresee replay --patience 1 --time 1 server.foresee "$id" 
is "$status" 1 "without a client it is not"
has out '^  (nothing moves any more|threads run, but none comes to the next event of the order)$' "and says so"
done_testing
