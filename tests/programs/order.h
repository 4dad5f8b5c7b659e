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

#ifdef __cplusplus
}
#endif

#endif /* ORDER_H */
