//go:build ignore

// Makedigits makes the sets digits35 and digits35-test from the optical digits
// of the UCI repository, as a CSV file of 64 values from 0 to 16 and the digit:
//
//	go run makedigits.go digits8x8.csv
//
// It keeps the threes and fives in file order, calls a pixel of 8 or more
// black (1) and any other white (-1), and gives the first two thirds of the
// rows to training.
package main

import (
	"encoding/csv"
	"fmt"
	"log"
	"os"
	"strconv"
	"strings"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: go run makedigits.go digits8x8.csv")
	}
	lines, err := images(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	train := 2 * len(lines) / 3
	write("sets/digits35.txt", lines[:train])
	write("sets/digits35-test.txt", lines[train:])
}

// images is the threes and fives of the file as labelled lines.
func images(path string) ([]string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	records, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return nil, err
	}
	var lines []string
	for _, record := range records[1:] {
		label := map[string]string{"3": "three:", "5": "five:"}[record[64]]
		if label == "" {
			continue
		}
		line := []string{label}
		for _, field := range record[:64] {
			grey, err := strconv.Atoi(field)
			if err != nil {
				return nil, err
			}
			if grey >= 8 {
				line = append(line, "1")
			} else {
				line = append(line, "-1")
			}
		}
		lines = append(lines, strings.Join(line, " "))
	}
	return lines, nil
}

func write(path string, lines []string) {
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
		log.Fatal(err)
	}
	fmt.Println(path, len(lines))
}
