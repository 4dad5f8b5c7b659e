/*
 * Functions of libc that leave something in memory (found.list, by find.c): each is called under a lock
 * when the caller's data is written, and who sees what it left writes the data too.  There is no race.
 *
 *	try [race] [written]
 *
 * With `race' there is one for each function: the other thread writes the data without asking.  With
 * `written' recorded code has written the memory before, else nobody has.
 *
 * Of each other thread nothing comes back, so that one that reads what is unknown ends alone.  It runs
 * no unseen code, which could have left anything anywhere: it waits for a limit to change, and ends.
 */
#include "calls.h"

#include "watch.h"

/* In a list by themselves, for a call that wrote is W(name, room, byte, fill), else S(name, byte). */
enum {
#define X(name, ...) N_##name,
#include "calls.list"
#undef X
};

static const struct {
	int call, room; /* room -1: what the call has returned */
	long at;
	int fill; /* what the memory has to hold before */
} found[] = {
#define W(name, room, at, fill) { N_##name, room, at, fill },
#define S(name, at) { N_##name, -1, at, 0 },
#include "found.list"
#undef W
#undef S
};

enum { FOUND = sizeof(found) / sizeof(found[0]) };

static char rooms[FOUND][CALLS_ROOMS][CALLS_ROOM] __attribute__((aligned(64)));
static struct {
	int value;
} __attribute__((aligned(64))) data[FOUND];
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static uint64_t *where[FOUND], old[FOUND];
static int racy;

static void *other(void *number)
{
	const struct timespec a_moment = { 0, 50000 };
	int i = (int)(intptr_t)number, s;

	while (sysconf(_SC_OPEN_MAX) != WATCH_FILES(i))
		nanosleep(&a_moment, NULL);
	if (racy)
		data[i].value = 2;
	pthread_mutex_lock(&m);
	s = *where[i] != old[i];
	pthread_mutex_unlock(&m);
	if (s)
		data[i].value = 2;
	if (!s)
		fprintf(stderr, "%s: nothing seen\n", calls[found[i].call].name);
	return NULL;
}

static void try_it(int i, int written)
{
	char(*room)[CALLS_ROOM] = rooms[i];
	int twice = found[i].room < 0;
	pthread_t id;
	char *at;

	if (written || found[i].fill)
		memset(room, found[i].fill, sizeof(rooms[i]));
	at = twice ? call_make(found[i].call, room, 0, room[0], room[1], room[2], room[3])
		   : room[found[i].room];
	where[i] = (uint64_t *)((uintptr_t)(at + found[i].at) & ~(uintptr_t)7);
	old[i] = twice ? watch_word(where[i]) : found[i].fill * 0x0101010101010101u;
	watch_rewind(lines, 10);
	if (pthread_create(&id, NULL, other, (void *)(intptr_t)i) != 0)
		_exit(2);
	pthread_setname_np(id, WATCH_OTHER);
	pthread_detach(id);
	data[i].value = 1;
	pthread_mutex_lock(&m);
	call_make(found[i].call, room, twice, room[0], room[1], room[2], room[3]);
	pthread_mutex_unlock(&m);
	watch_called(i);
}

int main(int argc, char **argv)
{
	int written = 0;

	for (int i = 1; i < argc; i++) {
		racy |= argv[i][0] == 'r';
		written |= argv[i][0] == 'w';
	}
	if (!calls_ready())
		return 2;
	for (int i = 0; i < FOUND; i++)
		try_it(i, written);
	return 0;
}
