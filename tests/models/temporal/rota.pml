/* Three workers in turn; formulas in every spelling, one after the other. */
mtype = { idle, busy };
mtype job[3];
byte turn = 0;
#define p (job[0] == busy)
#define q (job[1] == busy)
proctype Worker(byte me) {
  do
  :: turn == me -> job[me] = busy; job[me] = idle; turn = (me + 1) % 3
  od
}
init { atomic { byte i; for (i : 0 .. 2) { job[i] = idle; run Worker(i) } } }
ltl one{[]<>p}
ltl   two   {   <> [] ! p   }
ltl three { (! p) W (q) }
ltl four { (!q) U (p) }
ltl five { [](p->(!q U !p)) }
ltl six { (p) V (!q) }
ltl seven { p release !q }
ltl eight { always (p implies eventually q) }
ltl nine { p weakuntil q }
ltl ten { !([]<>p && []<>q) || <>[](turn == 0) }
ltl eleven { [](p <-> (turn == 0 && job[0] == busy)) }
