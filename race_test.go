//go:build race

package amqpjms

const raceEnabled = true // where a sync.Pool drops at random what it is given
