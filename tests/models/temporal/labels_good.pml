/* Every cycle makes progress, and none accepts. */
bit free = 1;
active [3] proctype P() {
accept_start:
  free == 1;
  do
  :: atomic { free == 1 -> free = 0 };
progress_have:
     free = 1
  od
}
