/* expect: states=686 own_states=686 own_orbits=168 own_structure=S3 verdict=holds */
/* a watchdog resets all at once; ids from 1 */
#define N 3
byte st[N+1];
bool alarm;
proctype unit(byte id) {
  do
  :: st[id] < 2 -> st[id]++
  :: st[id] == 2 -> alarm = true
  od
}
active proctype dog() {
  byte i;
  do
  :: atomic { alarm -> i = 1; do :: i <= N -> st[i] = 0; i++ :: i > N -> break od; alarm = false }
  od
}
init { byte i = 1; atomic { do :: (i <= N) -> run unit(i); i++ :: (i > N) -> break od } }
