// A request is granted one tick later unless the device is busy.  expect: verdict=fails
module handshake(input clk, input req, output reg gnt, output reg busy);
  default clocking @(posedge clk); endclocking

  initial begin
    gnt = 0;
    busy = 0;
  end

  always @(posedge clk) begin
    gnt <= req && !busy;
    busy <= gnt;
  end

  answered: assert property (req && !busy |=> gnt ##1 busy);
  refused: assert property ((gnt && busy)[*3] |-> ##[1:4] req);
  twice: cover property (gnt ##[1:4] gnt);
  at_once: assert property (req |-> gnt);
endmodule
