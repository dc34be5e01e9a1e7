/* expect: states=23 transitions=32 verdict=holds plain_states=24 plain_transitions=32 */
chan q = [4] of { mtype, byte };
mtype = { red, green, blue };
active proctype P() {
    q!red,1;
    q!green,2;
    q!red,3;
    q!blue,4
}
active proctype C() {
    byte x;
    q??green,x;
    assert(x == 2);
    q??red,x;
    if
    :: q??[blue,_] -> q??blue,x;
        assert(x == 4)
    :: else
    fi;
    end: do
    :: q??_,x
    od
}
