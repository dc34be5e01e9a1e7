// expect: order=40320
// A bank of counters, each with an enable of its own.  `quorbit check -D N=20` takes another number of them.
`ifndef N
`define N 8
`endif
module counters(clock, enable);
    input clock;
    input [`N-1:0] enable;
    wire [`N-1:0] full;
    wire all_full, none_full;
    genvar i;
    generate
        for (i = 0; i < `N; i = i + 1) begin : cell
            reg [1:0] count;
            initial count = 0;
            always @(posedge clock) if (enable[i]) count <= count + 1;
            assign full[i] = count == 3;
        end
    endgenerate
    assign all_full = &full;
    assign none_full = ~|full;
endmodule
