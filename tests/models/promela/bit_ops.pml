/* expect: states=49 transitions=79 verdict=holds plain_states=49 plain_transitions=79 */
bit f;
bool g = true;
active [2] proctype P() {
    f = f + 1;
    g = !g;
    if
    :: f == g -> skip
    :: f != g -> f = g
    fi
}
