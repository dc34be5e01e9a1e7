/* expect: states=2053 own_states=973 own_orbits=204 own_structure=S3 verdict=holds */
/* scheduler chooses any ready task by a nondeterministic loop */
#define N 3
bool ready[N], running[N];
proctype task(byte id) {
  do
  :: running[id] -> running[id] = false; if :: ready[id] = true :: ready[id] = false fi
  :: !ready[id] && !running[id] -> ready[id] = true
  od
}
proctype sched() {
  byte k;
  do
  :: k = 0;
     do :: k < N-1 -> k++ :: break od;
     if :: ready[k] -> atomic { ready[k] = false; running[k] = true } :: else fi
  od
}
init { byte i; atomic { run sched(); for (i : 0 .. N-1) { run task(i) } } }
