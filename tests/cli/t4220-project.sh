#!/usr/bin/env bash
# The project's file: found upward, options and rules, the command line wins, mistakes have their line.
. "$(dirname "$0")/../lib.sh"
unset FORESEE_PROJECT

mkdir -p 'p q/sub/deep'
printf 'T1|w(stats.a)|a.c:1\nT1|w(x)|a.c:2\nT2|r(stats.a)|b.c:4\nT2|r(x)|b.c:5\n' >'p q/sub/two.std'
cat >'p q/.foresee' <<'END'
# what all of us use
suppress = rules.txt
race:variable:stats.*
format = json

analysis = hb,races
END
echo 'race:variable:nothing' >'p q/rules.txt'
cd 'p q/sub/deep' || exit 2
here=$(cd ../.. && pwd)
run foresee config
is "$status" 0 "config"
is "$(cat out)" "$here/.foresee
  --suppress $here/rules.txt
  --format json
  --analysis hb,races
  suppressed: race:variable:stats.*" "what it says"
run foresee check ../two.std
is "$status" 1 "one finding is left"
has out '^\{"foresee": 1' "its format is used"
has out '"suppressed": [1-9]' "its rules are used"
has out '"name": "hb"' "its analyses"
run foresee check -f text -a races ../two.std
has out '^1  data race on x ' "the command line wins"
hasnt out 'stats\.a' "and has the rules still"
run foresee check --suppress ../../rules.txt -f text ../two.std
hasnt out 'data race on stats' "rules count beside those of the command line"
FORESEE_PROJECT= run foresee check ../two.std
has out 'data race on stats' "none, by request"
printf 'race:variable:x\n' >"$here/other"
FORESEE_PROJECT=$here/other run foresee check ../two.std
has out '^1  data race on stats\.a ' "another file"
# A nearer one counts alone; a directory of that name is none.
mkdir .foresee
run foresee config
has out "^$here/\.foresee$" "a directory is no file"
rmdir .foresee && echo strict >.foresee
run foresee config
is "$(cat out)" "$PWD/.foresee
  --strict" "the nearest"

# wrong TEXT MESSAGE
wrong() {
	printf "$1" >.foresee
	run foresee check ../two.std
	is "$status" 2 "refused: $1"
	has err "$2" "why: $1"
}
wrong 'strickt\n' "\.foresee:1: unknown setting 'strickt', did you mean 'strict'\?"
wrong '\non-finding = rm -rf /\n' "\.foresee:2: unknown setting 'on-finding'"
wrong 'monitor = x.so\n' "unknown setting 'monitor'"
wrong 'output = x\n' "unknown setting 'output'"
wrong 'budget = many\n' "bad value 'many' of --budget"
has err "that is on line 1 of '.*/\.foresee'" "with its line"
wrong '# a\nbudget\n' "option '--budget' needs a value"
wrong 'strict = yes\n' "option '--strict' takes no value"
wrong 'spec = a\nspec = b\n' "'spec' is set twice, here and on line 1"
wrong 'race:variabel:x\n' "\.foresee:1:6: expected variable, lock, function, file or property, not 'variabel'"
wrong 'baseline = nothere.json\n' "cannot read '$PWD/nothere\.json'"
wrong 'a\0b\n' 'NUL in a line'
head -c 2000000 /dev/zero >.foresee
run foresee check ../two.std
is "$status" 2 "too long: refused"
rm .foresee
cd / && run foresee config
is "$status" 0 "without one"
done_testing
