/*
 * The digest of a trace: SHA-256 over what its events mean, in the order of the reader.
 *
 * Two files with the same digest hold the same run to every analysis; comments, line ends and the
 * layout of chunks do not count.  The encoding is in doc/WITNESS.md.
 */
#ifndef TRACE_DIGEST_H
#define TRACE_DIGEST_H

#include "base/sha256.h"
#include "trace/event.h"

#define DIGEST_HEX SHA256_HEX

struct digest {
	struct sha256 sum;
	size_t n; /* bytes waiting in buffer */
	uint8_t buffer[4096];
};

void digest_init(struct digest *d);
void digest_event(struct digest *d, const struct event *e);
/* The struct is spent afterwards. */
void digest_end(struct digest *d, char out[DIGEST_HEX]);

#endif /* TRACE_DIGEST_H */
