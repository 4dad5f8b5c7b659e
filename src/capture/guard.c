/*
 * Start and end of the guard, and of its threads.
 *
 * The tool has compiled the spec and found its names in the program; what it could not know, because addresses
 * differ from run to run, is found here by the tables of the modules: a global by its name.
 */
#include "capture/guard_priv.h"

#include <fcntl.h>

#include "capture/module.h"
#include "capture/sync.h"
#include "capture/text.h"

#define NAMES 8u /* that are told where one is misspelt */

bool guard_on, guard_ready, guard_is_gone, guard_all;
struct guard_watch guard_watch;
struct know_world guard_world;
struct guard_place *guard_places;
const void *guard_main_at;
uint64_t guard_counts[64];

static struct know_vector **finals; /* by thread; atomic */
static struct guard nobody = { .idle = true };
static uint32_t single_lock;
static char names[NAMES][GUARD_NAME]; /* of threads that there were; guarded by single_lock */
static uint64_t used_alone;	      /* classes that a plain @ names */

/* ---- words ---- */

void guard_say(const char *format, ...)
{
	struct text t = { .n = 0 };
	SYS_KEEPS_ERRNO;
	va_list args;

	va_start(args, format);
	text_add(&t, "foresee: ");
	text_add_list(&t, format, args);
	va_end(args);
	if (t.n < TEXT_ROOM)
		t.at[t.n++] = '\n';
	syscall(SYS_write, 2, t.at, t.n);
}

void guard_quit(const char *why)
{
	if (!__atomic_exchange_n(&guard_is_gone, true, __ATOMIC_SEQ_CST))
		guard_say("guard: %s; the program goes on without monitors", why);
}

void guard_trouble(const char *why, size_t n)
{
	char words[200];

	n = n < sizeof(words) - 1 ? n : sizeof(words) - 1;
	memcpy(words, why, n);
	words[n] = '\0';
	guard_quit(words);
}

/* ---- start ---- */

static const struct know_program *map_program(const char *line, size_t n)
{
	char path[64];
	struct know_program head;
	void *p = MAP_FAILED;
	int fd;

	if (n >= sizeof(path))
		return NULL;
	memcpy(path, line, n);
	path[n] = '\0';
	fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	if (syscall(SYS_pread64, fd, &head, sizeof(head), 0) == sizeof(head) &&
	    head.magic == KNOW_MAGIC && (uint64_t)syscall(SYS_lseek, fd, 0, SEEK_END) == head.bytes)
		p = sys_mmap(NULL, head.bytes, PROT_READ, MAP_PRIVATE, fd, 0);
	syscall(SYS_close, fd);
	if (strncmp(path, "/proc/self/fd/", 14) == 0)
		syscall(SYS_close, strtol(path + 14, NULL, 10));
	return p == MAP_FAILED ? NULL : p;
}

static bool world_make(const struct know_program *p)
{
	struct know_world *w = &guard_world;
	uint32_t most = know_most(p);

	*w = (struct know_world){
		.program = p, .alloc = guard_alloc, .free = guard_free, .most = most, .nroots = 1
	};
	w->classes = sys_pages((most + 1) * sizeof(*w->classes));
	w->single = sys_pages((p->nclasses + 1) * sizeof(*w->single));
	w->initial = sys_pages((p->nvariables + 1) * sizeof(*w->initial));
	finals = sys_pages((most + 1) * sizeof(*finals));
	guard_places = sys_pages((p->nplaces + 1) * sizeof(*guard_places));
	for (uint32_t i = 0; i < p->nnodes; i++)
		if (know_nodes(p)[i].op == KNOW_REMOTE && know_nodes(p)[i].who >= KNOW_CLASS)
			used_alone |= UINT64_C(1) << (know_nodes(p)[i].who - KNOW_CLASS);
	return w->classes != NULL && w->single != NULL && w->initial != NULL && finals != NULL &&
	       guard_places != NULL;
}

/* Functions go on in such twins, which have hooks for what is watched, as far as that is known. */
static void twins_watch(enum foresee_twins twins)
{
	struct foresee_watch w = { .low = guard_watch.low - (FORESEE_TWIN_REACH - 1),
				   .span = guard_watch.span + (FORESEE_TWIN_REACH - 1),
				   .twins = twins };

	if (guard_watch.span == 0)
		w.low = FORESEE_NO_ADDRESS, w.span = 0;
	if (guard_world.program->flow_all)
		w.twins = FORESEE_TWINS_NOT;
	module_watch(&w);
}

/* The command line, as the kernel has it, with a zero behind each word; *n bytes. */
static char *command_line(size_t *n)
{
	for (size_t room = 1u << 16; room <= 1u << 30; room *= 2) {
		int fd = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/cmdline",
				      O_RDONLY | O_CLOEXEC);
		char *p = sys_pages(room);
		ssize_t got = 1;

		for (*n = 0; fd >= 0 && p != NULL && got > 0 && *n<room; *n += got> 0 ? got : 0)
			got = syscall(SYS_read, fd, p + *n, room - *n);
		syscall(SYS_close, fd);
		if (p == NULL || got <= 0)
			return got == 0 ? p : NULL;
		sys_munmap(p, room);
	}
	return NULL;
}

#define OWN_WORDS 6u /* foresee guard -s SPEC -- PROGRAM */

/* FORESEE_GUARD: the tool makes what is needed of the spec, and starts the program again, in this process.  How the
 * program was called goes by the environment. */
static void start_by_tool(const char *spec)
{
	static char tool[4096], program[4096], called[8192] = "FORESEE_CALLED=";
	const char *const own[OWN_WORDS] = { tool, "guard", "-s", spec, "--", program };
	size_t n, words = 0, k = OWN_WORDS, e = 0;
	char *slash, *line = command_line(&n);
	const char **argv, **env;
	Dl_info here;

	unsetenv("FORESEE_GUARD");
	for (size_t i = 0; line != NULL && i < n; i++)
		words += line[i] == '\0';
	for (size_t i = 0; environ[i] != NULL; i++)
		e++;
	argv = sys_pages((words + OWN_WORDS + 1) * sizeof(*argv));
	env = sys_pages((e + 2) * sizeof(*env));
	if (words == 0 || argv == NULL || env == NULL || dladdr(&guard_on, &here) == 0 ||
	    strlen(here.dli_fname) + 32 > sizeof(tool) ||
	    readlink("/proc/self/exe", program, sizeof(program) - 1) <= 0) {
		guard_say("guard: there is no way to the tool, which FORESEE_GUARD needs");
		return;
	}
	memcpy(tool, here.dli_fname, strlen(here.dli_fname) + 1);
	for (int i = 0; i < 3 && (slash = strrchr(tool, '/')) != NULL; i++)
		*slash = '\0';
	memcpy(tool + strlen(tool), "/bin/foresee", sizeof("/bin/foresee"));
	memcpy(argv, own, sizeof(own));
	for (char *a = line + strlen(line) + 1; a < line + n; a += strlen(a) + 1)
		argv[k++] = a;
	memcpy(env, environ, e * sizeof(*env));
	if (strlen(called) + strlen(line) < sizeof(called)) {
		memcpy(called + strlen(called), line, strlen(line) + 1);
		env[e] = called;
	}
	syscall(SYS_execve, tool, argv, env);
	guard_say("guard: cannot run '%s', which FORESEE_GUARD needs", tool);
}

bool guard_start(void)
{
	const char *lines = getenv("FORESEE_OPTIONS"), *pid = getenv("FORESEE_PID");
	const struct know_program *p;
	const char *file = NULL;
	size_t n;

	if (pid != NULL && strtol(pid, NULL, 10) != getpid())
		return false;
	for (const char *s = lines; s != NULL && *s != '\0'; s += n, s += *s == '\n') {
		n = strcspn(s, "\n");
		if (n > 6 && memcmp(s, "guard=", 6) == 0)
			file = s + 6;
		guard_all |= n == 9 && memcmp(s, "guard-all", 9) == 0;
	}
	if (file == NULL && getenv("FORESEE_GUARD") != NULL)
		start_by_tool(getenv("FORESEE_GUARD"));
	if (file == NULL)
		return false;
	p = map_program(file, strcspn(file, "\n"));
	/* What the program becomes by exec is not guarded, and that file is none of its. */
	unsetenv("FORESEE_OPTIONS");
	unsetenv("FORESEE_PID");
	if (p == NULL || !world_make(p)) {
		guard_say(
			"guard: what 'foresee guard' made of the spec cannot be read; the program "
			"goes on without monitors");
		return false;
	}
	guard_on = control_bare = true;
	twins_watch(FORESEE_TWINS_ASK);
	return true;
}

/* ---- main ---- */

/* Is nothing watched that a pointer may lead to? */
static bool by_name_only = true;

static void watch_add(uintptr_t from, uintptr_t to)
{
	uintptr_t high = guard_watch.low + guard_watch.span;

	if (guard_watch.span == 0 || from < guard_watch.low)
		guard_watch.low = from;
	if (to > high)
		high = to;
	guard_watch.span = high - guard_watch.low;
	for (uintptr_t word = from >> 3; word <= (to - 1) >> 3; word++)
		guard_watch.words[word % GUARD_WORDS / 64] |= UINT64_C(1) << word % 64;
}

static bool place_find(const struct know_program *p, uint32_t i)
{
	const struct know_variable *v = &know_variables(p)[i];
	const struct foresee_global *g;

	if (v->global == KNOW_UNBOUND)
		return false;
	module_lock();
	g = module_global_named(know_string(p, v->global), v->extent);
	module_unlock();
	if (g == NULL)
		return false;
	guard_places[i].from = (uintptr_t)g->address + v->offset;
	guard_places[i].to = guard_places[i].from + v->size;
	by_name_only &= v->is_lock || (g->flags & FORESEE_GLOBAL_IN_SIGHT) != 0;
	if (!v->is_lock)
		watch_add(guard_places[i].from, guard_places[i].to);
	if (i < p->nvariables)
		memcpy(&guard_world.initial[i], (void *)guard_places[i].from, v->size);
	guard_places[i].last = i < p->nvariables ? guard_world.initial[i] : 0;
	return true;
}

static bool is_root(void *arg, uint32_t tid)
{
	(void)arg;
	return tid == 1;
}

/* Is some acquire or release an event of the spec? */
static bool locks_matter(const struct know_program *p)
{
	bool matter = false;

	for (uint32_t i = 0; i < p->nevents; i++)
		matter |= know_events(p)[i].op == GUARD_OP_ACQ ||
			  know_events(p)[i].op == GUARD_OP_REL;
	return matter;
}

void guard_main(void)
{
	const struct know_program *p = guard_world.program;
	struct thread *t = thread_self();
	struct guard *g = guard_of(t);

	if (g == NULL || g == &nobody || guard_is_gone)
		return;
	if (thread_was_forked()) {
		guard_quit("threads were made before main");
		return;
	}
	for (uint32_t i = 0; i < p->nplaces; i++)
		if (!place_find(p, i)) {
			guard_say("guard: '%s' is not in this program any more",
				  know_string(p, know_variables(p)[i].name));
			guard_quit("it was built anew");
			return;
		}
	if (p->flow_all) {
		guard_watch.low = 0;
		guard_watch.span = UINTPTR_MAX;
		memset(guard_watch.words, 0xff, sizeof(guard_watch.words));
	}
	twins_watch(by_name_only ? FORESEE_TWINS_TRUST : FORESEE_TWINS_ASK);
	memcpy(g->routine, "main", 5);
	guard_classify(g, 1);
	if (!know_begin(&guard_world, is_root, NULL) ||
	    !know_thread_begin(&g->k, &guard_world, 1, NULL)) {
		guard_quit("there is no memory for it");
		return;
	}
	g->idle = false;
	g->brief = !locks_matter(p);
	__atomic_store_n(&guard_ready, true, __ATOMIC_RELEASE);
}

void guard_main_is(const void *at)
{
	guard_main_at = at;
}

static void name_note(const char *name)
{
	uint32_t i = 0;

	while (i < NAMES && names[i][0] != '\0' && strcmp(names[i], name) != 0)
		i++;
	if (i < NAMES)
		memcpy(names[i], name, strlen(name) + 1);
}

/* A name that never came is misspelt, more likely than not. */
static void absent_tell(const struct know_program *p)
{
	struct text known = { .n = 0 };

	for (uint32_t i = 0; i < NAMES && names[i][0] != '\0'; i++)
		text_add(&known, "%s'%s'", i == 0 ? "" : ", ", names[i]);
	known.at[known.n < TEXT_ROOM ? known.n : TEXT_ROOM - 1] = '\0';
	for (uint32_t i = 1; i < p->nclasses && guard_ready && !guard_is_gone; i++) {
		const struct know_class *c = &know_classes(p)[i];

		if (__atomic_load_n(&guard_world.single[i], __ATOMIC_RELAXED) != 0)
			continue;
		if (c->kind == KNOW_NUMBER)
			guard_say("guard: there was no thread %lu, which the spec calls '%s'",
				  (unsigned long)c->number, know_string(p, c->said));
		else
			guard_say("guard: no thread was '%s': none had that start routine or name; "
				  "there were %s",
				  know_string(p, c->name), known.at);
	}
}

void guard_finish(void)
{
	const struct know_program *p = guard_world.program;

	if (!guard_on || getpid() <= 0)
		return;
	absent_tell(p);
	for (uint32_t i = 0; i < p->nproperties; i++) {
		uint64_t n = __atomic_load_n(&guard_counts[i], __ATOMIC_RELAXED);

		if (n != 0)
			guard_say("guard: property '%s' was violated %lu time%s",
				  know_string(p, know_properties(p)[i].name), n, n == 1 ? "" : "s");
	}
	if (guard_all)
		guard_say("guard: %lu KiB of memory for what threads know",
			  (unsigned long)(guard_memory() >> 10));
	guard_ready = false;
}

void guard_forked(void)
{
	guard_is_gone = true;
	if (guard_of(thread_self()) != NULL) {
		guard_of(thread_self())->brief = false;
		guard_of(thread_self())->owner = 0; /* it has changed */
	}
}

/* ---- classes ---- */

static bool is_of(const struct know_program *p, const struct know_class *c, const struct guard *g,
		  uint32_t tid)
{
	const char *name = know_string(p, c->name);

	if (c->kind == KNOW_ANY)
		return true;
	if (c->kind == KNOW_NUMBER)
		return c->number == tid;
	return (g->routine[0] && strcmp(g->routine, name) == 0) ||
	       (g->label[0] && strcmp(g->label, name) == 0);
}

void guard_classify(struct guard *g, uint32_t tid)
{
	const struct know_program *p = guard_world.program;
	uint64_t of = 0;

	for (uint32_t i = 0; i < p->nclasses; i++)
		if (is_of(p, &know_classes(p)[i], g, tid))
			of |= UINT64_C(1) << i;
	guard_spin(&single_lock);
	name_note(g->routine);
	name_note(g->label);
	for (uint32_t i = 1; i < p->nclasses; i++) {
		uint32_t *one = &guard_world.single[i];

		if (!(of >> i & 1) || *one == tid)
			continue;
		if (*one != 0 && (used_alone >> i & 1)) {
			guard_say(
				"guard: '%s' is several threads, and '@%s' can mean one only: write "
				"some(o : %s, ...) or all(o : %s, ...)",
				know_string(p, know_classes(p)[i].said),
				know_string(p, know_classes(p)[i].said),
				know_string(p, know_classes(p)[i].said),
				know_string(p, know_classes(p)[i].said));
			guard_quit("the spec does not fit the program");
		}
		__atomic_store_n(one, tid, __ATOMIC_RELAXED);
	}
	guard_unspin(&single_lock);
	know_name(&guard_world, tid, of);
}

void guard_named(struct thread *t, const char *name, size_t n)
{
	struct guard *g = guard_of(t);

	if (g == NULL || g == &nobody || t->tid > guard_world.most)
		return;
	n = n < GUARD_NAME - 1 ? n : GUARD_NAME - 1;
	memcpy(g->label, name, n);
	g->label[n] = '\0';
	guard_classify(g, t->tid);
}

/* ---- threads ---- */

static struct guard *guard_new(void)
{
	struct guard *g = guard_is_gone ? NULL : guard_alloc(sizeof(*g));

	if (g == NULL)
		return &nobody;
	g->idle = true;
	return g;
}

struct control *guard_first(void)
{
	return (struct control *)guard_new();
}

struct control *guard_child(struct thread *t)
{
	struct guard *g = guard_of(t), *child = guard_new();

	if (g != &nobody)
		g->newborn = child;
	return (struct control *)child;
}

/* One that unseen code has made knows nothing. */
void guard_begin(struct thread *t)
{
	struct guard *g = guard_of(t);

	if (g == &nobody || !guard_ready || guard_is_gone)
		return;
	if (t->tid > guard_world.most) {
		guard_say("guard: more than %lu threads, which is all that can be followed%s",
			  (unsigned long)guard_world.most,
			  guard_world.most == KNOW_MOST_WIDE
				  ? " where a property compares what pairs of threads know"
				  : "");
		guard_quit("there are too many threads");
		return;
	}
	guard_classify(g, t->tid);
	if (!know_thread_begin(&g->k, &guard_world, t->tid, g->from)) {
		guard_quit("there is no memory left");
		return;
	}
	know_drop(&guard_world, g->from);
	g->from = NULL;
	g->idle = false;
	g->brief = !locks_matter(guard_world.program);
}

void guard_end(struct thread *t)
{
	struct guard *g = guard_of(t);

	if (g == &nobody)
		return;
	if (!g->idle && guard_ready && !guard_is_gone) {
		g->frame = 0;
		g->handling = true; /* nothing of the program's is called any more */
		guard_step(t, g, 0, 0);
		guard_recover(t, g);
		guard_final_put(t->tid, know_publish(&g->k));
		know_thread_end(&g->k);
	}
	g->idle = true;
	g->brief = false;
	t->control = (struct control *)&nobody;
	guard_free(g, sizeof(*g));
}

struct know_vector *guard_final_take(uint32_t tid)
{
	return tid <= guard_world.most ? __atomic_exchange_n(&finals[tid], NULL, __ATOMIC_ACQ_REL)
				       : NULL;
}

void guard_final_put(uint32_t tid, struct know_vector *v)
{
	if (tid <= guard_world.most)
		__atomic_store_n(&finals[tid], v, __ATOMIC_RELEASE);
}
