#include "link/address.h"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define CONNECT_MS 3000
#define BACKLOG 16
#define LOOPBACK "127.0.0.1"

/* ---- text ---- */

static enum status bad(struct diag *d, const char *text, const char *why)
{
	return diag_fail(d, ST_BAD_INPUT,
			 "bad address '%s': %s; expected unix:/PATH, HOST:PORT or :PORT", text,
			 why);
}

static enum status parse_unix(struct address *a, const char *text, const char *path, struct diag *d)
{
	if (*path == '\0')
		return bad(d, text, "no path");
	if (strlen(path) >= sizeof(a->path))
		return bad(d, text, "the path is too long for a socket");
	strcpy(a->path, path);
	return ST_OK;
}

static bool is_port(const char *s)
{
	return *s != '\0' && strlen(s) <= 5 && strspn(s, "0123456789") == strlen(s) &&
	       atoi(s) <= 65535;
}

static enum status parse_tcp(struct address *a, const char *text, const char *rest, struct diag *d)
{
	const char *colon = strrchr(rest, ':'), *host = rest;
	size_t n = colon ? (size_t)(colon - rest) : 0;

	a->tcp = true;
	if (!colon || !is_port(colon + 1))
		return bad(d, text, "no port from 0 to 65535 after a colon");
	if (n != 0 && host[0] == '[') {
		if (n < 3 || host[n - 1] != ']')
			return bad(d, text, "no ] before the port");
		host++;
		n -= 2;
	} else if (memchr(host, ':', n)) {
		return bad(d, text, "a host with colons goes in brackets");
	}
	if (n >= sizeof(a->host))
		return bad(d, text, "the name of the host is too long");
	snprintf(a->host, sizeof(a->host), "%.*s", (int)n, host);
	if (n == 0)
		strcpy(a->host, LOOPBACK);
	strcpy(a->port, colon + 1);
	return ST_OK;
}

enum status address_parse(struct address *a, const char *text, struct diag *d)
{
	*a = (struct address){ 0 };
	if (strncmp(text, "unix:", 5) == 0)
		return parse_unix(a, text, text + 5, d);
	if (strncmp(text, "tcp:", 4) == 0)
		return parse_tcp(a, text, text + 4, d);
	if (strchr(text, '/'))
		return parse_unix(a, text, text, d);
	return parse_tcp(a, text, text, d);
}

void address_format(const struct address *a, struct strbuf *out)
{
	bool brackets = strchr(a->host, ':') != NULL;

	if (!a->tcp)
		strbuf_addf(out, "unix:%s", a->path);
	else
		strbuf_addf(out, "tcp:%s%s%s:%s", brackets ? "[" : "", a->host, brackets ? "]" : "",
			    a->port);
}

bool address_is_local(const struct address *a)
{
	return !a->tcp || strncmp(a->host, "127.", 4) == 0 || strcmp(a->host, "::1") == 0 ||
	       strcmp(a->host, "localhost") == 0;
}

bool address_is_any(const struct address *a)
{
	return a->tcp && (strcmp(a->host, "0.0.0.0") == 0 || strcmp(a->host, "::") == 0);
}

/* ---- the default ---- */

/* Ours, and closed to others. */
static bool is_private(const char *directory)
{
	struct stat st;

	return lstat(directory, &st) == 0 && S_ISDIR(st.st_mode) && st.st_uid == geteuid() &&
	       (st.st_mode & 077) == 0;
}

enum status address_default(struct address *a, struct diag *d)
{
	const char *runtime = getenv("XDG_RUNTIME_DIR");
	char directory[sizeof(a->path)], base[64];
	int n;

	snprintf(base, sizeof(base), "/run/user/%u", (unsigned)geteuid());
	if (!runtime || runtime[0] != '/')
		runtime = base;
	n = is_private(runtime) ? snprintf(directory, sizeof(directory), "%s/foresee", runtime)
				: snprintf(directory, sizeof(directory), "/tmp/foresee-%u",
					   (unsigned)geteuid());
	*a = (struct address){ 0 };
	if (n + sizeof("/observe.sock") > sizeof(a->path))
		return diag_fail(d, ST_BAD_INPUT,
				 "the path '%s' is too long for a socket; use --listen", runtime);
	if (mkdir(directory, 0700) != 0 && errno != EEXIST)
		return diag_fail(d, ST_IO, "cannot make the directory '%s': %s; use --listen",
				 directory, strerror(errno));
	if (!is_private(directory))
		return diag_fail(
			d, ST_BAD_INPUT,
			"the directory '%s' is not yours alone; remove it, or use --listen",
			directory);
	strcpy(a->path, directory);
	strcat(a->path, "/observe.sock");
	return ST_OK;
}

/* ---- sockets ---- */

static struct sockaddr_un unix_name(const struct address *a)
{
	struct sockaddr_un name = { .sun_family = AF_UNIX };

	memcpy(name.sun_path, a->path, sizeof(name.sun_path));
	return name;
}

/* Connects within CONNECT_MS; 0 or an errno. */
static int connect_soon(int fd, const struct sockaddr *name, socklen_t n)
{
	struct pollfd p = { .fd = fd, .events = POLLOUT };
	socklen_t size = sizeof(int);
	int error = 0;

	fcntl(fd, F_SETFL, O_NONBLOCK);
	if (connect(fd, name, n) == 0)
		return 0;
	if (errno != EINPROGRESS)
		return errno;
	if (poll(&p, 1, CONNECT_MS) <= 0)
		return ETIMEDOUT;
	getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size);
	return error;
}

static int unix_connect(const struct address *a, int *fd)
{
	struct sockaddr_un name = unix_name(a);
	int error;

	*fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	error = *fd < 0 ? errno : connect_soon(*fd, (struct sockaddr *)&name, sizeof(name));
	if (error && *fd >= 0)
		close(*fd);
	return error;
}

static enum status cannot_listen(const struct address *a, const char *why, struct diag *d)
{
	struct strbuf where = { 0 };

	address_format(a, &where);
	diag_set(d, "cannot listen on %s: %s", strbuf_str(&where), why);
	strbuf_release(&where);
	return ST_IO;
}

/* Only a socket at which nobody answers is in the way; 0: it is gone now. */
static const char *stale_remove(const struct address *a)
{
	struct stat st;
	int fd, error;

	if (lstat(a->path, &st) != 0 || !S_ISSOCK(st.st_mode))
		return "there is a file of that name";
	error = unix_connect(a, &fd);
	if (error == 0)
		close(fd);
	if (error != ECONNREFUSED)
		return "somebody listens there already";
	return unlink(a->path) == 0 ? NULL : strerror(errno);
}

static enum status unix_listen(struct address *a, int *fd, struct diag *d)
{
	struct sockaddr_un name = unix_name(a);
	const char *why = NULL;
	struct stat st;
	mode_t mask;
	int bound;

	*fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	mask = umask(0177);
	bound = *fd < 0 ? -1 : bind(*fd, (struct sockaddr *)&name, sizeof(name));
	if (bound != 0 && *fd >= 0 && errno == EADDRINUSE && !(why = stale_remove(a)))
		bound = bind(*fd, (struct sockaddr *)&name, sizeof(name));
	umask(mask);
	if (bound != 0 || listen(*fd, BACKLOG) != 0 || lstat(a->path, &st) != 0) {
		enum status status = cannot_listen(a, why ? why : strerror(errno), d);

		if (*fd >= 0)
			close(*fd);
		return status;
	}
	a->dev = st.st_dev;
	a->ino = st.st_ino;
	return ST_OK;
}

static struct addrinfo *tcp_names(const struct address *a, struct diag *d)
{
	struct addrinfo want = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV };
	struct addrinfo *list = NULL;
	int error = getaddrinfo(a->host, a->port, &want, &list);

	if (error == 0)
		return list;
	diag_set(d, "cannot find the host '%s': %s", a->host, gai_strerror(error));
	return NULL;
}

/* The port that the system chose. */
static void port_learn(struct address *a, int fd)
{
	struct sockaddr_storage name;
	socklen_t n = sizeof(name);

	if (getsockname(fd, (struct sockaddr *)&name, &n) == 0)
		getnameinfo((struct sockaddr *)&name, n, NULL, 0, a->port, sizeof(a->port),
			    NI_NUMERICSERV);
}

static enum status tcp_listen(struct address *a, int *fd, struct diag *d)
{
	struct addrinfo *list = tcp_names(a, d);
	int on = 1, error = 0;

	if (!list)
		return ST_IO;
	*fd = socket(list->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (*fd >= 0)
		setsockopt(*fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (*fd < 0 || bind(*fd, list->ai_addr, list->ai_addrlen) != 0 || listen(*fd, BACKLOG) != 0)
		error = errno;
	freeaddrinfo(list);
	if (error == 0) {
		port_learn(a, *fd);
		return ST_OK;
	}
	if (*fd >= 0)
		close(*fd);
	return cannot_listen(a, strerror(error), d);
}

enum status address_listen(struct address *a, int *fd, struct diag *d)
{
	return a->tcp ? tcp_listen(a, fd, d) : unix_listen(a, fd, d);
}

void address_unlisten(const struct address *a)
{
	struct stat st;

	if (!a->tcp && lstat(a->path, &st) == 0 && st.st_dev == a->dev && st.st_ino == a->ino)
		unlink(a->path);
}

static int tcp_connect(const struct address *a, int *fd, struct diag *d)
{
	struct addrinfo *list = tcp_names(a, d);
	int error = EHOSTUNREACH, on = 1;

	for (struct addrinfo *i = list; i && error; i = i->ai_next) {
		*fd = socket(i->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
		error = *fd < 0 ? errno : connect_soon(*fd, i->ai_addr, i->ai_addrlen);
		if (error && *fd >= 0)
			close(*fd);
	}
	if (!error)
		setsockopt(*fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	if (list)
		freeaddrinfo(list);
	return error;
}

enum status address_connect(const struct address *a, int *fd, struct diag *d)
{
	int error = a->tcp ? tcp_connect(a, fd, d) : unix_connect(a, fd);
	struct strbuf where = { 0 };

	if (error == 0)
		return ST_OK;
	address_format(a, &where);
	diag_set(d, "cannot reach %s: %s", strbuf_str(&where), strerror(error));
	strbuf_release(&where);
	return ST_END;
}

enum status address_trust(const struct address *a, int fd, struct diag *d)
{
	struct ucred who = { .uid = (uid_t)-1 };
	socklen_t n = sizeof(who);

	if (a->tcp)
		return ST_OK;
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &n) == 0 &&
	    (who.uid == geteuid() || who.uid == 0))
		return ST_OK;
	return diag_fail(d, ST_BAD_INPUT, "the other side of '%s' is user %d, neither you nor root",
			 a->path, (int)who.uid);
}
