/* Every process counts and ends; the run ends too, and its last state counts for ever. */
byte n = 0;
active [3] proctype P() {
  n++;
  n++
}
ltl reaches { <> (n == 6) }
ltl stays { <>[] (n == 6) }
ltl again { []<> (n == 5) }
ltl up { [] (n == 3 -> <> (n == 5)) }
ltl steps { (n == 0) U (n == 1) }
ltl odd { [] (n < 6) }
