/* expect: states=116 own_states=116 own_orbits=63 own_structure=S2 verdict=fails */
bool lamp_1, lamp_2; byte times_1, times_2; bool finished;
active proctype switch() {
  do
  :: lamp_1 = true
  :: lamp_2 = true
  :: lamp_1 -> lamp_1 = false; times_1 = (times_1 + 1) % 3
  :: lamp_2 -> lamp_2 = false; times_2 = (times_2 + 1) % 3
  :: times_1 == 2 && times_2 == 2 -> finished = true; assert(!(lamp_1 && lamp_2))
  od
}
