// expect: states=48
// A block without a clock that names what it waits for, with an enumeration as its result.
typedef enum {R,G,B} c3;
module latchy(clk, e, d);
    input clk, e, d;
    reg q;
    reg e1, d1;
    c3 reg col;
    c3 reg nx;
    reg [1:0] cnt;
    initial begin e1=0; d1=0; col=R; cnt=0; end
    always @(posedge clk) begin e1 = e; d1 = d; col = nx; cnt = cnt + 1; end
    always @(col or e1 or d1) begin
        case (col) R: if (e1) nx = G; else nx = R; G: nx = d1 ? B : G; default: nx = R; endcase
    end
    wire z;
    assign z = (nx == B);
endmodule
