# demo   shows what the library does, on messages recorded from real peers
# test   all that must hold: format, vet, builds, tests, and each fuzz target for FUZZ inputs
# lint   staticcheck and govulncheck, fetched as Go modules; the second asks the Go vulnerability database
# bench  one table of what things cost, beside go-amqp where that does the same; some 5 minutes.
#        BENCH=IDs/ParseID measures those alone
#
# bench-peers       the same, and beside Qpid JMS, proton-j, Broker-J, Artemis and ActiveMQ Classic on a JVM
# bench-peers-once  runs what bench-peers has on the JVM, and measures nothing
#
# interop           live tests against ActiveMQ Classic, Broker-J, Artemis and a JMS application
# interop-rabbitmq  the same against RabbitMQ 4.0 and 4.3
#
# broker  an ActiveMQ Classic on 127.0.0.1:5672 to try things on
# ask     a JMS application that sends a request to it and prints the reply
# interop-workers   100,000 messages of 1,000 groups through Workers on each of them but RabbitMQ 4.0, and
#                   what they cost; some 10 minutes. MESSAGES=10000 sends fewer.

GO     ?= go
FUZZ   ?= 100000
BENCH  ?= .
COUNTS ?= 6

# -race needs a platform that has it, cgo, and for that a C compiler.
race = $(shell $(GO) list -race unsafe >/dev/null 2>&1 && set -- $$($(GO) env CC) && command -v "$$1" >/dev/null && echo -race)

.PHONY: demo test format vet build unit fuzz lint bench bench-peers bench-peers-once jvm broker ask interop-java interop interop-rabbitmq interop-workers

demo:
	@$(GO) run ./internal/cmd/jmswire demo

test: format vet build unit fuzz

format:
	@files=$$(gofmt -l .) && test -z "$$files" || { echo "not as gofmt writes it: $$files"; exit 1; }

vet:
	$(GO) vet ./...
	$(GO) vet -tags interop ./...
	GOARCH=386 $(GO) vet ./...

# It builds where an int has 32 bits, where bytes have the other order, and off Linux.
platforms = linux/386 linux/s390x windows/amd64 darwin/arm64 js/wasm

build:
	@set -eu; for p in $(platforms); do \
		echo "$(GO) build for $$p"; GOOS=$${p%/*} GOARCH=$${p#*/} $(GO) build ./...; \
	done

unit:
	@test -n "$(race)" || echo "without -race, which needs cgo and a C compiler"
	$(GO) test $(race) ./...
	$(if $(race),$(GO) test -run '^TestSelectorAllocates$$' .) # with -race a sync.Pool allocates

# go test fuzzes one target at a time. After the names of a package's targets, the
# list has a line with its path.
fuzz:
	@set -eu; list=$$($(GO) test -list '^Fuzz' ./...); \
	targets=$$(echo "$$list" | awk '/^Fuzz/ { f[n++] = $$1 } /^ok/ { for (i = 0; i < n; i++) print $$2, f[i]; n = 0 }'); \
	test -n "$$targets" || { echo "no fuzz target"; exit 1; }; \
	echo "$$targets" | while read -r package target; do \
		echo "$(GO) test -run '^$$' -fuzz '^$$target$$' -fuzztime $(FUZZ)x $$package"; \
		$(GO) test -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZ)x "$$package" </dev/null; \
	done

lint:
	$(GO) run honnef.co/go/tools/cmd/staticcheck@v0.8.2 -tags interop ./...
	@echo "staticcheck: passed"
	$(GO) run golang.org/x/vuln/cmd/govulncheck@v1.9.0 ./...
	@echo "govulncheck: passed"

# Runs one after the other, so that what stands side by side is measured side by side in each.
benchmarks = for i in $$(seq $(COUNTS)); do $(GO) test -run '^$$' -bench '$(BENCH)' -benchtime 100ms -vet off . || exit; done
benchtable = $(GO) run ./internal/cmd/benchtable -counts $(COUNTS)

bench:
	@$(benchmarks) | $(benchtable)

# Both sides work on the same bytes, which the test writes.
inputs = inputs=$$(mktemp) && trap 'rm -f "$$inputs"' EXIT && \
	BENCH_INPUTS="$$inputs" $(GO) test -count=1 -run '^TestPeerInputs$$' -vet off .
peers  = java -cp 'internal/bench/java/target/classes:internal/bench/java/target/lib/*' bench.Main \
	"$$inputs" testdata/broker-j-groups

bench-peers: override BENCH = .
bench-peers: jvm
	@$(inputs) && { { $(benchmarks); $(peers) $(COUNTS); } || echo FAIL; } | \
		$(benchtable) -peers qpid-jms,proton-j,broker-j,artemis,activemq

bench-peers-once: jvm
	@$(inputs) && $(peers) once

jvm:
	@for tool in java javac mvn; do \
		command -v $$tool >/dev/null || { echo "$$tool is missing: this needs a JDK (17 or later) and Maven"; exit 1; }; \
	done
	mvn -q -f internal/bench/java/pom.xml compile

# A broker to try things on, until its standard input ends or Ctrl-C, and a JMS
# application that asks what README's program answers.
try = java -Dorg.slf4j.simpleLogger.defaultLogLevel=warn -cp 'internal/interop/java/target/classes:internal/interop/java/target/lib/*'

broker: interop-java
	@echo "ActiveMQ Classic on amqp://127.0.0.1:5672; Ctrl-C ends it"
	@$(try) interop.EmbeddedActiveMQ 5672

ask: interop-java
	@$(try) interop.Ask amqp://127.0.0.1:5672 prices apples

interop-java:
	mvn -q -f internal/interop/java/pom.xml compile

# -v shows the table of what each broker did. The tests say what must be installed.
interop:
	$(GO) test -tags interop -count=1 -v -timeout 20m -skip '^(TestRabbitMQ|TestWorkers)$$' ./internal/interop

interop-rabbitmq:
	$(GO) test -tags interop -count=1 -v -timeout 25m -run '^TestRabbitMQ$$' ./internal/interop

interop-workers:
	$(GO) test -tags interop -count=1 -v -timeout 40m -run '^TestWorkers$$' ./internal/interop
