/* expect: states=106 own_states=64 own_orbits=26 own_structure=S3 verdict=holds */
/* start when all are ready: a loop computing and */
#define N 3
bool ready[N];
bool go;
byte done;
proctype w(byte i) {
  ready[i] = true;
  go;
  done++
}
active proctype master() {
  byte j; bool all;
  do
  :: atomic { all = true; j = 0;
       do :: j < N -> if :: !ready[j] -> all = false :: else fi; j++ :: else -> break od;
       if :: all -> go = true; break :: else fi }
  od;
  done == N
}
init { atomic { run w(0); run w(1); run w(2) } }
