/*
 * Versions as ranges name them: runs of words (doc/TRACE_FORMAT.md section 3).  Of the full recorder
 * only.
 */
#include "capture/log.h"

#include "capture/assert.h"

void log_runs_prepare(struct thread *t, const tag_version *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint32_t tid = tag_tid(v[i]);

		if (v[i] != 0 && tid != t->tid && t->peers[tid & (FORMAT_PEERS - 1)].tid != tid)
			log_peer(t, tid);
	}
}

uint8_t *log_runs(struct thread *t, uint8_t *p, const tag_version *v, size_t n, uint64_t own,
		  unsigned step)
{
	size_t count = 0, i, k;

	for (i = 0; i < n; i = k, count++)
		k = log_run_end(v, i, n, NULL);
	p = log_varint(p, count);
	for (i = 0; i < n; i = k) {
		unsigned kind;

		k = log_run_end(v, i, n, &kind);
		ASSERT_RECORDING(k > i && k <= n);
		p = log_varint(p, (uint64_t)(k - i) << 2 | kind);
		if (kind != 0)
			p = log_varint(p, log_ref(t, v[i], own + i * step));
	}
	return p;
}
