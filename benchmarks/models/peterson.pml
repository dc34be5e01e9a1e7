/* Peterson's mutual exclusion: the twin of systems.peterson(N); N is given as -DN=5 (3..6). */
#if N == 3
#define OTHERS_LOWER (LOWER(0) && LOWER(1) && LOWER(2))
#elif N == 4
#define OTHERS_LOWER (LOWER(0) && LOWER(1) && LOWER(2) && LOWER(3))
#elif N == 5
#define OTHERS_LOWER (LOWER(0) && LOWER(1) && LOWER(2) && LOWER(3) && LOWER(4))
#elif N == 6
#define OTHERS_LOWER (LOWER(0) && LOWER(1) && LOWER(2) && LOWER(3) && LOWER(4) && LOWER(5))
#endif
#define LOWER(q) (q == _pid || flag[q] < k)

byte flag[N], turn[N]; /* turn[r] is the process that gave way last in round r, plus 1 */
byte inside;

active [N] proctype P() {
  byte k = 1;
raise:
  flag[_pid] = k;
  turn[k] = _pid + 1;
  (turn[k] != _pid + 1 || OTHERS_LOWER);
  if
  :: d_step { k < N - 1; k = k + 1 }; goto raise
  :: d_step { k == N - 1; inside = inside + 1 }
  fi;
  d_step { assert(inside == 1); inside = inside - 1; flag[_pid] = 0; k = 1 };
  goto raise
}
