/*
 * Annotations for programs that foresee records.  All optional.
 *
 * A program that uses them builds and runs the same without foresee: the
 * functions are weak, so where the runtime is not linked a call is a test of
 * an address that is zero.
 */
#ifndef FORESEE_H
#define FORESEE_H

#ifdef __cplusplus
extern "C" {
#endif

/* Names the calling thread in recordings; pthread_setname_np names it too, but
 * only with 15 characters.  The first 64 are copied. */
void foresee_thread_name(const char *name) __attribute__((weak));

#ifdef __cplusplus
}
#endif

#define FORESEE_THREAD_NAME(name)                  \
	do {                                       \
		if (foresee_thread_name)           \
			foresee_thread_name(name); \
	} while (0)

#endif /* FORESEE_H */
