module lookout.test/image-references

go 1.25

require (
	github.com/distribution/reference v0.6.0
	github.com/opencontainers/go-digest v1.0.0
)
