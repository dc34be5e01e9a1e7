/* expect: states=573 own_states=435 own_orbits=151 own_structure=C3 verdict=holds */
#define N 3
chan to[N] = [1] of { bit };
byte agreed;
proctype station(byte number) {
  bit mine, heard;
  if
  :: mine = 0
  :: mine = 1
  fi;
  to[(number + 1) % N]!mine;
  to[number]?heard;
  if
  :: heard < mine -> agreed++
  :: else
  fi
}
init {
  byte i;
  atomic {
    do
    :: i < N -> run station(i); i++
    :: else -> break
    od
  }
}
