module github.com/seed-b113d664/amqpjms

go 1.25.0

require (
	github.com/Azure/go-amqp v1.7.0
	github.com/stretchr/testify v1.12.1
)

require (
	github.com/google/uuid v1.6.0 // indirect
	go.yaml.in/yaml/v3 v3.0.5 // indirect
)
