package solve

import (
	"context"
	"math"
)

// DualThen begins with dual coordinate descent, whose loops are as cheap as a
// look at the data, and stays with it while fifty of them halve the gap. A
// solver of steps that cost more does the rest. On long sparse rows, such as
// texts, the first is often enough.
func DualThen(next Solver) Solver {
	return Solver{
		Name: Dual.Name + ", then " + next.Name,
		Cannot: func(t *Task) string {
			if why := Dual.Cannot(t); why != "" {
				return why
			}
			return next.Cannot(t)
		},
		Cold: next.Cold,
		Solve: func(ctx context.Context, t *Task, start Point, look Look) {
			done, epochs, before := false, 0, math.Inf(1)
			if start.W == nil || start.Alpha != nil { // it cannot begin at weights alone
				Dual.Solve(ctx, t, start, func(p Progress) bool {
					start, epochs = p.Point, p.Epoch
					done = look(p)
					if done || epochs%50 != 0 {
						return done
					}
					slow := !(p.Left < before/2)
					before = p.Left
					return slow
				})
			}
			if done || ctx.Err() != nil {
				return
			}
			next.Solve(ctx, t, start, func(p Progress) bool {
				p.Epoch += epochs
				return look(p)
			})
		},
	}
}
