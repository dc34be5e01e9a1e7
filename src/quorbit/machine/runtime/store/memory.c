/* Large arrays (memory.h). */
#define _GNU_SOURCE
#include "memory.h"

#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define PAGE ((size_t)2 << 20)

#ifndef MAP_NORESERVE
#define MAP_NORESERVE 0
#endif

#define LARGE ((size_t)1 << 20)
#define LEFT ((size_t)24 << 20) /* address space that others need: libraries, stacks of threads */

static void *map(size_t bytes) {
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

/* Where address space is limited, a large array does not take the last of it. */
void *qb_reserve_small(size_t bytes) {
    void *p = map(bytes), *rest = bytes < LARGE || p == NULL ? NULL : map(LEFT);
    if (bytes < LARGE || p == NULL) return p;
    qb_release(rest == NULL ? p : rest, rest == NULL ? bytes : LEFT);
    return rest == NULL ? NULL : p;
}

void qb_use_huge_pages(void *array, size_t bytes) {
#ifdef MADV_HUGEPAGE
    madvise(array, bytes, MADV_HUGEPAGE);
#else
    (void)array, (void)bytes;
#endif
}

void *qb_reserve(size_t bytes) {
    void *p = qb_reserve_small(bytes);
    if (p != NULL && bytes >= PAGE) qb_use_huge_pages(p, bytes);
    return p;
}

void qb_release(void *array, size_t bytes) {
    if (array != NULL) munmap(array, bytes);
}

void qb_forget(void *array, size_t from, size_t to) {
    uintptr_t start = ((uintptr_t)array + from + PAGE - 1) / PAGE * PAGE, end = ((uintptr_t)array + to) / PAGE * PAGE;
    if (end > start) madvise((void *)start, end - start, MADV_DONTNEED);
}

uint64_t qb_physical_memory(void) {
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    return pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : (uint64_t)8 << 30;
}

double qb_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

double qb_cpu_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}
