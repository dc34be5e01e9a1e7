// expect: states=85
// A queue that is shifted when it is read, with parameters for width and depth.
module fifo(clock, push, pop, din, dout, full, empty);
    parameter W = 2;
    parameter D = 3;
    input clock, push, pop;
    input [W-1:0] din;
    output [W-1:0] dout;
    output full, empty;
    reg [W-1:0] mem [0:D-1];
    reg [1:0] cnt;
    integer i;
    initial begin cnt = 0; for (i=0; i<D; i=i+1) mem[i] = 0; end
    assign full = cnt == D;
    assign empty = ~|cnt;
    assign dout = mem[0];
    always @(posedge clock) begin
        if (pop & ~empty) begin
            for (i=0; i<D-1; i=i+1) mem[i] = mem[i+1];
            mem[D-1] = 0; cnt = cnt - 1;
        end
        if (push & ~full) begin mem[cnt] = din; cnt = cnt + 1; end
    end
endmodule
