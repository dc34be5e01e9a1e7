/* expect: states=82 own_states=82 own_orbits=24 own_structure=C4 verdict=fails */
#define N 4
bool fork[N];
byte eating;
active [N] proctype phil() {
  do
  :: atomic { !fork[_pid] -> fork[_pid] = true }
     atomic { !fork[(_pid + 1) % N] -> fork[(_pid+1)%N] = true }
     eating++;
     eating--;
     d_step { fork[_pid] = false; fork[(_pid + 1) % N] = false }
  od
}
