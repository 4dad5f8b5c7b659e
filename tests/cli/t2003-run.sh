#!/usr/bin/env bash
# run: source or program in, findings out.
. "$(dirname "$0")/../lib.sh"

run foresee run gone.c
is "$status" 2 "a source that is not there"
has err "^foresee: cannot read 'gone.c': No such file" "is named"
run foresee run ./gone
is "$status" 2 "a program that is not there"

command -v foresee-cc >/dev/null || done_testing
cp "$SRC/tests/cases/std/two_threads.c" .
run env TMPDIR="$PWD" foresee run two_threads.c 5
is "$status" 0 "a source file without races: 0, whatever the program's status"
is "$(head -1 out)" "total 3" "the program's output"
has out '^no race ' "then the report"
has err '^foresee: recorded [0-9]+ events of 3 threads in .*ended normally with status 5' \
	"the recording, and the program's status"
is "$(ls -d foresee-run.* 2>/dev/null)" "" "the temporary directory is gone"
ok "the trace stays" test -s two_threads.foresee

foresee-cc -g -pthread two_threads.c -o prog
run foresee run -q --trace t.foresee -o report ./prog
is "$status" 0 "a program"
is "$(cat err)" "" "-q is quiet"
is "$(cat out)" "total 3" "-o: the report is not with the program's output"
ok "--trace" test -s t.foresee
has report '^no race ' "but in its file"
run foresee run -q -o gone/report --trace u.foresee ./prog
is "$status" 2 "a report that cannot be written"
ok "is found out before the program runs" test ! -e u.foresee

echo 'int main(void) { return nothing; }' >wrong.c
run foresee run wrong.c
is "$status" 2 "a source that does not compile"
has err "nothing" "the compiler's words"
has err "^foresee: 'wrong.c' does not compile" "and ours"

cat >hello.cc <<'EOT'
#include <thread>
int x;
int main() { std::thread t([] { x = 1; }); t.join(); return x - 1; }
EOT
run foresee run hello.cc
is "$status" 0 "C++ too"
done_testing
