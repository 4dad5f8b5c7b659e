/*
 * Load for the server: threads with a connection each, every answer checked.  Each thread has its own
 * keys, so it knows what must come back.
 *
 *	client SOCKET THREADS SECONDS [PAUSE_US]	"N answers", status 0; 1 after a wrong answer
 *	client SOCKET stop				ends the server
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define KEYS 200

static const char *path;
static double until;
static long pause_us;
static _Atomic unsigned long answers, slowest_us;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static FILE *connect_to(void)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(a.sun_path, sizeof(a.sun_path), "%s", path);
	if (fd < 0 || connect(fd, (struct sockaddr *)&a, sizeof(a)) != 0)
		return NULL;
	return fdopen(fd, "r+");
}

/* wanted: NULL for any answer */
static int ask(FILE *f, const char *question, const char *wanted)
{
	double begun = now(), took;
	char got[300], line[300];

	if (fputs(question, f) < 0 || fflush(f) != 0 || fgets(got, sizeof(got), f) == NULL) {
		fprintf(stderr, "client: no answer to %s", question);
		return -1;
	}
	took = (now() - begun) * 1e6;
	for (unsigned long most = slowest_us; took > (double)most;)
		if (__atomic_compare_exchange_n((unsigned long *)&slowest_us, &most,
						(unsigned long)took, 0, __ATOMIC_RELAXED,
						__ATOMIC_RELAXED))
			break;
	snprintf(line, sizeof(line), "%s\n", wanted != NULL ? wanted : "");
	if (wanted != NULL && strcmp(got, line) != 0) {
		fprintf(stderr, "client: wanted '%s', got %s for %s", wanted, got, question);
		return -1;
	}
	answers++;
	return 0;
}

/* What an earlier client has left there. */
static int clear(int me)
{
	FILE *f = connect_to();
	int bad = f == NULL;
	char question[100];

	for (int k = 0; k < KEYS && !bad; k++) {
		snprintf(question, sizeof(question), "del t%dk%d\n", me, k);
		bad = ask(f, question, NULL);
	}
	if (f != NULL)
		fclose(f);
	return bad;
}

static void *load(void *arg)
{
	int me = (int)(long)arg, bad = clear(me);
	unsigned seed = (unsigned)me * 7919u + 1;
	int values[KEYS];
	char question[100], value[50];

	memset(values, -1, sizeof(values));
	while (!bad && now() < until) {
		FILE *f = connect_to();

		if (f == NULL) {
			perror("client: connect");
			return (void *)1;
		}
		for (int i = 0; i < 500 && !bad && now() < until; i++) {
			int k = (int)((seed = seed * 1103515245u + 12345u) >> 16) % KEYS;

			if (i % 3 == 0) {
				values[k] = (int)(seed >> 8 & 0xffff);
				snprintf(question, sizeof(question), "set t%dk%d v%d\n", me, k,
					 values[k]);
				bad = ask(f, question, "ok");
			} else if (i % 50 == 49) {
				snprintf(question, sizeof(question), "del t%dk%d\n", me, k);
				bad = ask(f, question, values[k] >= 0 ? "ok" : "none");
				values[k] = -1;
			} else {
				snprintf(question, sizeof(question), "get t%dk%d\n", me, k);
				snprintf(value, sizeof(value), values[k] >= 0 ? "v%d" : "none",
					 values[k]);
				bad = ask(f, question, value);
			}
			if (pause_us > 0)
				usleep((useconds_t)pause_us);
		}
		fclose(f);
	}
	return bad ? (void *)1 : NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[64];
	int n = argc > 3 ? atoi(argv[2]) : 0, bad = 0;
	FILE *f;

	if (argc < 3 || n > 64)
		return 2;
	path = argv[1];
	if (strcmp(argv[2], "stop") == 0)
		return (f = connect_to()) == NULL || ask(f, "stop\n", "ok") != 0;
	until = now() + atof(argv[3]);
	pause_us = argc > 4 ? atol(argv[4]) : 0;
	for (long i = 0; i < n; i++)
		pthread_create(&threads[i], NULL, load, (void *)i);
	for (int i = 0; i < n; i++) {
		void *result;

		pthread_join(threads[i], &result);
		bad |= result != NULL;
	}
	printf("%lu answers, the slowest after %lu us\n", answers, slowest_us);
	return bad;
}
