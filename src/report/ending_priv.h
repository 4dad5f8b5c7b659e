/* What finding out how the run ended, and saying it, have in common. */
#ifndef REPORT_ENDING_PRIV_H
#define REPORT_ENDING_PRIV_H

#include "report/ending.h"

struct strbuf;

/* Its last event is one that waits. */
bool ending_is_waiting(const struct ending_thread *t);
/* NULL: it has done nothing. */
const struct ending_thread *ending_thread_of(const struct ending *e, uint32_t tid);
/* "SIGSEGV (Segmentation fault)" */
void ending_signal_format(int signal, struct strbuf *out);

#endif /* REPORT_ENDING_PRIV_H */
