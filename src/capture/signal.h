/* Signals: what the rest of the runtime calls (signal.c). */
#ifndef CAPTURE_SIGNAL_H
#define CAPTURE_SIGNAL_H

/* From now on a signal that kills the process is noted in the trace before it does. */
void signal_start(void);

#endif /* CAPTURE_SIGNAL_H */
