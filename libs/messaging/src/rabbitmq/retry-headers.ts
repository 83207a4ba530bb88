import type { ConsumeMessage, MessageProperties, Options } from 'amqplib';

/** What a copy says of the try that failed. */
export type FailedTry = Readonly<{ code: string; attempt: number; firstFailedAt: string }>;

/**
 * Not taken over into a copy: the broker's own notes, which it would read as the history of the copy, and `CC`, which would send the copy
 * to wherever its first sender likes.
 */
const DROPPED = /^(?:x-death|x-first-death-.*|x-last-death-.*|x-delivery-count|x-acquired-count|cc|bcc)$/i;

/** The properties of a copy of a message: its own, and what failed. Not its expiry: a parked message waits for a person. */
export function copyOptions(properties: MessageProperties, failed: FailedTry): Options.Publish {
  return {
    ...copiedProperties(properties),
    headers: { ...keptHeaders(properties), ...failedHeaders(failed) },
  };
}

/** The same without the headers of the sender, for messages whose headers nobody can write again. */
export function bareCopyOptions({ messageId, type }: MessageProperties, failed: FailedTry): Options.Publish {
  return { ...textProperties({ messageId, type }), headers: failedHeaders(failed) };
}

/** How often an operator sent the message again. */
const REDRIVEN = 'x-redriven';

/** The properties of a parked message that is sent again: as if it had never failed, but for how often that was done. */
export function redriveOptions(properties: MessageProperties): Options.Publish {
  const { [REDRIVEN]: before, ...headers } = keptHeaders(properties);
  for (const name of Object.keys(failedHeaders({ code: '', attempt: 0, firstFailedAt: '' }))) delete headers[name];
  const times = typeof before === 'number' ? before + 1 : 1;
  return { ...copiedProperties(properties), headers: { ...headers, [REDRIVEN]: times } };
}

/** The properties that are plain texts. `user-id` is not among them: the broker refuses that of somebody else. */
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

const failedHeaders = ({ code, attempt, firstFailedAt }: FailedTry) => ({
  'x-error-code': code,
  'x-attempt': attempt,
  'x-first-failed-at': firstFailedAt,
});

function keptHeaders({ headers }: Pick<ConsumeMessage['properties'], 'headers'>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(headers ?? {}).filter(([name]) => !DROPPED.test(name)));
}
