/* expect: states=1045 own_states=960 own_orbits=118 own_structure=S4 verdict=holds */
/* Each process says that it has come and counts who has, itself included: it counts itself first, last or in between. */
#define N 4
byte count;
bool here[N];
byte rounds[N];

active [N] proctype member() {
    byte i, n;
    do
    :: rounds[_pid] < 2 ->
       d_step {
           here[_pid] = true;
           n = 0;
           i = 0;
           do
           :: i < N ->
              if
              :: here[i] -> n++
              :: else
              fi;
              i++
           :: else -> break
           od;
           count = n;
           n = 0;
           i = 0
       };
       if
       :: atomic {
              count == N -> i = 0;
              do
              :: i < N -> here[i] = false; i++
              :: i >= N -> break
              od;
              count = 0;
              i = 0
          }
       :: !here[_pid]
       fi;
       rounds[_pid]++
    :: else -> break
    od
}
