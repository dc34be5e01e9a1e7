# No column is joined with two rows.
AG bad=0;
# Whatever is joined, all rows can be.
AG EF full=1;
