/* Three philosophers who take their left fork first: they may all wait for ever. */
bit fork[3];
byte eating = 0;
active [3] proctype P() {
  do
  :: atomic { !fork[_pid] -> fork[_pid] = 1 };
     atomic { !fork[(_pid + 1) % 3] -> fork[(_pid + 1) % 3] = 1 };
     eating++;
progress_eat:
     eating--;
     fork[(_pid + 1) % 3] = 0;
     fork[_pid] = 0
  od
}
ltl eats { <> (eating > 0) }
ltl again { []<> (eating > 0) }
ltl alone { [] (eating <= 1) }
ltl deadlock { [] (fork[0] && fork[1] && fork[2] -> <> !fork[0]) }
ltl free { []<> (fork[0] == 0) }
