#include "witness_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/diag.h"
#include "trace/trace.h"

void case_open(struct case_trace *t, const char *text, const struct evidence_options *opt)
{
	static const struct evidence_options all = { .digest = true, .values = true };
	struct diag d = { { 0 } };
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/tmp/foresee-case-%d.std", (int)getpid());
	f = fopen(path, "w");
	if (!f || fwrite(text, 1, strlen(text), f) != strlen(text) || fclose(f) != 0) {
		printf("Bail out! cannot write %s\n", path);
		exit(1);
	}
	memset(t, 0, sizeof(*t));
	if (trace_open(path, NULL, &t->trace, &d) != ST_OK ||
	    evidence_load(t->trace, opt ? opt : &all, &t->ev, &d) != ST_OK) {
		printf("Bail out! %s\n%s\n", d.message, text);
		exit(1);
	}
	unlink(path);
	evidence_check(t->ev);
	t->checker = checker_new(t->ev);
}

void case_close(struct case_trace *t)
{
	checker_free(t->checker);
	evidence_free(t->ev);
	trace_close(t->trace);
}

size_t case_numbers(const char *s, uint64_t *out, size_t max)
{
	size_t n = 0;
	char *end;

	while (n < max) {
		uint64_t x = strtoull(s, &end, 10);

		if (end == s)
			break;
		out[n++] = x;
		s = end;
	}
	return n;
}
