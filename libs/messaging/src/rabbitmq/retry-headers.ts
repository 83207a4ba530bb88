import type { ConsumeMessage, MessageProperties, Options } from 'amqplib';

/** Describes the failed attempt in the headers of a copy. */
export type FailedAttempt = Readonly<{ code: string; attempt: number; firstFailedAt: string }>;

/**
 * Headers that are not copied: the broker's own, which it would take for the history of the copy, and `CC` and `BCC`, with which the
 * original sender could route the copy to other queues.
 */
const DROPPED = /^(?:x-death|x-first-death-.*|x-last-death-.*|x-delivery-count|x-acquired-count|cc|bcc)$/i;

/** Returns the properties of a copy: those of the message, plus the failed attempt. Drops the expiration, since parked messages must stay. */
export function copyOptions(properties: MessageProperties, failed: FailedAttempt): Options.Publish {
  return {
    ...copiedProperties(properties),
    headers: { ...keptHeaders(properties), ...failedHeaders(failed) },
  };
}

/** Returns the properties of a copy without the sender's headers, for messages whose headers amqplib cannot encode again. */
export function bareCopyOptions({ messageId, type }: MessageProperties, failed: FailedAttempt): Options.Publish {
  return { ...textProperties({ messageId, type }), headers: failedHeaders(failed) };
}

/** Header with the number of times an operator redrove the message. */
const REDRIVEN = 'x-redriven';

/** Returns the properties of a redriven message: as if it had never failed, except for the count of redrives. */
export function redriveOptions(properties: MessageProperties): Options.Publish {
  const { [REDRIVEN]: before, ...headers } = keptHeaders(properties);
  for (const name of Object.keys(failedHeaders({ code: '', attempt: 0, firstFailedAt: '' }))) delete headers[name];
  const times = typeof before === 'number' ? before + 1 : 1;
  return { ...copiedProperties(properties), headers: { ...headers, [REDRIVEN]: times } };
}

/** Leaves out `user-id`: the broker refuses a message with the id of another user. */
function copiedProperties({
  messageId,
  type,
  contentType,
  contentEncoding,
  correlationId,
  appId,
  timestamp,
}: MessageProperties): Options.Publish {
  const texts = textProperties({ messageId, type, contentType, contentEncoding, correlationId, appId });
  return Number.isSafeInteger(timestamp) ? { ...texts, timestamp: timestamp as number } : texts;
}

const textProperties = (properties: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(properties).filter(([, value]) => typeof value === 'string'));

const failedHeaders = ({ code, attempt, firstFailedAt }: FailedAttempt) => ({
  'x-error-code': code,
  'x-attempt': attempt,
  'x-first-failed-at': firstFailedAt,
});

function keptHeaders({ headers }: Pick<ConsumeMessage['properties'], 'headers'>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(headers ?? {}).filter(([name]) => !DROPPED.test(name)));
}
