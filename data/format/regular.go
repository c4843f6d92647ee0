package format

import "github.com/halfspace-ml/halfspace/data"

// regular reads the pairs of a line, from pos on, that is as programs write it:
// rising indices and plain decimal numbers. It reports false, with nothing
// changed, for any other line; the careful way then reads it or says what is
// wrong. Both must agree on every line that is regular.
func (r *libsvm) regular(line []byte, pos int) bool {
	if r.features.Bits() > 0 {
		return false
	}
	rounded := r.src.rounded
	idx, val := r.idx[:0], r.val[:0]
	last := uint64(0)
	for pos < len(line) {
		start, index := pos, uint64(0)
		for pos < len(line) && line[pos]-'0' < 10 {
			index = index*10 + uint64(line[pos]-'0')
			pos++
		}
		if pos-start > 10 || pos == len(line) || line[pos] != ':' || index <= last || index > data.MaxFeatures {
			r.src.rounded = rounded
			return false
		}
		last = index
		value, end, ok := plainDecimal(line, pos+1)
		if !ok {
			end = tokenEnd(line, pos+1)
			var err error
			if value, err = r.src.value(line[pos+1 : end]); err != nil {
				r.src.rounded = rounded
				return false
			}
		}
		if value != 0 { // rows store no zeros
			idx, val = append(idx, uint32(index-1)), append(val, value)
		}
		pos = skipBlanks(line, end)
	}
	r.idx, r.val = idx, val
	return last == 0 || r.take(uint32(last-1), rounded)
}

// take makes room for feature j and all below; false if one may be unknown.
func (r *libsvm) take(j uint32, rounded int) bool {
	if int(j) >= r.features.Len() && !r.features.Open() {
		r.src.rounded = rounded
		return false
	}
	r.features.Numbered(j)
	return true
}

// plainDecimal reads the number that starts at pos and ends where a blank or
// the line does; false unless it is of at most 15 digits without exponent,
// which one division rounds correctly (see parseNumber).
func plainDecimal(line []byte, pos int) (v float64, end int, ok bool) {
	negative := pos < len(line) && line[pos] == '-'
	if negative {
		pos++
	}
	mantissa, start := uint64(0), pos
	for pos < len(line) && line[pos]-'0' < 10 {
		mantissa = mantissa*10 + uint64(line[pos]-'0')
		pos++
	}
	digits, after := pos-start, 0
	if pos < len(line) && line[pos] == '.' {
		pos++
		start = pos
		for pos < len(line) && line[pos]-'0' < 10 {
			mantissa = mantissa*10 + uint64(line[pos]-'0')
			pos++
		}
		after = pos - start
		digits += after
	}
	if digits == 0 || digits > 15 || pos < len(line) && line[pos] != ' ' && line[pos] != '\t' {
		return 0, pos, false
	}
	v = float64(mantissa) / powers[after]
	if negative {
		v = -v
	}
	return v, pos, true
}
