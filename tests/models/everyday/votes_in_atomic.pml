/* expect: states=20 own_states=7 own_orbits=3 own_structure=S3 verdict=holds */
/* a node asks for votes in one go and counts them */
#define N 3
byte votedFor[N];
byte leader;
byte count;
active [N] proctype node() {
  byte i, votes;
  do
  :: atomic { leader == 255 ->
       votes = 0;
       i = 0;
       do
       :: i < N ->
          if
          :: votedFor[i] == 255 || votedFor[i] == _pid -> votedFor[i] = _pid; votes++
          :: else -> skip
          fi;
          i++
       :: i >= N -> break
       od;
       if
       :: votes > N/2 -> leader = _pid
       :: else -> skip
       fi
     }
  :: leader == _pid -> d_step { leader = 255; i = 0; do :: i < N -> votedFor[i] = 255; i++ :: else -> break od }
  od
}
