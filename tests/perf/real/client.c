/*
 * A client for the servers of bench-capture-real.sh.
 *
 *	client PORT CONNECTIONS REQUESTS memcached|http
 *
 * Waits until the server listens, then sends so many requests on each connection, one connection per
 * thread, and reads each answer whole before it asks again.  Status 1: an answer is not what it
 * should be.
 */
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int port, requests, http;

static int reach(void)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
	int fd, one = 1;

	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	for (int i = 0; i < 6000; i++) {
		fd = socket(AF_INET, SOCK_STREAM, 0);
		if (connect(fd, (struct sockaddr *)&to, sizeof(to)) == 0) {
			setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
			return fd;
		}
		close(fd);
		usleep(10000);
	}
	fprintf(stderr, "client: nobody listens at %d\n", port);
	exit(1);
}

/* Is the answer whole?  Of HTTP: headers, and as many bytes as they say. */
static int is_whole(const char *answer, size_t n)
{
	const char *length, *body;

	if (!http)
		return n >= 5 && (strcmp(answer + n - 5, "END\r\n") == 0 ||
				  strcmp(answer + n - 5, "RED\r\n") == 0);
	body = strstr(answer, "\r\n\r\n");
	length = strstr(answer, "Content-Length: ");
	return body && length && answer + n >= body + 4 + atol(length + 16);
}

static void ask(int fd, const char *question)
{
	char answer[1 << 16];
	size_t n = 0;
	ssize_t k;

	if (write(fd, question, strlen(question)) != (ssize_t)strlen(question))
		exit(1);
	do {
		k = read(fd, answer + n, sizeof(answer) - 1 - n);
		if (k <= 0) {
			fprintf(stderr, "client: no answer to '%.20s'\n", question);
			exit(1);
		}
		n += (size_t)k;
		answer[n] = '\0';
	} while (!is_whole(answer, n));
}

static void *talk(void *arg)
{
	int fd = reach(), me = (int)(long)arg;
	char question[256];

	for (int i = 0; i < requests; i++) {
		int key = (i * 7919 + me) % 1000;

		if (http)
			snprintf(question, sizeof(question),
				 "GET /page.txt HTTP/1.1\r\nHost: localhost\r\n"
				 "Connection: keep-alive\r\n\r\n");
		else if (i % 10 == 0)
			snprintf(question, sizeof(question), "set key%d 0 0 10\r\n%010d\r\n", key,
				 i);
		else
			snprintf(question, sizeof(question), "get key%d\r\n", key);
		ask(fd, question);
	}
	close(fd);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t team[64];
	int n;

	if (argc != 5)
		return 2;
	port = atoi(argv[1]);
	n = atoi(argv[2]) < 64 ? atoi(argv[2]) : 64;
	requests = atoi(argv[3]);
	http = strcmp(argv[4], "http") == 0;
	for (int i = 0; i < n; i++)
		pthread_create(&team[i], NULL, talk, (void *)(long)i);
	for (int i = 0; i < n; i++)
		pthread_join(team[i], NULL);
	return 0;
}
