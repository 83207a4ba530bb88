import { AppendCounts } from '@keyfold/event-store';
import { describe, expect, it } from 'vitest';
import { appendSamples } from './append-samples.js';

describe('appends', () => {
  it('have a sample for every event type, even for those without events', () => {
    const counts = new AppendCounts();
    counts.events.set('SshKeyAdded', 3);
    const samples = appendSamples(counts).filter(({ name }) => name === 'keyfold_events_appended_total');
    const values = new Map(samples.map(({ labels, value }) => [labels?.['type'], value]));
    expect(values.size).toBe(samples.length);
    expect(values.get('SshKeyAdded')).toBe(3);
    for (const type of ['AccountRegistered', 'SessionEnded', 'SshKeyUsed', 'StaticTokenReset', 'TwoFactorLocked'])
      expect([type, values.get(type)]).toEqual([type, 0]);
  });
});
