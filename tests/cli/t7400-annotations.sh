#!/usr/bin/env bash
# <foresee.h> and the annotations of other tools: locks and order that the recorder cannot see,
# names, events and blocks; and nothing of it where nobody records.
. "$(dirname "$0")/../lib.sh"
. "$SRC/tests/cli/compilers.sh"

here=$SRC/tests/programs/annotate
runs=${LONG:+20}
runs=${runs:-3}
plain=${CC:-cc}

"$plain" -O1 -c -o spin.o "$here/spin.c" || exit 2
"$plain" -O1 -c -o order.o "$here/../order.c" || exit 2

# build NAME OPTION...: ./NAME, with what is not to be seen.
build() {
	local name=$1
	shift
	ok "$name builds${*:+ with $*}" foresee-cc -g -O1 "$@" "$here/$name.c" spin.o order.o -o "$name" -lpthread
}

# record NAME: NAME.foresee, which agrees with itself, also as text.
record() {
	timeout 60 foresee record -q -o "$1.foresee" "./$1" >printed 2>err &&
		foresee verify "$1.foresee" >log 2>&1 &&
		foresee print --std "$1.foresee" >"$1.std" 2>>log &&
		foresee print --std "$1.std" 2>>log | cmp -s - "$1.std" &&
		foresee verify "$1.std" >>log 2>&1
}

# finds NAME WANTED WORDS [OPTION...]: every one of some recordings, and its text, has this
# many findings.
finds() {
	local name=$1 wanted=$2 words=$3 i n m bad=
	shift 3
	for ((i = 1; i <= runs && ${#bad} == 0; i++)); do
		record "$name" || { bad="recording $i: $(cat err log)"; break; }
		n=$(foresee check -q -f json "$@" "$name.foresee" | grep -o '"id":' | wc -l)
		m=$(foresee check -q -f json "$@" "$name.std" | grep -o '"id":' | wc -l)
		[ "$n $m" = "$wanted $wanted" ] || bad="recording $i: $n findings, $m in text"
	done
	is "$bad" "" "$words"
}

# --- odd addresses ---
build unaligned
ok "unaligned: recorded" record unaligned
run foresee check unaligned.foresee
has out '^1 finding' "unaligned: a race of two odd addresses, and none that is declared benign"
has out 'unaligned.c:[0-9]+ in (reader|writer)' "at its places"
is "$(cat printed)" "102030b 1122334455667788" "and done"

# --- order ---
for family in NONE FORESEE TSAN DYNAMIC WTF; do
	build guarded -D$family
	case $family in
	NONE) finds guarded 2 "not annotated: the lock is not seen" ;;
	*) finds guarded 0 "$family: the lock excludes" ;;
	esac

	build letters -D$family
	case $family in
	NONE)
		record letters
		run foresee check letters.foresee
		is "$status" 1 "not annotated: the mailbox is not seen"
		;;
	*) finds letters 0 "$family: the mailbox orders, whatever else lies at that address" ;;
	esac

	build cycle -D$family
	case $family in
	NONE) finds cycle 0 "not annotated: no lock, no deadlock" ;;
	*)
		finds cycle 1 "$family: a deadlock is predicted"
		run foresee check cycle.foresee
		has out '^1  deadlock of T[12] and T[12] on (left, right|right, left) .* predicted, certified' \
			"$family: certified, by names"
		mkdir -p witnesses
		run foresee check -q --witness-dir witnesses cycle.foresee
		ok "$family: the witness holds" foresee verify cycle.foresee witnesses/1.witness
		;;
	esac
done

# --- names, events, blocks ---
build told
ok "blocks, events and names are recorded" record told
foresee print told.foresee >out
if awk -f "$here/../expect.awk" "$here/told.c" out >log; then
	pass "events as told"
else
	fail "events as told"
	note log
fi
has out '"worker"' "the thread's name"
has out 'write +cache\[7\]\.hits ' "an element by its name"
has out 'write +cache\+108 ' "the rest of the block by its own"
has out 'user +cache\[7\]\.hits: heap#1\+120, 4 bytes' "what the name was given to"
has out 'write +heap#[0-9]+\+120 .*= 1 ' "after free the name is gone"
is "$(grep -c ' end ' out)" 2 "an end without a begin is not recorded"
run foresee check told.foresee
has out '^1  data race on cache\[7\]\.hits \(4 bytes at \+120 in heap#1 of [0-9]+ bytes\)' "a finding by the name"
echo 'race:variable:cache?7?.hits' >rules
run foresee check -q --suppress rules told.foresee
is "$status" 0 "that a suppression may use"
has told.std '^T2\|begin\(look%20up\)\|' "text: a block"
has told.std '^T2\|end\|' "text: its end"
has told.std '^T2\|user\(request,1,-2,1099511627776\)\|' "text: an event"
has told.std '^T2\|user\(phase,-3\)!internal\|' "text: a value"
has told.std '^T1\|user\(cache\[7\]\.hits,4\)!names\|' "text: a name"
hasnt told.std '\|[rw]\(cache\[' "text: memory goes by one name throughout"
ok "stats" foresee stats told.foresee
foresee stats told.foresee >out
has out '\buser\b' "stats count them"
ok "a model of it" foresee export --to promela told.foresee

# --- what programs ask to be left out ---
build hidden
record hidden
run foresee check hidden.foresee
is "$status" 0 "benign races are no findings"
has out '^no finding but those declared benign\.' "in words"
has out '^3 races declared benign by the program, not shown\.$' "they are counted"
run foresee check -f json hidden.foresee
has out '"benign": 3' "in JSON too"
foresee print hidden.foresee >out
has out '"tallier"' "AnnotateThreadName"
build hidden -DMORE
record hidden
run foresee check hidden.foresee
is "$status" 1 "accesses that are to be ignored are not"
has out 'data race on (hidden\.c:)?tally' "they race like others"
run foresee check -v hidden.foresee
cat out err >both
has both 'AnnotateIgnore' "and that is said"

build nested
ok "levels are recorded" record nested
is "$(cat printed)" 3 "the levels come back"
foresee print nested.foresee >out
if awk -f "$here/../expect.awk" "$here/nested.c" out >log; then
	pass "levels, tries, locks that live on"
else
	fail "levels, tries, locks that live on"
	note log
fi

# --- a lock that hangs ---
foresee-cc -g -O1 -c -o seen.o "$here/spin.c" || exit 2
for family in FORESEE TSAN; do
	for spin in spin.o seen.o; do
		foresee-cc -g -O1 -D$family "$here/stuck.c" $spin order.o -o stuck -lpthread || exit 2
		timeout 60 foresee record -q -o stuck.foresee ./stuck >log 2>&1
		run foresee check stuck.foresee
		has out '^1  deadlock of T[12] and T[12] on (left, right|right, left) .* predicted, certified' \
			"$family, $spin: two threads hang in locks of the program's own"
		has out 'It happened in the recorded run' "$family, $spin: it happened"
	done
done

# --- without recompilation ---
"$plain" -g -O1 -fPIE -pie -DFORESEE -I"$FORESEE_ROOT/include" "$here/cycle.c" spin.o order.o -o cycle -lpthread || exit 2
ok "locks only: recorded" foresee record -q --locks-only -o locks.foresee ./cycle
run foresee check locks.foresee
has out '^1  deadlock of T[12] and T[12] on (left, right|right, left) .* warning' "locks only: the cycle of a program's own locks"

# --- without foresee ---
# absent WORDS COMPILER...: the program that uses everything builds without a word and prints the same.
absent() {
	local words=$1 bad=
	shift
	"$@" -Wall -Wextra -Werror -I"$FORESEE_ROOT/include" "$here/absent.c" -o absent >log 2>&1 || bad=builds
	[ "$bad" ] || [ "$(./absent)" = fine ] || bad=prints
	is "$bad$(cat log)" "" "without foresee: $words"
}
for std in c89 c99 c11 gnu17; do
	absent "gcc $std" gcc -std=$std -pedantic
done
absent "gcc -O2 -fno-pie" gcc -O2 -fno-pie -no-pie
absent "gcc -static" gcc -static
absent "turned off" gcc -std=c89 -pedantic -DFORESEE_OFF
absent "g++ 98" g++ -x c++ -std=c++98 -pedantic
absent "g++ 20" g++ -x c++ -std=c++20 -pedantic
for n in $LLVMS; do
	absent "clang $n c89" clang-$n -std=c89 -pedantic
	absent "clang $n C++20" clang++-$n -x c++ -std=c++20 -pedantic
done
ok "with foresee: builds" foresee-cc -g "$here/absent.c" -o absent
record absent
is "$(cat printed)" fine "with foresee: prints the same"
foresee print absent.foresee | grep -v "give  *file" >out
is "$(grep -cE ' (lock|unlock|rdlock|rdunlock|request|rdrequest|tryfail|lockinit|lockdestroy|give|take|user|begin|end) ' out)" 29 \
	"with foresee: every macro is an event"
done_testing
