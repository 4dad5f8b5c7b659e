#!/usr/bin/env bash
# Threads that wait for signals: those of other threads are part of the schedule, others are said.
. "$(dirname "$0")/../lib.sh"
command -v foresee-cc >/dev/null || skip_all "no foresee-cc"

foresee-cc -g -O1 -pthread "$SRC/tests/programs/explore/signals.c" -o signals || exit 2

explore() {
	run timeout 120 foresee explore -q --time 60 "$@"
}

for how in sigwait sigwaitinfo signalfd poll sigsuspend; do
	explore --strategy dpor ./signals $how
	is "$status" 0 "$how: explored to the end"
	has out ': no failure; these are all that make a difference, 1 order' "$how: what was written before it was sent is no race"
done
for how in sigwait signalfd; do
	explore --strategy dpor ./signals $how kill
	is "$status" 0 "$how, of the process: explored to the end"
done
explore --strategy dpor ./signals sigtimedwait
is "$status" 0 "sigtimedwait: explored to the end"
has out 'these are all that make a difference, [0-9]+ orders, if loops that read the same again' "sigtimedwait: comes back in vain, too"
explore --strategy dpor ./signals once
is "$status" 0 "sigtimedwait, once: explored to the end"
has out 'these are all that make a difference, 2 orders' "sigtimedwait, once: the signal comes before or after"
explore --strategy dpor ./signals race
is "$status" 1 "two senders: both orders"
has out '^1  killed by signal 6 \(Aborted\), ' "two senders: what"
has out '^ +[0-9]+ +send signal 12 ' "two senders: how"
run timeout 60 foresee replay signals.schedule
is "$status" 0 "two senders: again"

# Not explored, and no deadlock: a signal may come from outside, and one that has come before a pause is lost.
for how in sigwait signalfd sigsuspend pause; do
	explore ./signals $how never
	is "$status" 3 "$how, of nobody: not called complete"
	has out '^[0-9]+ of them were ended: nobody could go on unless a signal comes, ' "$how, of nobody: is said"
	has out '^  T2 waits for (a signal|descriptor [0-9]+) at .*signals.c:[0-9]+ in ' "$how, of nobody: where"
	hasnt out 'a step took more than' "$how, of nobody: at once"
done
explore --strategy dpor ./signals pause
is "$status" 3 "pause: the signal may come before"
has out '^[0-9]+ of them were ended: nobody could go on unless a signal comes, ' "pause: is said"
explore --strategy dpor ./signals pause kill
has out 'no failure' "pause, of the process: nothing is accused"

# What decides whether it comes is not in the program: a search that saw none of it is not complete.
: >first >second >third
explore ./signals sigwait elsewhere
is "$status" 3 "decided elsewhere: not called complete"
has out '^1 of them were ended: nobody could go on unless a signal comes, ' "decided elsewhere: is said"
hasnt out 'these are all' "decided elsewhere: no more is claimed"

# No signal helps those who wait for each other's locks.
for how in sigwait signalfd pause; do
	explore --strategy bounded ./signals $how circle
	is "$status" 1 "$how, beside a deadlock: found"
	has out '^1  deadlock, in a schedule of' "$how, beside a deadlock: what"
done
done_testing
