#!/usr/bin/env bash
# The programs of tests/programs/race and deadlock, which the compiler pass's recordings are held to, as they are:
# under Valgrind the findings are the same, but for the programs below, each for its reason.
. "$(dirname "$0")/../lib.sh"

[ -x "$FORESEE_ROOT/lib/foresee/valgrind/foresee-amd64-linux" ] || skip_all "foresee was built without Valgrind"
programs=$SRC/tests/programs

# What a binary does not tell.
facts="it needs to know what a value is compared with, or where"
moves="a C11 load or store that is a plain move looks like any other"
wide="gcc reads neighbours at once that the source does not read"
stopped="in a run that was killed, first values of variables are guesses, so that it is a warning"
declare -A other=(
	[race/counter_below.c]=$facts [deadlock/counter_below.c]=$facts
	[race/looked_at_later.c]=$facts
	[race/publish_atomic.c]=$moves [race/read_again.c]=$moves
	[deadlock/lost_hang.c]=$stopped [deadlock/nested_hang.c]=$stopped
	[race/members_between.c]=$wide
	[race/atomics_mixed.c]="a plain move of a word that atomic instructions touch looks like an atomic one"
)
# The library lets anybody release such locks, and verify says that he does not hold it.
passed="lock_passed.c released_by_another.c"

gcc -O1 -c -isystem /usr/include/valgrind -o order.o "$programs/hidden/order.c" &&
	gcc -O1 -o flatten "$SRC/tests/cli/flatten.c" || exit 2

# build FILE FLAGS
build() {
	local cc=gcc level=-O2

	case $1 in
	*.cpp) cc="g++ -std=c++17" ;;
	*/value_task.c) level=-O0 ;; # else gcc gives an inlined read the line of its caller
	esac
	$cc $level $2 -g -D_GNU_SOURCE "$programs/$1" order.o -o prog -lpthread
}

# findings FILE ANALYSIS: into report.  A program that hangs is stopped by run, not by record.  The recordings of the
# pass know which accesses are atomics, so the user says it here.
findings() {
	if grep -q '^// hangs' "$programs/$1"; then
		timeout 60 foresee run --valgrind -q --plain-moves -a "$2" -f json --trace prog.foresee -o report ./prog >out 2>err
		return 0
	fi
	timeout 100 foresee record -q --valgrind -o prog.foresee ./prog >out 2>err || return
	foresee check -q --plain-moves -a "$2" -f json prog.foresee >report 2>>err
	[ $? -le 1 ]
}

races() {
	# The schedule's events name threads too: only places count here.
	sed -E 's/"event": *[0-9]+, *"thread"/"event"/g' report >places
	awk -f "$programs/race/expect.awk" "$programs/$1" places >log 2>&1
}

deadlocks() {
	./flatten <report >flat &&
		awk -v program="${1#*/}" -v build="$3" -v safe="$([ "$2" = safe ] && echo 1)" \
			-f "$programs/deadlock/expect.awk" "$programs/$1" flat >log 2>&1
}

# try FILE ANALYSIS bug|safe FLAGS
try() {
	local name="$1${4:+ $4}" same=yes

	: >err && : >verify && : >log
	if ! build "$1" "$4" >err 2>&1 || ! findings "$1" "$2" ||
		{ ! foresee verify prog.foresee >verify 2>&1 && [[ " $passed " != *" ${1#*/} "* ]]; }; then
		fail "$name"
		note err
		note verify
		return
	fi
	"$2" "$1" "$3" "$4" || same=
	if [ -z "${other[$1]:-}" ] && [ -z "$same" ]; then
		fail "$name"
		note log
	elif [ "${other[$1]:-}" = "$moves" ] && foresee check -q -a "$2" prog.foresee | grep -q predicted; then
		fail "$name: an atomic is taken for none"
	elif [ "${other[$1]:-}" = "$wide" ] && grep -q '"status": *"predicted"' report; then
		fail "$name: what the source does not read is a race"
	elif [ -n "${other[$1]:-}" ] && [ -n "$same" ]; then
		fail "$name: no longer another than the pass's, so take it off the list"
	else
		pass "$name${other[$1]:+: another, for ${other[$1]}}"
	fi
}

for p in $(cd "$programs" && ls race/*.c); do
	try "$p" races bug ""
done
for p in $(cd "$programs" && ls deadlock/*.c deadlock/*.cpp); do
	while read -r kind flags; do
		try "$p" deadlocks "$kind" "$flags"
	done < <(sed -nE '/^\/\/ (bug|safe):/ { s/^.. //; s/:/ /; p }' "$programs/$p" | grep . || echo bug)
done
done_testing
