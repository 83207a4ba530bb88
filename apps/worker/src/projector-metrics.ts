import type { INestApplication } from '@nestjs/common';
import type { Metrics, Sample } from '@keyfold/process';
import { Projector, type ProjectorLag } from '@keyfold/projections';

/** Adds the metrics of the projector in this process. The lag is missing while the store is unavailable. */
export function measureProjector(app: INestApplication, metrics: Metrics): void {
  const projector = app.get(Projector, { strict: false });
  metrics.add(() => [{ name: 'keyfold_projector_slots', value: projector.status().positions.size }]);
  metrics.add(async () => lagSamples(await projector.lag(), Date.now()));
}

/** `now` is in Unix milliseconds. */
const lagSamples = (
  { pendingCommits, oldestPendingAt = Infinity, parkedStreams }: ProjectorLag,
  now: number,
): Sample[] => [
  { name: 'keyfold_projector_pending_commits', value: pendingCommits },
  { name: 'keyfold_projector_oldest_unread_seconds', value: Math.max(0, now - oldestPendingAt) / 1_000 },
  { name: 'keyfold_projector_parked_streams', value: parkedStreams },
];
