/* expect: states=440 own_states=440 own_orbits=104 own_structure="S3 x S2" verdict=holds */
/* readers and writers: a writer asks whether somebody is there by one expression in a loop */
#define R 3
#define W 2
bool reading[R]; bool writing[W];
active [R] proctype reader() {
  do
  :: atomic { !(writing[0] || writing[1]) -> reading[_pid] = true };
     assert(!writing[0] && !writing[1]);
     reading[_pid] = false
  od
}
active [W] proctype writer() {
  byte me = _pid - R; byte j; bool busy;
  do
  :: d_step {
       busy = false; j = 0;
       do :: j < R -> busy = busy || reading[j]; j++ :: else -> break od;
       busy = busy || writing[0] || writing[1]; j = 0
     };
     if
     :: d_step { !busy && !(reading[0] || reading[1] || reading[2] || writing[0] || writing[1]) -> writing[me] = true };
        writing[me] = false
     :: else
     fi
  od
}
