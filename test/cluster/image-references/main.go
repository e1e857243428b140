// Parses image references as container runtimes do. Each line of input is a JSON text, and each line of output a JSON object.
package main

import (
	"bufio"
	_ "crypto/sha256" // without these, their digests would be of unknown algorithms
	_ "crypto/sha512"
	"encoding/json"
	"errors"
	"io"
	"log"
	"os"
	"strings"

	"github.com/distribution/reference"
	"github.com/opencontainers/go-digest"
)

// The answer to one text. Problem is empty for a valid reference.
type answer struct {
	Registry   string `json:"registry"`
	Repository string `json:"repository"`
	Tag        string `json:"tag"`
	Digest     string `json:"digest"`
	Familiar   string `json:"familiar"`
	Canonical  string `json:"canonical"`
	Problem    string `json:"problem"`
}

func read(text string) answer {
	named, err := reference.ParseNormalizedNamed(text)
	if err != nil {
		return answer{Problem: problemOf(err)}
	}
	read := answer{
		Registry:   reference.Domain(named),
		Repository: reference.Path(named),
		Familiar:   reference.FamiliarString(named),
		Canonical:  named.String(),
	}
	if tagged, ok := named.(reference.Tagged); ok {
		read.Tag = tagged.Tag()
	}
	if digested, ok := named.(reference.Digested); ok {
		read.Digest = digested.Digest().String()
	}
	return read
}

func problemOf(err error) string {
	switch {
	case errors.Is(err, reference.ErrNameTooLong):
		return "name-too-long"
	case errors.Is(err, digest.ErrDigestInvalidFormat),
		errors.Is(err, digest.ErrDigestInvalidLength),
		errors.Is(err, digest.ErrDigestUnsupported):
		return "digest-invalid"
	case strings.Contains(err.Error(), "must be lowercase"): // two errors say so, and one of them has no name
		return "uppercase"
	default:
		return "invalid-format"
	}
}

func main() {
	texts, out := json.NewDecoder(bufio.NewReader(os.Stdin)), bufio.NewWriter(os.Stdout)
	answers := json.NewEncoder(out)
	for {
		var text string
		if err := texts.Decode(&text); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			log.Fatal(err)
		}
		if err := answers.Encode(read(text)); err != nil {
			log.Fatal(err)
		}
	}
	if err := out.Flush(); err != nil {
		log.Fatal(err)
	}
}
