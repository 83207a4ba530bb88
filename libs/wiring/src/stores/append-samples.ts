import type { AppendCounts } from '@keyfold/event-store';
import { readModels } from '@keyfold/projections';
import type { Sample } from '@keyfold/process';

/** All event types, so that a type without events is exposed as 0. */
const eventTypes = readModels.flatMap(({ aggregate }) => Object.keys(aggregate.upcasters));

export const appendSamples = ({ events, conflicts, failures, batches, durations }: AppendCounts): Sample[] => [
  ...eventTypes.map((type): Sample => {
    return { name: 'keyfold_events_appended_total', labels: { type }, value: events.get(type) ?? 0 };
  }),
  { name: 'keyfold_append_conflicts_total', value: conflicts },
  { name: 'keyfold_append_failures_total', value: failures },
  { name: 'keyfold_append_batch_commits', value: batches },
  { name: 'keyfold_append_duration_seconds', value: durations },
];
