#!/usr/bin/env bash
# The house's own tools: the test runner cannot be fooled, packages are found missing,
# layers are kept.
. "$(dirname "$0")/../lib.sh"

# tally WANTED NAME ITEM...: the runner's last line and status.
tally() {
	local want=$1 name=$2
	shift 2
	run "$SRC/tests/run" "$@"
	is "$(tail -1 out), $status" "$want" "runner: $name"
}
tally "2 passed, 0 failed, 0" "passes" 'echo 1..2; echo ok 1; echo ok 2 - b'
tally "1 passed, 2 failed, 1" "not ok and a crash after it" 'echo 1..3; echo ok 1; echo not ok 2; kill -ABRT $$'
tally "1 passed, 1 failed, 1" "bad status though all are ok" 'echo 1..1; echo ok 1; exit 3'
tally "1 passed, 1 failed, 1" "fewer than planned" 'echo 1..2; echo ok 1'
tally "0 passed, 1 failed, 1" "no plan" 'true'
tally "0 passed, 0 failed, 1 skipped, 0" "skipped file" 'echo "1..0 # SKIP"; exit 77'
tally "1 passed, 0 failed, 1 skipped, 0" "skipped test" 'echo 1..2; echo ok 1; echo "ok 2 # SKIP why"'
tally "1 passed, 1 failed, 1" "plain commands" plain:true plain:false
tally "1 passed, 0 failed, 0" "pattern" -t ru plain:true plain:false
tally "0 passed, 0 failed, 1" "nothing matches" -t nothing plain:true
TEST_TIMES=times run "$SRC/tests/run" 'echo 1..1; echo not ok 1 - the reason' plain:true
has out '^      \| not ok 1 - the reason' "runner: shows the output of a failure"
is "$(grep -A 2 '^failed: ' out | tail -2)" "not ok 1 - the reason
1 passed, 1 failed" "runner: and once more at the end"
is "$(grep -cE '^[0-9.]+ [0-9.]+ (echo|plain)' times)" 2 "runner: the time of each"

# A machine where packages, and rights, are missing.
mkdir fake
cat >fake/dpkg-query <<'END'
#!/bin/sh
shift 3
for p; do [ $p = valgrind ] || [ $p = g++ ] || echo "installed $p"; done
END
printf '#!/bin/sh\necho "$*" >>"$LOG"\n[ -z "$APT_FAILS" ]\n' >fake/apt-get
printf '#!/bin/sh\necho ${FAKE_ID:-0}\n' >fake/id
printf '#!/bin/sh\nexit 1\n' >fake/sudo
chmod +x fake/*
deps() {
	LOG=$PWD/log PATH=$PWD/fake:$PATH run "$SRC/scripts/deps" "$@"
}
deps test
is "$status" 0 "deps: installs as root"
is "$(cat log)" "-q update
install -y --no-install-recommends g++ valgrind" "deps: just what is missing"
rm log
deps build
is "$(tail -1 log)" "install -y --no-install-recommends g++" "deps: building needs less"
rm log
FAKE_ID=1000 deps test
is "$status" 2 "deps: neither root nor sudo"
has err '^	apt-get install -y --no-install-recommends g\+\+ valgrind$' "deps: prints the command"
is "$(ls log 2>/dev/null)" "" "deps: and runs nothing"
APT_FAILS=1 deps test
is "$status" 2 "deps: apt-get fails"

# layers PATH INCLUDE WANTED
layers() {
	rm -rf tree && mkdir -p "tree/${1%/*}"
	echo "#include \"$2\"" >"tree/$1"
	run "$SRC/scripts/check-layers" tree
	is "$status" "$3" "layers: $1 includes $2"
}
layers trace/a.c base/vec.h 0
layers base/a.c trace/trace.h 1
layers trace/a.c cli/option.h 1
layers cli/a.c report/show.h 0
layers predict/a.c compare/sync_priv.h 1
layers witness/a.c predict/engine.h 1
layers capture/a.c base/vec.h 1
layers capture/a.c trace/format.h 0
layers capture/a.c trace/event.h 1
layers instrument/a.c base/vec.h 0
layers instrument/a.c trace/event.h 1
layers instrument/a.cc capture/hooks.h 0
layers driver/a.c base/vec.h 1
layers trace/a.c base/map_priv.h 1
layers trace/a.c trace/map_priv.h 0
layers trace/a.c event.h 1
for room in order monitor lattice predict; do
	layers witness/a.c $room/a.h 1
done
layers witness/a.c spec/spec.h 0
layers witness/a.c names/variables.h 0
done_testing
