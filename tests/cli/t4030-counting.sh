#!/usr/bin/env bash
# A wait of a semaphore needs a post, a failed try a holder: whichever it is.  What is said to be
# refuted is so for every one of them.
. "$(dirname "$0")/../lib.sh"

# any NAME: t.std has a race, or a deadlock, that only shows when others serve; it is proven.
any() {
	run foresee check --witness-dir w t.std
	is "$status" 1 "$1: found"
	has out 'predicted, certified' "$1: and certified"
	hasnt out 'refuted' "$1: nothing is called impossible"
	hasnt err 'internal error' "$1: the checker agrees"
	run foresee verify t.std w/1.witness
	is "$status" 0 "$1: the proof can be checked"
	rm -r w
}

printf '%s\n' '#fmt 1' 'T1|w(x)|1' 'T1|sempost(s)|2' 'T3|sempost(s)|3' 'T2|semwait(s)|4' \
	'T2|w(x)|5' >t.std
any "another post"

printf '%s\n' '#fmt 1' 'T3|acq(l)|1' 'T3|rel(l)|2' 'T2|w(x)|3' 'T2|acq(l)|4' 'T1|tryfail(l)|5' \
	'T1|w(x)|6' 'T2|rel(l)|7' >t.std
any "another holder"

printf '%s\n' '#fmt 1' 'T1|acq(l)|1' 'T1|acq(m)|2' 'T1|rel(m)|3' 'T1|rel(l)|4' 'T1|sempost(s)|5' \
	'T3|sempost(s)|6' 'T2|semwait(s)|7' 'T2|acq(m)|8' 'T2|acq(l)|9' >t.std
any "a deadlock by another post"

# Nobody told what the semaphore began with; that it was one shows only after the race.
printf '%s\n' '#fmt 1' 'T1|w(x)|1' 'T1|sempost(s)|2' 'T2|semwait(s)|3' 'T2|w(x)|4' \
	'T3|semwait(s)|5' >t.std
any "what a later wait shows"

# A thousand rounds of two workers and one who waits for both: what they do in one round comes before
# the next one, whoever posts first.
awk 'BEGIN {
	print "#fmt 1\nT1|seminit(s:0)|1\nT1|seminit(a:0)|1\nT1|seminit(b:0)|1\nT1|fork(T2)|1\nT1|fork(T3)|1"
	for (i = 0; i < 1000; i++) {
		print "T1|w(x)|10\nT1|w(y)|10\nT1|sempost(a)|11\nT1|sempost(b)|12"
		print "T2|semwait(a)|13\nT3|semwait(b)|13\nT2|w(x)|20\nT3|w(y)|30"
		print i % 2 ? "T2|sempost(s)|21\nT3|sempost(s)|31" : "T3|sempost(s)|31\nT2|sempost(s)|21"
		print "T1|semwait(s)|14\nT1|semwait(s)|15"
	}
}' >t.std
run foresee check -a races t.std
is "$status" 0 "rounds of workers: nothing is found"
has out 'no race in any run' "and nothing is left open"

# A semaphore of one that serves as a mutex is one: what is always done under it is settled at once.
awk 'BEGIN {
	print "#fmt 1\nT1|seminit(s:1)|1\nT1|fork(T2)|1\nT1|fork(T3)|1"
	for (i = 0; i < 3000; i++) {
		t = "T" 1 + i % 3
		print t "|semwait(s)|10\n" t "|r(x)|11\n" t "|w(x)|12\n" t "|sempost(s)|13"
	}
	print "T2|w(z)|14\nT2|semwait(s)|10\nT2|sempost(s)|13\nT1|semwait(s)|10\nT1|sempost(s)|13\nT1|w(z)|15"
}' >t.std
run foresee check -a races t.std
has out '^1 finding \(1 race\)' "a semaphore as a mutex: what it does not order is found"
has out 'race on z' "and nothing else"

# One semaphore, several producers: the n-th wait needs n posts.
awk 'BEGIN {
	print "#fmt 1\nT1|seminit(s:0)|1\nT1|fork(T2)|1\nT1|fork(T3)|1\nT3|w(x)|30\nT3|sempost(s)|31"
	for (i = 0; i < 500; i++)
		print "T2|sempost(s)|21"
	print "T2|w(y)|22"
	for (i = 0; i < 500; i++)
		print "T1|semwait(s)|11"
	print "T1|w(x)|12\nT1|w(y)|13\nT1|semwait(s)|14\nT1|w(z)|15\nT3|w(z)|32"
}' >t.std
run foresee check -q -a races -f json t.std
is "$(grep -o '"object": *"[xyz]", "places"' out | sed 's/, "places"//' | sort | tr -d ' \n')" '"object":"x""object":"y""object":"z"' \
	"several producers: races on x, y and z"
done_testing
