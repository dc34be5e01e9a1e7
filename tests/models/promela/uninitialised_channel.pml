/* expect: verdict=fails */
chan c;
chan d = [1] of { byte };
active proctype P() {
    if
    :: c = d
    :: skip
    fi;
    c!1
}
