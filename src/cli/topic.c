#include "cli/topic.h"

#include <string.h>

static const char race[] =
	"how to read a report about data races\n"
	"\n"
	"  1  data race on total (4 bytes, global)                 predicted, certified\n"
	"     T2 \"worker\"  write  audit.c:31 in add_entry          no lock held\n"
	"                         audit.c:44 in worker\n"
	"     T3           read   audit.c:52 in report             holds log_lock (:49)\n"
	"\n"
	"     The run that shows it (in the observed run T2's unlock of m came before T3's\n"
	"     lock of m):\n"
	"\n"
	"               T2 \"worker\"              T3\n"
	"               ... 12 events\n"
	"           47                           lock   m      :47\n"
	"           48                           unlock m      :48\n"
	"       14, 49  write  total  :31  <-->  read   total  :52    nothing orders these two\n"
	"\n"
	"A data race: two threads touch the same bytes, one of them writes, and nothing orders\n"
	"the two. In C that is undefined behaviour, whatever the values are.\n"
	"\n"
	"The two accesses. Thread, what it does, where, called from where, and the locks that\n"
	"it holds there, with the line that took them. Usually the mend is here: the two have\n"
	"no lock in common, or a flag that is no atomic.\n"
	"\n"
	"The run that shows it. Not what happened, but what could have: another order of the\n"
	"recorded events, one column for each thread, time runs down. The numbers are those of\n"
	"'foresee print'. Events that matter little are counted (... 12 events). The last line\n"
	"is the race. In brackets: what kept the two apart in the run that was recorded.\n"
	"\n"
	"How sure\n"
	"  predicted, certified  foresee has such an order, and a checker that shares nothing\n"
	"                        with the search agrees. It can happen with the same input.\n"
	"  warning               there are signs of a race and no such order. The line 'only a\n"
	"                        warning' says why. It may be false.\n"
	"'N reads may see another value': these reads lie on the way, and what they see decides\n"
	"nothing up to the race. --strict does without that reasoning, and finds less.\n"
	"\n"
	"Nothing found\n"
	"  'no race in any run that the recording proves possible': every order of the recorded\n"
	"  events was ruled out. Other input, other values, or code that did not run may still\n"
	"  race.\n"
	"  'no race found': not everything was decided; the lines below it say what was not,\n"
	"  and which option looks further.\n"
	"\n"
	"What next\n"
	"  foresee check --witness-dir DIR TRACE      keep the order of finding N as N.witness\n"
	"  foresee verify TRACE DIR/1.witness         check it again, with the checker alone\n"
	"  foresee print --from 10 --to 60 TRACE      the recorded events around it\n"
	"  foresee check -v TRACE                     every finding in full\n"
	"  foresee check --suppress FILE TRACE        leave out what is known; 'foresee help check'\n";

static const char deadlock[] =
	"how to read a report about deadlocks\n"
	"\n"
	"  1  deadlock of T2 \"pay\" and T3 \"refund\" on b, a            predicted, certified\n"
	"     T2 \"pay\"     holds      a  bank.c:10 in take\n"
	"                                bank.c:30 in pay\n"
	"                  waits for  b  bank.c:12 in pay\n"
	"     T3 \"refund\"  holds      b  bank.c:20 in refund\n"
	"                  waits for  a  bank.c:22 in refund\n"
	"\n"
	"     The run that shows it (in the observed run T2 locked b before T3 did):\n"
	"\n"
	"          T2 \"pay\"            T3 \"refund\"\n"
	"       3  lock   a  :10\n"
	"       9                      lock   b  :20\n"
	"       4  lock   b  :12                         <- waits for T3\n"
	"      10                      lock   a  :22     <- waits for T2\n"
	"\n"
	"     if both took b and a in the same order, this could not happen\n"
	"\n"
	"Each thread holds what the one above it waits for, all around; none can go on. A lock\n"
	"without a name goes by where it lies: forks[1], table[3]+8 (8 bytes into an element),\n"
	"heap#7+16 (a block; the line below says who allocated it).\n"
	"\n"
	"The run that shows it. Not what happened, but what could have: another order of the\n"
	"recorded events, one column for each thread, time runs down; of many threads a list.\n"
	"The last lines are the requests that never end. In brackets: what kept it from\n"
	"happening when the run was recorded. 'It happened in the recorded run' stands there if\n"
	"the program hung.\n"
	"\n"
	"How sure\n"
	"  predicted, certified  foresee has such an order, and a checker that shares nothing\n"
	"                        with the search agrees. It can happen with the same input.\n"
	"                        Locks in opposite order that can never meet, because of a\n"
	"                        third lock, a join, a condition or what a thread has read, are\n"
	"                        refuted: counted at the end, and not shown (-a patterns does).\n"
	"  warning               the pattern is there and no such order is known. The line 'only\n"
	"                        a warning' says why. It may be false.\n"
	"\n"
	"What would prevent it\n"
	"  One order of locks for all threads; or a gate: a lock that each of them takes before\n"
	"  the others, and holds as long. Where one of them holds such a lock already, the report\n"
	"  names it: 'T2 holds g here; if T3 took g as well before b, this could not happen'.\n"
	"  Tries and timed locks end by themselves, and are no part of a deadlock. Nor are locks\n"
	"  that another thread releases than the one that took them.\n"
	"\n"
	"Other ways to wait for ever\n"
	"  join-holding-lock   a thread joins another one while it holds a lock that the other\n"
	"                      still has to take\n"
	"  wait-holding-lock   a thread waits on a condition with a second lock held, which the\n"
	"                      thread that would signal needs before\n"
	"  lost-wakeup         a signal comes when nobody waits, and the thread that it was meant\n"
	"                      for waits afterwards\n"
	"  The last two are certified only if no recorded thread can go on and signal once more.\n"
	"\n"
	"A program that hangs\n"
	"  'foresee run' stops it when all its threads have waited for one another for two\n"
	"  seconds, and analyses what it did (--no-hang-stop: it goes on until Ctrl-C). Where\n"
	"  nothing is found the report lists who waited for what. A thread that asks for a lock\n"
	"  it has is a deadlock of one. A program that catches signals is not stopped: Ctrl-C.\n"
	"\n"
	"Without accesses\n"
	"  A recording by --locks-only (also --only, --ignore) does not show what threads have\n"
	"  read, and that may keep them apart. All findings in it are warnings, with 'a run that\n"
	"  may show it'. Lost wakeups are not looked for.\n"
	"\n"
	"What next\n"
	"  foresee check --witness-dir DIR TRACE      keep the order of finding N as N.witness\n"
	"  foresee verify TRACE DIR/1.witness         check it again, with the checker alone\n"
	"  foresee print --lock-trees TRACE           which locks each thread takes inside which\n"
	"  foresee check -a goodlock,patterns TRACE   the patterns, before anything is refuted\n"
	"  foresee check --suppress FILE TRACE        leave out what is known; 'foresee help check'\n";

/* Ended by a row without name. */
static const struct topic topics[] = {
	{ "race", "how to read a report about data races", race },
	{ "deadlock", "how to read a report about deadlocks and lost wakeups", deadlock },
	{ 0 },
};

const struct topic *topic_find(const char *name)
{
	for (const struct topic *t = topics; t->name; t++)
		if (strcmp(t->name, name) == 0)
			return t;
	return NULL;
}

void topic_list(FILE *to)
{
	for (const struct topic *t = topics; t->name; t++)
		fprintf(to, "  %-8s %s\n", t->name, t->summary);
}
