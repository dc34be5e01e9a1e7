/* Senders end, and stay until those that were created later are gone; their variables are read from outside. */
chan c = [2] of { byte, byte };
byte got = 0;
active [2] proctype Sender() {
  byte k = 0;
  do
  :: k < 2 -> c!_pid, k; k++
  :: k == 2 -> break
  od;
fin:
  skip
}
active proctype Receiver() {
  byte a, b;
end:
  do
  :: c?a, b -> got = got + 1
  :: timeout -> got = 0; break
  od
}
ltl done { <> (Sender[0]@fin) }
ltl room { [] ((len(c) == 2) -> <> (len(c) < 2)) }
ltl empties { <>[] (len(c) == 0) }
ltl bounded { [] (Sender[1]:k <= 2) }
ltl second_first { <> (Sender[0]:k == 2 && Sender[1]:k == 0) }
ltl first_first { <> (Sender[0]:k == 0 && Sender[1]:k == 2) }
ltl forgets { []<> (got == 0) }
