/* Large arrays straight from the operating system: address space is reserved at once, memory is only used where it is
 * touched, in huge pages where the system has them. */
#ifndef QB_MEMORY_H
#define QB_MEMORY_H

#include <stddef.h>
#include <stdint.h>

void *qb_reserve(size_t bytes);             /* zeroes; NULL if there is no room */
void *qb_reserve_small(size_t bytes);       /* the same in ordinary pages */
void qb_use_huge_pages(void *array, size_t bytes); /* for what of it is touched from now on */
void qb_release(void *array, size_t bytes); /* all of a reserved array */
void qb_forget(void *array, size_t from, size_t to); /* its content in between is no longer needed */
uint64_t qb_physical_memory(void);
double qb_seconds(void); /* of a clock that only runs forward */
double qb_cpu_seconds(void); /* of this thread */

#endif
