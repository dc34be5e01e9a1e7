/* expect: states=57 transitions=99 verdict=holds plain_states=91 plain_transitions=163 */
#define N 2
#define ADD(a, b) ((a) + (b))
#define FLAG(i) flag##i
#define LOOP do :: k < N -> k = ADD(k, 1) :: else -> break od
#if N > 1 && defined(ADD)
byte FLAG(0), FLAG(1);
#elif 0
syntax error here
#else
byte other;
#endif
#ifndef M
#define M 3
#endif
active [N] proctype P() { byte k; LOOP; flag0 = M; flag1 = flag0; assert(flag1 == 3) }
#undef N
