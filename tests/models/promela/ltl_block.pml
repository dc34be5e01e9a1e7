/* expect: states=5 transitions=5 verdict=holds plain_states=5 plain_transitions=5 */
byte x;
bool done;
ltl eventually_done { <> done }
ltl {
    [] (x < 3) -> <>[] (x == 2 || done)
}
active proctype P() {
    x = 1;
    x = 2;
    done = true
}
