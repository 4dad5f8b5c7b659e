/*
 * Versions as ranges name them: runs of words (doc/TRACE_FORMAT.md section 3).  Of the full recorder
 * only.
 */
#include "capture/log.h"

void log_runs_prepare(struct thread *t, const tag_version *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if ((i == 0 || tag_tid(v[i]) != tag_tid(v[i - 1])) && !log_is_known(t, v[i]))
			log_peer(t, tag_tid(v[i]));
}

/* Where the run of versions that starts at i ends, and its kind. */
static size_t run_end(const tag_version *v, size_t i, size_t n, unsigned *kind)
{
	size_t k = i + 1;
	unsigned what = v[i] == 0 ? 0 : 1;

	if (what == 0) {
		while (k < n && v[k] == 0)
			k++;
	} else if (k < n && v[k] == v[i]) {
		what = 2;
		while (k < n && v[k] == v[i])
			k++;
	} else {
		while (k < n && v[k] == v[i] + (k - i))
			k++;
	}
	*kind = what;
	return k;
}

uint8_t *log_runs(struct thread *t, uint8_t *p, const tag_version *v, size_t n)
{
	size_t count = 0, i, k;
	unsigned kind;

	for (i = 0; i < n; i = k, count++)
		k = run_end(v, i, n, &kind);
	p = log_varint(p, count);
	for (i = 0; i < n; i = k) {
		k = run_end(v, i, n, &kind);
		ASSERT_RECORDING(k > i && k <= n);
		p = log_varint(p, (uint64_t)(k - i) << 2 | kind);
		if (kind != 0)
			p = log_varint(p, log_ref(t, v[i], t->tseq + 1 + i));
	}
	return p;
}
