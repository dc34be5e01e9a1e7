/* A lock that any of three processes may take: whoever comes first. */
byte inside = 0;
bit taken = 0;
active [3] proctype P() {
  do
  :: atomic { !taken -> taken = 1 };
     inside++;
critical:
     inside--;
     taken = 0
  od
}
ltl someone { []<> (inside == 1) }
ltl exclusive { [] (inside <= 1) }
ltl settles { <>[] (inside == 0) }
ltl first { []<> P[0]@critical }
ltl either { [] (P[1]@critical -> <> (P[0]@critical || P[2]@critical)) }
ltl leaves { [] (P[2]@critical -> <> !P[2]@critical) }
ltl weak_order { !P[1]@critical W P[0]@critical }
