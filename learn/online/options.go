package online

import (
	"math"

	"github.com/halfspace-ml/halfspace"
)

// Options are the parameters that all perceptrons share.
type Options struct {
	Epochs    int
	Rate      float64
	RateBias  float64
	Schedule  Schedule
	Tie       halfspace.Tie
	StopError float64
	Shuffle   bool // for learners whose order matters
}

// Params is the table of the parameters of an online learner.
func (o *Options) Params() []halfspace.Param {
	return append(o.Table("10", "loop over the examples"),
		halfspace.Flag(&o.Shuffle, "shuffle", "visit the examples in a new random order each loop (default: file order)"))
}

// Table is the parameters without the order, for a learner that calls its
// rounds what the words say and makes so many by default.
func (o *Options) Table(epochs, round string) []halfspace.Param {
	return []halfspace.Param{
		halfspace.Int(&o.Epochs, "epochs", epochs, 1, math.MaxInt, "at most this many rounds; a round is one "+round),
		halfspace.Float(&o.Rate, "rate", "1", 0, math.Inf(1), "learning rate η"),
		halfspace.Float(&o.RateBias, "rate-bias", "", 0, math.Inf(1), "learning rate of the bias (0: as rate)"),
		halfspace.Word(&o.Schedule, "schedule", Schedules, "how the rate falls with the number t of the round"),
		halfspace.Word(&o.Tie, "tie", halfspace.Ties, "what a score of exactly 0 means"),
		halfspace.Float(&o.StopError, "stop-error", "0", 0, 1, "stop after a round with less than this share of errors; without any it always stops"),
	}
}

// Multi says that many classes are learned by Kesler's construct.
func (*Options) Multi() []string { return []string{"kesler", "ovr", "ovo"} }

// Rates are the rates of the weights and of the bias in round t, from 1.
func (o *Options) Rates(t int, bias bool) (rate, rateBias float64) {
	f := o.Schedule.At(t)
	rate = o.Rate * f
	switch {
	case !bias:
		return rate, 0
	case o.RateBias > 0:
		return rate, o.RateBias * f
	}
	return rate, rate
}

// Schedule is the rate's course over the loops t = 1, 2, …
type Schedule string

// Schedules are the names of all.
var Schedules = []string{"constant", "1/t", "1/sqrt"}

// At is the factor of the rate in loop t, from 1.
func (s Schedule) At(t int) float64 {
	switch s {
	case "1/t":
		return 1 / float64(t)
	case "1/sqrt":
		return 1 / math.Sqrt(float64(t))
	}
	return 1
}
