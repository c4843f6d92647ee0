package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/halfspace-ml/halfspace/judge/experiment"
	"github.com/halfspace-ml/halfspace/learn"
)

// What compare compares.

// candidates are the learners with each of the feature sets.
func (k *comparing) candidates(c *cobra.Command, rep *compareReport) ([]experiment.Candidate, error) {
	axes, err := k.axes()
	if err != nil {
		return nil, err
	}
	flags := k.t.given(c.Flags())
	if v, ok := find(flags, "c"); ok && v == "auto" {
		return nil, usage("--c auto is for fit; here --tune c=0.01,0.1,1,10 chooses within every part")
	}
	used := map[string]bool{}
	var all []experiment.Candidate
	for _, spec := range k.learners {
		r, err := k.recipe(spec, flags, used)
		if err != nil {
			return nil, err
		}
		for _, set := range k.sets() {
			r := *r
			name := strings.TrimSpace(spec)
			if r.maps = k.t.maps; set != "" {
				r.maps = mapsOf(set)
				name += ", " + set
			}
			if slices.ContainsFunc(all, func(a experiment.Candidate) bool { return a.Name == name }) {
				return nil, usage("%s is there twice; leave one out, or give it other parameters: %s:PARAMETER=VALUE", name, r.name)
			}
			way, err := k.way(&r, name, axes, used, rep)
			if err != nil {
				return nil, err
			}
			all = append(all, experiment.Candidate{Name: name, Way: way})
		}
	}
	for _, v := range flags {
		if !used[v.Name] {
			return nil, usage("none of the learners has a parameter --%s; see 'halfspace learners NAME'", v.Name)
		}
	}
	for _, a := range axes {
		if !used["tune "+a.Name] {
			return nil, usage("--tune %s: none of the learners has that parameter; see 'halfspace learners NAME'", a.Name)
		}
	}
	return all, nil
}

func find(s experiment.Setting, name string) (string, bool) {
	for _, v := range s {
		if v.Name == name {
			return v.Text, true
		}
	}
	return "", false
}

func (k *comparing) axes() ([]experiment.Axis, error) {
	var axes []experiment.Axis
	for _, text := range k.tune {
		a, err := experiment.ParseAxis(text)
		if err != nil {
			return nil, usage("--tune: %w", err)
		}
		if slices.ContainsFunc(axes, func(b experiment.Axis) bool { return b.Name == a.Name }) {
			return nil, usage("--tune has %s twice; list all its values in one", a.Name)
		}
		if a.Values == nil && k.draws == 0 {
			return nil, usage("--tune %s is a range; add --draws N, or list values", text)
		}
		axes = append(axes, a)
	}
	return axes, nil
}

// sets are the feature sets; "" is that of --map.
func (k *comparing) sets() []string {
	if len(k.maps) == 0 {
		return []string{""}
	}
	return k.maps
}

// mapsOf reads a feature set: plain, or maps joined by +.
func mapsOf(set string) []string {
	if set == "plain" {
		return nil
	}
	return strings.Split(set, "+")
}

// recipe reads NAME:PARAMETER=VALUE:… and adds the flags that the learner has;
// its own parameters count more.
func (k *comparing) recipe(spec string, flags experiment.Setting, used map[string]bool) (*recipe, error) {
	parts := strings.Split(strings.TrimSpace(spec), ":")
	l, err := learn.New(parts[0])
	if err != nil {
		return nil, &exit{exitUsage, err}
	}
	r := &recipe{t: &k.t, name: parts[0]}
	for _, v := range flags {
		if _, err := paramOf(l, v.Name); err == nil {
			used[v.Name] = true
			r.values = append(r.values, v)
		}
	}
	for _, text := range parts[1:] {
		name, value, ok := strings.Cut(text, "=")
		if !ok {
			return nil, usage("--learners has %q; write %s:PARAMETER=VALUE", spec, parts[0])
		}
		r.values = append(r.values, experiment.Value{Name: name, Text: value})
	}
	_, err = r.learner()
	return r, err
}

// way is how the recipe trains: once, or after a search if it has any of the
// parameters to search.
func (k *comparing) way(r *recipe, name string, axes []experiment.Axis, used map[string]bool, rep *compareReport) (experiment.Way, error) {
	described, text, err := r.described()
	if err != nil {
		return nil, err
	}
	w := compareWay{Name: name, Learner: r.name, Parameters: described.Parameters, Maps: described.Maps, described: text, again: r.flags()}
	defer func() { rep.Ways = append(rep.Ways, w) }()
	l, err := r.learner()
	if err != nil {
		return nil, err
	}
	var mine []experiment.Axis
	for _, a := range axes {
		if p, err := paramOf(l, a.Name); err == nil {
			used["tune "+a.Name] = true
			a.Whole = p.Kind == "integer"
			mine = append(mine, a)
		}
	}
	if len(mine) == 0 {
		return experiment.Plain(r.start), nil
	}
	search := &experiment.Search{Folds: k.inner, Seed: k.t.seed, Start: func(s experiment.Setting) experiment.Start { return r.with(s).start }}
	if k.draws > 0 {
		search.Settings = experiment.Draw(mine, k.draws, k.t.seed)
	} else if search.Settings, err = experiment.Grid(mine); err != nil {
		return nil, usage("--tune: %w", err)
	}
	for _, s := range search.Settings {
		if _, err := r.with(s).learner(); err != nil {
			return nil, err
		}
	}
	w.Tuned = fmt.Sprintf("best of %s by %d folds within each part", plural(len(search.Settings), "setting"), k.inner)
	return search.Way(), nil
}

// flags are those of fit for the recipe.
func (r *recipe) flags() []string {
	args := []string{"--learner", r.name}
	last := map[string]string{}
	var names []string
	for _, v := range r.values {
		if _, seen := last[v.Name]; !seen {
			names = append(names, v.Name)
		}
		last[v.Name] = v.Text
	}
	for _, name := range names {
		args = append(args, "--"+name+"="+last[name])
	}
	for _, m := range r.maps {
		args = append(args, "--map", m)
	}
	return args
}
