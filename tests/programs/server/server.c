/*
 * A small key-value server: threads take connections from a queue, keys live in a table of chains
 * with a lock for each group of them.  Clients speak lines:
 *
 *	set KEY VALUE	-> ok
 *	get KEY		-> VALUE, or none
 *	del KEY		-> ok, or none
 *	stop		-> ok; the server ends when all connections are closed
 *
 * All is well with it but one thing: `served' is counted without a lock.
 *
 *	server SOCKET
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define WORKERS 4
#define CHAINS 1024
#define GROUPS 16
#define WAITING 64
#define LINE 256

struct entry {
	struct entry *next;
	char *value;
	char key[];
};

static struct entry *chains[CHAINS];
static pthread_mutex_t groups[GROUPS];

static struct {
	pthread_mutex_t lock;
	pthread_cond_t more, room;
	int at[WAITING];
	unsigned first, n;
	int over;
} queue = { .lock = PTHREAD_MUTEX_INITIALIZER,
	    .more = PTHREAD_COND_INITIALIZER,
	    .room = PTHREAD_COND_INITIALIZER };

static unsigned long served; /* the race */
static int listener;

static void queue_put(int fd)
{
	pthread_mutex_lock(&queue.lock);
	while (queue.n == WAITING)
		pthread_cond_wait(&queue.room, &queue.lock);
	queue.at[(queue.first + queue.n++) % WAITING] = fd;
	pthread_cond_signal(&queue.more);
	pthread_mutex_unlock(&queue.lock);
}

static int queue_take(void)
{
	int fd = -1;

	pthread_mutex_lock(&queue.lock);
	while (queue.n == 0 && !queue.over)
		pthread_cond_wait(&queue.more, &queue.lock);
	if (queue.n != 0) {
		fd = queue.at[queue.first];
		queue.first = (queue.first + 1) % WAITING;
		queue.n--;
		pthread_cond_signal(&queue.room);
	}
	pthread_mutex_unlock(&queue.lock);
	return fd;
}

static void queue_end(void)
{
	pthread_mutex_lock(&queue.lock);
	queue.over = 1;
	pthread_cond_broadcast(&queue.more);
	pthread_mutex_unlock(&queue.lock);
}

static unsigned chain_of(const char *key)
{
	unsigned h = 5381;

	while (*key != '\0')
		h = h * 33 + (unsigned char)*key++;
	return h % CHAINS;
}

/* Where the entry is, or would be.  The group is locked. */
static struct entry **find(unsigned chain, const char *key)
{
	struct entry **at = &chains[chain];

	while (*at != NULL && strcmp((*at)->key, key) != 0)
		at = &(*at)->next;
	return at;
}

static void set(const char *key, const char *value, char *answer)
{
	unsigned chain = chain_of(key);
	struct entry **at;
	size_t n = strlen(key) + 1;

	pthread_mutex_lock(&groups[chain % GROUPS]);
	at = find(chain, key);
	if (*at == NULL) {
		*at = calloc(1, sizeof(**at) + n);
		if (*at == NULL)
			abort();
		memcpy((*at)->key, key, n);
	}
	free((*at)->value);
	(*at)->value = strdup(value);
	pthread_mutex_unlock(&groups[chain % GROUPS]);
	strcpy(answer, "ok\n");
}

static void get(const char *key, char *answer)
{
	unsigned chain = chain_of(key);
	struct entry *e;

	pthread_mutex_lock(&groups[chain % GROUPS]);
	e = *find(chain, key);
	snprintf(answer, LINE, "%s\n", e != NULL ? e->value : "none");
	pthread_mutex_unlock(&groups[chain % GROUPS]);
}

static void del(const char *key, char *answer)
{
	unsigned chain = chain_of(key);
	struct entry **at, *e;

	pthread_mutex_lock(&groups[chain % GROUPS]);
	at = find(chain, key);
	e = *at;
	if (e != NULL)
		*at = e->next;
	pthread_mutex_unlock(&groups[chain % GROUPS]);
	strcpy(answer, e != NULL ? "ok\n" : "none\n");
	if (e != NULL) {
		free(e->value);
		free(e);
	}
}

static void serve_line(char *line, char *answer)
{
	char *rest = NULL, *verb = strtok_r(line, " \n", &rest);
	char *key = verb != NULL ? strtok_r(NULL, " \n", &rest) : NULL;
	char *value = key != NULL ? strtok_r(NULL, " \n", &rest) : NULL;

	served++;
	if (verb != NULL && strcmp(verb, "set") == 0 && value != NULL) {
		set(key, value, answer);
	} else if (verb != NULL && strcmp(verb, "get") == 0 && key != NULL) {
		get(key, answer);
	} else if (verb != NULL && strcmp(verb, "del") == 0 && key != NULL) {
		del(key, answer);
	} else if (verb != NULL && strcmp(verb, "stop") == 0) {
		strcpy(answer, "ok\n");
		shutdown(listener, SHUT_RD); /* accept returns */
	} else {
		strcpy(answer, "what?\n");
	}
}

static int send_all(int fd, const char *data, size_t n)
{
	while (n > 0) {
		ssize_t w = send(fd, data, n, MSG_NOSIGNAL);

		if (w < 0 && errno == EINTR)
			continue;
		if (w <= 0)
			return -1;
		data += w;
		n -= (size_t)w;
	}
	return 0;
}

static void serve(int fd)
{
	char line[LINE], answer[LINE + 8];
	size_t n = 0;

	for (;;) {
		ssize_t r = recv(fd, line + n, sizeof(line) - 1 - n, 0);
		char *end;

		if (r < 0 && errno == EINTR)
			continue;
		if (r <= 0)
			return;
		n += (size_t)r;
		line[n] = '\0';
		while ((end = strchr(line, '\n')) != NULL) {
			*end = '\0';
			serve_line(line, answer);
			if (send_all(fd, answer, strlen(answer)) != 0)
				return;
			n -= (size_t)(end + 1 - line);
			memmove(line, end + 1, n + 1);
		}
		if (n == sizeof(line) - 1)
			return;
	}
}

static void *work(void *arg)
{
	int fd;

	(void)arg;
	while ((fd = queue_take()) >= 0) {
		serve(fd);
		close(fd);
	}
	return NULL;
}

static int listen_at(const char *path)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(a.sun_path, sizeof(a.sun_path), "%s", path);
	if (fd < 0 || bind(fd, (struct sockaddr *)&a, sizeof(a)) != 0 || listen(fd, 64) != 0)
		return -1;
	return fd;
}

int main(int argc, char **argv)
{
	pthread_t workers[WORKERS];
	int fd;

	if (argc != 2 || (listener = listen_at(argv[1])) < 0) {
		perror("server");
		return 2;
	}
	for (int i = 0; i < GROUPS; i++)
		pthread_mutex_init(&groups[i], NULL);
	for (int i = 0; i < WORKERS; i++)
		pthread_create(&workers[i], NULL, work, NULL);
	while ((fd = accept(listener, NULL, NULL)) >= 0 || errno == EINTR)
		if (fd >= 0)
			queue_put(fd);
	queue_end();
	for (int i = 0; i < WORKERS; i++)
		pthread_join(workers[i], NULL);
	printf("served %s\n", served > 0 ? "some" : "none");
	return 0;
}
