// Scores of watchman for questions and their candidates; files and output as in screening.py.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"syscall"

	"github.com/moov-io/watchman/pkg/search"
)

type Named struct {
	Type       string   `json:"type"`
	Name       string   `json:"name"`
	Names      []string `json:"names"`
	Weak       []string `json:"weak"`
	Candidates []int    `json:"candidates"`
}

func entity(kind string, names []string) search.Entity[search.Value] {
	made := search.Entity[search.Value]{Name: names[0], Type: search.EntityOrganization}
	if kind == "individual" {
		made.Type = search.EntityPerson
		made.Person = &search.Person{Name: names[0], AltNames: names[1:]}
	} else {
		made.Organization = &search.Organization{Name: names[0], AltNames: names[1:]}
	}
	return made.Normalize()
}

func cpuSeconds() float64 {
	var usage syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	return float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e9
}

func main() {
	text, err := os.ReadFile(os.Args[1])
	if err != nil {
		panic(err)
	}
	var given struct {
		Entries   []Named `json:"entries"`
		Questions []Named `json:"questions"`
	}
	if err := json.Unmarshal(text, &given); err != nil {
		panic(err)
	}
	entries := make([]search.Entity[search.Value], len(given.Entries))
	for at, one := range given.Entries {
		entries[at] = entity(one.Type, append(one.Names, one.Weak...))
	}
	started := cpuSeconds()
	scores := make([][]float64, len(given.Questions))
	for at, one := range given.Questions {
		query := entity(one.Type, []string{one.Name})
		scores[at] = make([]float64, len(one.Candidates))
		for place, number := range one.Candidates {
			scores[at][place] = 100 * search.Similarity(query, entries[number])
		}
	}
	perSecond := float64(len(given.Questions)) / (cpuSeconds() - started)
	// The minMatch of the examples in its documentation; it has no default.
	answer, _ := json.Marshal(map[string]any{"peer": "watchman", "threshold": 75, "perSecond": perSecond, "scores": scores})
	fmt.Println(string(answer))
}
