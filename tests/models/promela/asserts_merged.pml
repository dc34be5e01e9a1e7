/* expect: states=22 transitions=34 verdict=fails plain_states=22 plain_transitions=34 */
byte x;
active proctype P() {
  byte n;
  do
  :: x < 3 -> x++
  :: atomic { x > 0 -> n = x; assert(n != 1); assert(n < 2); x-- }
  :: d_step { x == 3 -> assert(x != 3); x = 0; n = 0 }
  od
}
