/* What a program asks to be left out. */
#include <foresee.h>
#include <pthread.h>
#include <stdio.h>

void AnnotateBenignRace(const char *file, int line, const volatile void *mem, const char *why)
	__attribute__((weak));
void AnnotateBenignRaceSized(const char *file, int line, const volatile void *mem, long size,
			     const char *why) __attribute__((weak));
void AnnotateIgnoreReadsBegin(const char *file, int line) __attribute__((weak));
void AnnotateIgnoreReadsEnd(const char *file, int line) __attribute__((weak));
void AnnotateThreadName(const char *file, int line, const char *name) __attribute__((weak));

static struct {
	long hits, misses, rough, rest;
} tally;

static void *work(void *arg)
{
	if (AnnotateThreadName)
		AnnotateThreadName(__FILE__, __LINE__, "tallier");
	tally.hits++;
	tally.misses++;
	tally.rough++;
#ifdef MORE
	if (AnnotateIgnoreReadsBegin)
		AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
	tally.rest++;
	if (AnnotateIgnoreReadsEnd)
		AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
#endif
	return arg;
}

int main(void)
{
	pthread_t t;

	if (AnnotateBenignRace)
		AnnotateBenignRace(__FILE__, __LINE__, &tally.hits, "a rough count");
	if (AnnotateBenignRaceSized)
		AnnotateBenignRaceSized(__FILE__, __LINE__, &tally.misses, sizeof(long),
					"a rough count");
	FORESEE_BENIGN(&tally.rough, sizeof(tally.rough), "and another one");
	pthread_create(&t, NULL, work, NULL);
	tally.hits++;
	tally.misses++;
	tally.rough++;
#ifdef MORE
	tally.rest++;
#endif
	pthread_join(t, NULL);
	puts("tallied");
	return 0;
}
