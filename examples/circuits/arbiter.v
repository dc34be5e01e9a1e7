// expect: order=120
// An arbiter that grants one request at a time and never takes a grant back.  `-D N=12`.
`ifndef N
`define N 5
`endif
module arbiter(clock, request);
    input clock;
    input [`N-1:0] request;
    reg [`N-1:0] waiting, grant;
    wire [`N-1:0] choice;
    wire two, busy;
    integer i;
    initial begin waiting = 0; grant = 0; end
    genvar k;
    generate
        for (k = 0; k < `N; k = k + 1) begin : any
            assign choice[k] = $ND(0, 1);
        end
    endgenerate
    always @(posedge clock)
        for (i = 0; i < `N; i = i + 1) begin
            if (grant[i]) grant[i] <= request[i];
            else if (waiting[i] & (grant == 0) & (choice == (1 << i))) begin grant[i] <= 1; waiting[i] <= 0; end
            else if (request[i]) waiting[i] <= 1;
        end
    assign two = |(grant & (grant - 1));
    assign busy = |grant;
endmodule
