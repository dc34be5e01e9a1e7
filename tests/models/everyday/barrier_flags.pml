/* expect: states=468 own_states=64 own_orbits=20 own_structure=S3 verdict=holds */
/* barrier with a counter; flags cleared by the last to come */
#define N 3
byte arrived;
bool flag[N];
proctype worker(int id) {
  int j;
  do
  :: flag[id] = true;
     d_step { arrived++;
       if :: arrived == N -> arrived = 0; for (j : 0 .. N-1) { flag[j] = false } :: else fi }
     flag[id] == false
  od
}
init { int k = 0; atomic { do :: k < N -> run worker(k); k = k+1 :: else -> break od } }
