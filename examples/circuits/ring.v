// expect: order=6
// A token goes round a ring of stations; who holds it serves its request first.  `-D N=12`.
`ifndef N
`define N 6
`endif
module ring(clock, want);
    input clock;
    input [`N-1:0] want;
    reg [`N-1:0] token, asked, served;
    wire two, idle;
    integer i;
    initial begin token = 1; asked = 0; served = 0; end
    always @(posedge clock)
        for (i = 0; i < `N; i = i + 1) begin
            token[i] <= (token[i] & (asked[i] | served[i]))
                | (token[(i + `N - 1) % `N] & ~asked[(i + `N - 1) % `N] & ~served[(i + `N - 1) % `N]);
            if (served[i]) served[i] <= want[i];
            else if (token[i] & asked[i]) begin served[i] <= 1; asked[i] <= 0; end
            else if (want[i]) asked[i] <= 1;
        end
    assign two = |(served & (served - 1));
    assign idle = ~|(asked | served);
endmodule
