/* Cycles of accept labels, and cycles without progress. */
byte x = 0;
active [2] proctype P() {
  do
  :: x < 2 -> x++
  :: x > 0 ->
accept_down:
     x--
  :: x == 2 ->
progress_reset:
     x = 0
  od
}
