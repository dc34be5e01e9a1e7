/* expect: states=15 transitions=18 verdict=holds plain_states=15 plain_transitions=18 */
chan q = [2] of { byte, bit };
byte n;
active proctype A() {
    q!1,0;
    q!2,1
}
active proctype B() {
    do
    :: q?[1,_] -> q?1,_ ;
        n++
    :: q??[2,1] && len(q) == 1 -> q??2,1;
        n++
    :: n == 2 -> break
    od
}
