// expect: order=48
// The lines of a small fully associative cache: a look-up hits every line, a miss fills the one that is offered, a write
// makes a line dirty.  Lines are alike, and so are the two bits of a tag.  `-D N=16`.
`ifndef N
`define N 4
`endif
module cache(clock, read, write, evict, tag, offer);
    input clock, read, write, evict;
    input [1:0] tag;
    input [`N-1:0] offer;
    wire [`N-1:0] hit, used, clash;
    wire empty, two;
    genvar i;
    generate
        for (i = 0; i < `N; i = i + 1) begin : line
            reg valid, dirty;
            reg [1:0] own;
            initial begin valid = 0; dirty = 0; own = 0; end
            assign used[i] = valid;
            assign hit[i] = valid & (own == tag);
            assign clash[i] = hit[i] & ((hit & ~(1 << i)) != 0);
            always @(posedge clock)
                if (evict) begin
                    if (offer == (1 << i)) begin valid <= 0; dirty <= 0; own <= 0; end
                end
                else if (hit[i]) begin if (write) dirty <= 1; end
                else if ((hit == 0) & (offer == (1 << i)) & (read | write)) begin
                    valid <= 1; own <= tag; dirty <= write;
                end
        end
    endgenerate
    assign empty = ~|used;
    assign two = |clash;
endmodule
