# The counter is zero exactly if all FIFOs are empty.
AG bad=0;
AG EF empty=1;
