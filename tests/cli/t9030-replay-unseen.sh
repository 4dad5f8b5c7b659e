#!/usr/bin/env bash
# Replays of programs that have code nobody instrumented: what it does makes a finding a warning, and the
# replay shows whether it is true.
. "$(dirname "$0")/../lib.sh"
command -v foresee-cc >/dev/null || skip_all "no foresee-cc"

here=$SRC/tests/programs/replay
cat >lib.c <<'EOT'
#include <unistd.h>
static int turn;
void lib_fill(int *at) { *at = 7; }
void lib_wait(int n) { while (__atomic_load_n(&turn, __ATOMIC_SEQ_CST) < n) usleep(100); }
void lib_pass(void) { __atomic_fetch_add(&turn, 1, __ATOMIC_SEQ_CST); }
EOT
${CC:-cc} -O1 -c lib.c || exit 2
foresee-cc -g -O1 -pthread "$here/unseen.c" lib.o -o unseen || exit 2
ok "recorded" foresee record -q -o unseen.foresee ./unseen
run foresee check unseen.foresee
has out '^2 findings \(2 races; warnings only\)' "two warnings"
# Which comes first depends on the run.
id() { sed -n "s/^\([12]\)  data race on $1 .*/\1/p" out; }
total=$(id total) other=$(id other)
has out '^replay one: +foresee replay unseen.foresee 1$' "what to type"

run timeout 100 foresee check --replay unseen.foresee
has out '^[12]  data race on total .* replayed$' "the real one is replayed"
has out '^   predicted as a warning only: a read in it saw' "which the prediction did not know"
has out '^   replayed: the order (write, read prints `2 2`; read, write prints `1 2`|read, write prints `1 2`; write, read prints `2 2`)$' "and how they differ"
has out '^[12]  data race on other .* warning$' "that which the library keeps apart stays a warning"
has out '^   only a warning: a read in it saw' "as before"
has out '^   not replayed: threads run, but none comes to the next event of the order$' "and is not replayed"

run timeout 60 foresee replay unseen.foresee "$total"
is "$status" 0 "replayed alone"
run timeout 60 foresee replay --time 1 unseen.foresee "$other"
is "$status" 1 "not replayed alone"
run foresee replay -a eraser unseen.foresee 1
is "$status" 2 "what comes without an order is refused"
has err 'is only a warning: no common lock' "and why"
done_testing
