/* expect: states=13 transitions=13 verdict=holds plain_states=13 plain_transitions=13 */
chan a = [1] of { byte };
chan b = [1] of { byte };
chan c;
active proctype P() {
    byte x;
    if
    :: c = a
    :: c = b
    fi;
    c!3;
    if
    :: c == a -> a?x
    :: c != a -> b?x
    fi;
    assert(x == 3 && empty(c))
}
