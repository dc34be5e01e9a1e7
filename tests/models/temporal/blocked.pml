/* An atomic section that may block in its middle, and a buffered channel. */
chan q = [1] of { byte };
byte got = 0;
active [2] proctype Sender() {
  do
  :: atomic { q!1; q!2 }
  od
}
active proctype Receiver() {
  byte x;
  do
  :: q?x -> got = x
  od
}
ltl both { []<> (got == 1) && []<> (got == 2) }
ltl twice { [] (got == 1 -> <> (got == 2)) }
ltl drained { []<> (len(q) == 0) }
ltl filled { []<> (len(q) == 1) }
ltl starts { (got == 0) U (got == 1) }
