/* expect: states=575 own_states=144 own_orbits=78 own_structure=S2 verdict=fails */
/* every process sends to a random other one through its mailbox */
#define N 2
chan mbox[N] = [1] of { byte };
byte got[N];
proctype peer(byte me) {
  byte to, from;
  do
  :: select(to : 0 .. N-1);
     if
     :: to == me -> skip
     :: else -> mbox[to]!me
     fi
  :: mbox[me]?from -> got[me] = from
  od
}
init { byte p; atomic { for (p : 0 .. N-1) { run peer(p) } } }
