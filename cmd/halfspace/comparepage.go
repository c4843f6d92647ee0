package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/halfspace-ml/halfspace/data"
)

func (k *comparing) checkReport() error { return nil }
func (k *comparing) writeReport(c *cobra.Command, rep *compareReport, name string, s *data.Set) (string, error) {
	return "", errors.New("todo")
}
