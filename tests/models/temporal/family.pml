/* Processes that are started one after the other. */
byte done = 0;
byte up = 0;
proctype Child() {
  up++;
  do
  :: up == 3 -> break
  :: else -> skip
  od;
  done++
}
init {
  atomic { run Child(); run Child(); run Child() };
  done == 3;
  up = 0
}
ltl comes { <> (up == 3) }
ltl ends { <> (done == 3) }
ltl back { <>[] (up == 0 && done == 3) }
ltl busy { [] (up < 3) }
