/* expect: verdict=fails */
chan z = [0] of { byte };

active proctype sender() { d_step { z!1 } }

active proctype receiver() {
end: z?1
}
