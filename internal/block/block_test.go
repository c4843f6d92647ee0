package block

import (
	"fmt"
	"sync/atomic"
	"testing"
)

func TestCount(t *testing.T) {
	for _, c := range [][2]int{{0, 0}, {1, 1}, {Size - 1, 1}, {Size, 1}, {Size + 1, 2}, {3 * Size, 3}} {
		if got := Count(c[0]); got != c[1] {
			t.Errorf("%d rows make %d blocks, want %d", c[0], got, c[1])
		}
	}
}

// Every row is in exactly one block, and the blocks are the same for any
// number of workers.
func TestEach(t *testing.T) {
	for _, n := range []int{0, 1, Size - 1, Size, Size + 1, 5*Size + 7} {
		for _, workers := range []int{0, 1, 2, 3, 100} {
			t.Run(fmt.Sprintf("%d rows, %d workers", n, workers), func(t *testing.T) {
				rows := make([]int, n)
				var calls atomic.Int64
				Each(n, workers, func(b, lo, hi int) {
					calls.Add(1)
					if lo != b*Size || hi != min(n, lo+Size) || hi <= lo {
						t.Errorf("block %d is %d to %d", b, lo, hi)
					}
					for i := lo; i < hi; i++ {
						rows[i]++
					}
				})
				if int(calls.Load()) != Count(n) {
					t.Errorf("%d blocks, want %d", calls.Load(), Count(n))
				}
				for i, times := range rows {
					if times != 1 {
						t.Fatalf("row %d was visited %d times", i, times)
					}
				}
			})
		}
	}
}
