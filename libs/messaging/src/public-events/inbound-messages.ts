import { z } from 'zod';
import { COMMANDS_EXCHANGE, RPC_EXCHANGE } from '../consuming.js';
import { field } from './event-definition.js';
import { jsonSchemaOf, payloadOf } from './event-schemas.js';

// The messages that other services send to Keyfold, and the replies. Unknown fields are ignored.

const accountId = z.int().min(1).describe('The id of the account.');
const fingerprint = z
  .string()
  .regex(/^SHA256:[A-Za-z0-9+/]{43}$/)
  .describe('The fingerprint of the key, in the format of `ssh-keygen -lf`.');

/** The command `ssh-key.use`: a server verified a signature made with a key of an account. */
export const SshKeyUseMessage = z.object({
  account: accountId,
  fingerprint,
  address: z.string().min(1).max(64).describe('The IP address of the client, as seen by the server.'),
  time: z.iso
    .datetime({ offset: true })
    .describe('When the signature was verified: an RFC 3339 timestamp with `Z` or an offset.'),
});
export type SshKeyUseMessage = z.infer<typeof SshKeyUseMessage>;

/** The question `ssh-keys.look-up`: which keys may log in under a username. */
export const SshKeyLookUpRequest = z.object({
  username: z.string().min(1).max(4096).describe('The exact name of the account.'),
  fingerprint: fingerprint.optional().describe('Limits the reply to this key. The format is that of `ssh-keygen -lf`.'),
});
export type SshKeyLookUpRequest = z.infer<typeof SshKeyLookUpRequest>;

const LookedUpKey = z.object({
  keyId: z.int().min(1).describe('The id of the key; never reused.'),
  title: z.string().describe('The title that the owner gave the key.'),
  type: z.string().describe('For example `ssh-ed25519`.'),
  fingerprint,
  publicKey: z.string().describe('The key as a line of authorized_keys without a comment: type, space, base64.'),
  expires: field.keyExpires,
});

const LookedUpAccount = z.object({
  accountId,
  username: field.username,
  permission: field.permission.describe('The permissions as bits. Bit 10 allows reading over SFTP, bit 11 writing.'),
  keys: z.array(LookedUpKey).describe('The keys that may log in now, oldest first. Expired keys are left out.'),
});

/** The reply to `ssh-keys.look-up`. */
export const SshKeyLookUpReply = z.discriminatedUnion('ok', [
  z.object({
    ok: z.literal(true),
    data: LookedUpAccount.nullable().describe(
      'Null if no key may log in under this name: the account is unknown, disabled or not allowed to use SFTP.',
    ),
  }),
  z.object({
    ok: z.literal(false),
    error: z.object({
      code: z.string().describe('A stable code in kebab-case.'),
      message: z.string().describe('A description of the error in English.'),
      retryable: z.boolean().describe('Whether the same question may succeed later.'),
    }),
  }),
]);
export type SshKeyLookUpReply = z.infer<typeof SshKeyLookUpReply>;

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

/** The AMQP bindings of an object of the AsyncAPI document. */
export const amqp = <Binding extends object>(binding: Binding) => ({ amqp: { ...binding, bindingVersion: '0.3.0' } });

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
    bindings: amqp({ messageType: USE }),
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
    bindings: amqp({ messageType: LOOK_UP }),
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

/** The channel of the messages of a type, which is their routing key. */
export const routedChannel = (type: string, title: string, exchange: string) => ({
  address: type,
  title,
  messages: { [type]: { $ref: `#/components/messages/${type}` } },
  bindings: amqp({ is: 'routingKey', exchange: { name: exchange, type: 'topic', durable: true, autoDelete: false } }),
});

/** An operation on the channel of the messages of a type. */
export const operationOn = (type: string, action: 'send' | 'receive', summary: string, binding: object, more = {}) => ({
  action,
  channel: { $ref: `#/channels/${type}` },
  summary,
  messages: [{ $ref: `#/channels/${type}/messages/${type}` }],
  ...more,
  bindings: amqp(binding),
});

export const inboundChannels = {
  [USE]: routedChannel(USE, 'Uses of SSH keys', COMMANDS_EXCHANGE),
  [LOOK_UP]: routedChannel(LOOK_UP, 'Lookups of SSH keys', RPC_EXCHANGE),
  replies: {
    address: null,
    title: 'The reply address of the requester',
    messages: { [REPLY]: { $ref: `#/components/messages/${REPLY}` } },
  },
};

const RECORDED = 'Updates the time of the last use of the key, at most once per key and ten minutes.';
const ANSWERED = 'Replies with the keys of the account, or with null if no key may log in under the name.';
const reply = {
  address: { location: '$message.header#/replyTo' },
  channel: { $ref: '#/channels/replies' },
  messages: [{ $ref: `#/channels/replies/messages/${REPLY}` }],
};

export const inboundOperations = {
  [`receive-${USE}`]: operationOn(USE, 'receive', RECORDED, { ack: true }),
  [`answer-${LOOK_UP}`]: operationOn(LOOK_UP, 'receive', ANSWERED, { ack: true }, { reply }),
};
