/* expect: states=22 own_states=11 own_orbits=5 own_structure=S3 verdict=holds */
byte free = 1;
bool in[3];
proctype user(byte id) {
  do
  :: atomic { free > 0 -> free-- } in[id] = true; in[id] = false; free++
  od
}
init {
  run user(0);
  run user(1);
  run user(2)
}
