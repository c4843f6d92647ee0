package figure

import (
	"cmp"
	"image"
	"image/color"
	"image/draw"
	"image/gif"
	"io"
	"math"
	"slices"
)

// GIF writes d as an animation that repeats for ever; a still picture is one
// frame.
func GIF(w io.Writer, d *Drawing) error {
	frames := d.Frames
	if len(frames) == 0 {
		frames = []Frame{{}}
	}
	stays := newBitmap(&Drawing{W: d.W, H: d.H}, 1) // what is between, on nothing
	stays.layer(&d.Base)
	counts := map[color.RGBA]int{}
	render := func(f *Frame) *bitmap {
		b := newBitmap(d, 1)
		b.layer(&f.Under)
		draw.Draw(b.RGBA, b.Rect, stays.RGBA, image.Point{}, draw.Over)
		b.layer(&f.Over)
		return b
	}
	for _, i := range []int{0, len(frames) / 2, len(frames) - 1} {
		countColours(counts, render(&frames[i]).RGBA)
	}
	pal := popular(counts)
	out := &gif.GIF{Config: image.Config{ColorModel: pal, Width: stays.Rect.Dx(), Height: stays.Rect.Dy()}}
	index := map[color.RGBA]uint8{}
	var before *image.Paletted
	for i := range frames {
		now := quantised(render(&frames[i]).RGBA, pal, index)
		delay := int(math.Round(100 * d.Delay))
		if i == len(frames)-1 {
			delay = 100 * pause
		}
		out.Image = append(out.Image, changed(before, now))
		out.Delay = append(out.Delay, delay)
		out.Disposal = append(out.Disposal, gif.DisposalNone)
		before = now
	}
	return gif.EncodeAll(w, out)
}

func countColours(counts map[color.RGBA]int, img *image.RGBA) {
	for k := 0; k < len(img.Pix); k += 4 {
		counts[color.RGBA{img.Pix[k], img.Pix[k+1], img.Pix[k+2], 255}]++
	}
}

// popular is a palette of the colours that occur most, and nothing at the end.
// Charts have few colours; those between, on smooth edges, find one near.
func popular(counts map[color.RGBA]int) color.Palette {
	all := make([]color.RGBA, 0, len(counts))
	for c := range counts {
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b color.RGBA) int {
		return cmp.Or(counts[b]-counts[a], int(a.R)-int(b.R), int(a.G)-int(b.G), int(a.B)-int(b.B))
	})
	var pal color.Palette
	for _, c := range all[:min(len(all), 127)] {
		pal = append(pal, c)
	}
	return append(pal, color.RGBA{})
}

func quantised(img *image.RGBA, pal color.Palette, index map[color.RGBA]uint8) *image.Paletted {
	solid := pal[:len(pal)-1]
	out := image.NewPaletted(img.Rect, pal)
	var last color.RGBA // mostly the colour of the pixel before
	var i uint8
	for k := range out.Pix {
		c := color.RGBA{img.Pix[4*k], img.Pix[4*k+1], img.Pix[4*k+2], 255}
		if c != last {
			var known bool
			if i, known = index[c]; !known {
				i = uint8(solid.Index(c))
				index[c] = i
			}
			last = c
		}
		out.Pix[k] = i
	}
	return out
}

// changed is the part of a frame that differs from the one before; what does
// not, within it, is left open.
func changed(before, now *image.Paletted) *image.Paletted {
	if before == nil {
		return now
	}
	open := uint8(len(now.Palette) - 1)
	var r image.Rectangle
	w := now.Rect.Dx()
	for k := range now.Pix {
		if now.Pix[k] != before.Pix[k] {
			r = r.Union(image.Rect(k%w, k/w, k%w+1, k/w+1))
		}
	}
	if r.Empty() {
		r = image.Rect(0, 0, 1, 1)
	}
	out := image.NewPaletted(r, now.Palette)
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			k := y*w + x
			if now.Pix[k] == before.Pix[k] {
				out.SetColorIndex(x, y, open)
			} else {
				out.SetColorIndex(x, y, now.Pix[k])
			}
		}
	}
	return out
}
