/* expect: states=13 own_states=13 own_orbits=5 own_structure=S3 verdict=holds */
#define N 3
#define NOBODY N
int owner = NOBODY;
int waiting = 0;
bool inside[N];
active [N] proctype P() {
  do
  :: atomic { owner == NOBODY -> owner = _pid }
     inside[_pid] = 1;
     assert(owner < N);
     inside[_pid] = 0;
     owner = NOBODY
  od
}
