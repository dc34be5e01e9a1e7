/* Three processes that go round by turns, and one that may stop the game. */
byte turn = 0;
bit over = 0;
active [3] proctype Player() {
  do
  :: turn == _pid && !over -> turn = (turn + 1) % 3
  :: over -> break
  od
}
active proctype Referee() {
  do
  :: !over -> skip
  :: over = 1; break
  od
}
ltl round { []<> (turn == 0) }
ltl round_or_over { []<> (turn == 1) || <> over }
ltl ends { <> over }
ltl stays { [] (over -> [] over) }
ltl frozen { <>[] (turn == 2) }
ltl after { [] (turn == 0 -> (turn == 0 U (turn == 1 || over)) || [] (turn == 0)) }
