#include "launch/hang.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

bool hang_proc_read(pid_t pid, const char *task, const char *name, char into[HANG_FILE])
{
	char path[96];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%ld%s%.16s/%s", (long)pid, task ? "/task/" : "",
		 task ? task : "", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, into, HANG_FILE - 1);
	close(fd);
	into[n > 0 ? n : 0] = '\0';
	return n > 0;
}

const char *hang_behind_name(const char *stat)
{
	const char *at = strrchr(stat, ')');

	return at && at[1] == ' ' ? at + 2 : NULL;
}

pid_t hang_parent(pid_t pid)
{
	char text[HANG_FILE];
	const char *at = hang_proc_read(pid, NULL, "stat", text) ? hang_behind_name(text) : NULL;
	int parent = 0;

	return at && sscanf(at, "%*c %d", &parent) == 1 ? parent : 0;
}

/* The number after "\nNAME:\t". */
static bool field(const char *status, const char *name, int base, uint64_t *out)
{
	size_t n = strlen(name);

	for (const char *line = status; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, name, n) == 0 && line[n] == ':') {
			*out = strtoull(line + n + 1, NULL, base);
			return true;
		}
	}
	return false;
}

/* Is the address in memory that other processes may have too?  If that cannot be told, yes. */
static bool is_shared(pid_t pid, uint64_t address)
{
	char path[64], line[512], mode[8];
	uint64_t low, high;
	bool shared = true;
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%ld/maps", (long)pid);
	maps = fopen(path, "re");
	if (!maps)
		return true;
	while (fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s", &low, &high, mode) == 3 &&
		    low <= address && address < high) {
			shared = mode[3] != 'p';
			break;
		}
	}
	fclose(maps);
	return shared;
}

/* From /proc/PID/task/TID/syscall: a futex wait without a time limit, for a thread of its own. */
static bool is_waiting(pid_t pid, const char *call)
{
	uint64_t address, op, value, limit;
	long number;

	if (sscanf(call, "%ld %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64, &number, &address, &op,
		   &value, &limit) != 5 ||
	    number != SYS_futex || limit != 0)
		return false;
	switch (op & FUTEX_CMD_MASK) {
	case FUTEX_WAIT:
	case FUTEX_WAIT_BITSET:
	case FUTEX_WAIT_REQUEUE_PI:
	case FUTEX_LOCK_PI:
	case FUTEX_LOCK_PI2:
		break;
	default:
		return false;
	}
	/* A join waits for the kernel to clear a word, and that is never a private futex. */
	return (op & FUTEX_PRIVATE_FLAG) || !is_shared(pid, address);
}

#define BIT(signal) (1ull << ((signal)-1))

/* Signals that the thread itself causes, or that the C library keeps for itself: no handler of one
 * of these sets a program going again that only waits. */
#define OWN_SIGNALS                                                                             \
	(BIT(SIGILL) | BIT(SIGTRAP) | BIT(SIGABRT) | BIT(SIGBUS) | BIT(SIGFPE) | BIT(SIGSEGV) | \
	 BIT(SIGPIPE) | BIT(SIGSYS) | BIT(32) | BIT(33))

enum task { TASK_BUSY, TASK_WAITS, TASK_GONE };

/* One thread; what it was found doing goes into *mark. */
static enum task task_look(pid_t pid, const char *task, const uint64_t *really, uint64_t *mark)
{
	char call[HANG_FILE], status[HANG_FILE];
	uint64_t caught, tracer, switches, forced;
	const char *state;

	if (!hang_proc_read(pid, task, "status", status))
		return TASK_BUSY;
	state = strstr(status, "\nState:\t");
	if (!state)
		return TASK_BUSY;
	state += strlen("\nState:\t");
	if (*state == 'Z' || *state == 'X') /* the first thread may end before the others */
		return TASK_GONE;
	if (*state != 'S' || !hang_proc_read(pid, task, "syscall", call) ||
	    !is_waiting(pid, call) || !field(status, "SigCgt", 16, &caught) ||
	    ((really ? *really : caught) & ~OWN_SIGNALS) != 0 ||
	    !field(status, "TracerPid", 10, &tracer) || tracer != 0 ||
	    !field(status, "voluntary_ctxt_switches", 10, &switches) ||
	    !field(status, "nonvoluntary_ctxt_switches", 10, &forced))
		return TASK_BUSY;
	*mark = hash_add(hash_add(hash_add(*mark, strtoull(task, NULL, 10)), switches), forced);
	return TASK_WAITS;
}

/* A number for what the threads do, other than 0; 0 when one may go on. */
static uint64_t all_look(struct hang *h)
{
	uint64_t mark = 1;
	struct dirent *at;
	char path[48];
	bool busy = false;
	DIR *dir;

	h->threads = 0;
	snprintf(path, sizeof(path), "/proc/%ld/task", (long)h->pid);
	dir = opendir(path);
	if (!dir)
		return 0;
	while (!busy && (at = readdir(dir)) != NULL) {
		enum task t;

		if (at->d_name[0] == '.')
			continue;
		t = task_look(h->pid, at->d_name, h->caught, &mark);
		busy = t == TASK_BUSY;
		h->threads += t == TASK_WAITS;
	}
	closedir(dir);
	return busy || h->threads == 0 ? 0 : mark | 1;
}

bool hang_look(struct hang *h)
{
	uint64_t mark = all_look(h);

	if (mark == 0 || mark != h->mark) {
		h->mark = mark;
		h->since = talk_clock();
		return false;
	}
	return talk_clock() - h->since >= HANG_SECONDS;
}
