#include "replay/still.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/vec.h"
#include "launch/hang.h"
#include "replay/task.h"

static uint64_t field(const char *status, const char *name)
{
	const char *at = strstr(status, name);

	return at ? strtoull(at + strlen(name), NULL, 10) : 0;
}

/* One thread, into the mark.  False: it has ended. */
static bool add_thread(struct still *s, pid_t pid, const char *thread, uint64_t *mark)
{
	char status[HANG_FILE];
	struct task t;

	task_look(pid, (uint32_t)strtoul(thread, NULL, 10), &t);
	if (!hang_proc_read(pid, thread, "status", status))
		return false;
	*mark = hash_add(*mark, strtoull(thread, NULL, 10));
	*mark = hash_add(*mark, field(status, "\nvoluntary_ctxt_switches:"));
	*mark = hash_add(*mark, field(status, "\nnonvoluntary_ctxt_switches:"));
	*mark = hash_add(*mark, (uint64_t)t.state);
	s->traced |= field(status, "\nTracerPid:") != 0;
	s->timed |= task_is_timed(&t);
	s->open |= task_is_asleep(&t) && t.call != SYS_futex;
	return t.state != 'Z' && t.state != 'X';
}

/* A timer that sends a signal: its handler runs in whatever thread there is, wherever that waits. */
static bool has_timer(pid_t pid)
{
	char text[HANG_FILE];

	return hang_proc_read(pid, NULL, "timers", text) &&
	       (strstr(text, "notify: signal/") || strstr(text, "notify: thread/"));
}

/* A clock that may ring where a thread waits for input. */
static bool has_timerfd(pid_t pid)
{
	char text[64], path[48];
	const struct dirent *at;
	bool found = false;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%ld/fd", (long)pid);
	dir = opendir(path);
	while (dir && !found && (at = readdir(dir)) != NULL) {
		ssize_t n = readlinkat(dirfd(dir), at->d_name, text, sizeof(text) - 1);

		text[n > 0 ? n : 0] = '\0';
		found = strcmp(text, "anon_inode:[timerfd]") == 0;
	}
	if (dir)
		closedir(dir);
	return found;
}

/* User and system time of all threads, in ticks. */
static uint64_t ticks(pid_t pid)
{
	char text[HANG_FILE];
	uint64_t user = 0, system = 0;
	const char *at;

	if (!hang_proc_read(pid, NULL, "stat", text) || (at = hang_behind_name(text)) == NULL ||
	    sscanf(at, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %" SCNu64 " %" SCNu64, &user,
		   &system) != 2)
		return 0;
	return user + system;
}

/* False: it has ended. */
static bool add_process(struct still *s, pid_t pid, uint64_t *mark)
{
	const struct dirent *at;
	char path[48];
	bool lives = false;
	DIR *dir;

	*mark = hash_add(*mark, ticks(pid));
	snprintf(path, sizeof(path), "/proc/%ld/task", (long)pid);
	dir = opendir(path);
	while (dir && (at = readdir(dir)) != NULL)
		if (at->d_name[0] != '.')
			lives |= add_thread(s, pid, at->d_name, mark);
	if (dir)
		closedir(dir);
	s->timed |= (s->all || s->open) && has_timer(pid);
	s->timed |= s->open && has_timerfd(pid);
	return lives;
}

/* ---- other processes ---- */

struct relative {
	pid_t pid, parent;
	bool found;
};

static bool is_parent(const struct relative *all, size_t n, pid_t pid)
{
	for (size_t i = 0; i < n; i++)
		if (all[i].pid == pid)
			return all[i].found;
	return false;
}

/*
 * All that the program has started: they can send signals to it, and have memory and files in common with it.
 * Its keeper, to whom those go whose parents have ended, has no other children.
 */
static void add_others(struct still *s, uint64_t *mark)
{
	VEC(struct relative) all = { 0 };
	pid_t keeper = hang_parent(s->pid), pid, parent;
	DIR *dir = opendir("/proc");
	const struct dirent *at;
	bool more = true;

	while (dir && (at = readdir(dir)) != NULL)
		if ((pid = (pid_t)strtol(at->d_name, NULL, 10)) > 0 &&
		    (parent = hang_parent(pid)) > 0)
			*VEC_PUSH(&all) = (struct relative){ pid, parent, pid == keeper };
	if (dir)
		closedir(dir);
	while (more) {
		more = false;
		for (size_t i = 0; i < all.n; i++)
			if (!all.at[i].found && is_parent(all.at, all.n, all.at[i].parent))
				more = all.at[i].found = true;
	}
	for (size_t i = 0; i < all.n; i++)
		if (all.at[i].found && all.at[i].pid != keeper && all.at[i].pid != s->pid)
			s->open |= add_process(s, all.at[i].pid, mark);
	VEC_RELEASE(&all);
}

void still_init(struct still *s, pid_t pid)
{
	*s = (struct still){ .pid = pid, .since = talk_clock() };
}

double still_look(struct still *s)
{
	uint64_t mark = 1;

	s->traced = s->timed = s->open = false;
	add_process(s, s->pid, &mark);
	if (s->all)
		add_others(s, &mark);
	if (mark != s->mark) {
		s->mark = mark;
		s->since = talk_clock();
	}
	return talk_clock() - s->since;
}
