// expect: order=24
// FIFOs of depth two with one bit of data, served one at a time, and a counter of all entries.  `-D N=16`.
`ifndef N
`define N 4
`endif
module fifos(clock, push, data, serve);
    input clock, push, data;
    input [`N-1:0] serve;
    reg [5:0] count;
    wire [`N-1:0] put, get, used;
    wire empty, bad;
    initial count = 0;
    genvar i;
    generate
        for (i = 0; i < `N; i = i + 1) begin : fifo
            reg first, second, x, y;
            initial begin first = 0; second = 0; x = 0; y = 0; end
            assign put[i] = (serve == (1 << i)) & push & (count != `N) & ~second;
            assign get[i] = (serve == (1 << i)) & ~push & first;
            assign used[i] = first;
            always @(posedge clock)
                if (put[i]) begin
                    if (first) begin second <= 1; y <= data; end
                    else begin first <= 1; x <= data; end
                end
                else if (get[i]) begin first <= second; x <= y; second <= 0; y <= 0; end
        end
    endgenerate
    always @(posedge clock) if (|put) count <= count + 1; else if (|get) count <= count - 1;
    assign empty = ~|used;
    assign bad = empty != (count == 0);
endmodule
