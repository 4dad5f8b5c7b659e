#include "replay/debug.h"

#include <dirent.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "replay/replay.h"
#include "replay/tell.h"
#include "replay/why.h"
#include "report/frames.h"
#include "trace/trace.h"

static const char *gdb_name(void)
{
	const char *name = getenv("FORESEE_GDB");

	return name && *name ? name : "gdb";
}

enum status debug_find(struct diag *d)
{
	const char *name = gdb_name(), *list = strchr(name, '/') ? NULL : getenv("PATH");
	struct strbuf b = { 0 };
	bool found = access(name, X_OK) == 0 && strchr(name, '/');

	for (const char *at = list; at && *at && !found;) {
		const char *colon = strchrnul(at, ':');

		strbuf_clear(&b);
		strbuf_addf(&b, "%.*s/%s", (int)(colon - at), at, name);
		found = access(strbuf_str(&b), X_OK) == 0;
		at = *colon ? colon + 1 : NULL;
	}
	strbuf_release(&b);
	if (found)
		return ST_OK;
	diag_set(d,
		 "there is no '%s': install gdb, or name another one in FORESEE_GDB; without it, "
		 "--stop shows the threads at the point",
		 name);
	return ST_IO;
}

/* ---- the program, as gdb will see it ---- */

uint64_t debug_plan(pid_t pid, const char *control)
{
	char path[64], line[8192];
	uint64_t at = 0;
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%ld/maps", (long)pid);
	maps = fopen(path, "re");
	while (maps && at == 0 && fgets(line, sizeof(line), maps)) {
		line[strcspn(line, "\n")] = '\0';
		if (strchr(line, '/') && strcmp(strchr(line, '/'), control) == 0)
			at = strtoull(line, NULL, 16);
	}
	if (maps)
		fclose(maps);
	return at;
}

/* gdb numbers the threads of a process that it attaches to: the first one, then as the kernel lists
 * them. */
unsigned debug_thread(pid_t pid, uint32_t kernel)
{
	const struct dirent *at;
	unsigned n = 1, number = 0;
	char path[48];
	DIR *dir;

	if ((pid_t)kernel == pid)
		return 1;
	snprintf(path, sizeof(path), "/proc/%ld/task", (long)pid);
	dir = opendir(path);
	while (dir && number == 0 && (at = readdir(dir)) != NULL) {
		long tid = strtol(at->d_name, NULL, 10);

		if (tid == 0 || tid == (long)pid)
			continue;
		n++;
		if ((uint32_t)tid == kernel)
			number = n;
	}
	if (dir)
		closedir(dir);
	return number;
}

/* ---- the script ---- */

/* Where gdb can, without the frames that the thread has in our runtime. */
#define QUIETLY(on_or_off)                                                                            \
	"if ! $_isvoid($_gdb_major)\nif $_gdb_major >= 12\nset suppress-cli-notifications " on_or_off \
	"\nend\nend\n"

void debug_select(struct strbuf *out, unsigned number)
{
	strbuf_addf(out, "if $_thread != %u\n" QUIETLY("on") "thread %u\n" QUIETLY("off") "end\n",
		    number, number);
}

struct script {
	const struct debug *g;
	const struct supervise_result *x;
	pid_t pid;
	uint64_t base;
	struct strbuf *out;
};

static uint64_t go_address(const struct script *s, uint32_t seat)
{
	return s->base + s->x->seen->seats + seat * sizeof(struct plan_seat) +
	       offsetof(struct plan_seat, go);
}

/* The function in which the thread stands, by its name; "": not known. */
static const char *function_of(const struct script *s, uint32_t seat)
{
	const struct plan_step *step = point_target(s->x->seen, seat);
	struct trace_site p;

	return step && frames_own(s->g->r->recorded, step->site, 0, &p) && p.function ? p.function
										      : "";
}

void debug_quote(struct strbuf *out, const char *text)
{
	for (; *text; text++)
		strbuf_addf(out, "%s%c", *text == '\\' || *text == '"' ? "\\" : "", *text);
}

static void add_banner(const struct script *s)
{
	struct strbuf line = { 0 };

	strbuf_adds(s->out, "echo \\n\necho foresee: ");
	debug_quote(s->out, s->g->o->claim->title);
	strbuf_adds(s->out, "\\n\n");
	for (uint32_t k = 0; k < s->x->point.n; k++) {
		uint32_t i = s->x->point.at[k];

		strbuf_clear(&line);
		strbuf_addf(&line, "  thread %u  ",
			    debug_thread(s->pid, plan_seats(s->x->seen)[i].kernel));
		why_thread(s->g->r, i, &line);
		strbuf_addf(&line, ", before its %s in %s", tell_op(s->g->r, i), function_of(s, i));
		strbuf_adds(s->out, "echo \\ ");
		debug_quote(s->out, strbuf_str(&line) + 1);
		strbuf_adds(s->out, "\\n\n");
	}
	strbuf_adds(s->out,
		    "echo look around:  info threads, thread N, up, bt, print VARIABLE\\n\n");
	if (s->x->point.n == 2 && s->g->o->claim->kind == FINDING_RACE)
		strbuf_adds(
			s->out,
			"echo foresee-go first, foresee-go second:  that access, and stop behind it\\n\n"
			"echo foresee-step:  the next of the two; foresee-where:  who has done what\\n\n");
	strbuf_adds(
		s->out,
		"echo foresee-free:  everybody goes on; foresee-back:  here once more, from the "
		"start\\n\n");
}

/* One access of a race, and stop behind it.  Twice, the thread would go to its next gate, and gdb wait. */
static void add_go(const struct script *s, uint32_t k)
{
	uint32_t i = s->x->point.at[k];
	const char *function = function_of(s, i);

	strbuf_addf(s->out,
		    "define foresee-go-%s\nif $foresee_done_%u\necho that one is done\\n\nelse\n",
		    k == 0 ? "first" : "second", k);
	debug_select(s->out, debug_thread(s->pid, plan_seats(s->x->seen)[i].kernel));
	if (*function)
		strbuf_addf(s->out, "frame function %s\n", function);
	strbuf_addf(
		s->out,
		"tbreak *$pc\nset {unsigned int}0x%" PRIx64
		" = 1\nset scheduler-locking on\ncontinue\n"
		"set scheduler-locking off\nset $foresee_done_%u = 1\nend\nforesee-where\nend\n",
		go_address(s, i), k);
}

/* Who has done what, and who stands. */
static void add_where(const struct script *s)
{
	strbuf_adds(s->out, "define foresee-where\n");
	for (uint32_t k = 0; k < s->x->point.n; k++) {
		uint32_t i = s->x->point.at[k];
		struct strbuf line = { 0 };

		strbuf_addf(&line, "thread %u  ",
			    debug_thread(s->pid, plan_seats(s->x->seen)[i].kernel));
		why_thread(s->g->r, i, &line);
		strbuf_addf(s->out, "if $foresee_done_%u\necho \\ \\ ", k);
		debug_quote(s->out, strbuf_str(&line));
		strbuf_addf(s->out, " has done its %s\\n\nelse\necho \\ \\ ", tell_op(s->g->r, i));
		debug_quote(s->out, strbuf_str(&line));
		strbuf_addf(s->out, " stands before its %s\\n\nend\n", tell_op(s->g->r, i));
		strbuf_release(&line);
	}
	strbuf_adds(s->out, "if $foresee_done_0 && $foresee_done_1\n"
			    "echo both are done:  foresee-free, foresee-back\\n\nend\nend\n"
			    "document foresee-where\nWhich of the two accesses are done.\nend\n");
}

/* $first and $second are numbers, so that the word of the user can be asked for. */
static void add_commands(const struct script *s)
{
	strbuf_adds(s->out, "set $first = 1\nset $second = 2\nset $foresee_done_0 = 0\n"
			    "set $foresee_done_1 = 0\n");
	if (s->x->point.n == 2 && s->g->o->claim->kind == FINDING_RACE) {
		add_where(s);
		add_go(s, 0);
		add_go(s, 1);
		strbuf_adds(
			s->out,
			"define foresee-go\nif $$arg0 == 1\nforesee-go-first\nelse\n"
			"foresee-go-second\nend\nend\n"
			"document foresee-go\nforesee-go first|second: that access of the race, "
			"and stop right behind it.\nend\n"
			"define foresee-step\nif $foresee_done_0 == 0\nforesee-go-first\nelse\n"
			"foresee-go-second\nend\nend\n"
			"document foresee-step\nThe next access of the race.\nend\n");
	}
	strbuf_adds(s->out, "define foresee-free\n");
	for (uint32_t i = 0; i < s->x->seen->nthreads; i++)
		strbuf_addf(s->out, "set {unsigned int}0x%" PRIx64 " = 1\n", go_address(s, i));
	strbuf_addf(s->out,
		    "set {unsigned int}0x%" PRIx64
		    " = 1\nset scheduler-locking off\ncontinue\nend\n"
		    "document foresee-free\nEverybody goes on.\nend\n"
		    "define foresee-back\nquit %d\nend\n"
		    "document foresee-back\nRun the program again, up to this point.\nend\n",
		    s->base + offsetof(struct plan_head, freed), DEBUG_BACK);
}

/* What may fail comes last: an error ends a script. */
static void add_focus(const struct script *s)
{
	for (uint32_t k = s->x->point.n; k-- > 0;) {
		uint32_t i = s->x->point.at[k];
		const char *function = function_of(s, i);

		/* Of a deadlock all are shown, the first one last; of a race the first has the focus. */
		if (k > 0 && s->g->o->claim->kind == FINDING_RACE)
			continue;
		debug_select(s->out, debug_thread(s->pid, plan_seats(s->x->seen)[i].kernel));
		if (s->g->o->claim->kind != FINDING_RACE)
			strbuf_adds(s->out, "backtrace\n");
		if (*function)
			strbuf_addf(s->out, "frame function %s\n", function);
	}
}

static bool write_script(const char *file, const struct strbuf *text)
{
	FILE *to = fopen(file, "we");
	bool good = to && fwrite(text->at, 1, text->n, to) == text->n;

	if (to)
		good &= fclose(to) == 0;
	return good;
}

/* ---- gdb ---- */

static int gdb_run(const char *script, pid_t pid)
{
	char number[24];
	int status = 0;
	pid_t child;

	snprintf(number, sizeof(number), "%ld", (long)pid);
	fflush(NULL);
	child = fork();
	if (child == 0) {
		signal(SIGINT, SIG_DFL);
		signal(SIGQUIT, SIG_DFL);
		execlp(gdb_name(), gdb_name(), "-q", "-iex", "set debuginfod enabled off", "-iex",
		       "set print thread-events off", "-iex", "set confirm off", "-p", number, "-x",
		       script, (char *)NULL);
		_exit(127);
	}
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return child > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

bool debug_attach(pid_t pid, const char *file, const struct strbuf *script)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN }, interrupt, quit;
	bool back;

	if (!write_script(file, script)) {
		talk_error("cannot write '%s': %s", file, strerror(errno));
		return false;
	}
	/* Ctrl-C is gdb's. */
	sigaction(SIGINT, &ignore, &interrupt);
	sigaction(SIGQUIT, &ignore, &quit);
	back = gdb_run(file, pid) == DEBUG_BACK;
	sigaction(SIGINT, &interrupt, NULL);
	sigaction(SIGQUIT, &quit, NULL);
	return back;
}

void debug_visit(void *arg, pid_t pid, const struct supervise_result *x)
{
	struct debug *g = arg;
	struct strbuf text = { 0 };
	struct script s = {
		.g = g, .x = x, .pid = pid, .base = debug_plan(pid, g->control), .out = &text
	};

	strbuf_adds(&text, "set height unlimited\n");
	add_commands(&s);
	add_banner(&s);
	add_focus(&s);
	g->again = debug_attach(pid, g->script, &text);
	strbuf_release(&text);
}
