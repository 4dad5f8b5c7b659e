/*
 * An order between threads that the recorder cannot see: compiled without the
 * pass, made of bare system calls.
 *
 * order_at(n) waits until n steps have been taken, and takes the next.
 */
#ifndef ORDER_H
#define ORDER_H

#ifdef __cplusplus
extern "C" {
#endif

void order_at(int n);

/* Waits until n steps have been taken; takes none. */
void order_see(int n);

/* The caller is about to wait in the kernel; another thread waits until it does. */
void order_me(void);
void order_asleep(void);
/* The same for one that is going to spin: until it has run for a while. */
void order_spins(void);

#ifdef __cplusplus
}
#endif

#endif /* ORDER_H */
