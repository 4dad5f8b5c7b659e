/*
 * Requests that the kernel or libc works on while the program goes on, and may tell of by a signal or a thread of its
 * own: then a program that waits for that has not come to a stop.  Order goes by unseen code, as with all of libc.
 */
#include <aio.h>
#include <mqueue.h>
#include <netdb.h>

#include "capture/process.h"
#include "capture/real.h"

static void tells_each(struct aiocb *const list[], int n)
{
	for (int i = 0; i < n; i++)
		if (list[i] != NULL)
			signal_tells(&list[i]->aio_sigevent);
}

/* The two structures differ in name only. */
#define TELLS_EACH(list, n) tells_each((struct aiocb *const *)(const void *)(list), n)

#define INTERPOSED_REQUESTS
#include "capture/interposed.def"
