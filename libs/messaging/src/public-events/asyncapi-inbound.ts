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
        },
      ],
    },
  },
  { ok: true, data: null },
  { ok: false, error: { code: 'store-unavailable', message: 'the store is not available', retryable: true } },
];

export const inboundMessages = {
  [USE]: {
    name: USE,
    title: 'An SSH key was used',
    summary: 'A server verified a signature by a key of an account.',
    description:
      'The AMQP property `type` is `ssh-key.use`. The property `message-id` is unique, so a command that comes twice counts once. ' +
      'What can never be handled is parked and not answered.',
    contentType: 'application/json',
    payload: payloadOf(jsonSchemaOf(SshKeyUseMessage)),
    bindings: { amqp: { messageType: USE, bindingVersion: '0.3.0' } },
    examples: [{ payload: sampleUse }],
  },
  [LOOK_UP]: {
    name: LOOK_UP,
    title: 'Which keys may log in under a name?',
    description:
      'The AMQP property `type` is `ssh-keys.look-up`. The property `reply-to` is `amq.rabbitmq.reply-to`: answers go nowhere else. ' +
      'The property `correlation-id` comes back with the answer.',
    contentType: 'application/json',
    headers: {
      type: 'object',
      description: 'AMQP properties of the question.',
      properties: { replyTo: { type: 'string', const: 'amq.rabbitmq.reply-to' } },
    },
    correlationId: { location: '$message.header#/correlationId' },
    payload: payloadOf(jsonSchemaOf(SshKeyLookUpRequest)),
    bindings: { amqp: { messageType: LOOK_UP, bindingVersion: '0.3.0' } },
    examples: [{ payload: sampleRequest }],
  },
  [REPLY]: {
    name: REPLY,
    title: 'The keys that may log in under a name',
    contentType: 'application/json',
    correlationId: { location: '$message.header#/correlationId' },
    payload: payloadOf(jsonSchemaOf(SshKeyLookUpReply)),
    examples: sampleReplies.map((payload) => ({ payload })),
  },
};

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
    title: 'Questions that are answered at once or not at all',
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
    title: 'The address of the one who asked',
    messages: { [REPLY]: { $ref: `#/components/messages/${REPLY}` } },
  },
};

export const inboundOperations = {
  [`receive-${USE}`]: {
    action: 'receive',
    channel: { $ref: `#/channels/${USE}` },
    summary: 'Moves the time of the last use of the key; at most one use per key and ten minutes is kept.',
    messages: [{ $ref: `#/channels/${USE}/messages/${USE}` }],
    bindings: { amqp: { ack: true, bindingVersion: '0.3.0' } },
  },
  [`answer-${LOOK_UP}`]: {
    action: 'receive',
    channel: { $ref: `#/channels/${LOOK_UP}` },
    summary: 'Answers with the keys of an account; with nothing when nobody may log in with a key under the name.',
    messages: [{ $ref: `#/channels/${LOOK_UP}/messages/${LOOK_UP}` }],
    reply: {
      address: { location: '$message.header#/replyTo' },
      channel: { $ref: '#/channels/replies' },
      messages: [{ $ref: `#/channels/replies/messages/${REPLY}` }],
    },
    bindings: { amqp: { ack: true, bindingVersion: '0.3.0' } },
  },
};
