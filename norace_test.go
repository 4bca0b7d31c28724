//go:build !race

package amqpjms

const raceEnabled = false
