/* A time-out wakes those who wait; an interrupt breaks into a loop. */
byte awake = 0;
bit stop = 0;
active [2] proctype Sleeper() {
  do
  :: awake > 0 -> awake--
  :: stop -> break
  od
}
active proctype Clock() {
  {
    do
    :: timeout -> awake = 2
    od
  } unless { stop }
}
active proctype Ender() {
  do
  :: skip -> skip
  :: stop = 1; break
  od
}
ltl wakes { []<> (awake > 0) }
ltl sleeps { []<> (awake == 0) }
ltl stops { <> stop }
ltl quiet { [] (stop -> <>[] (awake == 0)) }
ltl never_awake { [] (awake == 0) }
