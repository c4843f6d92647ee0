package format

import (
	"fmt"
	"io"
)

// readRuns reads run-length encoded pixels: pairs of a count and what to
// repeat, and after a zero an order: 0 ends the row, 1 the bitmap, 2 moves on,
// any other is a count of pixels that follow one by one.
func (d *bitmap) readRuns() error {
	var b [256]byte
	for {
		if n, err := io.ReadFull(d.in, b[:2]); err != nil {
			if drawn := d.y == d.height || d.y == d.height-1 && d.x == d.width; n == 0 && err == io.EOF && drawn {
				return nil // some programs leave out the end
			}
			return d.ends(err, d.rowName())
		}
		var err error
		switch count, order := int(b[0]), int(b[1]); {
		case count > 0:
			err = d.run(count, b[1:2])
		case order == 0:
			err = d.move(-d.x, 1)
		case order == 1:
			return nil
		case order == 2:
			if err = d.read(b[:2], d.rowName()); err == nil {
				err = d.move(int(b[0]), int(b[1]))
			}
		default:
			size := order
			if d.bits == 4 {
				size = (order + 1) / 2
			}
			if err = d.read(b[:size+size&1], d.rowName()); err == nil {
				err = d.run(order, b[:size])
			}
		}
		if err != nil {
			return err
		}
	}
}

// rowName names the row being drawn; after the last, the end is still missing.
func (d *bitmap) rowName() string {
	if d.y == d.height {
		return "the end of the pixels"
	}
	return fmt.Sprintf("row %d of %d", d.seenRow(), d.height)
}

// run takes count pixels from b, starting over where b ends.
func (d *bitmap) run(count int, b []byte) error {
	if d.y == d.height {
		return d.fail("export it again", "the bitmap has pixels after its last row")
	}
	if count > d.width-d.x {
		return d.fail("export it again", "a run of %d pixels from %s on goes beyond the row of %d", count, d.place(), d.width)
	}
	perByte := 8 / d.bits
	for k := range count {
		index := b[k/perByte%len(b)]
		if d.bits == 4 {
			index = index >> (4 - 4*(k&1)) & 15
		}
		if err := d.addIndexed(index); err != nil {
			return err
		}
	}
	return nil
}

// move goes on from a pixel that lies dx columns and dy rows further.
func (d *bitmap) move(dx, dy int) error {
	d.x, d.y = d.x+dx, d.y+dy
	if d.x > d.width || d.y > d.height {
		return d.fail("export it again", "the bitmap moves to column %d of %d, row %d of %d", d.x, d.width, d.y, d.height)
	}
	return nil
}
