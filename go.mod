module github.com/halfspace-ml/halfspace

go 1.26.0

require github.com/klauspost/compress v1.20.3 // indirect
