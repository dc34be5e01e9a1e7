/* expect: states=111 own_states=111 own_orbits=27 own_structure=S3 verdict=fails */
/* votes are the names of candidates in an array; they are counted by adding up comparisons */
#define N 3
byte voted[N] = N; byte leader = N; byte term;
proctype srv(byte id) {
  byte i, v;
  do
  :: atomic { leader == N && term < 2 -> term++; voted[id] = id }
  :: atomic { voted[id] == N -> if :: voted[0] != N -> voted[id] = voted[0] :: voted[1] != N -> voted[id] = voted[1] :: voted[2] != N -> voted[id] = voted[2] fi }
  :: d_step { v = 0; for (i : 0 .. N-1) { v = v + (voted[i] == id) }; if :: v > N/2 && leader == N -> leader = id :: else fi; v = 0; i = 0 }
  :: d_step { leader == id -> for (i : 0 .. N-1) { voted[i] = N }; leader = N; term = 0; i = 0 }
  od
}
init { byte k; atomic { for (k : 0 .. N-1) { run srv(k) } } }
