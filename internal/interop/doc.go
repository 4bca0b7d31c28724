// Package interop proves the mapping on a wire: a Go service on one side, a JMS
// application (Apache Qpid JMS) on the other, and between them the brokers
// people run. Everything but this comment is in tests with the build tag
// "interop"; README.md says how to run them and what they need.
package interop
