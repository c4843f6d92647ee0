package data

// Input says how a file became rows, so that the same can be done to another
// file: it is kept in the model.
type Input struct {
	Format  string   `json:"format"`            // name in format.All
	Columns []Column `json:"columns,omitempty"` // tables: what each column is
	Missing string   `json:"missing,omitempty"` // tables: "", mean, zero or drop
	Width   int      `json:"width,omitempty"`   // values a row, where a format fixes it
	Words   string   `json:"words,omitempty"`   // text: counts or binary
	Label   string   `json:"label,omitempty"`   // archives: folder, name or none; JSON: its key
	Named   bool     `json:"named,omitempty"`   // tables: the names come from a header
	Rounded int      `json:"rounded,omitempty"` // values with more digits than a number keeps
}

// Column is one column of a table.
type Column struct {
	Name string  `json:"name"`
	Kind string  `json:"kind"`           // numeric, nominal, label, weight or dropped
	Mean float64 `json:"mean,omitempty"` // numeric, with missing = mean
}

// Kinds of columns.
const (
	Numeric = "numeric"
	Nominal = "nominal"
	Label   = "label"
	Weight  = "weight"
	Dropped = "dropped"
)
