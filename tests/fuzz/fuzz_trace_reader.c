/*
 * The reader of recordings, on hostile files: no crash, no hang, bounded
 * memory; whatever it yields, the self-check can read.
 *
 * Sums are made right first, or mutations would never get past them; a file
 * whose header has a nonzero last byte is left as it is, so that wrong sums
 * are met too.  Two bytes before it are the cuts to read between.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/diag.h"
#include "trace/format.h"
#include "trace/trace.h"
#include "witness/selfcheck.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void sums_mend(uint8_t *p, size_t n)
{
	for (size_t at = 64; at + 64 <= n;) {
		struct format_chunk c;
		size_t step = 64;

		memcpy(&c, p + at, sizeof(c));
		if (c.magic == FORMAT_CHUNK && (c.flags & FORMAT_CHUNK_CLOSED) &&
		    c.used <= n - at - 64) {
			c.sum = format_sum(p + at + 64, c.used, c.number);
			c.head_sum = format_head_sum(&c);
			memcpy(p + at, &c, sizeof(c));
			step += ((size_t)c.used + 63) & ~(size_t)63;
		}
		at += step;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static int fd = -1;
	static char path[40];
	struct selfcheck_result result;
	struct trace_options opt = { 0 };
	struct trace *t = NULL;
	struct diag d = { { 0 } };
	uint8_t *copy = malloc(n + 1);

	if (fd < 0) {
		fd = memfd_create("trace", 0);
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	}
	memcpy(copy, data, n);
	if (n >= 64)
		memcpy(copy, FORMAT_MAGIC "\1\0\0\0\100\0\0\0", 16);
	if (n >= 64 && copy[63] == 0)
		sums_mend(copy, n);
	if (ftruncate(fd, 0) != 0 || pwrite(fd, copy, n, 0) != (ssize_t)n)
		abort();
	if (n >= 64) {
		opt.from_cut = copy[61];
		opt.to_cut = copy[62];
	}
	if (trace_open(path, &opt, &t, &d) == ST_OK) {
		enum status st = selfcheck_run(t, &result, &d);

		if (st != ST_OK && d.message[0] == 0)
			abort();
		trace_close(t);
	}
	free(copy);
	return 0;
}
