/* expect: verdict=fails */
chan q = [1] of { byte, byte };
active proctype P() {
    if
    :: q!1,2
    :: q!1
    fi
}
