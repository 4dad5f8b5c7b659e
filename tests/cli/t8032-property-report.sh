#!/usr/bin/env bash
# What is said about a violated property, in text and in JSON, and its witness: that holds the spec,
# and is checked anew with it or with another.
. "$(dirname "$0")/../lib.sh"

# The landing controller: approval, landing, then the radio goes off.
cat >land.std <<'END'
#fmt 1
T1|r(radio)=1|land.c:10:ask
T1|w(approved)=1|land.c:11:ask
T1|r(approved)=1|land.c:20:land
T1|w(landing)=1|land.c:21:land
T2|w(radio)=0|land.c:31:watch
END
cat >land.spec <<'END'
shared int landing = 0;	// a # in a comment
shared int approved = 0;
shared int radio = 1;
property land: ptltl start(landing == 1) -> [approved == 1, radio == 0);
property calm: ptltl landing == 0 || radio == 1;
property late: ptltl approved / radio < 9;
END

run foresee check -a property -s land.spec --count --witness-dir w land.std
is "$status" 1 "a violation is found"
has out '^[123]  property land violated  *predicted, certified$' "one that is predicted"
has out '^[123]  property calm violated  *in the recorded order$' "one that happened"
has out '^[123]  property late without a value  *in the recorded order$' "one without a value"
has out "^   division by zero in 'approved / radio', line 6" "and why"
has out '^   property land: ptltl start\(landing == 1\) -> \[approved == 1, radio == 0\);$' "the formula"
has out '^   at land.spec:4$' "its place"
has out '^   T1  write landing  land.c:21 in land$' "the event"
has out "in the recorded run T1's write of landing \(:21\) came before T2's write of" "what hid it"
has out '^ *T1 .*T2 .* landing  approved  radio$' "a column for each thread and variable"
has out '^ *5 .*write radio = 0 .*  0\*$' "a star at what changes"
has out '^ *4 .*write landing = 1 .*<-- violated$' "the violating state"
has out '^3 findings \(2 property violations, 1 property-error\)\.$' "all are counted"
has out '^property: 9 cuts, 11 edges, 6 levels, the widest of 2, 0 dead ends; 4 runs, 4 violating$' "and the runs"
has out 'foresee help property' "where to read on"
run foresee help property
is "$status" 0 "there is help"

land=$(grep -l 'property:land' w/*.witness)
calm=$(grep -l 'property:calm' w/*.witness)
late=$(grep -l 'property-error:late' w/*.witness)
has "$land" '^target  4$' "a witness ends with the event"
has "$land" '^spec shared int landing = 0;	// a # in a comment$' "and holds the spec as it was"
run foresee verify land.std "$land"
is "$status" 0 "it is certified alone"
has out '^certified: property land violated at event 4: T1 write at land.c:21 in land$' "with the event"
has out '^property land: ptltl start' "and the formula"
run foresee verify land.std "$calm"
has out '^certified: property calm violated at event 5 of the recorded run' "the recorded run"
run foresee verify land.std "$late"
has out '^certified: property late without a value at event 5 of the recorded run' "no value"

# The spec has asked for names before the text has them: witnesses of other kinds know nothing of that.
foresee check -q -s land.spec --witness-dir both land.std >/dev/null
race=$(grep -l 'kind *race' both/*.witness)
run foresee verify land.std "$race"
is "$status" 0 "a race found beside them is certified without the spec"

# Spoilt ones.
sed 's/^spec property land:.*/spec property land: ptltl landing >= 0;/' "$land" >weak.witness
run foresee verify land.std weak.witness
is "$status" 1 "a spec that says less"
has out "^not certified: event 4 \(T1 w, land.c:21\): 'land' holds at event 4" "does not help"
sed '/^order/,$d' "$land" >order.witness
echo 'order 1 2 3 4' >>order.witness
run foresee verify land.std order.witness
has out "^not certified: .*'land' holds at event 4" "nor does the recorded order"
sed '/^order/,$d' "$land" >order.witness
echo 'order 5 1 2 3 4' >>order.witness
run foresee verify land.std order.witness
has out '^not certified: event 1 \(T1 r, land.c:10\): sees the write of event 5' "nor one that is no run"
sed 's/^target .*/target 3/' "$land" >target.witness
run foresee verify land.std target.witness
has out '^not certified: event 3 .*: is the target, so the order must end with it' "nor another target"
grep -v '^spec' "$land" >bare.witness
run foresee verify land.std bare.witness
is "$status" 2 "without a spec"
has err "is about the property 'land' and has no spec: give it with -s FILE" "that is said"
run foresee verify -s land.spec land.std bare.witness
is "$status" 0 "-s gives one"
sed 's/^property land/property sea/' land.spec >other.spec
run foresee verify -s other.spec land.std "$land"
is "$status" 2 "one without the property"
has err "there is no property 'land' in other.spec" "is named"
printf 'shared int nowhere;\nproperty land: ptltl nowhere == 0;\n' >lost.spec
run foresee verify -s lost.spec land.std "$land"
is "$((status != 0))" 1 "one about something else"
sed 's/^spec property land.*/spec property land: ptltl );/' "$land" >broken.witness
run foresee verify land.std broken.witness
is "$status" 2 "a broken one"
has err "broken.witness \(spec\):4:" "with its place"
sed 's/^kind .*/kind property/' "$land" >kind.witness
run foresee verify land.std kind.witness
has err "kind.witness:3:6: expected the property's name, as property:NAME" "a kind without a name"

# The initial state.
printf 'shared int radio = 1;\nproperty off: ptltl radio == 0;\n' >off.spec
rm -r w
run foresee check -q -a property -s off.spec --witness-dir w land.std
has out 'in the initial state, before any event' "violated at the start"
has w/1.witness '^target  none$' "without a target"
run foresee verify -q land.std w/1.witness
has out '^certified: property off violated in the initial state$' "certified"

# JSON.
${CC:-cc} -O1 -o flatten "$SRC/tests/cli/flatten.c" || exit 2
foresee check -a property,lattice-mvc -s land.spec --count -f json land.std | ./flatten >flat
i=$(sed -n 's/^\.findings\.\([0-9]*\)\.property.*land.*/\1/p' flat)
has flat "^\.findings\.$i\.kind.*property" "JSON: the kind"
has flat "^\.findings\.$i\.object\.1.*approved" "the variables"
has flat "^\.findings\.$i\.places\.0\.line.*21" "the place"
has flat "^\.findings\.$i\.states\.0\.event.*0" "the states, the first one too"
has flat "^\.findings\.$i\.states\.3\.values\.radio.*0" "with values"
has flat "^\.findings\.$i\.witness\.order\.4.*4" "the order ends with the event"
has flat "^\.lattice\.lattice-mvc\.cuts.*6" "counts by engine"
has flat "^\.lattice\.lattice-mvc\.runs.*3" "runs"
has flat "^\.lattice\.property\.cuts.*9" "of each"
printf '#fmt 1\nT1|w(n:8)=9007199254740992|1\nT1|w(n:8)=9007199254740993|2\n' >big.std
printf 'shared long n = 0;\nproperty small: ptltl n <= 9007199254740992;\n' >big.spec
foresee check -a property -s big.spec -f json big.std | ./flatten >flat
has flat '^\.findings\.0\.states\.1\.values\.n=9007199254740992$' "a value of 2^53 is a number"
has flat '^\.findings\.0\.states\.2\.values\.n="9007199254740993"$' "a larger one a string"

# Suppressed by its name.
printf 'property:property:la*\n*:property:calm\nproperty-error:property:late\n' >rules
run foresee check -a property -s land.spec --suppress rules land.std
is "$status" 0 "suppressed by name"
has out '^3 suppressed:$' "all of them"
done_testing
