#!/usr/bin/env bash
# Wrong command lines end with 2, say what is wrong on stderr, and suggest.
. "$(dirname "$0")/../lib.sh"

# wrong REGEX ARGS...
wrong() {
	local want=$1
	shift
	run foresee "$@"
	is "$status" 2 "foresee $*: status"
	has err "$want" "foresee $*: says why"
	is "$(cat out)" "" "foresee $*: nothing on stdout"
}

echo 'T1|w(x)|1' >t.std

wrong '^usage: foresee COMMAND'
wrong "^foresee: unknown command 'stat', did you mean 'stats'\?" stat t.std
wrong "^foresee: unknown command 'frobnicate'$" frobnicate
wrong '^  the commands are: run record observe check verify replay explore guard spec print stats export diff config help' frobnicate
wrong "^foresee: expected a command before '-q'" -q
wrong "^foresee: unknown option '--ful', did you mean '--full'\?" record --ful ./x
wrong "^foresee: unknown option '--formta', did you mean '--format'\?" stats --formta json t.std
wrong "^foresee: unknown option '--zzzzzz'$" print --zzzzzz t.std
wrong "^foresee: unknown option '-z'$" print -z t.std
wrong "^foresee: option '--from' needs a value: --from N" print t.std --from
wrong "^foresee: option '-o' needs a value: -o TRACE" record -o
wrong "^foresee: option '--std' takes no value" print --std=1 t.std
wrong "^foresee: unknown format 'xml': expected text or json" stats -f xml t.std
wrong "^foresee: bad value '0' of --from" print --from 0 t.std
wrong "^foresee: bad value '-1' of --to" print --to=-1 t.std
wrong "^foresee: bad value '99999999999999999999' of --to" print --to 99999999999999999999 t.std
wrong "^foresee: bad value 'pink' of --color: expected auto, always or never" stats --color pink t.std
wrong "^foresee: no trace given" print
wrong "^foresee: no trace given" stats -q
wrong "^foresee: no trace given" verify
wrong "^foresee: no trace given" replay
wrong "^foresee: what shall be replayed" replay t.std
wrong "^foresee: no program behind --" replay t.std 1 --
wrong "^foresee: a trace in text form has no program" replay t.std 1
wrong "^foresee: no trace given" check
wrong "^foresee: more than one trace" print t.std t.std
wrong "^foresee: cannot open 'w.witness': No such file" verify t.std w.witness
wrong "^foresee: --std prints the whole trace" print --std --from 2 t.std
wrong "^foresee: --lock-trees looks at the whole trace" print --lock-trees --from 2 t.std
wrong "^foresee: --dependencies looks at the whole trace" print --dependencies --lock-trees t.std
wrong "^foresee: cannot open 'gone': No such file" print --dependencies gone
wrong "^foresee: cannot open 'gone': No such file" print --lock-trees gone
wrong "^foresee: no program given" record
wrong "^foresee: a token or --observer-wait goes with --observer" record --token x ./x
wrong "^foresee: a token or --observer-wait goes with --observer" record --observer-wait 3 ./x
wrong "^foresee: --keep 3M is too little: give at least 4M" record --keep 3M ./x
wrong "^foresee: bad value '2X' of --keep: expected a size like 500M or 2G" run --keep 2X ./x
wrong "^foresee: observe takes no argument 'extra'" observe extra
wrong "^foresee: bad cuts '5:2' for --cuts" check --cuts 5:2 t.std
wrong "^foresee: no program given" run --full --
wrong "^foresee: unknown command 'prin', did you mean 'print'\?" help prin
wrong "^foresee: more than one command" help run record
wrong "^foresee: cannot open 'gone': No such file" stats gone
wrong "^foresee: cannot (open|read) '.'" print .
wrong "^foresee: unknown analysis 'hbb', did you mean 'hb'\?" check -a syncp,hbb t.std
wrong "^  the analyses are: default, which is races,deadlocks,atomicity, and with --spec property$" check --analysis=frobnicate t.std
wrong "^    hb  +[a-z]" check -a frobnicate t.std
wrong "^foresee: unknown analysis ''" check -a hb,, t.std
wrong "^foresee: unknown format 'xml': expected text, json, sarif" check -f xml t.std
wrong "^foresee: -f html is a page about one trace" check -f html t.std t.std
wrong "^foresee: -f html is a page about one run" run -f html -n 2 true
wrong "^foresee: a replay is told as text or json" replay -f html t.std 1
wrong "^foresee: -f html is one report of all" observe -f html
wrong "^foresee: bad value '0' of --jobs: expected a number from 1 to 1024" check --jobs 0 t.std
wrong "^foresee: bad value 'x' of --budget" check --budget x t.std
wrong "^foresee: bad value '4294967296' of --window" check --window 4294967296 t.std
wrong "^foresee: --witness-dir takes one trace" check --witness-dir d t.std t.std
wrong "^foresee: cannot make the directory 't.std/d': Not a directory" check --witness-dir t.std/d t.std
wrong "^foresee: cannot write 'gone/out': No such file" check -o gone/out t.std
wrong "^foresee: cannot read 'gone': No such file" check --suppress gone t.std
wrong "^foresee: cannot open 'gone': No such file" check gone
wrong "^foresee: option '-o' needs a value: -o FILE" run -o

printf 'GIF89a\0\0\0' >picture
wrong "^foresee: 'picture' is not a trace" stats picture

# Options and operands in any order; values glued or apart.
ok "options after the trace" foresee stats t.std -f json
ok "a glued value" foresee stats -fjson t.std
ok "an equals sign" foresee stats --format=json t.std
ok "-- ends the options" foresee stats -- t.std
cp t.std ./-t.std
ok "a trace named like an option" foresee stats -- -t.std

# A full disk does not go unseen.
if [ -w /dev/full ]; then
	for c in stats print "print --std" "stats -f json" verify; do
		foresee $c t.std >/dev/full 2>err
		is "$?" 2 "$c to a full disk: status"
		has err 'cannot write to standard output: No space left' "$c to a full disk: message"
	done
fi

# A reader that goes away ends the writer quietly.
for i in $(seq 20000); do echo "T1|w(x)|$i"; done >long.std
foresee print long.std 2>err | head -1 >out
is "$(wc -l <out)" 1 "print into head"
is "$(cat err)" "" "without a word"

foresee stats --color=always nosuch 2>err
has err $'\033' "--color=always colours"
NO_COLOR=1 foresee stats nosuch 2>err
hasnt err $'\033' "no colour into a file"
done_testing
