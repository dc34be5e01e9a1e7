/* A claim with assertions, as newer versions of SPIN write them. */
byte x = 0;
active [2] proctype P() {
  do
  :: atomic { x < 3 -> x++ }
  od
}
never {
T0_init:
  do
  :: atomic { x > 2 -> assert(!(x > 2)) }
  :: true -> goto T0_init
  od
}
