/* A place where threads wait for each other: for a moment by looking again and again, then asleep.
 *
 * The last one to arrive does what has to be done by one alone, while the others wait. */
#ifndef QB_BARRIER_H
#define QB_BARRIER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct {
    uint32_t count;
    _Alignas(64) atomic_uint arrived;
    _Alignas(64) atomic_uint turn; /* how often all have met */
    _Alignas(64) pthread_mutex_t mutex;
    pthread_cond_t changed;
} qb_barrier;

bool qb_barrier_open(qb_barrier *barrier, uint32_t count);
void qb_barrier_close(qb_barrier *barrier);
void qb_barrier_wait(qb_barrier *barrier, void (*alone)(void *), void *context); /* alone: NULL, or what the last one does */

#endif
