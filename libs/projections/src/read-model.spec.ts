import { describe, expect, it } from 'vitest';
import {
  accessTokensStream,
  accountStream,
  appPasswordsStream,
  erasuresStream,
  sessionStream,
  openlistUserStream,
  siteSettingsStream,
  sshKeyRingStream,
  sshKeyUseStream,
  streamRef,
} from './loading/stream-ref.js';
import { readModelOf, readModels } from './read-model.js';

const refs = [
  accountStream(7),
  sessionStream('b3f1', 7),
  sshKeyRingStream(7),
  sshKeyUseStream(7),
  accessTokensStream(7),
  appPasswordsStream(7),
  openlistUserStream(7),
  siteSettingsStream,
  erasuresStream,
];

describe('a stream name', () => {
  it.each(refs.map((ref) => [ref.stream, ref] as const))('%s leads back to its reference', (stream, ref) => {
    expect(streamRef(stream, ref.partition)).toEqual(ref);
  });

  it('belongs to one read model only', () => {
    expect(new Set(refs.map(readModelOf)).size).toBe(readModels.length);
    for (const { stream } of refs) {
      expect(readModels.filter(({ aggregate }) => stream.startsWith(aggregate.streamPrefix))).toHaveLength(1);
    }
  });

  it.each(['void-0', 'ssh', 'sessions', 'device-7', 'access-7', 'app-7'])('%s belongs to none', (stream) => {
    expect(streamRef(stream, stream)).toBeUndefined();
  });
});
