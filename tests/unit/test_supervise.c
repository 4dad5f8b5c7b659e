/*
 * The supervisor against a program of our own that plays the runtime: this one, started again with
 * the name of a play.  It maps the plan as the runtime does, and puts into its seats what the play says.
 */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/mem.h"
#include "replay/outcome.h"
#include "replay/plan.h"
#include "replay/scratch.h"
#include "replay/supervise.h"
#include "tap.h"
#include "trace/event.h"
#include "trace/format.h"

/* ---- the plan of all plays: two threads, each with a target ---- */

#define THREADS 2

struct file {
	union {
		struct {
			struct plan_head head;
			struct plan_thread threads[THREADS];
			struct plan_step steps[THREADS];
		};
		char pages[PLAN_PAGE]; /* that nobody writes to */
	};
	struct plan_seat seats[THREADS];
};

static void plan_fill(struct file *f, enum finding_kind kind)
{
	bool waits = kind == FINDING_LOST_WAKEUP;

	memset(f, 0, sizeof(*f));
	f->head = (struct plan_head){ .magic = PLAN_MAGIC,
				      .nthreads = THREADS,
				      .ntargets = waits ? 1 : 2,
				      .nsteps = THREADS,
				      .threads = offsetof(struct file, threads),
				      .steps = offsetof(struct file, steps),
				      .seats = offsetof(struct file, seats),
				      .size = sizeof(*f) };
	for (unsigned i = 0; i < THREADS; i++) {
		f->threads[i] = (struct plan_thread){ .maker = (int)i - 1,
						      .tid = i + 1,
						      .nsteps = 1,
						      .step = i,
						      .events = 3,
						      .solids = 2 };
		f->steps[i] = (struct plan_step){ .pos = 10 + i,
						  .op = kind == FINDING_DEADLOCK ? EVENT_ACQ
										 : EVENT_WRITE,
						  .flags = PLAN_TARGET };
	}
	if (waits) { /* the second has none */
		f->threads[1].nsteps = 0;
		f->steps[0].op = EVENT_REL;
	}
}

/* ---- plays ---- */

static struct file *file;
static volatile uint32_t object = 5;
static pthread_mutex_t locks[2] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER };

static void map_plan(void)
{
	const char *at = strstr(getenv("FORESEE_OPTIONS"), "control=");
	char path[4096] = "";
	int fd;

	sscanf(at, "control=%4095[^\n]", path);
	fd = open(path, O_RDWR);
	file = mmap(NULL, sizeof(*file), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (file == MAP_FAILED)
		_exit(99);
	file->head.taken = 1;
}

static void set(uint32_t *word, uint32_t value)
{
	__atomic_store_n(word, value, __ATOMIC_SEQ_CST);
}

static void until(const uint32_t *word)
{
	while (__atomic_load_n(word, __ATOMIC_SEQ_CST) == 0)
		usleep(100);
}

/* The thread of seat i has come to its target. */
static void stand(unsigned i, struct plan_op op)
{
	struct plan_seat *s = &file->seats[i];

	s->kernel = (uint32_t)syscall(SYS_gettid);
	s->handle = (uint64_t)pthread_self();
	s->solids = 2;
	s->op = op;
	set(&s->state, PLAN_STANDS);
	__atomic_fetch_add(&file->head.arrived, 1, __ATOMIC_SEQ_CST);
}

static struct plan_op write_of(uint64_t addr)
{
	return (struct plan_op){ .addr = addr, .len = 4, .writes = true };
}

/* Both stand in one thread, which does what it is let do. */
static void play_race(bool apart, bool hangs)
{
	uint64_t addr = (uintptr_t)&object;
	unsigned first;

	stand(0, write_of(addr));
	stand(1, write_of(apart ? addr + 4 : addr + 2));
	while (!__atomic_load_n(&file->seats[0].go, __ATOMIC_SEQ_CST) &&
	       !__atomic_load_n(&file->seats[1].go, __ATOMIC_SEQ_CST))
		usleep(100);
	first = !__atomic_load_n(&file->seats[0].go, __ATOMIC_SEQ_CST);
	for (unsigned k = 0; k < 2; k++) {
		unsigned i = k ? !first : first;

		until(&file->seats[i].go);
		object = i == 0 ? 0x00110011 : 0x00220022;
		set(&file->seats[i].over, 1);
	}
	until(&file->head.freed);
	printf("last %u\n", (unsigned)!first);
	fflush(stdout);
	if (hangs && first == 1)
		pause();
	_exit(first == 0 ? 0 : 3);
}

struct crossed {
	unsigned seat;
	bool holds;
};

/* Has one lock, wants the other. */
static void *cross(void *arg)
{
	const struct crossed *c = arg;
	struct plan_seat *s = &file->seats[c->seat];
	pthread_mutex_t *other = &locks[!c->seat];

	if (c->holds) {
		pthread_mutex_lock(&locks[c->seat]);
		s->held[0] = (struct plan_lock){ .addr = (uintptr_t)&locks[c->seat], .count = 1 };
		s->nheld = 1;
	}
	stand(c->seat,
	      (struct plan_op){ .addr = (uintptr_t)other, .kind = FORMAT_K_ACQ, .len = 1 });
	until(&s->go);
	set(&s->state, PLAN_LET_GO);
	pthread_mutex_lock(other);
	s->held[s->nheld++] = (struct plan_lock){ .addr = (uintptr_t)other, .count = 1 };
	set(&s->over, 1);
	pause();
	return NULL;
}

static void play_deadlock(bool circle)
{
	struct crossed a = { 0, true }, b = { 1, circle };
	pthread_t t[2];

	pthread_create(&t[0], NULL, cross, &a);
	pthread_create(&t[1], NULL, cross, &b);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
}

/* Seat 0 waits on a condition; seat 1 has done its part and may signal once all are free. */
enum lost { LOST_STAYS, LOST_SIGNALS, LOST_ENDS, LOST_CRASHES, LOST_TIMED };

static void play_lost(enum lost how)
{
	struct plan_seat *s = &file->seats[0];

	file->seats[1].solids = 2;
	set(&file->seats[1].state, PLAN_STOPPED);
	stand(0, (struct plan_op){ .kind = FORMAT_K_REL });
	until(&s->go);
	s->cond = 1;
	set(&s->over, 1);
	set(&s->state, PLAN_WAITS);
	until(&file->head.freed);
	if (how == LOST_TIMED) /* longer than anybody has patience */
		poll(NULL, 0, 700);
	if (how == LOST_SIGNALS || how == LOST_TIMED) {
		set(&s->signalled, 1);
		set(&s->state, PLAN_RUNS);
	}
	if (how == LOST_ENDS)
		_exit(0);
	if (how == LOST_CRASHES) {
		signal(SIGABRT, SIG_DFL);
		abort();
	}
	pause();
}

static void play_diverged(void)
{
	file->head.thread = 1;
	file->head.solids = 7;
	set(&file->head.diverged, UINT32_MAX); /* the reason is on its way */
	usleep(20000);
	set(&file->head.diverged, PLAN_WHY_OPERATION);
	pause();
}

static void play(const char *name)
{
	if (strcmp(name, "deaf") == 0)
		_exit(0);
	map_plan();
	printf("here %s\n", getcwd((char[4096]){ 0 }, 4096));
	if (strcmp(name, "race") == 0)
		play_race(false, false);
	else if (strcmp(name, "apart") == 0)
		play_race(true, false);
	else if (strcmp(name, "one-hangs") == 0)
		play_race(false, true);
	else if (strcmp(name, "deadlock") == 0)
		play_deadlock(true);
	else if (strcmp(name, "no-deadlock") == 0)
		play_deadlock(false);
	else if (strcmp(name, "lost") == 0)
		play_lost(LOST_STAYS);
	else if (strcmp(name, "lost-ends") == 0)
		play_lost(LOST_ENDS);
	else if (strcmp(name, "found") == 0)
		play_lost(LOST_SIGNALS);
	else if (strcmp(name, "found-later") == 0)
		play_lost(LOST_TIMED);
	else if (strcmp(name, "lost-crashes") == 0)
		play_lost(LOST_CRASHES);
	else if (strcmp(name, "diverged") == 0)
		play_diverged();
	else if (strcmp(name, "ends") == 0)
		_exit(42);
	else if (strcmp(name, "spoils") == 0)
		memset(file, 0xff, sizeof(*file));
	else if (strcmp(name, "forges") == 0) {
		file->threads[1].nsteps = 0; /* a target less: the point is there already */
		file->head.arrived = 1;
	} else if (strcmp(name, "crashes") == 0) {
		signal(SIGSEGV, SIG_DFL); /* a sanitizer has a handler of its own */
		raise(SIGSEGV);
	}
	stand(0, write_of(1)); /* and the second never comes */
	file->seats[1].kernel = (uint32_t)getpid();
	set(&file->seats[1].state, PLAN_RUNS);
	if (strcmp(name, "spins") == 0)
		for (;;)
			;
	pause();
}

/* ---- the other side ---- */

static void name(void *arg, uint32_t thread, struct strbuf *out)
{
	(void)arg;
	strbuf_addf(out, "T%u", thread + 1);
}

static int outputs; /* numbers of files */

/* Returns what the program printed; the caller's to free. */
static char *try_play(const char *what, enum finding_kind kind, int first,
		      struct supervise_result *r)
{
	static const uint64_t targets[] = { 10, 11 };
	char self[4096] = "";
	char *argv[] = { self, (char *)"play", (char *)what, NULL };
	struct file f;
	struct plan plan = { .head = &f.head, .size = sizeof(f) };
	char *control = scratch_path("plan", 0), *out = scratch_path("out", ++outputs);
	struct supervise s = { .path = self,
			       .argv = argv,
			       .directory = "/",
			       .control = control,
			       .trace = "/nowhere",
			       .plan = &plan,
			       .kind = kind,
			       .targets = targets,
			       .ntargets = 2,
			       .patience = 0.4,
			       .time = 1.5,
			       .first = first,
			       .name = name };
	struct strbuf text = { 0 };
	struct diag d = { 0 };

	if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		abort();
	plan_fill(&f, kind);
	s.out = open(out, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	TAP_EQ(supervise_run(&s, r, &d), ST_OK, "%s: it was run", what);
	close(s.out);
	unlink(control);
	outcome_read(out, &text);
	unlink(out);
	MEM_FREE_ALL(control, out);
	strbuf_add(&text, "", 1);
	return text.at;
}

static void test_race(void)
{
	struct supervise_result r;
	char *out = try_play("race", FINDING_RACE, 0, &r);

	TAP_EQ(r.end, SUPERVISE_REPLAYED, "race: replayed");
	TAP_EQ(r.point.n, 2, "race: two stand there");
	TAP_STR(out, "here /\nlast 1\n", "race: in its directory, the first went first");
	TAP_EQ(r.process.status, 0, "race: and it ended");
	TAP_OK(r.after.known && !r.after.hung && !r.after.late && !r.killed, "race: by itself");
	TAP_EQ(r.after.nbytes, 2, "race: they have two bytes in common");
	TAP_EQ(r.after.bytes[0], 0x22, "race: the second write was the last");
	mem_free(out);
	supervise_result_release(&r);

	out = try_play("race", FINDING_RACE, 1, &r);
	TAP_STR(out, "here /\nlast 0\n", "other order: the second went first");
	TAP_EQ(r.process.status, 3, "other order: and it ended so");
	TAP_EQ(r.after.bytes[0], 0x11, "other order: the first write was the last");
	mem_free(out);
	supervise_result_release(&r);

	out = try_play("race", FINDING_RACE, SUPERVISE_STOP, &r);
	TAP_EQ(r.end, SUPERVISE_REPLAYED, "stop: replayed");
	TAP_OK(r.killed && !r.after.known, "stop: and that was the end");
	TAP_EQ(r.process.signal, SIGKILL, "stop: the program is gone");
	mem_free(out);
	supervise_result_release(&r);

	out = try_play("apart", FINDING_RACE, 0, &r);
	TAP_EQ(r.end, SUPERVISE_REFUTED, "apart: other bytes are no race");
	TAP_OK(strstr(strbuf_str(&r.why), "do not touch the same memory") != NULL, "apart: why");
	mem_free(out);
	supervise_result_release(&r);

	out = try_play("one-hangs", FINDING_RACE, 1, &r);
	TAP_EQ(r.end, SUPERVISE_REPLAYED, "hang behind the point: replayed");
	TAP_OK(r.after.hung && r.killed, "hang behind the point: seen, and ended");
	mem_free(out);
	supervise_result_release(&r);
}

static void test_waits(void)
{
	static const struct {
		const char *play;
		enum finding_kind kind;
		enum supervise_end end;
		const char *why;
	} cases[] = {
		{ "deadlock", FINDING_DEADLOCK, SUPERVISE_REPLAYED, "" },
		{ "no-deadlock", FINDING_DEADLOCK, SUPERVISE_REFUTED, "it got the lock" },
		{ "lost", FINDING_LOST_WAKEUP, SUPERVISE_REPLAYED, "" },
		{ "lost-ends", FINDING_LOST_WAKEUP, SUPERVISE_REPLAYED, "" },
		{ "found", FINDING_LOST_WAKEUP, SUPERVISE_REFUTED, "somebody signals" },
		{ "found-later", FINDING_LOST_WAKEUP, SUPERVISE_REFUTED, "somebody signals" },
		{ "lost-crashes", FINDING_LOST_WAKEUP, SUPERVISE_ENDED, "" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct supervise_result r;
		char *out = try_play(cases[i].play, cases[i].kind, SUPERVISE_STOP, &r);

		TAP_EQ(r.end, cases[i].end, "%s: the end", cases[i].play);
		if (!TAP_OK(strstr(strbuf_str(&r.why), cases[i].why) != NULL, "%s: why",
			    cases[i].play))
			printf("# %s\n", strbuf_str(&r.why));
		mem_free(out);
		supervise_result_release(&r);
	}
}

static void test_failures(void)
{
	static const struct {
		const char *play;
		enum supervise_end end;
	} cases[] = {
		{ "diverged", SUPERVISE_DIVERGED }, { "ends", SUPERVISE_ENDED },
		{ "crashes", SUPERVISE_ENDED },	    { "deaf", SUPERVISE_DEAF },
		{ "stuck", SUPERVISE_STUCK },	    { "spins", SUPERVISE_ENDLESS },
		{ "spoils", SUPERVISE_SPOILED },    { "forges", SUPERVISE_SPOILED },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct supervise_result r;
		char *out = try_play(cases[i].play, FINDING_RACE, 0, &r);

		TAP_EQ(r.end, cases[i].end, "%s: the end", cases[i].play);
		TAP_OK(r.seen != NULL && r.tasks.n == THREADS, "%s: with a picture", cases[i].play);
		if (r.end == SUPERVISE_DIVERGED)
			TAP_EQ(r.seen->solids, 7, "diverged: with all that was said");
		if (strcmp(cases[i].play, "ends") == 0)
			TAP_EQ(r.process.status, 42, "ends: its status");
		if (strcmp(cases[i].play, "crashes") == 0)
			TAP_EQ(r.process.signal, SIGSEGV, "crashes: its signal");
		if (r.end == SUPERVISE_STUCK) {
			TAP_STR(task_call_name(r.tasks.at[1].call), "pause", "stuck: in a call");
			TAP_EQ(plan_seats(r.seen)[0].state, PLAN_STANDS, "stuck: the other stands");
		}
		mem_free(out);
		supervise_result_release(&r);
	}
}

/* ---- files ---- */

static void test_scratch(void)
{
	struct stat st;
	struct diag d = { 0 };
	char *inside, *path;

	TAP_EQ(scratch_open(&d), ST_OK, "scratch: made");
	inside = scratch_path("trace", 2);
	path = mem_strdup(inside);
	*strrchr(path, '/') = '\0';
	TAP_OK(stat(path, &st) == 0 && (st.st_mode & 0777) == 0700, "scratch: private");
	close(open(inside, O_WRONLY | O_CREAT, 0600));
	scratch_close();
	TAP_OK(stat(path, &st) != 0, "scratch: gone with its files");
	MEM_FREE_ALL(inside, path);
}

int main(int argc, char **argv)
{
	struct diag d = { 0 };

	if (argc == 3) {
		play(argv[2]);
		return 98;
	}
	test_scratch();
	if (scratch_open(&d) != ST_OK)
		return 1;
	test_race();
	test_waits();
	test_failures();
	scratch_close();
	return tap_done();
}
