#!/usr/bin/env bash
# foresee spec: what it prints, what it refuses, and the examples of doc/SPECS.md.
. "$(dirname "$0")/../lib.sh"

cat >a.spec <<'EOF'
shared int landing = 0; shared int approved = 0; shared int radio = 1;
event tick = user(tick);
relevant tick, radio;
property land step write: ptltl start(landing==1) -> [approved==1, radio==0);
property twice: ere tick tick never;
property m: fsm any { initial state A { tick when landing > 0 -> B; } bad state B { } };
property nothing step event: ptltl landing == 0 || true;
thread t = 1; property know: mttl @t(@t.radio == 1);
EOF
run foresee spec a.spec
is "$status" 0 "a spec"
has out '^a.spec: 5 properties, 3 variables, 1 event, 1 thread$' "its first line"
has out '^  relevant   radio, tick$' "what is relevant"
has out '^property land step write: ptltl start\(landing == 1\) -> \[approved == 1, radio == 0\);$' "the parenthesised form"
has out '^  kind       past-time LTL' "the kind"
has out '^  monitor    2 bits' "the monitor of a formula"
has out '^  steps      tick; writes of landing, approved; reads and writes of radio$' "its steps"
has out '^  variables  landing, approved, radio$' "its variables"
has out '^  events     tick$' "events"
has out '^  monitor    [0-9]+ states' "the monitor of an expression"
has out 'takes every move that fits' "a machine that is in many states"
has out '^  monitor    1 remote term, ' "mttl"

printf 'shared int x; property p step event: ptltl x == 0;' >b.spec
run foresee spec b.spec
has out '^  steps      none: only the initial state' "no steps are said to be none"

run foresee spec -q a.spec
is "$status $(cat out err)" "0 " "quiet"
run foresee spec a.spec b.spec
has out '^b.spec: 1 property' "two files"
foresee spec - <a.spec >out 2>err
is "$?" 0 "standard input"
has out '^\(standard input\): 5 properties' "has a name"

# Printing is a fixed point and means the same.
run foresee spec --format a.spec
is "$status" 0 "--format"
cp out a1
foresee spec --format - <a1 >a2
same a1 a2 "--format of what --format has printed"
foresee spec a.spec | sed 1d >p1
foresee spec a1 | sed 1d >p2
same p1 p2 "and the same properties"

# Trouble.
run foresee spec
is "$status" 2 "no file"
has err 'no spec given' "says so"
run foresee spec nowhere.spec
is "$status" 2 "a file that is not there"
has err "cannot open 'nowhere.spec'" "says so"
printf 'shared int landing;\n\tproperty p: ptltl once landng == 1;\n' >bad.spec
run foresee spec bad.spec
is "$status" 2 "an unknown name"
printf "foresee: bad.spec:2:25: variable 'landng' is not declared, did you mean 'landing'?\n  \tproperty p: ptltl once landng == 1;\n  \t                       ^\n" >want
same err want "place, line and caret"
run foresee spec bad.spec a.spec
is "$status" 2 "one bad file of two"
has out '^a.spec: 5 properties' "does not hide the other"
printf 'shared int x\0;' >nul.spec
run foresee spec nul.spec
is "$status" 2 "NUL bytes"
has err '^foresee: nul.spec:1:13: a NUL byte' "are named"
{ printf 'shared int x; /*'; head -c 1000000 /dev/zero | tr '\0' 'a'; printf '*/ property p: ptltl x =< 1;'; } >long.spec
run foresee spec long.spec
is "$status" 2 "a line of 1 MB"
has err '^foresee: long.spec:1:1000040: .*==' "has columns"
is "$(($(wc -c <err) < 500))" 1 "and is shown in part"
{ printf 'shared int x; property p: ptltl '; for i in $(seq 6000); do printf '(x>0)&&(x>0)||'; done; printf 'x>0;'; } >large.spec
run foresee spec large.spec
is "$status" 2 "a formula that is too large"
has err 'more than 10000|deeper than 500' "is named so"
{ printf 'property p: ptltl '; head -c 2000000 /dev/zero | tr '\0' '('; } >deep.spec
run foresee spec deep.spec
is "$status" 2 "two million parentheses"
has err 'nested deeper than 500' "are too many"
head -c 17000000 /dev/zero | tr '\0' ' ' >big.spec
run foresee spec big.spec
is "$status" 2 "17 MB"
has err '16 MB' "are too many"
head -c 100000 "$FORESEE_ROOT/bin/foresee" >binary.spec
run foresee spec binary.spec
is "$status" 2 "a program is no spec"
run foresee spec .
is "$status" 2 "nor is a directory"

# With a trace.
printf 'T1|w(landing)=1|1\nT1|w(radio)=0|2\n' | sed '1i #fmt 1' >t.std
printf 'shared int landing = 0; shared int radio;' >t.spec
run foresee spec --trace t.std t.spec
is "$status" 0 "--trace"
has out '^variables in t.std$' "has a part of its own"
has out '^  landing .*initially 0 \(spec\)$' "with initial values"
has out '^  radio .*initial value not known$' "or without"
ok "a program" foresee-cc -g -pthread -o land "$SRC/examples/landing.c"
ok "its recording" foresee record -o t.foresee ./land
run foresee spec --trace t.foresee a.spec
is "$status" 0 "--trace of a recording"
has out '^  landing  int, 4 bytes at 0x[0-9a-f]+, initially 0 \(program\)$' "address, size, type, value"
has out '^  radio    (atomic_)?int, 4 bytes at 0x[0-9a-f]+, initially 1 \(program\)$' "from the program"
printf 'shared int landng; shared char radio; shared int raido; shared int approved;' >t.spec
run foresee spec -q --trace t.foresee t.spec
is "$status" 2 "names that the program does not have"
is "$(cat out)" "" "quiet"
has err "t.spec:1:12: .*'landng'.*did you mean 'landing'" "the first"
has err "t.spec:1:32: .*'char'.*'(atomic_)?int'" "a type that is wrong"
has err "t.spec:1:50: .*'raido'.*did you mean 'radio'" "and the last"
hasnt err 'approved.*\?' "what is there is not complained of"
run foresee spec --trace nowhere.foresee a.spec
is "$status" 2 "a trace that is not there"
run foresee spec --format --trace t.std a.spec
is "$status" 2 "--format with --trace"

# The manual: every block of it that is a spec.
awk '/^```spec/ { n++; on = 1; next } /^```/ { on = 0 } on { print >("doc" n ".spec") }' \
	"$SRC/doc/SPECS.md" "$SRC/doc/PROPERTIES.md"
count=0
for f in doc*.spec; do
	ok "SPECS.md, PROPERTIES.md, $f" foresee spec "$f"
	count=$((count + 1))
done
is "$((count >= 8))" 1 "there are examples"
# What it shows of the first is what is printed.
foresee spec doc1.spec | sed '1,2d;s/^/    /' >shown
sed -n '/^    property land step write/,/^$/p' "$SRC/doc/SPECS.md" | sed '/^$/d' >told
same told shown "the output that SPECS.md shows"
for f in "$SRC"/examples/*.spec "$SRC"/tests/programs/property/*.spec; do
	[ -e "$f" ] && ok "$(basename "$f")" foresee spec -q "$f"
done
done_testing
