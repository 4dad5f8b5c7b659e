/*
 * Through which channels system calls order threads.
 *
 *	a write to f	gives F and ALL		a read of f	takes F and ANY; readers of f take turns
 *	other calls	give ANY		other calls	take ANY and ALL
 *	a read of what another process may have written takes ALL as well
 *	a lock of the loader's: who releases it gives LOADER, who acquires it takes that
 *	a read of a pipe or socket gives room first	a write that may have waited for room takes it
 *
 * F is the channel of the file, pipe or eventfd behind the descriptor, or of all sockets.  A call that is not
 * known for harmless may do whatever another one waits for, so what it gives everybody takes.
 */
#include "channel.h"

#include "pub_tool_libcfile.h"
#include "pub_tool_vki.h"

/* Words where no program has memory. */
#define ALL 0x1008u
#define SOCKET 0x1010u
#define LOADER 0x1018u
#define FUTEX 0x2000u
#define FILE_ 0x3000u
#define TURN 0x4000u
#define ROOM 0x5000u
#define ROOM_ANY 0x1018u /* of sockets, and for who waits for room of several */
#define SLOTS 256u

/*
 * All eventfds, epolls and timerfds share one inode, so they are told apart by number.  A duplicate goes
 * under the number of the first (here plus 1), and keeps it when that one is closed.  Numbers past the
 * table are one.
 */
#define NUMBERS (1u << 16)
static uint32_t numbers[NUMBERS];

/* Descriptors may have come in messages, under other numbers, or there are other processes that have them, or
 * calls that move data from one to another once they have come: whoever reads takes from all. */
static Bool passed;

/* Pipes that this process has made: while it has made no process, nobody else writes there. */
#define PIPES 64u
static uint64_t pipes[PIPES];
static UInt npipes;

static uint64_t key_of(const struct vg_stat *s)
{
	return s->dev * 0x100000001b3u + s->ino;
}

void channel_made(Int fd)
{
	struct vg_stat s;

	if (npipes < PIPES && VG_(fstat)(fd, &s) == 0)
		pipes[npipes++] = key_of(&s);
}

/* Another process may be at the other end, and may have been told by what this one wrote elsewhere. */
static Bool is_outer(const struct vg_stat *s)
{
	if (!VKI_S_ISFIFO(s->mode) && !VKI_S_ISSOCK(s->mode) && !VKI_S_ISCHR(s->mode))
		return False;
	for (UInt i = 0; i < npipes; i++)
		if (pipes[i] == key_of(s))
			return False;
	return True;
}

static uint32_t number(Int fd)
{
	if ((UInt)fd >= NUMBERS)
		return NUMBERS;
	return numbers[fd] != 0 ? numbers[fd] - 1 : (uint32_t)fd;
}

void channel_same(Int fd, Int copy)
{
	if ((UInt)copy < NUMBERS)
		numbers[copy] = number(fd) + 1;
}

void channel_passed(void)
{
	passed = True;
}

static Addr slot(uint64_t key)
{
	return 8 * (key * 0x9e3779b97f4a7c15u >> 56) % (8 * SLOTS);
}

void channel_of(Int fd, struct channel *c)
{
	struct vg_stat s;
	uint64_t key;

	*c = (struct channel){ 0 };
	if (VG_(fstat)(fd, &s) != 0)
		return;
	key = key_of(&s);
	c->outer = is_outer(&s);
	if ((s.mode & VKI_S_IFMT) == 0) /* a file of no type */
		key = (key + number(fd)) * 0x100000001b3u;
	c->object = VKI_S_ISSOCK(s.mode) ? SOCKET : FILE_ + slot(key);
	c->turn = TURN + slot(key);
	c->room = VKI_S_ISFIFO(s.mode) ? ROOM + slot(key) : VKI_S_ISSOCK(s.mode) ? ROOM_ANY : 0;
}

Addr channel_of_futex(Addr a)
{
	return FUTEX + 8 * ((a >> 2) % SLOTS);
}

static void log(struct thread *t, unsigned kind, unsigned aux, Addr object)
{
	record_sync(t, site_caller(t), kind, aux, object, NULL, 0);
}

/* Nothing is to be had where nobody has given, or nobody since t took there. */
static void take(struct thread *t, unsigned aux, Addr object)
{
	const version *last = version_at(object);
	struct taken *was = &t->taken[object >> 3 & (TAKEN - 1)];

	if (*last == 0 || (was->object == object && was->last == *last))
		return;
	log(t, FORMAT_K_TAKE, aux, object);
	*was = (struct taken){ object, *last };
}

void channel_give(struct thread *t, Addr object)
{
	log(t, FORMAT_K_GIVE, FORMAT_CHANNEL_FILE, object);
	if (object != CHANNEL_ANY && object - FUTEX >= 8 * SLOTS)
		log(t, FORMAT_K_GIVE, FORMAT_CHANNEL_FILE, ALL);
}

void channel_take(struct thread *t, Addr object)
{
	take(t, FORMAT_CHANNEL_FILE, object);
	if (object - FUTEX < 8 * SLOTS)
		return;
	if (object == CHANNEL_ANY || passed || t->through.outer)
		take(t, FORMAT_CHANNEL_FILE, ALL);
	if (object != CHANNEL_ANY)
		take(t, FORMAT_CHANNEL_FILE, CHANNEL_ANY);
}

void channel_loader(struct thread *t, Bool acquires)
{
	if (acquires)
		take(t, FORMAT_CHANNEL_UNSEEN, LOADER);
	else
		log(t, FORMAT_K_GIVE, FORMAT_CHANNEL_UNSEEN, LOADER);
}

void channel_turn(struct thread *t, Addr turn)
{
	log(t, FORMAT_K_TAKE, FORMAT_CHANNEL_TURN, turn);
	log(t, FORMAT_K_GIVE, FORMAT_CHANNEL_TURN, turn);
}

void channel_empties(struct thread *t, Addr room)
{
	log(t, FORMAT_K_GIVE, FORMAT_CHANNEL_FILE, room);
	if (room != ROOM_ANY)
		log(t, FORMAT_K_GIVE, FORMAT_CHANNEL_FILE, ROOM_ANY);
}

/* By pipe, and of all sockets: bytes, and whether there was once no room for them without a reader. */
static struct {
	ULong bytes;
	Bool full;
} written[SLOTS + 1];

static UInt written_at(Addr room)
{
	return room == ROOM_ANY ? SLOTS : (UInt)(room - ROOM) / 8;
}

void channel_writes(Addr room, SizeT n, ULong most)
{
	UInt at = written_at(room);

	written[at].bytes += n;
	written[at].full |= written[at].bytes > most;
}

/* Other processes may have made room, whatever told them to. */
void channel_fills(struct thread *t, Addr room)
{
	if (!written[written_at(room)].full)
		return;
	take(t, FORMAT_CHANNEL_FILE, room);
	if (passed || t->through.outer)
		take(t, FORMAT_CHANNEL_FILE, ALL);
}

void channel_found_room(struct thread *t)
{
	take(t, FORMAT_CHANNEL_FILE, ROOM_ANY);
}

void channel_signal(struct thread *t)
{
	record_sync(t, 0, FORMAT_K_TAKE, FORMAT_CHANNEL_SIGNAL, CHANNEL_ANY, NULL, 0);
	record_sync(t, 0, FORMAT_K_TAKE, FORMAT_CHANNEL_SIGNAL, ALL, NULL, 0);
}
