/*
 * Columns: the picture of a schedule, character by character.
 */
#include "report/columns.h"

#include "tap.h"

static void expect(struct columns *c, int width, const char *want, const char *name)
{
	struct strbuf b = { 0 };

	columns_format(c, 2, width, &b);
	TAP_STR(strbuf_str(&b), want, "%s", name);
	strbuf_release(&b);
	columns_release(c);
}

static void test_two(void)
{
	struct columns c = { 0 };

	columns_head(&c, "T2 \"worker\"");
	columns_head(&c, "T3");
	columns_gap(&c, (uint64_t[COLUMNS_MAX]){ 12, 1 }, 0);
	columns_event(&c, 47, 1, "lock   m  :47");
	columns_gap(&c, (uint64_t[COLUMNS_MAX]){ 0, 3 }, 40);
	columns_pair(&c, (uint64_t[]){ 14, 49 }, (uint32_t[]){ 0, 1 },
		     (const char *const[]){ "write  total", "read   total  :52" },
		     "nothing orders these two");
	expect(&c, 100,
	       "          T2 \"worker\"          T3\n"
	       "          ... 12 events        ... 1 event\n"
	       "      47                       lock   m  :47\n"
	       "                               ... 3 events         ... 40 events of other threads\n"
	       "  14, 49  write  total   <-->  read   total  :52    nothing orders these two\n",
	       "two threads");
}

static void test_four(void)
{
	struct columns c = { 0 };

	columns_head(&c, "A");
	columns_head(&c, "B");
	columns_head(&c, "C");
	columns_head(&c, "D");
	columns_event(&c, 1, 2, "fork");
	columns_pair(&c, (uint64_t[]){ 5, 7 }, (uint32_t[]){ 3, 0 },
		     (const char *const[]){ "right", "left" }, NULL);
	expect(&c, 100,
	       "        A           B        C           D\n"
	       "     1                       fork\n"
	       "  7, 5  left  <----------------------->  right\n",
	       "the arrow crosses what lies between; numbers go with their columns");
}

static void test_long(void)
{
	struct columns c = { 0 };

	columns_head(&c, "\303\251\303\251");
	columns_head(&c, "B");
	columns_event(&c, 1, 0, "0123456789012345678901234567890123456789012345678901234567890");
	columns_event(&c, 2, 1, "x");
	expect(&c, 50,
	       "     \303\251\303\251                                          B\n"
	       "  1  0123456789012345678901234567890123..\n"
	       "  2                                              x\n",
	       "long cells are cut; characters count, not bytes");
}

static void test_narrow(void)
{
	struct columns c = { 0 };

	columns_head(&c, "A");
	columns_head(&c, "B");
	columns_gap(&c, (uint64_t[COLUMNS_MAX]){ 0, 3 }, 4);
	columns_pair(&c, (uint64_t[]){ 1, 2 }, (uint32_t[]){ 0, 1 },
		     (const char *const[]){ "write  a_name_without_an_end  :10",
					    "read   a_name_without_an_end  :2" },
		     "nothing orders these two");
	expect(&c, 58,
	       "        A                            B\n"
	       "                                     ... 3 events\n"
	       "        ... 4 events of other threads\n"
	       "  1, 2  write  a_name_..  :10  <-->  read   a_name_w..  :2\n"
	       "        nothing orders these two\n",
	       "no room: names are cut, places stay, notes go below");
}

static void test_stuck(void)
{
	struct columns c = { 0 };

	columns_head(&c, "A");
	columns_head(&c, "B");
	columns_event(&c, 1, 0, "lock  m  :1");
	columns_stuck(&c, 2, 0, "lock  n  :2", "<- waits for B");
	expect(&c, 60,
	       "     A                  B\n"
	       "  1  lock  m  :1\n"
	       "  2  lock  n  :2             <- waits for B\n",
	       "what does not come, and why");
}

static void test_list(void)
{
	struct columns c = { 0 };

	columns_head(&c, "A");
	columns_head(&c, "\303\251\303\251");
	columns_head(&c, "C");
	columns_event(&c, 10, 1, "fork");
	columns_gap(&c, (uint64_t[COLUMNS_MAX]){ 0, 3, 4 }, 5);
	columns_pair(&c, (uint64_t[]){ 5, 7 }, (uint32_t[]){ 2, 0 },
		     (const char *const[]){ "read  this_long_name_of_theirs", "left" }, "both");
	columns_stuck(&c, 11, 1, "lock  m", "<- waits for C");
	expect(&c, 50,
	       "    10  \303\251\303\251  fork\n"
	       "        ... 12 events\n"
	       "     7  A   left\n"
	       "     5  C   read  this_long_name_of_theirs    both\n"
	       "    11  \303\251\303\251  lock  m    <- waits for C\n",
	       "more columns than fit: a list");
}

int main(void)
{
	test_two();
	test_four();
	test_long();
	test_narrow();
	test_stuck();
	test_list();
	return tap_done();
}
