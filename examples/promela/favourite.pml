/* A lock and four processes, the first of which is served before the others.
 *
 * One line tells the processes apart, so the other three remain interchangeable:
 *     quorbit why favourite.pml "(0 1)"
 * points at it.
 */
/* expect: verdict=holds order=6 structure="S3" */
#define N 4

bool waiting[N];
bool busy;

active [N] proctype worker() {
    do
    :: waiting[_pid] = true;
       atomic {
           !busy && (_pid == 0 || !waiting[0]) -> /* the favourite goes first */
           busy = true;
           waiting[_pid] = false
       };
       assert(busy);
       busy = false
    od
}
