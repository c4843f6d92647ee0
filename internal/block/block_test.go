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

// Lanes are whole blocks in order, each row in one of them, and as many for any
// number of workers.
func TestLanes(t *testing.T) {
	for _, n := range []int{0, 1, Size, 5*Size + 7, 40 * Size} {
		for _, most := range []int{1, 3, 8} {
			for _, workers := range []int{0, 1, 5} {
				ends := make([][2]int, most)
				count := Lanes(n, most, workers, func(lane, lo, hi int) { ends[lane] = [2]int{lo, hi} })
				if want := max(1, min(most, Count(n))); count != want {
					t.Errorf("%d rows, at most %d lanes: %d, want %d", n, most, count, want)
				}
				next := 0
				for _, e := range ends[:count] {
					if e[0] != next || e[0]%Size != 0 || e[1] < e[0] {
						t.Errorf("%d rows, at most %d lanes: %v", n, most, ends)
					}
					next = e[1]
				}
				if next != n {
					t.Errorf("%d rows, at most %d lanes: they end at %d", n, most, next)
				}
			}
		}
	}
}

func TestTasks(t *testing.T) {
	for _, n := range []int{0, 1, 2, 50} {
		for _, workers := range []int{0, 1, 3, 100} {
			done := make([]int, n)
			Tasks(n, workers, func(i int) { done[i]++ })
			for i, times := range done {
				if times != 1 {
					t.Fatalf("%d tasks, %d workers: task %d was done %d times", n, workers, i, times)
				}
			}
		}
	}
}
