/* expect: states=19 own_states=10 own_orbits=7 own_structure=S2 verdict=holds */
proctype reader(chan c) { byte x; c!1; c?x }
init {
  chan buffer = [2] of { byte };
  run reader(buffer);
  run reader(buffer)
}
