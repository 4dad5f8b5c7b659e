#!/usr/bin/env bash
# Names of a spec in a program: where variables are, what they hold at first and later, what events
# are seen, and what is said of names that are not there.
. "$(dirname "$0")/../lib.sh"

here=$SRC/tests/programs/binding
program=binding

# build OPTION...: the program and its library.
build() {
	foresee-cc -g -O1 -shared -fPIC "$here/binding_lib.c" -o libbinding.so &&
		foresee-cc "$@" --foresee-calls=open_file,quiet,never_called -I"$SRC/include" \
			"$here/binding.c" "$here/binding_two.c" -L. -lbinding -Wl,-rpath,"$PWD" \
			-pthread -o "$program"
}

# violated SPEC-FILE TRACE: names of the violated properties, sorted, on one line.
violated() {
	foresee check -q -a property -s "$1" -f json "$2" 2>err | grep -o '"property": "[^"]*"' |
		cut -d'"' -f4 | sort -u | tr '\n' ' '
}

# Each row: declaration, the variable, its first value, its last.  Property first_N holds where the
# first value is right; last_N is violated when the last one is reached; only_N holds where
# there are no others.
rows=(
	"int plain|plain|5|7"
	"int zero|zero|0|7"
	"int binding.c:count|binding.c:count|9|10"
	"int binding_two.c:count|binding_two.c:count|20|21"
	"short alone|alone|3|4"
	"short table[1][2]|table[1][2]|6|77"
	"int one.money.balance|one.money.balance|100|95"
	"int many[1].money.limit|many[1].money.limit|0|3"
	"long many[2].id|many[2].id|0|0x101010101010101"
	"bool yes|yes|1|0"
	"enum color paint|paint|7|0"
	"float ratio|ratio|1.5|2.5"
	"double far|far|-2|4"
	"unsigned char bytes[1]|bytes[1]|'x'|'b'"
	"unsigned int word|word|0xfffffffe|0xffff00fe"
	"signed char small|small|-3|-2"
	"int binding.c:worker.calls|binding.c:worker.calls|1|2"
	"int library_value|library_value|11|12"
	"int @zero|@zero|0|7"
)

{
	for row in "${rows[@]}"; do
		IFS='|' read -r declared _ <<<"$row"
		echo "shared $declared;"
	done
	echo 'shared int *where; shared long heap.value = 0; shared int phase = 1;'
	n=0
	for row in "${rows[@]}"; do
		IFS='|' read -r _ name first last <<<"$row"
		echo "property first_$n: ptltl once($name == $first);"
		echo "property last_$n: ptltl !($name == $last);"
		[ "$name" = plain ] || echo "property only_$n: ptltl $name == $first || $name == $last;"
		n=$((n + 1))
	done
	echo 'property last_where: ptltl !(where == NULL);'
	echo 'property last_heap: ptltl !(heap.value == 1);'
	echo 'property last_phase: ptltl !(phase == 3);'
	echo 'property first_phase: ptltl once(phase == 1);'
} >values.spec
wanted=$(for ((i = 0; i < n; i++)); do echo "last_$i"; done
	printf '%s\n' last_where last_heap last_phase)
wanted=$(sort <<<"$wanted" | tr '\n' ' ')

cat >events.spec <<'END'
thread first = 1; thread w = "worker"; thread main = "main"; thread nobody = "wroker";
event lock1 = acq(lock); event lock2 = rel(lock) by w; event gate1 = acq(gate); event gate2 = rel(gate);
event fork1 = fork(w); event join1 = join(w) by first; event begin1 = begin(block); event end1 = end(block);
event user1 = user(hello, 1, -2); event call1 = call(open_file); event call2 = call(quiet, 6) by w;
event read1 = read(plain) by w; event write1 = write(plain); event rmw1 = write(plain) by main;
event not1 = acq(lock) by first; event not2 = fork(1); event not3 = user(hello, 2); event not4 = call(quiet, 7);
event not5 = call(never_called); event not6 = write(plain) by nobody; event not7 = begin(blok);
property lock1: ere lock1 never; property lock2: ere lock2 never; property gate1: ere gate1 never;
property gate2: ere gate2 never; property fork1: ere fork1 never; property join1: ere join1 never;
property begin1: ere begin1 never; property end1: ere end1 never; property user1: ere user1 never;
property call1: ere call1 never; property call2: ere call2 never; property read1: ere read1 never;
property write1: ere write1 write1 never; property rmw1: ere rmw1 never;
property not1: ere not1 never; property not2: ere not2 never; property not3: ere not3 never;
property not4: ere not4 never; property not5: ere not5 never; property not6: ere not6 never;
property not7: ere not7 never; property not8: ere write1 write1 write1 never;
END
seen="begin1 call1 call2 end1 fork1 gate1 gate2 join1 lock1 lock2 read1 rmw1 user1 write1 "

for level in -O0 -O2; do
	ok "$level: builds" build $level
	ok "$level: records" timeout 60 foresee record -q --full -o $program.foresee ./$program
	is "$(violated values.spec $program.foresee)" "$wanted" "$level: every variable has its values"
	is "$(cat err)" "" "$level: and there is nothing to say of them"
	is "$(violated events.spec $program.foresee)" "$seen" "$level: every event is seen"
	run foresee check -a property -s events.spec $program.foresee
	has err "no thread of the run is 'wroker'" "$level: a thread that is not there is told of"
done

# Text of the same run has the program's names, but not those of start routines.
foresee print --std $program.foresee >$program.std
sed 's/"worker"/"T2"/; s/"main"/"T1"/' events.spec >text.spec
is "$(violated text.spec $program.std)" "$seen" "text of the run has the same events"

# What is in the recording is enough, but for raw symbols.
rm $program libbinding.so
grep -v '@zero' values.spec >gone.spec
is "$(violated gone.spec $program.foresee)" "${wanted/last_$((n - 1)) /}" "the program's file is not needed"

# --- what cannot be ---
build -O0 && foresee record -q -o $program.foresee ./$program

# refuses SPEC WORDS NAME
refuses() {
	echo "$1" >bad.spec
	run foresee check -s bad.spec $program.foresee
	is "$status" 2 "$3: refused"
	has err "$2" "$3: says why"
	has err 'bad.spec:1:' "$3: says where"
}

property='property p: ptltl 1 == 1;'
refuses "shared int plian; $property" "no variable 'plian'.*'plain'" "a slip of the pen"
refuses "shared int one.money.blance; $property" "no member 'blance'" "a member that is not there"
refuses "shared int plain.x; $property" "no struct" "a member of no struct"
refuses "shared short table[2][0]; $property" "no element" "an element too far"
refuses "shared int zero[1]; $property" "no array" "an element of no array"
refuses "shared int count; $property" "binding.c:count.*binding_two.c:count" "two of a name"
refuses "shared long plain; $property" "'long'.*'int'" "another size"
refuses "shared float plain; $property" "'float'.*'int'" "another kind"
refuses "shared unsigned int plain; $property" "'unsigned int'.*'int'" "another sign"
refuses "shared int one; $property" "'int'.*'struct account'" "a struct as a number"
refuses "shared int one.flag; $property" "bit field" "a bit field"
refuses "shared int mine; $property" "thread-local" "a thread-local variable"
refuses "shared int constant; $property" "constant" "a constant"
refuses "shared int @plian; $property" "no symbol 'plian'" "a symbol that is not there"
refuses "event e = call(binding_two); property p: ere e never;" "foresee-calls=binding_two" \
	"a function that does not tell"
refuses "event e = acq(locc); property p: ere e never;" "'lock'" "a lock that is not there"

# --- what is noted ---
echo "shared int plain = 6; event r = read(plain); property p: ere r never;" >notes.spec
run foresee check -s notes.spec $program.foresee
has err "'plain' is 5 at the start, not 6" "the program's first value counts"
has err "record with --full" "reads that may be missing are told of"
echo "shared int plain = 6; property five: ptltl once(plain == 5); property six: ptltl once(plain == 6);" >first.spec
is "$(violated first.spec $program.foresee)" "six " "and no run begins with the spec's"

# --- written behind our back ---
echo 'void poke(int *p) { *p = 5; }' >poke.c
cat >odd.c <<'END'
int x, y;
void poke(int *p);
int main(void)
{
	x = 1;
	poke(&x);
	y = x;
	return 0;
}
END
printf 'shared int x; shared int y;\nproperty later: ptltl y == 0;\nproperty kept: ptltl y == 5 -> x == 1;\n' >odd.spec
${CC:-cc} -O1 -c poke.c && foresee-cc -g -O0 odd.c poke.o -o odd && foresee record -q -o odd.foresee ./odd
run foresee check -a property -s odd.spec odd.foresee
has out '^1  property later violated  *warning$' "what code that is not recorded has touched is a warning"
hasnt out 'property kept violated' "and what it may have written is not known"
has out "property 'kept' says nothing from event" "which is told"

# --- compiled for the spec ---
cat >told.c <<'END'
#include <pthread.h>
static int twice(int x) { return 2 * x; }
int main(void) { return twice(3) - 6; }
END
echo 'event e = call(twice, 3); property p: ere e never;' >told.spec
run foresee run --spec told.spec told.c
has out "p" "run compiles what the spec names"
is "$status" 1 "and sees its calls"

done_testing
