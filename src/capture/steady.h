/*
 * Memory that is never written to while the program runs: code and constants of the program and its
 * libraries, arguments and environment.  The trace says where it lies, so that a reader need not
 * ask who wrote there.
 */
#ifndef CAPTURE_STEADY_H
#define CAPTURE_STEADY_H

/* What is there at the start. */
void steady_start(void);
/* The library that p lies in, which has come later. */
void steady_image(const void *p);

#endif /* CAPTURE_STEADY_H */
