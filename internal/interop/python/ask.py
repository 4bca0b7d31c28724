"""An AMQP 0-9-1 client that asks: ask.py PORT QUEUE REPLY-TO.

It sends a request to QUEUE and waits for the reply on REPLY-TO: the name of a queue that
is made for this client alone, "" for one that the broker names, or amq.rabbitmq.reply-to.
It writes one JSON object: the reply-to that it asked with, and the reply, or null if none
came in 5 seconds.
"""

import json
import sys
import time

import pika

DIRECT = "amq.rabbitmq.reply-to"

port, queue, reply_to = int(sys.argv[1]), sys.argv[2], sys.argv[3]
connection = pika.BlockingConnection(pika.ConnectionParameters("127.0.0.1", port))
channel = connection.channel()
if reply_to != DIRECT:
    reply_to = channel.queue_declare(reply_to, exclusive=True).method.queue

replies = []


def received(channel, method, properties, body):
    replies.append({
        "body": body.hex(),
        "contentType": properties.content_type,
        "correlationID": properties.correlation_id,
    })


# Direct reply-to is consumed without acknowledgement, and before it is asked with.
channel.basic_consume(reply_to, received, auto_ack=True)
channel.basic_publish("", queue, "a request, é".encode(), pika.BasicProperties(
    reply_to=reply_to,
    message_id="request 1",
    correlation_id="order 1",
    content_type="text/plain",
    content_encoding="UTF-8",  # as Spring AMQP sends a text
))
deadline = time.monotonic() + 5
while not replies and time.monotonic() < deadline:
    connection.process_data_events(time_limit=0.1)
print(json.dumps({"replyTo": reply_to, "reply": replies[0] if replies else None}))
connection.close()
