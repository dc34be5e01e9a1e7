/* A claim in the shape SPIN gives to !([] (x == 2 -> <> (x == 0))). */
byte x = 0;
active [2] proctype P() {
  do
  :: x < 2 -> x++
  :: x > 0 -> x--
  od
}
never {
  do
  :: true
  :: x == 2 -> break
  od;
accept_all:
  do
  :: x != 0
  od
}
