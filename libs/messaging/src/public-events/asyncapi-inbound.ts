import { COMMANDS_EXCHANGE, RPC_EXCHANGE } from '../exchanges.js';
import { payloadOf } from './asyncapi-payload.js';
import { jsonSchemaOf } from './event-schemas.js';
import { SshKeyLookUpReply, SshKeyLookUpRequest, SshKeyUseMessage } from './inbound-messages.js';

const USE = 'ssh-key.use';
const LOOK_UP = 'ssh-keys.look-up';
const REPLY = `${LOOK_UP}.reply`;

const FINGERPRINT = 'SHA256:k1lHAp+X/5LUqIgy0k5fdf3U/UErM5dvAAZfY8RLJ1M';
const sampleUse: SshKeyUseMessage = {
  account: 42,
  fingerprint: FINGERPRINT,
  address: '2001:db8::7',
  time: '2026-01-15T12:10:00Z',
};
const sampleRequest: SshKeyLookUpRequest = { username: 'maria', fingerprint: FINGERPRINT };
const sampleReplies: readonly SshKeyLookUpReply[] = [
  {
    ok: true,
    data: {
      accountId: 42,
      username: 'maria',
      permission: 1280,
      keys: [
        {
          keyId: 44040193,
          title: 'laptop',
          type: 'ssh-ed25519',
          fingerprint: FINGERPRINT,
          publicKey: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGu40a4PDH9B6j8zsI8UB1xVBeFmZ/ndl1506eukyPd8',
          expires: '2026-02-15T12:00:00.000Z',
        },
      ],
    },
  },
  { ok: true, data: null },
  { ok: false, error: { code: 'store-unavailable', message: 'the store is not available', retryable: true } },
];

/** The messages that Keyfold receives and its reply, for the AsyncAPI document. */
export const inboundMessages = {
  [USE]: {
    name: USE,
    title: 'Record the use of an SSH key',
    summary: 'Sent by a server that verified a signature made with a key of an account.',
    description:
      'Set the AMQP property `type` to `ssh-key.use` and `message-id` to a unique id: a command that arrives twice is applied once. ' +
      'There is no reply. Commands that can never be handled are parked.',
    contentType: 'application/json',
    payload: payloadOf(jsonSchemaOf(SshKeyUseMessage)),
    bindings: { amqp: { messageType: USE, bindingVersion: '0.3.0' } },
    examples: [{ payload: sampleUse }],
  },
  [LOOK_UP]: {
    name: LOOK_UP,
    title: 'Look up the SSH keys of a username',
    description:
      'Set the AMQP property `type` to `ssh-keys.look-up` and `reply-to` to `amq.rabbitmq.reply-to`, the only supported reply address. ' +
      'The reply has the same `correlation-id`.',
    contentType: 'application/json',
    headers: {
      type: 'object',
      description: 'AMQP properties of the message.',
      properties: { replyTo: { type: 'string', const: 'amq.rabbitmq.reply-to' } },
    },
    correlationId: { location: '$message.header#/correlationId' },
    payload: payloadOf(jsonSchemaOf(SshKeyLookUpRequest)),
    bindings: { amqp: { messageType: LOOK_UP, bindingVersion: '0.3.0' } },
    examples: [{ payload: sampleRequest }],
  },
  [REPLY]: {
    name: REPLY,
    title: 'The SSH keys of a username',
    contentType: 'application/json',
    correlationId: { location: '$message.header#/correlationId' },
    payload: payloadOf(jsonSchemaOf(SshKeyLookUpReply)),
    examples: sampleReplies.map((payload) => ({ payload })),
  },
};

/** The channels of these messages. */
export const inboundChannels = {
  [USE]: {
    address: USE,
    title: 'Uses of SSH keys',
    messages: { [USE]: { $ref: `#/components/messages/${USE}` } },
    bindings: {
      amqp: {
        is: 'routingKey',
        exchange: { name: COMMANDS_EXCHANGE, type: 'topic', durable: true, autoDelete: false },
        bindingVersion: '0.3.0',
      },
    },
  },
  [LOOK_UP]: {
    address: LOOK_UP,
    title: 'Lookups of SSH keys',
    messages: { [LOOK_UP]: { $ref: `#/components/messages/${LOOK_UP}` } },
    bindings: {
      amqp: {
        is: 'routingKey',
        exchange: { name: RPC_EXCHANGE, type: 'topic', durable: true, autoDelete: false },
        bindingVersion: '0.3.0',
      },
    },
  },
  replies: {
    address: null,
    title: 'The reply address of the requester',
    messages: { [REPLY]: { $ref: `#/components/messages/${REPLY}` } },
  },
};

/** The operations on these channels. */
export const inboundOperations = {
  [`receive-${USE}`]: {
    action: 'receive',
    channel: { $ref: `#/channels/${USE}` },
    summary: 'Updates the time of the last use of the key, at most once per key and ten minutes.',
    messages: [{ $ref: `#/channels/${USE}/messages/${USE}` }],
    bindings: { amqp: { ack: true, bindingVersion: '0.3.0' } },
  },
  [`answer-${LOOK_UP}`]: {
    action: 'receive',
    channel: { $ref: `#/channels/${LOOK_UP}` },
    summary: 'Replies with the keys of the account, or with null if no key may log in under the name.',
    messages: [{ $ref: `#/channels/${LOOK_UP}/messages/${LOOK_UP}` }],
    reply: {
      address: { location: '$message.header#/replyTo' },
      channel: { $ref: '#/channels/replies' },
      messages: [{ $ref: `#/channels/replies/messages/${REPLY}` }],
    },
    bindings: { amqp: { ack: true, bindingVersion: '0.3.0' } },
  },
};
