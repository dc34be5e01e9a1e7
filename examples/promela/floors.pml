/* Peterson's algorithm for N processes, 3 to 5 of them: quorbit check floors.pml -D N=5
 *
 * A process climbs N - 1 floors.  On every floor it lets the others go first, and waits until somebody else came after
 * it or nobody is as high as it is.  The processes know each other by their numbers, and still all are alike: numbers
 * are only compared for equality and used as indices, so Quorbit takes them for names and finds S4.
 */
/* expect: verdict=holds order=24 structure="S4" */
#ifndef N
#define N 4
#endif

#define BELOW(q) (q == _pid || floor[q] < mine)
#if N == 3
#define OTHERS_BELOW (BELOW(0) && BELOW(1) && BELOW(2))
#elif N == 4
#define OTHERS_BELOW (BELOW(0) && BELOW(1) && BELOW(2) && BELOW(3))
#elif N == 5
#define OTHERS_BELOW (BELOW(0) && BELOW(1) && BELOW(2) && BELOW(3) && BELOW(4))
#endif

byte floor[N];     /* how high each process is; 0: it does not want to enter */
byte last[N];      /* who came last to each floor, plus 1; 0: nobody yet */
byte inside;

active [N] proctype climber() {
    byte mine;
    do
    :: mine = 1;
       do
       :: mine < N ->
              floor[_pid] = mine;
              last[mine] = _pid + 1;
              (last[mine] != _pid + 1 || OTHERS_BELOW);
              mine++
       :: else -> break
       od;
       inside++;
       assert(inside == 1);
       inside--;
       floor[_pid] = 0
    od
}

ltl entered { []<> (inside == 1) }
