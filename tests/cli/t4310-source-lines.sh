#!/usr/bin/env bash
# Lines of source in text: one under each place, what is meant of it marked; none where the file is gone or has changed.
. "$(dirname "$0")/../lib.sh"

cp "$SRC/examples/audit.c" "$SRC/examples/deadlock.c" .
touch -d '2 hours ago' audit.c deadlock.c
run foresee run --color never --trace audit.foresee audit.c
is "$status" 1 "a race: status"
is "$(sed -n '/^   T2  write  audit.c:32 in add_entry/,/^$/p' out)" \
"   T2  write  audit.c:32 in add_entry                     no lock held
              | audit.total += amount; /* no lock held */
              |       ^~~~~
              audit.c:40 in worker
   T3  read   audit.c:52 in report                        holds log_lock (:51)
              | printf(\"report %08x: total %d\\n\", pages, audit.total);
              |                                                ^~~~~" "both places"
hasnt out 'source that is not shown' "nothing is missing"
run foresee check --color always audit.foresee
has out $'\\| audit\\.\033\\[1;4mtotal\033\\[0m \\+= amount' "with colours it is underlined"
hasnt out '\^~' "and there are no carets"
run foresee run -q --color never --trace deadlock.foresee deadlock.c
is "$(grep -c '^ *| pthread_mutex_lock(&' out)" 4 "a deadlock: four places"
run foresee check --no-source audit.foresee
hasnt out '^ *\|' "--no-source"
hasnt out 'source that is not shown' "which is no news"

touch -d '2 hours' audit.c
run foresee check audit.foresee
hasnt out '^ *\| ' "a file that has changed is not shown"
is "$(grep -c '^source that is not shown: audit.c has changed since the program was built, or run$' out)" 1 "and that is said once"
rm audit.c
run foresee check audit.foresee
is "$(grep -c '^source that is not shown: audit.c is not there$' out)" 1 "nor one that is gone"

# A trace in text names what it likes.
printf 'int x; /* \033[31m red */\n' >t.c
printf 'T1|w(x)|t.c:1\nT2|w(x)|gone.c:1\n' >t.std
run foresee check --color never t.std
has out '^ *\| int x; /\* \?\[31m red \*/$' "nothing of a line commands the terminal"
hasnt out 'source that is not shown' "and places of text traces may be anything"
done_testing
