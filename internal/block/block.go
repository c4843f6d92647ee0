// Package block cuts work into fixed pieces, so that no result depends on how
// many workers share it.
package block

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Size is the number of rows in a block. It is part of every result that is
// summed by blocks: changing it changes last bits.
const Size = 1024

// Count is the number of blocks n rows make.
func Count(n int) int { return (n + Size - 1) / Size }

// Each calls do once for every block of the rows 0 … n-1, on at most the given
// number of workers (0: one for each processor). Blocks may run in any order;
// what do writes must depend on the block only.
func Each(n, workers int, do func(b, lo, hi int)) {
	Tasks(Count(n), workers, func(b int) { do(b, b*Size, min(n, (b+1)*Size)) })
}

// Tasks calls do once for each of the numbers 0 … n-1 under the same terms.
func Tasks(n, workers int, do func(task int)) {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	workers = min(workers, n)
	var next atomic.Int64
	work := func() {
		for {
			task := int(next.Add(1)) - 1
			if task >= n {
				return
			}
			do(task)
		}
	}
	if workers <= 1 {
		work()
		return
	}
	var wg sync.WaitGroup
	for range workers {
		wg.Go(work)
	}
	wg.Wait()
}

// Lanes cuts the rows 0 … n-1 into at most so many contiguous runs of whole
// blocks, calls do once for each, and returns their number. It depends on n
// only, so that sums made lane by lane are the same for any number of workers.
func Lanes(n, most, workers int, do func(lane, lo, hi int)) int {
	blocks := Count(n)
	count := max(1, min(blocks, most))
	Each(count*Size, workers, func(lane, _, _ int) {
		do(lane, lane*blocks/count*Size, min(n, (lane+1)*blocks/count*Size))
	})
	return count
}
