/*
 * What the tool says to the person at the terminal, on stderr; and the last
 * look at stdout, whose errors must not pass unseen.
 */
#ifndef BASE_TALK_H
#define BASE_TALK_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* For what is printed from now on: auto (on a terminal, unless NO_COLOR is set), always or never.
 * False with a message for any other word. */
bool talk_parse_color(const char *word);
/* Whether what goes to the stream is coloured. */
bool talk_is_colored(FILE *to);
/* Characters in a line of it: of the terminal, within reason, else 100. */
int talk_width(FILE *to);

/* "foresee: ..." lines. */
void talk_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
void talk_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* A line that belongs to the one before. */
void talk_more(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * Progress of long work: on a terminal, after the first second, one line
 * that is written over and goes away.
 */
struct talk_progress {
	const char *what;
	bool shown, quiet;
	double start, last;
};
void talk_progress_begin(struct talk_progress *p, const char *what, bool quiet);
void talk_progress_step(struct talk_progress *p, uint64_t events); /* cheap: call per event */
/* For work that tells how much there is; total 0: not known. */
void talk_progress_of(struct talk_progress *p, const char *what, uint64_t done, uint64_t total);
void talk_progress_end(struct talk_progress *p);

/* Seconds of a clock that only goes forward. */
double talk_clock(void);
int64_t talk_clock_ms(void);

/* Flushes stdout.  status, or 2 with a message when something could not be written. */
int talk_finish(int status);

#endif /* BASE_TALK_H */
