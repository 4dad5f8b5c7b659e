#include "base/common.h"

#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

static enum { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER } color;

bool talk_parse_color(const char *word)
{
	if (strcmp(word, "auto") == 0)
		color = COLOR_AUTO;
	else if (strcmp(word, "always") == 0)
		color = COLOR_ALWAYS;
	else if (strcmp(word, "never") == 0)
		color = COLOR_NEVER;
	else {
		talk_error("bad value '%s' of --color: expected auto, always or never", word);
		return false;
	}
	return true;
}

bool talk_is_colored(FILE *to)
{
	const char *no = getenv("NO_COLOR");

	if (color != COLOR_AUTO)
		return color == COLOR_ALWAYS;
	return (!no || !*no) && isatty(fileno(to));
}

int talk_width(FILE *to)
{
	struct winsize size;

	if (!isatty(fileno(to)) || ioctl(fileno(to), TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
		return 100;
	return size.ws_col < 60 ? 60 : size.ws_col > 160 ? 160 : size.ws_col;
}

static void say(const char *paint, const char *prefix, const char *format, va_list ap)
{
	bool colored = talk_is_colored(stderr) && *paint;

	fflush(stdout); /* so that talk and results come in order on one terminal */
	fprintf(stderr, "%s%s%s", colored ? paint : "", prefix, colored ? "\033[0m" : "");
	vfprintf(stderr, format, ap);
	putc('\n', stderr);
}

#define SAY(name, paint, prefix)                \
	void name(const char *format, ...)      \
	{                                       \
		va_list ap;                     \
                                                \
		va_start(ap, format);           \
		say(paint, prefix, format, ap); \
		va_end(ap);                     \
	}
SAY(talk_error, "\033[31m", "foresee: ")
SAY(talk_note, "", "foresee: ")
SAY(talk_more, "", "  ")

int64_t talk_clock_ms(void)
{
	return (int64_t)(talk_clock() * 1000);
}

double talk_clock(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

void talk_progress_begin(struct talk_progress *p, const char *what, bool quiet)
{
	p->what = what;
	p->shown = false;
	p->quiet = quiet || !isatty(STDERR_FILENO);
	p->start = p->last = talk_clock();
}

/* It is time to write the line anew. */
static bool is_due(struct talk_progress *p)
{
	double now = talk_clock();

	if (p->quiet || now - p->start < 1 || now - p->last < 0.2)
		return false;
	p->shown = true;
	p->last = now;
	return true;
}

void talk_progress_step(struct talk_progress *p, uint64_t events)
{
	if (events % 65536 == 0)
		talk_progress_of(p, "event", events, 0);
}

void talk_progress_of(struct talk_progress *p, const char *what, uint64_t done, uint64_t total)
{
	if (!is_due(p))
		return;
	fprintf(stderr, "\r\033[K%s: %s %" PRIu64, p->what, what, done);
	if (total)
		fprintf(stderr, " of %" PRIu64, total);
	fprintf(stderr, ", %.0f s ", p->last - p->start);
	fflush(stderr);
}

void talk_progress_end(struct talk_progress *p)
{
	if (p->shown)
		fputs("\r\033[K", stderr);
	p->shown = false;
}

int talk_finish(int status)
{
	bool failed = ferror(stdout) != 0;

	errno = 0;
	if (fflush(stdout) != 0 || failed) {
		talk_error("cannot write to standard output%s%s", errno ? ": " : "",
			   errno ? strerror(errno) : "");
		clearerr(stdout); /* once is enough */
		return EXIT_TROUBLE;
	}
	return status;
}
