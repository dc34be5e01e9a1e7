/* expect: states=330807 own_states=10368 own_orbits=1850 own_structure=S3 verdict=holds */
#define N 3
bool flag[N];
proctype P(byte id) {
  byte i, n;
  do
  :: atomic { n = 0; for (i : 0 .. N-1) { if :: flag[i] -> n++ :: else fi } }
     if :: n < 2 -> flag[id] = true :: else fi;
     select (i : 0 .. N-1);
     if :: i != id -> flag[i] = false :: else fi
  od
}
init { atomic { byte k; for (k : 0 .. N-1) { run P(k) } } }
