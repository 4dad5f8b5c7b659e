/*
 * The stand-ins for library functions that touch the caller's memory: foresee_libc_NAME for every
 * NAME of libc.def, of the type that NAME has.
 */
#ifndef CAPTURE_LIBC_H
#define CAPTURE_LIBC_H

#include <arpa/inet.h>
#include <glob.h>
#include <grp.h>
#include <iconv.h>
#include <inttypes.h>
#include <math.h>
#include <netdb.h>
#include <poll.h>
#include "capture/common.h"
#include <pwd.h>
#include <regex.h>
#include <search.h>
#include <semaphore.h>
#include <stdio.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <termios.h>
#include <threads.h>
#include <wchar.h>

/* std::thread, where the program has libstdc++. */
extern void _ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE(
	void *thread, void **state, void (*depends)(void)) __attribute__((weak));
extern void _ZNSt6thread4joinEv(pthread_t *thread) __attribute__((weak));
extern void _ZNSt6thread6detachEv(pthread_t *thread) __attribute__((weak));

#define LIBC_NAME(letters, name) extern __typeof__(name) foresee_libc_##name;
#define SCAN(letters, name)
#include "capture/libc.def"

#endif /* CAPTURE_LIBC_H */
