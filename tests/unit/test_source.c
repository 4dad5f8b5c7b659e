/* What of a line of source a place is about. */
#include "report/source.h"

#include "trace/trace.h"
#include "tap.h"

/* The part of the text that is marked, in a static buffer; "" none. */
static const char *marked(const char *text, const char *variable, uint32_t column)
{
	struct trace_site p = { .variable = variable, .column = column };
	static char part[80];
	size_t from, to;

	part[0] = '\0';
	if (source_mark(text, strlen(text), &p, &from, &to))
		snprintf(part, sizeof(part), "%zu:%.*s", from, (int)(to - from), text + from);
	return part;
}

static void check(const char *text, const char *variable, uint32_t column, const char *wanted)
{
	const char *got = marked(text, variable, column);

	TAP_OK(strcmp(got, wanted) == 0, "'%s', %s, column %u: '%s'", text,
	       variable ? variable : "-", column, got);
}

int main(void)
{
	check("audit.total += n;", "audit.total", 13, "6:total");
	check("x = x + 1;", "x", 5, "4:x");
	check("x = x + 1;", "x", 3, "0:x");
	check("x = x + 1;", "x", 0, "");
	check("y = total;", "total", 0, "4:total");
	check("subtotal = total2;", "total", 0, "");
	check("table[i].count++;", "entry.count", 15, "9:count");
	check("forks[3] = 1;", "forks[3]", 10, "0:forks");
	check("p->next = q;", "*p", 9, "0:p");
	check("f(a, b);", NULL, 1, "0:f");
	check("a += b;", NULL, 3, "2:+=");
	check("a = b;", NULL, 40, "");
	check("", "x", 1, "");
	check("x", "x", UINT32_MAX, "0:x");
	return tap_done();
}
