#include "analyse/analyse.h"

#include <sys/time.h>
#include <unistd.h>

#include "analyse/notify.h"
#include "analyse/pass.h"
#include "analyse/spool.h"
#include "base/json_read.h"
#include "launch/program.h"
#include "report/baseline.h"
#include "report/format.h"
#include "report/html.h"
#include "report/report.h"
#include "report/show.h"

/* Set by the first Ctrl-C or SIGTERM, or when the time is over; the second one ends us. */
static volatile sig_atomic_t stopped, asked;
/* With little time: enough was read, and what there is shall be searched. */
static volatile sig_atomic_t enough;
static const char *stop_message; /* or NULL; set before the handler can run */

static const int stops[] = { SIGINT, SIGTERM, SIGPROF };
#define NSTOPS (sizeof(stops) / sizeof(stops[0]))

/* Of ANALYSE_HURRY seconds of the processor, for reading; then for searching, and the rest for
 * certifying. */
#define READ_SHARE 0.3
#define HURRY_BYTES (24u << 20) /* of a recording: more cannot be read in that time */
#define SEARCH_SHARE 0.4

static void time_set(double seconds)
{
	struct itimerval at = { .it_value.tv_sec = (time_t)seconds };

	at.it_value.tv_usec = (suseconds_t)((seconds - (double)at.it_value.tv_sec) * 1e6);
	setitimer(ITIMER_PROF, &at, NULL);
}

static void stop(int number)
{
	int error = errno;

	if (number == SIGPROF && enough != ANALYSE_READ) {
		enough = ANALYSE_ENOUGH;
		time_set(ANALYSE_HURRY * SEARCH_SHARE);
	} else if (number == SIGPROF) {
		stopped = 1;
	} else if (asked) {
		signal(number, SIG_DFL);
		raise(number);
	} else {
		asked = stopped = 1;
		if (stop_message && write(STDERR_FILENO, stop_message, strlen(stop_message)) < 0)
			stop_message = NULL;
	}
	errno = error;
}

/* For as long as a trace is analysed. */
static void stop_begin(const struct analyse *a, struct sigaction *old)
{
	struct sigaction action = { .sa_handler = stop, .sa_flags = SA_RESTART };

	stopped = asked = enough = 0;
	stop_message = a->quiet ? NULL
				: "\nforesee: stopping; what is known by now comes next, Ctrl-C "
				  "again ends at once\n";
	for (size_t i = 0; i < NSTOPS; i++) {
		sigaction(stops[i], NULL, &old[i]);
		if (old[i].sa_handler != SIG_IGN || stops[i] == SIGPROF)
			sigaction(stops[i], &action, NULL);
	}
	if (a->hurry)
		time_set(ANALYSE_HURRY * READ_SHARE);
}

static void stop_end(const struct sigaction *old)
{
	time_set(0);
	for (size_t i = 0; i < NSTOPS; i++)
		sigaction(stops[i], &old[i], NULL);
}

/* ---- the report ---- */

struct explain_options analyse_style(const struct analyse *a)
{
	return (struct explain_options){
		.color = talk_is_colored(a->to),
		.all = a->verbose,
		.hints = !a->quiet,
		.source = !a->bare,
		.width = talk_width(a->to),
	};
}

static void talk_times(const struct pass *p)
{
	const struct report *r = &p->report;

	talk_note("%s: %" PRIu64 " events; reading %.3f s, model %.3f s", r->path, r->events,
		  r->reading, r->modelling);
	for (size_t i = 0; i < r->nanalyses; i++)
		if (!r->analyses[i].idle)
			talk_more("%-12s %.3f s", r->analyses[i].engine->name,
				  r->analyses[i].seconds);
}

void analyse_format(struct analyse *a, const char *report, size_t n)
{
	struct json_tree tree = { 0 };
	struct diag d = { 0 };
	uint32_t all;

	if (json_read(&tree, report, n, "report", &all, &d) != ST_OK)
		BUG("a report that cannot be read: %s", d.message);
	a->format->report(&tree, json_first(&tree, all), a->rendered++ == 0, a->to);
	json_tree_release(&tree);
}

/* By way of JSON: some of the findings have no other form. */
static void render_format(struct pass *p)
{
	char *text = NULL;
	size_t n = 0;
	FILE *to = open_memstream(&text, &n);

	if (!to)
		BUG("out of memory for a report");
	findings_json_print(&p->report, to);
	if (fclose(to) != 0)
		BUG("out of memory for a report");
	analyse_format(p->a, text, n);
	free(text);
}

static void render(struct pass *p)
{
	struct explain_options how = analyse_style(p->a);

	if (p->a->format)
		render_format(p);
	else if (p->a->json)
		findings_json_print(&p->report, p->a->to);
	else if (p->a->html)
		html_print(&p->report, !p->a->bare, p->a->to);
	else
		explain_print(&p->report, &how, p->a->to);
}

/* Which of them are in the baseline.  How many are not. */
static size_t count_new(struct pass *p, const struct kept_list *kept)
{
	struct baseline *b = p->a->baseline;
	char print[FINGERPRINT];
	size_t n = 0;

	if (b)
		baseline_begin(b);
	for (size_t i = 0; i < p->findings.at.n; i++) {
		struct finding *f = &p->findings.at.at[i];

		if (b) {
			fingerprint(&p->report, f, print);
			f->known = baseline_take(b, print);
		}
		n += !f->known;
	}
	for (size_t i = 0; i < kept->at.n; i++) {
		struct kept *k = &kept->at.at[i];

		k->known = b && baseline_take(b, k->fingerprint);
		n += !k->known;
	}
	return n;
}

/* Who was told of it while the program ran is not told again. */
static void notify_of(struct pass *p)
{
	const struct kept_list *later = p->report.kept;
	uint32_t id = (uint32_t)p->findings.at.n;
	struct explain_options how = analyse_style(p->a);

	if (!p->a->notify)
		return;
	for (size_t i = 0; i < p->findings.at.n; i++) {
		const struct finding *f = &p->findings.at.at[i];
		const struct kept *old =
			kept_list_find(&p->a->earlier.found, kept_key(&p->report, f));
		struct kept k;

		if (f->known || (old && old->told))
			continue;
		kept_make(&p->report, &how, f, &k);
		notify_send(p->a->notify, &k, f->id, p->report.path, 0);
		kept_release(&k);
	}
	for (size_t i = 0; i < later->at.n; i++, id++)
		if (!later->at.at[i].told && !later->at.at[i].known)
			notify_send(p->a->notify, &later->at.at[i], id + 1, p->report.path, 0);
}

int analyse_report(struct pass *p, const struct kept_list *kept)
{
	struct report *r = &p->report;
	size_t news;

	if (p->a->earlier.missed)
		texts_add(&p->truncated,
			  "%" PRIu64 " events were dropped (--keep) before they were looked at",
			  p->a->earlier.missed);
	r->kept = kept;
	r->witness_dir = p->a->witness_dir;
	r->chosen = &p->a->chosen;
	r->compiled = p->a->compiled;
	r->plugins = p->a->plugins.at;
	r->nplugins = p->a->plugins.n;
	r->truncated = p->truncated;
	r->baseline = p->a->baseline;
	if (p->a->confirm)
		p->a->confirm(p->a->confirm_arg, p);
	if (p->a->take)
		return p->a->take(p->a->take_arg, p);
	news = count_new(p, kept);
	render(p);
	if (p->a->verbose)
		talk_times(p);
	notify_of(p);
	if (p->a->witness_dir && p->certify.evidence && !certify_write(&p->certify, &p->findings))
		return EXIT_TROUBLE;
	if (p->certify.refused)
		return EXIT_TROUBLE;
	if (news)
		return EXIT_FOUND;
	return p->truncated.n ? EXIT_LIMIT : EXIT_FINE;
}

/* ---- one look at all of it ---- */

/*
 * What was found while the program ran, and not now: in what is gone by now (--keep), or by a search
 * of another part that was luckier.  What is certified is so for good; a warning of a part says
 * nothing about the whole.
 */
static void add_earlier(struct pass *p, struct kept_list *out)
{
	struct book_content *e = &p->a->earlier;
	struct map now = { 0 };
	struct trace_info info = trace_info(p->reading.trace);

	for (size_t i = 0; i < p->findings.at.n; i++)
		map_put(&now, kept_key(&p->report, &p->findings.at.at[i]), NULL);
	for (size_t i = 0; i < e->found.at.n; i++) {
		struct kept *k = &e->found.at.at[i];
		bool gone = info.late && k->from_cut < info.from_cut;

		if (map_get(&now, k->key) || !(k->certified || gone))
			continue;
		kept_list_add(out, k);
	}
	map_release(&now);
	kept_list_sort(out);
}

static bool ends_in(const char *path, const char *end)
{
	size_t n = strlen(path), most = strlen(end);

	return n >= most && strcmp(path + n - most, end) == 0;
}

int analyse_failed(const struct spool *file, struct diag *d)
{
	spool_mend(file, d);
	talk_error("%s", d->message);
	if (program_is_source(file->given) && access(file->given, R_OK) == 0)
		talk_more("for source: 'foresee run %s'", file->given);
	else if (ends_in(file->given, ".spec"))
		talk_more("a specification goes with a trace: 'foresee check -s %s TRACE'",
			  file->given);
	return EXIT_TROUBLE;
}

/* What the user should know about the spec in this program. */
static void talk_watched(const struct pass *p)
{
	const char *const *note;
	const struct watch *w = p->reading.watch;
	size_t n = w && !p->a->quiet ? watch_notes(w, &note) : 0;

	for (size_t i = 0; i < n; i++)
		talk_note("%s", note[i]);
}

static int analyse_whole(struct analyse *a, const struct spool *file)
{
	struct kept_list earlier = { 0 };
	struct diag d = { 0 };
	struct pass p;
	int status;

	pass_init(&p, a, file->path, file->given);
	p.report.passing = (file->fd >= 0 && !a->shortened) || a->passing;
	if (pass_run(&p, &d) == ST_OK) {
		if (!a->quiet && !a->shortened) /* else what is missing at its end is no news */
			show_notes(p.reading.trace);
		talk_watched(&p);
		add_earlier(&p, &earlier);
		status = analyse_report(&p, &earlier);
	} else {
		status = analyse_failed(file, &d);
	}
	kept_list_release(&earlier);
	pass_release(&p);
	return status;
}

size_t analyse_select(const struct analyse *a, bool lattice, struct analyse *out)
{
	*out = *a;
	out->nengines = 0;
	for (size_t i = 0; i < a->nengines; i++)
		if ((a->engines[i]->aim == ENGINE_PROPERTIES) == lattice)
			out->engines[out->nengines++] = a->engines[i];
	if (!lattice) {
		out->engine.monitors = NULL; /* nobody asks for them */
		out->knowledge = false;
	}
	return out->nengines;
}

int analyse_trace(struct analyse *a, const char *path)
{
	struct sigaction old[NSTOPS];
	struct spool spool;
	int status;

	if (!spool_open(&spool, path))
		return EXIT_TROUBLE;
	stop_begin(a, old);
	a->shortened = a->hurry && spool_shorten(&spool, HURRY_BYTES);
	a->engine.stop = &stopped;
	a->enough = &enough;
	if (!analyse_in_windows(a, &spool, &status))
		status = analyse_whole(a, &spool);
	a->engine.stop = NULL;
	a->enough = NULL;
	stop_end(old);
	book_content_release(&a->earlier);
	spool_close(&spool);
	return status;
}
