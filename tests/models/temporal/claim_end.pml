/* A claim that is matched when it ends: x is 2 and then 1. */
byte x = 0;
active [2] proctype P() {
  do
  :: atomic { x < 2 -> x++ }
  :: atomic { x == 2 -> x = 0 }
  od
}
never {
  do
  :: x == 2 -> break
  :: else
  od;
  do
  :: x == 1 -> break
  :: x == 2
  od
}
