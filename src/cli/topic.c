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
	"  events was ruled out. Other input, or code that did not run, may still race.\n"
	"  'no race found': not everything was decided; the lines below it say what was not,\n"
	"  and which option looks further.\n"
	"\n"
	"What next\n"
	"  foresee check --witness-dir DIR TRACE      keep the order of finding N as N.witness\n"
	"  foresee verify TRACE DIR/1.witness         check it again, with the checker alone\n"
	"  foresee print --from 10 --to 60 TRACE      the recorded events around it\n"
	"  foresee check -v TRACE                     every finding in full\n"
	"  foresee check --suppress FILE TRACE        leave out what is known; 'foresee help check'\n";

/* Ended by a row without name. */
static const struct topic topics[] = {
	{ "race", "how to read a report about data races", race },
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
