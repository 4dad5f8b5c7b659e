#!/usr/bin/env bash
# Specifications and options that cannot be right, and traces that do not say enough: a clear
# message, never a guess.
. "$(dirname "$0")/../lib.sh"
${CC:-cc} -O1 -o flatten "$SRC/tests/cli/flatten.c" && ${CC:-cc} -O1 -c -o order.o "$SRC/tests/programs/order.c" || exit 2

# wrong REGEX ARGS...: refused with this message, and nothing on stdout.
wrong() {
	local want=$1

	shift
	run timeout 60 foresee check "$@"
	is "$status" 2 "$*: status"
	has err "$want" "$*: says why"
	is "$(cat out)" "" "$*: no report"
}

# spec TEXT...: the file p.spec.
spec() {
	printf '%s\n' "$@" >p.spec
}

foresee-cc -g "$SRC/tests/programs/property/landing.c" order.o -o prog -lpthread &&
	timeout 60 foresee record -q -o t.foresee ./prog || fail "the program"
cat >t.std <<'END'
#fmt 1
T1|r(radio:4)=1|1
T1|w(approved:4)=1|2
T1|r(approved:4)=1|3
T1|w(landing:4)=1|4
T2|w(radio:4)=0|5
END

# Names and types of the program.
spec 'shared int landing;' 'shared int landng;' 'property p: ptltl landng == 0;'
wrong "^foresee: p\.spec:2:12: the program has no variable 'landng'; did you mean 'landing'\?" -s p.spec t.foresee
has err '^  shared int landng;$' "with the line"
has err '^             \^$' "and a mark under the name"
spec 'shared double landing;' 'property p: ptltl landing < 1;'
wrong "declared as 'double' \(8 bytes\), but the program has 'int' \(4 bytes\)" -s p.spec t.foresee
spec 'shared long landing;' 'property p: ptltl landing == 0;'
wrong "declared as 'long' \(8 bytes\)" -s p.spec t.foresee
spec 'shared int landing;' 'property p: ptltl landing.x == 0;'
wrong "landing\.x" -s p.spec t.foresee
spec 'shared int landing;' 'property p: ptltl landng == 0;'
wrong "^foresee: p\.spec:2:19: .*'landng'.*did you mean 'landing'" -s p.spec t.foresee
spec 'event e = call(controler);' 'property p: ptltl !e();'
wrong "controler" -s p.spec t.foresee

# Text that is none, or too much of it.
printf 'shared int radio;\nproperty p: ptltl radio == \0 1;\n' >p.spec
wrong '^foresee: p\.spec:2:28: a NUL byte' -s p.spec t.std
head -c 1048576 /dev/zero | tr '\0' ' ' >blanks
{ printf 'shared int radio; property p: ptltl radio == '; cat blanks; printf '1 +;'; } >p.spec
wrong '^foresee: p\.spec:1:10486[0-9]*: expected' -s p.spec t.std
is "$(awk 'length > 300' err)" "" "a long line is shown in part"
{ printf 'shared int radio; property p: ptltl radio == 1'; cat blanks; printf ';'; } >p.spec
run timeout 60 foresee check -a property -s p.spec t.std
is "$status" 1 "a line of 1 MB that is right is read"
head -c 17000000 /dev/zero | tr '\0' ' ' >p.spec
wrong 'p\.spec' -s p.spec t.std
{ printf 'shared int radio; property p: ptltl '; for i in $(seq 3000); do printf '!('; done; printf 'radio == 1'; } >p.spec
wrong 'nested deeper than' -s p.spec t.std
{ printf 'shared int radio; property p: ptltl '; for i in $(seq 100); do
	printf '('; for k in $(seq 60); do printf 'radio == %d || ' $k; done; printf 'radio == 0) && '; done; printf 'true;'; } >p.spec
wrong 'p\.spec:1:' -s p.spec t.std
wrong "^foresee: cannot open 'gone\.spec'" -s gone.spec t.std
wrong "^foresee: .*'\.'|directory" -s . t.std
: >p.spec
wrong "no property that can be monitored in 'p\.spec'" -a property -s p.spec t.std
wrong "no property that can be monitored in 'p\.spec'" -s p.spec t.std
wrong "'t\.foresee' is a recording, not a specification" -s t.foresee t.foresee
wrong "a specification goes with a trace: 'foresee check -s p\.spec TRACE'" p.spec

# Options.
spec 'shared int radio = 1;' 'property on: ptltl radio == 1;'
wrong "needs properties: give --spec FILE" -a property t.std
wrong "bad value '0' of --breadth" --breadth 0 -s p.spec t.std
wrong "bad value 'wide' of --breadth: expected a number from 1, or all" --breadth wide -s p.spec t.std
wrong "^foresee: --count is about lattices" --count t.std
wrong "^foresee: --breadth is about lattices" --breadth 3 t.std
wrong "^foresee: --count is about lattices" -a races --count -s p.spec t.std
wrong "cannot load plug-in './gone.so'" --monitor ./gone.so t.std
run timeout 60 foresee check -a races -s p.spec t.std
has err 'the spec is not used' "a spec that no analysis uses is noted"

# A division by zero is a finding of its own kind.
spec 'shared int radio = 1;' 'property ratio: ptltl 10 / radio == 10;'
run timeout 60 foresee check -a property -s p.spec -f json t.std
is "$status" 1 "division by zero: found"
./flatten <out >flat
is "$(sed -n 's/^\.findings\.0\.\(kind\|property\|certified\)=//p' flat | tr '\n' ' ')" \
	'"property-error" true "ratio" ' "a property-error, certified"
run timeout 60 foresee check -a property -s p.spec t.std
has out "division by zero in '10 / radio'" "with the expression"
spec 'shared int radio = 1;' 'property ratio: ptltl radio == 0 || 10 / radio == 10;'
run timeout 60 foresee check -a property -s p.spec t.std
is "$status" 0 "what is decided without the division is no error"
spec 'shared int radio = 1;' 'property much: ptltl radio * 9223372036854775807 * 9223372036854775807 >= 0;'
run timeout 60 foresee check -a property -s p.spec t.std
has out 'property much without a value' "overflow is one too"

# Values that are not known.
printf 'T1|w(x)|1\nT2|w(x)|2\n' >plain.std
spec 'shared int x = 0;' 'event w = write(x);' 'property p: ptltl x >= 0;' 'property q: ptltl !(w() && prev w());'
run timeout 60 foresee check -a property -s p.spec -f json plain.std
is "$status" 1 "a trace without values: events are judged"
./flatten <out >flat
is "$(sed -n 's/^\.findings\.[0-9]*\.property=//p' flat)" '"q"' "values are not"
has out "\"truncated\": \[\"property 'p' says nothing from event 1 on" "and that is said"
grep -v 'property q' p.spec >q.spec
run timeout 60 foresee check -a property -s q.spec plain.std
is "$status" 3 "nothing found, not everything judged: status 3"
spec 'shared int x;' 'property p: ptltl x >= 0;'
run timeout 60 foresee check -s p.spec plain.std
has out "property 'p' says nothing from the start: " "not known at first"
has out '^no race, deadlock or violated property found|^1 finding \(1 race' "what was looked for"

# The recorded run is judged, and another one cannot be: that is said, too.
spec 'shared long x = 0;' 'shared long y = 0;' 'shared long z;' 'property p: ptltl x == 1 && y == 1 -> z == 3;'
printf '#fmt 1\nT1|w(x)=1|1\nT1|w(x)=0|2\nT2|w(y)=1|3\nT2|w(y)=0|4\n' >apart.std
for a in property lattice-mvc; do
	run timeout 60 foresee check -q -a $a -s p.spec apart.std
	is "$status" 3 "$a: not known in another run: status 3"
	has out "property 'p' says nothing of some runs: .*'z'" "$a: and why"
done

# Events that nothing was: not an error, but perhaps a name that was meant otherwise.
spec 'event tick = user(tikc);' 'event set = write(radoi);' 'property p: ptltl !tick() && !set();'
run timeout 60 foresee check -a property -s p.spec t.std
is "$status" 0 "events that are not in the trace"
has err "nothing in the trace is event 'tick'" "are told of"
has err "nothing in the trace is event 'set'" "each"
spec 'shared int other.c:radio;' 'property p: ptltl other.c:radio <= 1;'
wrong "the program has no variable 'other\.c:radio'; did you mean 'radio'\?" -s p.spec t.foresee

# A regular expression with more states than it may have.
awk 'BEGIN { srand(1); for (i = 1; i <= 30000; i++) print "T1|" (rand() < 0.5 ? "r" : "w") "(x)|" i }' >long.std
spec 'shared int x;' 'event a = read(x);' 'event b = write(x);' \
	"property p: ere .* a $(for i in $(seq 15); do printf '. '; done) b a b a b a b a a a b b b a a a a a a b a b b b b b b a a a a a a a b b b never;"
run timeout 120 foresee check -q -a property -s p.spec long.std
is "$status" 3 "too many states: status 3"
has out "property 'p' says nothing from event .*states" "and the report says from where on"

# Half a recording: what is there is judged, and what is missing is said.
size=$(stat -c %s t.foresee)
spec 'shared int landing;' 'shared int radio;' 'property p: ptltl landing == 0 || radio <= 1;'
for part in 2 4 8; do
	head -c $((size / part)) t.foresee >half.foresee
	run timeout 60 foresee check -a property -s p.spec half.foresee
	case $status in
	0 | 2 | 3) pass "1/$part of a recording: status $status" ;;
	*) fail "1/$part of a recording: status $status" && note out && note err ;;
	esac
	[ "$status" != 2 ] || has err '^foresee: ' "1/$part of a recording: says why"
done
# No value in the recorded run does not hide that another run violates it, nor the reverse.
spec 'shared int x = 0;' 'shared int y = 1;' 'property p: ptltl 6 / y != 3;'
printf '#fmt 1\nT1|w(y:4)=0|1\nT2|w(y:4)=2|2\n' >two.std
run timeout 60 foresee check -a property -s p.spec -f json two.std
./flatten <out >flat
is "$(sed -n 's/^\.findings\.[0-9]*\.kind=//p' flat | sort | tr '\n' ' ')" '"property" "property-error" ' \
	"no value here, violated there: both are found"
done_testing
