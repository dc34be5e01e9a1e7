/* expect: states=1178 transitions=3229 own_states=273 own_orbits=75 own_structure=C4 verdict=holds */
/* init lays the plates one by one before anybody sits down, and then lets all guests in, one after the other */
#define N 4
bool plate[N];
byte served[N];
proctype Guest(byte seat) {
  do
  :: atomic { plate[seat] && plate[(seat + 1) % N] -> plate[seat] = false; plate[(seat + 1) % N] = false };
     served[seat] = 1 - served[seat];
     atomic { plate[seat] = true; plate[(seat + 1) % N] = true }
  od
}
init {
  byte k;
  do
  :: k < N -> plate[k] = true; served[k] = 0; k++
  :: else -> break
  od;
  k = 0;
  do
  :: k < N -> run Guest(k); k++
  :: else -> break
  od
}
